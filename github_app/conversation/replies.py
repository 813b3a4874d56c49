"""Replies of people: what one leads to, what the record keeps of it, and what is said where it changes nothing."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from github_app.conversation.answering import exchanges_of, is_same_answer, stops, with_decision
from github_app.conversation.asking import limit_reached
from github_app.conversation.effects import PostNotice
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Aside, Block, Code, Line, Paragraph, Prose, Strong, Text
from github_app.conversation.record import Conversation, PendingAnswer, QuestionClosure, State
from github_app.conversation.states import MAX_STARTS, Trigger
from github_app.conversation.wording.asked import SHOWN_CHOICES, how_to_reply
from github_app.conversation.wording.phrases import LABEL_AGAIN, about_question, question_link
from github_app.conversation.wording.planned import short_replies_to_plan
from pipeline.contract.choices import choices, default_choice
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.commands import text_sha256
from pipeline.contract.decisions import DECISIONS_PATH
from pipeline.contract.reply_answer import answer_of
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why

ACTED_UPON = frozenset(
    {
        Trigger.ANSWER_GIVEN,
        Trigger.ANSWERED_STOP,
        Trigger.ANSWER_CHANGED,
        Trigger.ANSWERED_TOO_OFTEN,
        Trigger.CANCEL_REQUESTED,
        Trigger.ANSWER_KEPT,
        Trigger.ANSWER_NOT_KEPT,
    }
)
"""Columns after which a comment is dealt with for good."""

_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})
_BESIDE = 600
"""Characters of what is shown and not passed on: a comment shows no longer a sentence of others."""
_LONGEST_ENTRY = 2_000


@dataclass(frozen=True)
class ReplyReceived(ConversationEvent):
    """A person has commented. `may_answer` and `may_keep` are decided before; `text` is what a run reads of it,
    `excerpt` the same in short.

    `surface` names where the person said it, if not on GitHub: then the comment is ours, which passes it on.
    """

    reply: Reply
    comment_id: int
    login: str
    text: str
    excerpt: str
    may_answer: bool
    is_command: bool = False
    is_edit: bool = False
    may_keep: bool = False
    surface: str | None = None

    def comment_to_react_to(self) -> int:
        return self.comment_id

    def trigger(self, conversation: Conversation) -> Trigger | None:
        kind, pending_answer = self.reply.kind, conversation.given
        if kind is ReplyKind.IGNORE or conversation.question is None:
            return self._without_question(conversation)
        if pending_answer is not None and pending_answer.answer.comment_id == self.comment_id:
            is_other = kind not in _ANSWERS or not is_same_answer(self.reply, pending_answer)
            return Trigger.ANSWER_EDITED if self.is_edit and is_other else None
        # GitHub counts comments upwards: what stood there before the question cannot answer it, edited or delivered again.
        asked_at = conversation.question_comment_id
        if self.comment_id in conversation.taken or (asked_at is not None and self.comment_id < asked_at):
            return None
        if conversation.state.has_question:
            return self._to_open_question(conversation)
        if not self.may_answer:
            return None
        if pending_answer is not None and self._keeps(pending_answer):
            return _kept_or_not(conversation.question, pending_answer, self.login, may_keep=self.may_keep)
        if conversation.state.has_run:
            return self._to_answered_question(conversation)
        means_it = kind is ReplyKind.CHOICE or (self.is_command and kind in _ANSWERS)
        return Trigger.LATE if means_it else None

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        if trigger in ACTED_UPON:
            conversation = conversation.model_copy(update={"taken": (*conversation.taken, self.comment_id)})
        match trigger:
            case Trigger.ANSWER_GIVEN | Trigger.ANSWERED_STOP | Trigger.ANSWER_CHANGED:
                update: dict[str, object] = {"given": answer_to(conversation, self), "ended": None}
                if conversation.state is State.EXPIRED:
                    update["commit"] = None
                return conversation.model_copy(update=update)
            case Trigger.ANSWER_KEPT | Trigger.ANSWER_NOT_KEPT:
                return _with_kept_answer(conversation, self.login, may_keep=self.may_keep)
            case Trigger.CANCEL_REQUESTED:
                closure = QuestionClosure(how="cancelled", login=self.login)
                return conversation.model_copy(update={"given": None, "ended": closure})
            case Trigger.ANSWERED_TOO_OFTEN:
                return conversation.with_closure("limit")
            case Trigger.NOT_UNDERSTOOD:
                return conversation.model_copy(update={"hinted": True})
            case _:
                return conversation

    def notice(self, _before: Conversation, after: Conversation, trigger: Trigger) -> KeyedNotice:
        about = about_question(after)
        match trigger:
            case Trigger.ANSWER_KEPT_TOO_LATE:
                return _decision_too_late(after)
            case Trigger.NOT_UNDERSTOOD:
                return f"not-understood:{about}", _not_understood(after, self.reply, self.excerpt)
            case Trigger.HELP_WANTED:
                return f"help:{about}", [_help(after)]
            case Trigger.ANSWERED_TOO_OFTEN:
                return f"limit:{about}", [limit_reached("runs", MAX_STARTS)]
            case _:
                why, line = _late(after, trigger, self.excerpt)
                return f"late:{about}:{why}", [Paragraph((line,))]

    def _keeps(self, pending_answer: PendingAnswer) -> bool:
        is_same = self.reply.keeps and is_same_answer(self.reply, pending_answer)
        return self.reply.kind is ReplyKind.DECIDE or is_same

    def _without_question(self, conversation: Conversation) -> Trigger | None:
        """Before anything is asked, only the command itself stops a run: "stop" may be anybody's word.

        What a pull request keeps for later tickets was settled when it was opened: `/decide` then comes too late.
        """
        if self.reply.kind is ReplyKind.DECIDE:
            is_late = (
                self.may_answer and bool(conversation.exchanges) and conversation.pull_request is not None
            )
            return Trigger.ANSWER_KEPT_TOO_LATE if is_late else None
        is_cancel = self.reply.kind is ReplyKind.CANCEL and self.is_command and self.may_answer
        return Trigger.CANCEL_REQUESTED if is_cancel and conversation.state.has_run else None

    def _to_open_question(self, conversation: Conversation) -> Trigger | None:
        kind = self.reply.kind
        if not self.may_answer:
            return Trigger.STRANGER if kind in _ANSWERS or kind is ReplyKind.CANCEL else None
        match kind:
            case ReplyKind.CHOICE | ReplyKind.DEFAULT | ReplyKind.FREE:
                if stops(conversation, self.reply):
                    return Trigger.ANSWERED_STOP
                return (
                    Trigger.ANSWER_GIVEN if conversation.starts < MAX_STARTS else Trigger.ANSWERED_TOO_OFTEN
                )
            case ReplyKind.CANCEL:
                return Trigger.CANCEL_REQUESTED
            case ReplyKind.HELP:
                return Trigger.HELP_WANTED
            case ReplyKind.UNCLEAR | ReplyKind.CONFLICT | ReplyKind.DECIDE:
                return Trigger.NOT_UNDERSTOOD_AGAIN if conversation.hinted else Trigger.NOT_UNDERSTOOD
            case ReplyKind.IGNORE:
                return None
            case _:
                assert_never(kind)

    def _to_answered_question(self, conversation: Conversation) -> Trigger | None:
        """While a run works on the answer, which a command can change."""
        kind = self.reply.kind
        if kind is ReplyKind.CANCEL:
            return Trigger.CANCEL_REQUESTED if self.is_command else None
        if conversation.given is None or kind not in _ANSWERS or self.is_edit:
            return None
        if not self.is_command:
            return Trigger.LATE if kind is ReplyKind.CHOICE else None
        if is_same_answer(self.reply, conversation.given):
            return None
        return Trigger.ANSWER_CHANGED if conversation.starts < MAX_STARTS else Trigger.ANSWERED_TOO_OFTEN


@dataclass(frozen=True)
class KeepTicked(ConversationEvent):
    """A person ticked or cleared the box that keeps the answer for later tickets. `may_keep` is decided before."""

    login: str
    is_ticked: bool
    may_keep: bool

    def trigger(self, conversation: Conversation) -> Trigger | None:
        """The box counts like `/decide`: for the answer that is there, else for the one that will be given."""
        clarification, pending_answer = conversation.question, conversation.given
        if clarification is None:
            is_late = self.is_ticked and self.may_keep and bool(conversation.exchanges)
            return Trigger.ANSWER_KEPT_TOO_LATE if is_late else None
        if pending_answer is not None:
            is_open = self.is_ticked and pending_answer.keep is None
            trigger = _kept_or_not(clarification, pending_answer, self.login, may_keep=self.may_keep)
            return trigger if is_open else None
        wished_by = self.login if self.is_ticked and self.may_keep else None
        is_news = (wished_by is None) is not (conversation.keep_wished_by is None) or not self.may_keep
        return Trigger.KEEP_WISHED if is_news else None

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        if trigger is Trigger.KEEP_WISHED:
            wished_by = self.login if self.is_ticked and self.may_keep else None
            return conversation.model_copy(update={"keep_wished_by": wished_by})
        return _with_kept_answer(conversation, self.login, may_keep=self.may_keep)

    def notice(self, _before: Conversation, after: Conversation, _trigger: Trigger) -> KeyedNotice:
        return _decision_too_late(after)


def answer_to(conversation: Conversation, event: ReplyReceived) -> PendingAnswer:
    """The answer that a reply gives to the conversation's question. Words travel as the comment to fetch and their hash."""
    clarification, reply = conversation.question, event.reply
    if clarification is None:
        raise ValueError("a reply to no question is no answer")
    answer = answer_of(clarification, reply, event.text)
    is_text = answer.text is not None and answer.verdict is None
    pending_answer = PendingAnswer(
        answer=answer.model_copy(
            update={
                "text": None,
                "text_sha256": None if answer.text is None else text_sha256(answer.text),
                "answered_by": event.login,
                "comment_id": event.comment_id,
            }
        ),
        login=event.login,
        said=event.excerpt,
        choice=reply.choice,
        choices=reply.choices,
        points=reply.points,
        beside="\n".join(filter(None, (reply.beside, None if is_text else reply.note)))[:_BESIDE] or None,
        by_default=reply.kind is ReplyKind.DEFAULT,
        surface=event.surface,
    )
    if reply.keeps:
        return with_decision(clarification, pending_answer, login=event.login, may_keep=event.may_keep)
    wished_by = conversation.keep_wished_by
    return (
        pending_answer
        if wished_by is None
        else with_decision(clarification, pending_answer, login=wished_by, may_keep=True)
    )


