"""`issues.unlabeled`: whoever takes the start label off takes the request back."""

from collections.abc import Sequence

from github_app.conversation.effects import LabelName
from github_app.conversation.events import Event, IssueUnlabeled
from github_app.conversation.record import Conversation, State
from github_app.handlers.people import person
from github_app.intake.delivery import IssueDelivery
from github_app.perform import App
from github_app.ports.github import Place


def issues_unlabeled(
    app: App, place: Place, record: Conversation, delivery: IssueDelivery
) -> Sequence[Event]:
    """Taken back, when it is our label, no bot took it off, and it has not been set again meanwhile."""
    if delivery.label is None or delivery.label.name != LabelName.START or person(delivery.sender).is_bot:
        return ()
    if record.state is State.IDLE:
        return ()
    return () if LabelName.START in app.issues.issue(place).labels else (IssueUnlabeled(),)
