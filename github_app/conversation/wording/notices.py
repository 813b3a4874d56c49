"""What the App says besides the question: each notice is one comment, said once."""

from typing import assert_never

from github_app.conversation.effects import (
    DecisionsToAdd,
    DecisionTooLate,
    Help,
    LabellerRefused,
    LateReply,
    LimitReached,
    MentionAnswered,
    Notice,
    NoticeOfIssue,
    NoticeOfPullRequest,
    NotUnderstood,
    Reminder,
    RunFailed,
    RunNotStarted,
    RunUnreadable,
    TicketEdited,
    TicketReady,
)
from github_app.conversation.message import (
    Aside,
    Block,
    Bullets,
    Code,
    CommentLink,
    Details,
    Line,
    Message,
    Paragraph,
    Prose,
    RunLink,
    SourceLink,
    Strong,
    Table,
    Text,
)
from github_app.conversation.question import choices, default_choice
from github_app.conversation.record import Conversation
from github_app.conversation.wording.asked import SHOWN_CHOICES, how_to_reply, permalink
from github_app.conversation.wording.choice_table import lines_of
from github_app.conversation.wording.deciding import decision_too_late, decisions_to_add
from github_app.conversation.wording.mentions import mention_answered
from github_app.conversation.wording.planned import short_replies_to_plan
from github_app.conversation.wording.published import pull_request_blocks
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.ticket import CodePlace, LikelyPlace, TargetConfidence, Ticket

_LABEL_AGAIN = "label the issue `askfirst` again"
_WORDS_OF = {"model": "a model's words", "recorded": "recorded replies", "scripted": "scripted replies"}
_NEAREST = 3
"""Likely places that a comment shows; the others stand in its details."""
_MOST_FACTS = 10

_ASK_AGAIN = "ask for the changes once more"


def notice_comment(conversation: Conversation, notice: Notice, repository: str) -> Message:
    """The comment for one notice. `repository` (`owner/name`) is where links lead."""
    if isinstance(notice, NoticeOfPullRequest):
        blocks = pull_request_blocks(notice, conversation)
    elif isinstance(notice, DecisionsToAdd):
        blocks = decisions_to_add(notice)
    elif isinstance(notice, DecisionTooLate):
        blocks = decision_too_late()
    elif isinstance(notice, MentionAnswered):
        blocks = mention_answered(conversation, notice)
    else:
        blocks = _blocks(conversation, notice)
    return Message(tuple(blocks), repository, conversation.issue)


def _blocks(conversation: Conversation, notice: NoticeOfIssue) -> list[Block]:
    match notice:
        case NotUnderstood():
            return _not_understood(conversation, notice)
        case Help():
            return _help(conversation)
        case LateReply():
            return [Paragraph((_late(conversation, notice),))]
        case LabellerRefused():
            return _labeller_refused(notice)
        case TicketReady():
            return _ticket_ready(notice.ticket, notice.run_id)
        case RunFailed():
            return _run_failed(conversation, notice)
        case RunUnreadable():
            return _run_unreadable(conversation, notice)
        case RunNotStarted():
            return _run_not_started(notice)
        case LimitReached():
            return _limit_reached(notice)
        case TicketEdited():
            return _ticket_edited()
        case Reminder():
            return _reminder(conversation)
        case _:
            assert_never(notice)


def _not_understood(conversation: Conversation, notice: NotUnderstood) -> list[Block]:
    clarification = conversation.question
    quote: Line = (Text("“"), Prose(notice.said), Text("”"))
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
        Paragraph(((*head, *rest, *_question_link(conversation)),)),
        Aside((Text("I say this once per question. After that I only react with 😕."),)),
    ]


def _help(conversation: Conversation) -> list[Block]:
    if conversation.question is None or conversation.given is not None:
        line: Line = (
            Text(f"Nothing is asked here at the moment. To start, {_LABEL_AGAIN.replace(' again', '')}."),
        )
        return [Paragraph((line,))]
    return [Paragraph(((*how_to_reply(conversation.question), *_question_link(conversation)),))]


def _late(conversation: Conversation, notice: LateReply) -> Line:
    match notice.why:
        case "answered":
            return (
                Text("This question has its answer already, so “"), Prose(notice.said), Text("” changes nothing. To change the "
                     "answer while the run is going, reply `/answer` and the number."), *_question_link(conversation),
            )  # fmt: skip
        case "edited":
            return (
                Text("I have started with your comment as it was before the edit. To change the answer, reply `/answer` and "
                     "the number in a new comment."), *_question_link(conversation),
            )  # fmt: skip
        case "ended":
            return (Text(f"This question is closed, so nothing was started. To start over, {_LABEL_AGAIN}."),)
        case "issue_closed":
            place = "This issue" if conversation.question_on is None else "This pull request, or its issue,"
            return (
                Text(f"{place} is closed or locked, so nothing was started. Reopen it and {_LABEL_AGAIN}."),
            )
        case _:
            assert_never(notice.why)


