"""Notices about a reply: that it is not understood, comes too late, or asks for help."""

from typing import Literal, assert_never

from github_app.conversation import events
from github_app.conversation.effects import (
    DecisionTooLate,
    Help,
    LateReply,
    LimitReached,
    Notice,
    NoticeOfReply,
    NotUnderstood,
)
from github_app.conversation.message import Aside, Block, Code, Line, Paragraph, Prose, Text
from github_app.conversation.notices.phrases import LABEL_AGAIN, about_question, question_link
from github_app.conversation.record import Conversation, State
from github_app.conversation.states import MAX_STARTS, Trigger
from github_app.conversation.wording.asked import SHOWN_CHOICES, how_to_reply
from github_app.conversation.wording.planned import short_replies_to_plan
from pipeline.contract.choices import choices, default_choice
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.decisions import DECISIONS_PATH
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why


def notice_of_reply(
    conversation: Conversation, event: events.ReplyReceived | events.KeepTicked, trigger: Trigger
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself."""
    if isinstance(event, events.KeepTicked) or trigger is Trigger.ANSWER_KEPT_TOO_LATE:
        number = conversation.pull_request.number if conversation.pull_request else conversation.issue
        return f"decision-too-late:{number}", DecisionTooLate()
    about = about_question(conversation)
    question_id = conversation.question.question.id if conversation.question else ""
    match trigger:
        case Trigger.NOT_UNDERSTOOD:
            why, excerpt = _why(event.reply), event.excerpt
            notice = NotUnderstood(
                question_id=question_id, excerpt=excerpt, why=why, choices=event.reply.numbers
            )
            return f"not-understood:{about}", notice
        case Trigger.HELP_WANTED:
            return f"help:{about}", Help(question_id=question_id)
        case Trigger.ANSWERED_TOO_OFTEN:
            return f"limit:{about}", LimitReached(what="runs", limit=MAX_STARTS)
        case _:
            late = _why_late(conversation, trigger)
            return f"late:{about}:{late}", LateReply(question_id=question_id, why=late, excerpt=event.excerpt)


def _why(reply: Reply) -> Literal["unclear", "conflict", "question", "needs_text", "no_default"]:
    if reply.kind is ReplyKind.CONFLICT:
        return "conflict"
    match reply.why:
        case Why.IS_A_QUESTION:
            return "question"
        case Why.NEEDS_TEXT:
            return "needs_text"
        case Why.NO_DEFAULT:
            return "no_default"
        case _:
            return "unclear"


def _why_late(
    conversation: Conversation, trigger: Trigger
) -> Literal["answered", "edited", "ended", "issue_closed"]:
    if trigger is Trigger.ANSWER_EDITED:
        return "edited"
    if conversation.state is State.CLOSED:
        return "issue_closed"
    return "answered" if conversation.state in {State.RUNNING, State.REVISING} else "ended"


def reply_blocks(conversation: Conversation, notice: NoticeOfReply) -> list[Block]:
    """How it reads."""
    match notice:
        case NotUnderstood():
            return _not_understood(conversation, notice)
        case Help():
            return _help(conversation)
        case LateReply():
            return [Paragraph((_late(conversation, notice),))]
        case DecisionTooLate():
            return _decision_too_late()
        case _:
            assert_never(notice)


def _not_understood(conversation: Conversation, notice: NotUnderstood) -> list[Block]:
    clarification = conversation.question
    quote: Line = (Text("“"), Prose(notice.excerpt), Text("”"))
    head: Line
    match notice.why:
        case "question":
            head = (Text("I read "), *quote, Text(" as a question to me, so I have **not** started. "))
        case "conflict":
            numbers = " and ".join(f"**`{number}`**" for number in notice.choices) or "more than one choice"
            head = (
                Text("I read "),
                *quote,
                Text(f" as {numbers} at once, so I have **not** started. Choose one. "),
            )
        case "needs_text":
            number = notice.choices[0] if notice.choices else ""
            head = (
                Text(
                    f"For **`{number}`** I need to know how it falls short: reply `/answer {number}` and one sentence. "
                ),
            )
        case "no_default":
            head = (Text("This question has no default to take, so I have **not** started. "),)
        case "unclear":
            head = (Text("I could not read a choice in "), *quote, Text(", so I have **not** started. "))
        case _:
            assert_never(notice.why)
    rest = _short_choices(clarification) if clarification is not None else ()
    return [
        Paragraph(((*head, *rest, *question_link(conversation)),)),
        Aside((Text("I say this once per question. After that I only react with 😕."),)),
    ]


def _help(conversation: Conversation) -> list[Block]:
    if conversation.question is None or conversation.given is not None:
        line: Line = (Text(f"No question is open here. To start, {LABEL_AGAIN.replace(' again', '')}."),)
        return [Paragraph((line,))]
    return [Paragraph(((*how_to_reply(conversation.question), *question_link(conversation)),))]


def _late(conversation: Conversation, notice: LateReply) -> Line:
    match notice.why:
        case "answered":
            return (
                Text("This question has an answer already, so “"), Prose(notice.excerpt), Text("” changes nothing. To change the "
                     "answer while the run is going, reply `/answer` and the number."), *question_link(conversation),
            )  # fmt: skip
        case "edited":
            return (
                Text("I have started with your comment as it was before the edit. To change the answer, reply `/answer` and "
                     "the number in a new comment."), *question_link(conversation),
            )  # fmt: skip
        case "ended":
            return (Text(f"This question is closed, so nothing was started. To start over, {LABEL_AGAIN}."),)
        case "issue_closed":
            place = "This issue" if conversation.question_on is None else "This pull request, or its issue,"
            return (
                Text(f"{place} is closed or locked, so nothing was started. Reopen it and {LABEL_AGAIN}."),
            )
        case _:
            assert_never(notice.why)


def _short_choices(clarification: Clarification) -> Line:
    if clarification.question.has_points:
        return short_replies_to_plan(clarification.question)
    numbered_choices, default = choices(clarification), default_choice(clarification)
    parts: list[Line] = []
    if numbered_choices:
        parts.append((Text("Reply "),))
        parts += [
            (Text(f"**`{choice.number}`** for "), Code(choice.label), Text(", "))
            for choice in numbered_choices[:SHOWN_CHOICES]
        ]
        if len(numbered_choices) > SHOWN_CHOICES:
            parts.append((Text(f"any number up to **`{len(numbered_choices)}`**, "),))
        if default is not None and not default.needs_text:
            parts.append((Text(f"or **`go`** for {default.number}. "),))
        else:
            parts.append((Text("and I go on. "),))
    is_confirmation = clarification.kind is StopKind.CONFIRMATION_NEEDED
    own_words = "In your own words: `/answer` and one sentence."
    parts.append((Text("`ok`, `yes` and 👍 decide nothing." if is_confirmation else own_words),))
    return tuple(part for line in parts for part in line)


def _decision_too_late() -> list[Block]:
    """What to do where the pull request is open already."""
    line: Line = (
        Text("**Not kept for later tickets:** the pull request is open, and what it keeps was settled when it was opened. "
             "To keep the answer now, add an entry to "), Code(DECISIONS_PATH), Text(", on the branch of the pull request "
             "or with "), Code("askfirst decide"), Text(" in a checkout. Next time, reply "), Code("/decide"),
        Text(" or tick the box before the change is there."),
    )  # fmt: skip
    return [Paragraph((line,))]