def decisions_to_add(conversation: Conversation) -> Iterator[PostNotice]:
    """How to keep answers for later tickets where no pull request proposes them; nothing where no person wants one kept."""
    entries = tuple(
        exchange.decision.model_dump_json(exclude_none=True)
        for exchange in exchanges_of(conversation)
        if exchange.decision
    )
    if not entries:
        return
    head: Line = (
        Strong((Text("To keep the answer for later tickets,"),)), Text(" add this below "), Code("decisions:"),
        Text(" in "), Code(DECISIONS_PATH), Text(" (a new file begins with "), Code("version: 1"),
        Text("). There is no pull request to propose it in."),
    )  # fmt: skip
    lines = (head, *((Code(f"- {entry}", limit=_LONGEST_ENTRY),) for entry in entries))
    digest = hashlib.sha256(" ".join(entries).encode()).hexdigest()[:16]
    yield PostNotice(key=f"decisions:{digest}", blocks=tuple(Paragraph((line,)) for line in lines))


def _kept_or_not(
    clarification: Clarification, pending_answer: PendingAnswer, login: str, *, may_keep: bool
) -> Trigger:
    kept_answer = with_decision(clarification, pending_answer, login=login, may_keep=may_keep)
    return Trigger.ANSWER_KEPT if kept_answer.keep == "kept" else Trigger.ANSWER_NOT_KEPT


