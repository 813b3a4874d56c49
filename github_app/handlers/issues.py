"""The issue itself: `issues.labeled`, `.unlabeled`, `.edited` and `.closed`."""

from collections.abc import Sequence

from github_app.app import App
from github_app.conversation.effects import LabelName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import (
    IssueClosed,
    IssueEdited,
    IssueLabeled,
    IssueUnlabeled,
    LabelRefused,
)
from github_app.conversation.record import Conversation, State
from github_app.conversation.transcript import Person, ticket_keys
from github_app.intake.delivery import IssueDelivery, User
from github_app.ports.github import Place
from pipeline.contract.wire import ticket_sha256


def person(user: User) -> Person:
    """An account of a payload. Only `type` tells a bot: a login that ends in `[bot]` proves nothing either way."""
    return Person(user.id, user.login, is_bot=user.type != "User")


def issues_labeled(
    app: App, place: Place, _record: Conversation, delivery: IssueDelivery
) -> Sequence[ConversationEvent]:
    """A start, when the label is ours and the labeller may write; a refusal otherwise.

    The triage role may set labels, and issue forms set them for anybody: a label authorises nothing.
    The text is taken from the signed payload, so that an edit after the label cannot slip in.
    """
    issue, labeller = delivery.issue, person(delivery.sender)
    if not _is_start_label(delivery) or labeller.is_bot:
        return ()
    if issue.pull_request is not None or issue.state != "open":
        return ()
    role = app.permissions.role(place.repository, labeller)
    if not role.may_write:
        return (LabelRefused(issue.updated_at, labeller.login, role.value),)
    author = issue.user.login if issue.user else labeller.login
    sha256, keys = ticket_sha256(issue.title, issue.body), ticket_keys(issue.title, issue.body)
    return (IssueLabeled(issue.updated_at, author, sha256, labeller.login, keys),)


def issues_unlabeled(
    app: App, place: Place, record: Conversation, delivery: IssueDelivery
) -> Sequence[ConversationEvent]:
    """Taken back, when it is our label, no bot took it off, and it has not been set again meanwhile."""
    is_by_person = _is_start_label(delivery) and not person(delivery.sender).is_bot
    if not is_by_person or record.state is State.IDLE:
        return ()
    return () if LabelName.START in app.issues.issue(place).labels else (IssueUnlabeled(),)


def issues_edited(
    app: App, place: Place, record: Conversation, _delivery: IssueDelivery
) -> Sequence[ConversationEvent]:
    """The hash of the current text: an edit that was taken back changes nothing."""
    if record.ticket_sha256 is None:
        return ()
    issue = app.issues.issue(place)
    return (IssueEdited(ticket_sha256(issue.title, issue.body), is_ready=LabelName.READY in issue.labels),)


def issues_closed(
    app: App, place: Place, record: Conversation, _delivery: IssueDelivery
) -> Sequence[ConversationEvent]:
    """Closed, unless it has been opened again before this delivery was read."""
    if record.state is State.IDLE or app.issues.issue(place).is_open:
        return ()
    return (IssueClosed(),)


def _is_start_label(delivery: IssueDelivery) -> bool:
    return delivery.label is not None and delivery.label.name == LabelName.START
