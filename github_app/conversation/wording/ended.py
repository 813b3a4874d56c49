"""The question's comment when the question is over: an edit, so nobody is mentioned and nobody gets a mail."""

from typing import assert_never

from github_app.conversation.message import (
    Block,
    Bullets,
    Code,
    CommentLink,
    Fold,
    Line,
    Message,
    Paragraph,
    Prose,
    RunLink,
    Strong,
    Struck,
    Text,
)
from github_app.conversation.question import Choice, choice_of, choices, default_choice
from github_app.conversation.record import Conversation, Ended, Given, State
from github_app.conversation.wording.asked import bare_question, date, question_asked
from github_app.conversation.wording.deciding import what_became_of_it
from pipeline.contract.clarification import Clarification, StopKind


def question_comment(conversation: Conversation) -> Message | None:
    """The comment of the record's question as it has to read now; None when the record has no question."""
    asked = conversation.question
    if asked is None:
        return None
    if conversation.given is not None:
        return _answered(conversation, asked, conversation.given)
    if conversation.ended is not None:
        return _ended(conversation, asked, conversation.ended)
    return question_asked(asked, addressee=conversation.author, deadline=conversation.expires_at)


def _answered(conversation: Conversation, asked: Clarification, given: Given) -> Message:
    answer = given.answer
    choice = choice_of(asked, given.choice) if given.choice is not None else None
    if choice is not None:
        what: Line = (Text(f"{choice.number}, " if choice.number else ""), Code(choice.label))
    else:
        what = (Text("“"), Prose(answer.text or given.said), Text("”"))
    by_default = " (the default)" if given.by_default else ""
    reply: Line = (
        (Text(" ("), CommentLink("reply", answer.comment_id), Text(")"))
        if answer.comment_id is not None
        else ()
    )
    head: Line = (
        Struck((Prose(bare_question(asked)),)),
        Text(" **Answered by "),
        Code(given.login),
        Text(":** "),
        *what,
        Text(by_default),
        *reply,
        Text(". "),
        *_what_happens(conversation, given),
    )
    blocks: list[Block] = [Paragraph((head,))]
    if given.beside:
        line: Line = (
            Text("Your reply also says “"),
            Prose(given.beside),
            Text("”. I passed on only the choice."),
        )
        blocks.append(Paragraph((line,)))
    blocks += what_became_of_it(asked, given)
    if conversation.state is State.RUNNING and asked.kind is not StopKind.CONFIRMATION_NEEDED:
        blocks.append(Paragraph(((Text(_how_to_change(asked, choice)),),)))
    blocks.append(_as_it_was(asked))
    return _message(asked, blocks)


def _what_happens(conversation: Conversation, given: Given) -> Line:
    if given.run_id is not None:
        return (Text("Taken up by run "), RunLink(str(given.run_id)), Text("."))
    if conversation.state is State.RUNNING:
        return (Text("Starting."),)
    return (Text("Nothing is built. I leave this issue for you to close."),)


def _how_to_change(asked: Clarification, taken: Choice | None) -> str:
    other = next((choice.number for choice in choices(asked) if choice != taken), None)
    example = f"`/answer {other}`" if other is not None else "`/answer` and one sentence"
    return f"Wrong? Reply {example} while the run is going, and I stop it and start again."


def _ended(conversation: Conversation, asked: Clarification, ended: Ended) -> Message:
    blocks: list[Block] = [
        Paragraph(((Struck((Prose(bare_question(asked)),)), Text(" "), *_why_ended(conversation, ended)),))
    ]
    if ended.how == "expired":
        blocks.append(Paragraph((_still_wanted(asked),)))
    blocks.append(_as_it_was(asked))
    return _message(asked, blocks)


def _why_ended(conversation: Conversation, ended: Ended) -> Line:
    match ended.how:
        case "expired":
            by = f" by {date(conversation.expires_at)}" if conversation.expires_at else ""
            return (
                Strong((Text("Closed without code:"),)),
                Text(f" nobody answered{by}. Nothing was changed."),
            )
        case "cancelled":
            who: Line = (Text(" by "), Code(ended.login)) if ended.login else ()
            return (
                Strong((Text("Stopped"), *who, Text("."))),
                Text(" Nothing was changed. To start over, label the issue `askfirst` again."),
            )
        case "issue_closed":
            return (Strong((Text("Closed with the issue."),)), Text(" Nothing was changed."))
        case "limit":
            return (
                Strong((Text("Closed:"),)),
                Text(" this conversation has used up its runs. Nothing was changed."),
            )
        case "unlabeled":
            return (
                Strong((Text("Taken back:"),)),
                Text(
                    " the label was removed. Nothing was changed. To start over, label the issue `askfirst` again."
                ),
            )
        case "ticket_edited":
            return (
                Strong((Text("The ticket was edited"),)),
                Text(" after I had read it, so this question may no longer fit. Nothing was changed. Label the issue "
                     "`askfirst` again, and I read the new text."),
            )  # fmt: skip
        case _:
            assert_never(ended.how)


def _still_wanted(asked: Clarification) -> Line:
    numbered, default = choices(asked), default_choice(asked)
    parts: list[Line] = [(Text("Still wanted? Reply "),)]
    parts += [
        (Text(f"**`{choice.number}`** for "), Code(choice.label), Text(", ")) for choice in numbered[:2]
    ]
    if default is not None:
        parts.append((Text(f"**`go`** for {default.number}, "),))
    parts.append((Text("or `/answer` and one sentence, and I start from the newest commit. I ask again only if the code "
                       "has changed so that this question no longer fits."),))  # fmt: skip
    return tuple(part for line in parts for part in line)


def _as_it_was(asked: Clarification) -> Fold:
    lines: list[Line] = [(Text(f"**{choice.number}.** "), Code(choice.label)) for choice in choices(asked)]
    return Fold("The question as it was", (Bullets(tuple(lines) or ((Prose(asked.reason),),)),))


def _message(asked: Clarification, blocks: list[Block]) -> Message:
    return Message(tuple(blocks), asked.run.repository, asked.run.issue)
