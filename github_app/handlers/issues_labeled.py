"""`issues.labeled`: somebody wants this issue worked on. The workflow starts by itself; we check who it was and listen."""

from collections.abc import Sequence

from github_app.conversation.effects import LabelName
from github_app.conversation.events import Event, IssueLabeled, LabelRefused
from github_app.conversation.record import Conversation
from github_app.conversation.transcript import ticket_keys
from github_app.handlers.people import person
from github_app.intake.delivery import IssueDelivery
from github_app.perform import App
from github_app.ports.github import Place
from pipeline.contract.identity import ticket_sha256


def issues_labeled(app: App, place: Place, _record: Conversation, delivery: IssueDelivery) -> Sequence[Event]:
    """A start, when the label is ours and the labeller may write; a refusal otherwise.

    The triage role may set labels, and issue forms set them for anybody: a label authorises nothing.
    The text is taken from the signed payload, so that an edit after the label cannot slip in.
    """
    issue, labeller = delivery.issue, person(delivery.sender)
    if delivery.label is None or delivery.label.name != LabelName.START or labeller.is_bot:
        return ()
    if issue.pull_request is not None or issue.state != "open":
        return ()
    role = app.permissions.role(place.repository, labeller)
    if not role.may_write:
        return (LabelRefused(issue.updated_at, labeller.login, role.value),)
    author = issue.user.login if issue.user else labeller.login
    sha256, keys = ticket_sha256(issue.title, issue.body), ticket_keys(issue.title, issue.body)
    return (IssueLabeled(issue.updated_at, author, sha256, labeller.login, keys),)
