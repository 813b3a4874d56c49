"""`issues.edited`: the ticket may say something else now than what was labelled."""

from collections.abc import Sequence

from github_app.conversation.effects import LabelName
from github_app.conversation.events import Event, IssueEdited
from github_app.conversation.record import Conversation
from github_app.intake.delivery import IssueDelivery
from github_app.perform import App
from github_app.ports.github import Place
from pipeline.contract.identity import ticket_sha256


def issues_edited(app: App, place: Place, record: Conversation, _delivery: IssueDelivery) -> Sequence[Event]:
    """The hash of the text as it stands now: an edit that was taken back changes nothing."""
    if record.ticket_sha256 is None:
        return ()
    issue = app.issues.issue(place)
    return (IssueEdited(ticket_sha256(issue.title, issue.body), is_ready=LabelName.READY in issue.labels),)