def _with_kept_answer(conversation: Conversation, login: str, *, may_keep: bool) -> Conversation:
    clarification, pending_answer = conversation.question, conversation.given
    if clarification is None or pending_answer is None:
        return conversation
    kept_answer = with_decision(clarification, pending_answer, login=login, may_keep=may_keep)
    return conversation.model_copy(update={"given": kept_answer})


def _not_understood(conversation: Conversation, reply: Reply, excerpt: str) -> list[Block]:
    clarification = conversation.question
    rest = _short_choices(clarification) if clarification is not None else ()
    return [
        Paragraph(((*_why_unclear(reply, excerpt), *rest, *question_link(conversation)),)),
        Aside((Text("I say this once per question. After that I only react with 😕."),)),
    ]


def _why_unclear(reply: Reply, excerpt: str) -> Line:
    quote: Line = (Text("“"), Prose(excerpt), Text("”"))
    not_started = "so I have **not** started. "
    if reply.kind is ReplyKind.CONFLICT:
        numbers = " and ".join(f"**`{number}`**" for number in reply.numbers) or "more than one choice"
        return (Text("I read "), *quote, Text(f" as {numbers} at once, {not_started}Choose one. "))
    match reply.why:
        case Why.IS_A_QUESTION:
            return (Text("I read "), *quote, Text(f" as a question to me, {not_started}"))
        case Why.NEEDS_TEXT:
            number = reply.numbers[0] if reply.numbers else ""
            falls_short = f"For **`{number}`** I need to know how it falls short: reply `/answer {number}` and one sentence. "
            return (Text(falls_short),)
        case Why.NO_DEFAULT:
            return (Text(f"This question has no default to take, {not_started}"),)
        case _:
            return (Text("I could not read a choice in "), *quote, Text(f", {not_started}"))


