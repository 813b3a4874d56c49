"""The issue itself: who labelled it, that it was edited, that it was closed."""

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from github_app.conversation.effects import LabelName
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Code, Line, Paragraph, PullRequestLink, Strong, Text
from github_app.conversation.record import Conversation, State
from github_app.conversation.states import Trigger
from github_app.conversation.wording.phrases import LABEL_AGAIN


@dataclass(frozen=True)
class IssueLabeled(ConversationEvent):
    """Somebody who may start runs has set the label. The hash is of the title and body in the signed payload.

    `labeller` is None where the label event was missed. `ticket_keys` are those of other trackers in title and body.
    """

    at: datetime
    author: str
    ticket_sha256: str
    labeller: str | None = None
    ticket_keys: tuple[str, ...] = ()

    def trigger(self, conversation: Conversation) -> Trigger | None:
        return None if _is_old(self.at, conversation) else Trigger.LABEL_SET

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        return Conversation(
            repository_id=conversation.repository_id,
            issue=conversation.issue,
            labelled_at=self.at,
            author=self.author,
            maintainer=self.labeller,
            ticket_sha256=self.ticket_sha256,
            ticket_keys=self.ticket_keys,
            runs=conversation.runs,
        )


@dataclass(frozen=True)
class LabelRefused(ConversationEvent):
    """Somebody who may not start runs has set the label."""

    is_about_issue: ClassVar[bool] = True

    at: datetime
    login: str
    role: str

    def trigger(self, conversation: Conversation) -> Trigger | None:
        return None if _is_old(self.at, conversation) else Trigger.LABELLER_REFUSED

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        return conversation.model_copy(update={"labelled_at": self.at})

    def notice(self, _before: Conversation, _after: Conversation, _trigger: Trigger) -> KeyedNotice:
        line: Line = (
            Text("I have **not** started: "), Code(self.login), Text(" set the label, and has the role "), Code(self.role),
            Text(" here. Only a person with write access can start a run: they can remove the label and set it again."),
        )  # fmt: skip
        return f"labeller-refused:{self.login}", [Paragraph((line,))]


@dataclass(frozen=True)
class IssueUnlabeled(ConversationEvent):
    """The label was taken off."""

    def trigger(self, _conversation: Conversation) -> Trigger:
        return Trigger.LABEL_REMOVED

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        return conversation.with_closure("unlabeled")


@dataclass(frozen=True)
class IssueEdited(ConversationEvent):
    """Title or body were edited; the hash is of the new text. `is_ready` says that the issue is labelled so."""

    is_about_issue: ClassVar[bool] = True

    ticket_sha256: str
    is_ready: bool = False

    def trigger(self, conversation: Conversation) -> Trigger | None:
        is_known = conversation.ticket_sha256 in {None, self.ticket_sha256} or conversation.is_edited
        return None if is_known else Trigger.TICKET_EDITED

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        """A pull request outlives an edit of its issue, and so does what is asked there."""
        if conversation.pull_request is not None:
            return conversation.model_copy(update={"is_edited": True})
        return conversation.with_closure("ticket_edited")

    def notice(self, before: Conversation, after: Conversation, _trigger: Trigger) -> KeyedNotice:
        is_over = before.state is State.READY
        if after.pull_request is not None and not is_over:
            number = after.pull_request.number
            return f"ticket-edited-after:{number}", [Paragraph((_edited_after(number),))]
        line = _edited_after_run(was_ready=self.is_ready) if is_over else _EDITED_MEANWHILE
        return f"ticket-edited:{self.ticket_sha256[:16]}", [Paragraph((line,))]


@dataclass(frozen=True)
class IssueClosed(ConversationEvent):
    """The issue was closed."""

    def trigger(self, _conversation: Conversation) -> Trigger:
        return Trigger.ISSUE_CLOSED

    def remember(self, conversation: Conversation, _trigger: Trigger) -> Conversation:
        return conversation.with_closure("issue_closed")


def _is_old(at: datetime, conversation: Conversation) -> bool:
    """Deliveries come twice and out of order: a label that is not newer than what was dealt with says nothing."""
    return any(moment and at <= moment for moment in (conversation.labelled_at, conversation.run_created_at))


_EDITED_MEANWHILE: Line = (
    Strong((Text("The ticket was edited"),)),
    Text(f" while I was working on it. I work on the text as it was labelled, so I stop here. To use the new text, {LABEL_AGAIN}."),
)  # fmt: skip


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