def _labeller_refused(notice: LabellerRefused) -> list[Block]:
    line: Line = (
        Text("I have **not** started: "), Code(notice.login), Text(" set the label, and has the role "), Code(notice.role),
        Text(" here. Starting a run takes write access. Somebody who has it can take the label off and set it again."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _ticket_ready(ticket: Ticket, run_id: int) -> list[Block]:
    commit = ticket.run.commit
    targets = () if isinstance(ticket.targets, str) else ticket.targets
    blocks: list[Block] = []
    if ticket.operation == "unknown" and (ticket.conclusions or ticket.facts):
        return [*_conclusions(ticket), _ticket_details(ticket, run_id, ())]
    if ticket.ready:
        blocks.append(Paragraph(((Strong((Text("The ticket is ready: "), Prose(ticket.title))), Text(".")),)))
    else:
        blocks += _not_ready(ticket)
    if ticket.ready and ticket.selected_because:
        blocks.append(
            Paragraph(((Text("What: "), Code(ticket.operation), Text(". "), Prose(ticket.selected_because)),))
        )
    for target in targets[:SHOWN_CHOICES]:
        place: Line = (Text(" · "), *lines_of(target.location)) if target.location else ()
        blocks.append(Paragraph(((Text("Target: "), Code(target.label), *place),)))
        blocks += permalink(target.location, commit)
    if ticket.ready:
        following = (
            "Next: a coding agent, or a person, can start from here. The issue is labelled `askfirst:ready`."
        )
        blocks.append(Paragraph(((Text(following),),)))
    blocks.append(_ticket_details(ticket, run_id, targets[SHOWN_CHOICES:]))
    return blocks


def _not_ready(ticket: Ticket) -> list[Block]:
    """The nearest places with the reasons for them, why the ticket is not ready, and the next step."""
    head = {
        TargetConfidence.LIKELY: "The issue does not say which code it means. It is probably here:",
        TargetConfidence.UNKNOWN: "I do not know which code this is about.",
        TargetConfidence.NAMED: "I have read the issue; it is not complete.",
        TargetConfidence.PLANNED: "I have read the issue; it is not complete.",
    }[ticket.confidence]
    blocks: list[Block] = [Paragraph(((Strong((Text(head),)),),))]
    if ticket.places:
        blocks.append(_likely_places(ticket.places[:_NEAREST], ticket.run.commit))
    return blocks + [Paragraph(((Prose(note),),)) for note in ticket.notes]


def _likely_places(places: tuple[LikelyPlace, ...], commit: str) -> Table:
    rows = (
        (
            (SourceLink(place.path, commit),),
            (Text(f"{place.probability:.0%}"),),
            (Prose(place.because[0]),) if place.because else (),
        )
        for place in places
    )
    return Table(((Text("File"),), (Text("Probability"),), (Text("Why"),)), tuple(rows))


def _conclusions(ticket: Ticket) -> list[Block]:
    """What the last agent says, which has what the others found; theirs and the facts stand in the fold below.

    Where no agent says anything, the facts are all there is.
    """
    head = Paragraph(((Strong((Text("I have looked at the issue, and changed nothing."),)),),))
    if not ticket.conclusions:
        return [head, Bullets(_facts(ticket))]
    last = ticket.conclusions[-1]
    lines: tuple[Line, ...] = tuple(
        (Prose(name), Text(": "), Prose(words)) for name, words in last.in_words()
    )
    ending = Paragraph(((Text(f"These are {_WORDS_OF[last.replies]}. Next: a person decides."),),))
    return [head, Bullets(lines), ending]


def _facts(ticket: Ticket) -> tuple[Line, ...]:
    """What stages say to every reader. Name and value may come from a file of the repository."""
    return tuple((Prose(fact.name), Text(": "), Prose(fact.value)) for fact in ticket.facts[:_MOST_FACTS])


def _ticket_details(ticket: Ticket, run_id: int, other_targets: tuple[CodePlace, ...]) -> Details:
    items: list[Line] = []
    for conclusion in ticket.conclusions:
        words = "; ".join(f"{name}: {value}" for name, value in conclusion.in_words())
        items.append((Code(conclusion.stage), Text(": "), Prose(words)))
    items += [(Text("Another target: "), Code(place.label)) for place in other_targets]
    first = 0 if ticket.ready else _NEAREST
    for likely in ticket.places[first:]:
        because: Line = (Text(": "), Prose(likely.because[0])) if likely.because else ()
        items.append(
            (Text("Likely place: "), Code(likely.path), Text(f", {likely.probability:.0%}"), *because)
        )
    if ticket.chain:
        names = [part for place in ticket.chain for part in (Text(" → "), Code(place.label))][1:]
        items.append((Text("Chain: "), *names))
    items += [(Text("Test that reaches it: "), Code(place.label)) for place in ticket.tests[:8]]
    items += _facts(ticket)
    for finding in ticket.existing:
        evidence: Line = (Prose(finding.found),) if finding.found else (Text("**missing**"),)
        items.append((Prose(finding.asked), Text(": "), *evidence))
    items += [(Text("Done when: "), Prose(criterion)) for criterion in ticket.acceptance_criteria]
    items += [(Text("Assumed: "), Prose(assumption)) for assumption in ticket.assumptions]
    items += [(Text("Decided earlier: "), Prose(decision)) for decision in ticket.decisions]
    for decision in ticket.plan.decisions if ticket.plan is not None else ():
        by: Line = (Text(", by "), Code(decision.decided_by)) if decision.decided_by is not None else ()
        items.append((Text("Decided: "), Prose(decision.text), Text(" "), Prose(decision.label), *by))
    for answer in ticket.answers:
        if answer.points is not None:
            continue
        picks = answer.choices or ((answer.choice,) if answer.choice else ())
        answer_line: Line = (Code(" + ".join(picks)),) if picks else (Prose(answer.text or "free text"),)
        items.append((Text("Asked and answered: "), Code(answer.slot), Text(" = "), *answer_line))
    items.append(
        (Text("Commit "), Code(ticket.run.commit[:7]), Text(", run "), RunLink(str(run_id)), Text("."))
    )
    return Details("Chain, tests, assumptions", (Bullets(tuple(items)),))


def _again(conversation: Conversation) -> str:
    return _LABEL_AGAIN if conversation.revision is None else _ASK_AGAIN


def _run_failed(conversation: Conversation, notice: RunFailed) -> list[Block]:
    failure = notice.failure
    is_precondition = failure.kind == "PreconditionFailed"
    opening = "I have not started:" if is_precondition else "The run ended with an error:"
    lines: list[Block] = [Paragraph(((Strong((Text(opening),)), Text(" "), Prose(failure.message)),))]
    if failure.why:
        lines.append(Paragraph(((Text("Why: "), Prose(failure.why)),)))
    if failure.what_to_do:
        lines.append(Paragraph(((Text("What to do: "), Prose(failure.what_to_do)),)))
    stage: Line = (Text(", stage "), Code(failure.stage)) if failure.stage else ()
    lines.append(
        Paragraph(
            (
                (
                    Text("Nothing was changed. Run "),
                    RunLink(str(notice.run_id)),
                    *stage,
                    Text(f". When it is mended, {_again(conversation)}."),
                ),
            )
        )
    )
    return lines


def _run_unreadable(conversation: Conversation, notice: RunUnreadable) -> list[Block]:
    line: Line = (
        Strong((Text("The run ended without a result that I can use:"),)), Text(" "), Prose(notice.why), Text(". Nothing was changed. See run "),
        RunLink(str(notice.run_id)), Text(f"; to try once more, {_again(conversation)}."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _run_not_started(notice: RunNotStarted) -> list[Block]:
    line: Line = (
        Strong((Text("I could not start the run:"),)), Text(f" GitHub answered {notice.status}, “"), Prose(notice.message),
        Text("”. Is `.github/workflows/askfirst.yml` on the default branch and enabled, and may Actions run here? When it is "
             "mended, reply again with `/answer` and the number."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _limit_reached(notice: LimitReached) -> list[Block]:
    line: Line = (
        Strong((Text(f"I stop here after {notice.limit} {notice.what}."),)),
        Text(" There is more that I would have to ask, and a ticket should not need that. Nothing was changed. Put what was "
             f"answered into the ticket, and {_LABEL_AGAIN}."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _ticket_edited() -> list[Block]:
    line: Line = (
        Strong((Text("The ticket was edited"),)),
        Text(
            f" while I was working on it. I work on the text as it was labelled, so I stop here. To take the new text, {_LABEL_AGAIN}."
        ),
    )
    return [Paragraph((line,))]


def _reminder(conversation: Conversation) -> list[Block]:
    if conversation.question is None:
        return []
    line: Line = (
        Text("This still waits for an answer. "),
        *how_to_reply(conversation.question),
        *_question_link(conversation),
    )
    return [Paragraph((line,))]


def _short_choices(clarification: Clarification) -> Line:
    if clarification.question.is_about_plan:
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


def _question_link(conversation: Conversation) -> Line:
    if conversation.question_comment_id is None:
        return ()
    return (Text(" ("), CommentLink("the question", conversation.question_comment_id), Text(")"))
