"""The question's comment when the question is over: an edit, so it mentions no person and sends no mail."""

from github_app.conversation.answering import chosen_of
from github_app.conversation.message import (
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
    Strikethrough,
    Strong,
    Text,
    TickBox,
)
from github_app.conversation.record import Conversation, PendingAnswer, QuestionClosure, State
from github_app.conversation.wording.asked import bare_question, date
from github_app.conversation.wording.deciding import decision_outcome, keep_box
from github_app.conversation.wording.planned import answer_to_plan, plan_as_it_was, short_replies_to_plan
from pipeline.contract.choices import Choice, choices, default_choice
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.point_reply import example_of


def answered_question(
    conversation: Conversation, clarification: Clarification, pending_answer: PendingAnswer
) -> Message:
    """The comment of a question that has its answer."""
    answer = pending_answer.answer
    chosen_options = chosen_of(clarification, pending_answer)
    if (plan_answer := answer_to_plan(clarification.question, pending_answer)) is not None:
        answer_text: Line = plan_answer
    elif chosen_options:
        parts: list[Line] = [
            (Text(f"{choice.number}, " if choice.number else ""), Code(choice.label))
            for choice in chosen_options
        ]
        answer_text = tuple(part for line in parts for part in (Text(" and "), *line))[1:]
    else:
        answer_text = (Text("“"), Prose(answer.text or pending_answer.said), Text("”"))
    by_default = " (the default)" if pending_answer.by_default and answer.points is None else ""
    reply: Line = (
        (Text(" ("), CommentLink("reply", answer.comment_id), Text(")"))
        if answer.comment_id is not None
        else ()
    )
    head: Line = (
        Strikethrough((Prose(bare_question(clarification)),)),
        Text(" **Answered by "),
        Code(pending_answer.login),
        *((Text(" on "), Code(pending_answer.surface)) if pending_answer.surface is not None else ()),
        Text(":** "),
        *answer_text,
        Text(by_default),
        *reply,
        Text(". "),
        *_what_happens(conversation, pending_answer),
    )
    blocks: list[Block] = [Paragraph((head,))]
    if pending_answer.beside:
        blocks.append(Paragraph((_not_passed_on(conversation, pending_answer, pending_answer.beside),)))
    became = decision_outcome(clarification, pending_answer)
    blocks += became
    if conversation.state is State.RUNNING and clarification.kind is not StopKind.CONFIRMATION_NEEDED:
        blocks.append(Paragraph(((Text(_how_to_change(clarification, pending_answer, chosen_options)),),)))
    blocks.append(_as_it_was(clarification, () if became else keep_box(clarification, None)))
    return _message(clarification, blocks)


def _not_passed_on(conversation: Conversation, pending_answer: PendingAnswer, beside: str) -> Line:
    """The part of a reply that is not passed on, and how to pass it on while a run can still take words."""
    is_words = pending_answer.answer.text_sha256 is not None and pending_answer.answer.verdict is None
    passed_on = "what follows `/answer`" if is_words else "the choice"
    takes_words = conversation.state is State.RUNNING and pending_answer.answer.verdict is None
    advice = " To pass it on, reply `/answer` and everything in one text." if takes_words else ""
    head = Text("Your reply also says “")
    return (head, Prose(beside), Text(f"”. I passed on only {passed_on}.{advice}"))


def _what_happens(conversation: Conversation, pending_answer: PendingAnswer) -> Line:
    if pending_answer.run_id is not None:
        return (Text("Taken up by run "), RunLink(str(pending_answer.run_id)), Text("."))
    if (late_start := conversation.waiting_start) is not None:
        return (Text(f"The run starts on {late_start.until:%Y-%m-%d} (UTC)."),)
    if conversation.state is State.RUNNING:
        return (Text("Starting."),)
    return (Text("Nothing will be built. Please close this issue if you agree."),)


def _how_to_change(
    clarification: Clarification, pending_answer: PendingAnswer, chosen_options: tuple[Choice, ...]
) -> str:
    alternative = next(
        (choice.number for choice in choices(clarification) if chosen_options != (choice,)), None
    )
    example = f"`/answer {alternative}`" if alternative is not None else "`/answer` and one sentence"
    if clarification.question.points:
        has_changes = pending_answer.points or pending_answer.answer.words
        example = f"`/answer {'go' if has_changes else example_of(clarification.question)}`"
    return f"Wrong? Reply {example} while the run is going, and I stop it and start again."


def closed_question(
    conversation: Conversation, clarification: Clarification, closure: QuestionClosure
) -> Message:
    """The comment of a question that closed without an answer."""
    line = Strikethrough((Prose(bare_question(clarification)),))
    blocks: list[Block] = [Paragraph(((line, Text(" "), *_why_closed(conversation, closure)),))]
    if closure.how == "expired":
        blocks.append(Paragraph((_still_wanted(clarification),)))
    blocks.append(_as_it_was(clarification))
    return _message(clarification, blocks)


_WHY_CLOSED = {
    "issue_closed": ("Closed with the issue.", " Nothing was changed."),
    "limit": ("Closed:", " this conversation has used up its runs. Nothing was changed."),
    "unlabeled": (
        "Taken back:",
        " the label was removed. Nothing was changed. To start over, label the issue `askfirst` again.",
    ),
    "ticket_edited": (
        "The ticket was edited",
        " after I had read it, so this question may no longer fit. Nothing was changed. To have it read anew, label it again.",
    ),
}


def _why_closed(conversation: Conversation, closure: QuestionClosure) -> Line:
    if closure.how == "cancelled":
        by_login: Line = (Text(" by "), Code(closure.login)) if closure.login else ()
        again = " Nothing was changed. To start over, label the issue `askfirst` again."
        return (Strong((Text("Stopped"), *by_login, Text("."))), Text(again))
    if closure.how == "expired":
        by = f" by {date(conversation.expires_at)}" if conversation.expires_at else ""
        head, why = "Closed without code:", f" nobody answered{by}. Nothing was changed."
    else:
        head, why = _WHY_CLOSED[closure.how]
    return (Strong((Text(head),)), Text(why))


def _still_wanted(clarification: Clarification) -> Line:
    if clarification.question.has_points:
        return (
            Text("Still wanted? "),
            *short_replies_to_plan(clarification.question),
            Text(" I start from the newest commit."),
        )
    numbered_choices, default = choices(clarification), default_choice(clarification)
    parts: list[Line] = [(Text("Still wanted? Reply "),)]
    parts += [
        (Text(f"**`{choice.number}`** for "), Code(choice.label), Text(", "))
        for choice in numbered_choices[:2]
    ]
    if default is not None:
        parts.append((Text(f"**`go`** for {default.number}, "),))
    parts.append((Text("or `/answer` and one sentence, and I start from the newest commit. I ask again only if the code "
                       "has changed so that this question no longer fits."),))  # fmt: skip
    return tuple(part for line in parts for part in line)


def _as_it_was(clarification: Clarification, box: tuple[TickBox, ...] = ()) -> Details:
    lines: list[Line] = [
        (Text(f"**{choice.number}.** "), Code(choice.label)) for choice in choices(clarification)
    ] + plan_as_it_was(clarification.question)
    return Details(
        "The question as it was", (Bullets(tuple(lines) or ((Prose(clarification.reason),),)), *box)
    )


def _message(clarification: Clarification, blocks: list[Block]) -> Message:
    return Message(tuple(blocks), clarification.run.repository, clarification.run.issue)
