"""Which notice goes with which event, and how it reads: every subject says both in a file of its own."""

from typing import assert_never

from github_app.conversation import events
from github_app.conversation.effects import (
    DecisionsToAdd,
    MentionAnswered,
    Notice,
    NoticeOfIssue,
    NoticeOfPullRequest,
    NoticeOfReply,
    NoticeOfRun,
)
from github_app.conversation.message import Block, Message
from github_app.conversation.notices.decisions import decisions_to_add
from github_app.conversation.notices.issues import issue_blocks, notice_of_issue
from github_app.conversation.notices.mentions import mention_answered, notice_of_mention
from github_app.conversation.notices.pull_requests import notice_of_pull_request, pull_request_blocks
from github_app.conversation.notices.replies import notice_of_reply, reply_blocks
from github_app.conversation.notices.runs import notice_of_run, run_blocks
from github_app.conversation.record import Conversation
from github_app.conversation.states import Trigger


def notice_of(
    before: Conversation, conversation: Conversation, event: events.Event, trigger: Trigger
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself; the records are those on either side of the event.

    Raises:
        ValueError: nothing is ever said about such an event; the table and this function disagree.
    """
    match event:
        case events.LabelRefused() | events.IssueEdited() | events.TimerWentOff():
            return notice_of_issue(before, conversation, event)
        case events.RunEnded() | events.StartRefused() | events.StartPostponed():
            return notice_of_run(before, event, trigger)
        case (
            events.ChangesRequested()
            | events.ChecksSeen()
            | events.ChangePublished()
            | events.PublishRefused()
            | events.RevisionNotStarted()
        ):
            return notice_of_pull_request(before, conversation, event, trigger)
        case events.ReplyReceived() | events.KeepTicked():
            return notice_of_reply(conversation, event, trigger)
        case events.MentionReceived() | events.MentionNotStarted():
            return notice_of_mention(event, trigger)
        case _:
            raise ValueError(f"nothing is said about {event}")


def notice_comment(conversation: Conversation, notice: Notice, repository: str) -> Message:
    """The comment for one notice. `repository` (`owner/name`) is where links lead."""
    return Message(tuple(_blocks(conversation, notice)), repository, conversation.issue)


def _blocks(conversation: Conversation, notice: Notice) -> list[Block]:
    if isinstance(notice, NoticeOfIssue):
        return issue_blocks(conversation, notice)
    if isinstance(notice, NoticeOfRun):
        return run_blocks(conversation, notice)
    if isinstance(notice, NoticeOfPullRequest):
        return pull_request_blocks(conversation, notice)
    if isinstance(notice, NoticeOfReply):
        return reply_blocks(conversation, notice)
    if isinstance(notice, MentionAnswered):
        return mention_answered(conversation, notice)
    if isinstance(notice, DecisionsToAdd):
        return decisions_to_add(notice)
    assert_never(notice)
