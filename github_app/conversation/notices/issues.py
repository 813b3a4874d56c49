"""Notices about the issue itself: who labelled it, that it was edited, that nobody has answered."""

from typing import assert_never

from github_app.conversation import events
from github_app.conversation.effects import (
    LabellerRefused,
    LabelName,
    Notice,
    NoticeOfIssue,
    Reminder,
    TicketEdited,
)
from github_app.conversation.message import Block, Code, Line, Paragraph, PullRequestLink, Strong, Text
from github_app.conversation.notices.phrases import LABEL_AGAIN, about_question, question_link
from github_app.conversation.record import Conversation, State
from github_app.conversation.wording.asked import how_to_reply


def notice_of_issue(
    before: Conversation,
    conversation: Conversation,
    event: events.LabelRefused | events.IssueEdited | events.TimerWentOff,
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself; the records are those on either side of the event."""
    match event:
        case events.LabelRefused():
            return f"labeller-refused:{event.login}", LabellerRefused(login=event.login, role=event.role)
        case events.IssueEdited():
            is_over = before.state is State.READY
            if conversation.pull_request is not None and not is_over:
                number = conversation.pull_request.number
                return f"ticket-edited-after:{number}", TicketEdited(pull_request=number)
            notice = TicketEdited(is_over=is_over, was_ready=is_over and event.is_ready)
            return f"ticket-edited:{event.ticket_sha256[:16]}", notice
        case events.TimerWentOff():
            return f"reminder:{about_question(conversation)}", Reminder(question_id=event.question_id)
        case _:
            assert_never(event)


def issue_blocks(conversation: Conversation, notice: NoticeOfIssue) -> list[Block]:
    """How it reads."""
    match notice:
        case LabellerRefused():
            return _labeller_refused(notice)
        case TicketEdited():
            return _ticket_edited(notice)
        case Reminder():
            return _reminder(conversation)
        case _:
            assert_never(notice)


def _labeller_refused(notice: LabellerRefused) -> list[Block]:
    line: Line = (
        Text("I have **not** started: "), Code(notice.login), Text(" set the label, and has the role "), Code(notice.role),
        Text(" here. Only a person with write access can start a run: they can remove the label and set it again."),
    )  # fmt: skip
    return [Paragraph((line,))]


def _ticket_edited(notice: TicketEdited) -> list[Block]:
    if notice.pull_request is not None:
        return [Paragraph((_edited_after(notice.pull_request),))]
    if notice.is_over:
        return [Paragraph((_edited_after_run(was_ready=notice.was_ready),))]
    line: Line = (
        Strong((Text("The ticket was edited"),)),
        Text(
            f" while I was working on it. I work on the text as it was labelled, so I stop here. To use the new text, {LABEL_AGAIN}."
        ),
    )
    return [Paragraph((line,))]


def _edited_after_run(*, was_ready: bool) -> Line:
    when = "it was ready" if was_ready else "my run had ended"
    label_change: Line = (
        (Text(", so I have taken "), Code(LabelName.READY), Text(" off")) if was_ready else ()
    )
    return (
        Strong((Text("The ticket was edited"),)), Text(f" after {when}. What I found is about its earlier text"),
        *label_change, Text(f". To use the new text, {LABEL_AGAIN}."),
    )  # fmt: skip


def _edited_after(pull_request: int) -> Line:
    return (
        Strong((Text("The ticket was edited"),)), Text(" after I had opened "), PullRequestLink(pull_request),
        Text(" from its earlier text. The pull request stays as it is, and while the texts differ, changes that are requested "
             f"there fail. To have the new text built in another pull request, {LABEL_AGAIN}. To go on with this one, "
             "take the edit back."),
    )  # fmt: skip


def _reminder(conversation: Conversation) -> list[Block]:
    if conversation.question is None:
        return []
    line: Line = (
        Text("This question still waits for an answer. "),
        *how_to_reply(conversation.question),
        *question_link(conversation),
    )
    return [Paragraph((line,))]