def _help(conversation: Conversation) -> Block:
    if conversation.question is None or conversation.given is not None:
        return Paragraph(((Text("No question is open here. To start, label the issue `askfirst`."),),))
    return Paragraph(((*how_to_reply(conversation.question), *question_link(conversation)),))


def _late(conversation: Conversation, trigger: Trigger, excerpt: str) -> tuple[str, Line]:
    """Why a reply comes too late, in one word and as a line."""
    link = question_link(conversation)
    if trigger is Trigger.ANSWER_EDITED:
        return "edited", (
            Text("I have started with your comment as it was before the edit. To change the answer, reply `/answer` and "
                 "the number in a new comment."), *link,
        )  # fmt: skip
    if conversation.state is State.CLOSED:
        place = "This issue" if conversation.question_on is None else "This pull request, or its issue,"
        return "issue_closed", (
            Text(f"{place} is closed or locked, so nothing was started. Reopen it and {LABEL_AGAIN}."),
        )
    if conversation.state.has_run:
        return "answered", (
            Text("This question has an answer already, so “"), Prose(excerpt), Text("” changes nothing. To change the "
                 "answer while the run is going, reply `/answer` and the number."), *link,
        )  # fmt: skip
    return "ended", (Text(f"This question is closed, so nothing was started. To start over, {LABEL_AGAIN}."),)


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


def _decision_too_late(conversation: Conversation) -> KeyedNotice:
    """What to do where the pull request is open already."""
    line: Line = (
        Text("**Not kept for later tickets:** the pull request is open, and what it keeps was settled when it was opened. "
             "To keep the answer now, add an entry to "), Code(DECISIONS_PATH), Text(", on the branch of the pull request "
             "or with "), Code("askfirst decide"), Text(" in a checkout. Next time, reply "), Code("/decide"),
        Text(" or tick the box before the change is there."),
    )  # fmt: skip
    number = conversation.pull_request.number if conversation.pull_request else conversation.issue
    return f"decision-too-late:{number}", [Paragraph((line,))]
