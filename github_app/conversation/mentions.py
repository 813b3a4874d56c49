"""Comments to us where no answer is waited for: they start what the label would start, and steer what runs."""

from dataclasses import dataclass
from datetime import datetime

from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Code, Line, Paragraph, StartedRun, Text
from github_app.conversation.record import Conversation, MentionStart
from github_app.conversation.states import TABLE, Trigger
from pipeline.contract.commands import Wish


@dataclass(frozen=True)
class MentionReceived(ConversationEvent):
    """Somebody wrote to us where no answer is waited for. `may` is the same as for the label: write access.

    `ticket_sha256` is of the issue as the comment was written on it, `ticket_keys` are those of other trackers in it.
    """

    wish: Wish
    comment_id: int
    login: str
    may: bool
    at: datetime
    author: str
    ticket_sha256: str
    ticket_keys: tuple[str, ...] = ()

    def comment_to_react_to(self) -> int:
        return self.comment_id

    def trigger(self, conversation: Conversation) -> Trigger | None:
        """One that was dealt with, or that is older than the newest start, leads to nothing."""
        is_old = conversation.labelled_at is not None and self.at < conversation.labelled_at
        if self.comment_id in conversation.taken or is_old:
            return None
        if not self.may:
            return Trigger.MENTION_REFUSED
        if self.wish is Wish.NOTE and conversation.state.has_run:
            return Trigger.NOTE_WRITTEN
        can_start = TABLE.get((conversation.state, Trigger.MENTION_ACCEPTED)) is not None
        return Trigger.MENTION_ACCEPTED if self.wish is Wish.START and can_start else Trigger.MENTION_IN_VAIN

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        handled_comments = (*conversation.taken, self.comment_id)
        if trigger is not Trigger.MENTION_ACCEPTED:
            return conversation.model_copy(update={"taken": handled_comments})
        return Conversation(
            repository_id=conversation.repository_id,
            issue=conversation.issue,
            labelled_at=self.at,
            mention=MentionStart(comment_id=self.comment_id),
            author=self.author,
            maintainer=self.login,
            ticket_sha256=self.ticket_sha256,
            ticket_keys=self.ticket_keys,
            taken=handled_comments,
            runs=conversation.runs,
        )

    def notice(self, _before: Conversation, _after: Conversation, trigger: Trigger) -> KeyedNotice:
        """A refusal is said once for each person, whatever they write; the others once for each comment."""
        match trigger:
            case Trigger.MENTION_ACCEPTED:
                key, line = f"mention:{self.comment_id}", _START
            case Trigger.NOTE_WRITTEN:
                key, line = f"mention:{self.comment_id}", _NOTE
            case Trigger.MENTION_REFUSED:
                key, line = f"mention-refused:{self.login}", _no_role(self.login)
            case _:
                key, line = f"mention-in-vain:{self.login}", _IN_VAIN
        return key, [Paragraph((line,))]


_START: Line = (
    Text("I am working on this issue as it is written now"), StartedRun(": run "),
    Text(". I will ask here if something is unclear, and report the result otherwise. To stop: `@askfirst stop`."),
)  # fmt: skip
_NOTE: Line = (
    Text("I hand this note to the next round of the running build, as information with the ticket. If no round "
         "follows, the note is not read: then ask for the change with `/revise` on the pull request."),
)  # fmt: skip
_IN_VAIN: Line = (
    Text("**Nothing done:** I cannot act on this comment right now. `@askfirst` alone starts, `@askfirst stop` stops, `@askfirst` "
         "and a sentence is a note to a run that builds; on the pull request, `/revise` and a sentence asks for changes."),
)  # fmt: skip


def _no_role(login: str) -> Line:
    return (
        Text("I have **not** started: "), Code(login),
        Text(" has no write access here, and starting a run takes it. Somebody who has it can write `@askfirst` or "
             "set the label `askfirst`."),
    )  # fmt: skip
