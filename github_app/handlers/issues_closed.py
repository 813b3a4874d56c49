"""`issues.closed`: nobody waits for an answer any more."""

from collections.abc import Sequence

from github_app.conversation.events import Event, IssueClosed
from github_app.conversation.record import Conversation, State
from github_app.intake.delivery import IssueDelivery
from github_app.perform import App
from github_app.ports.github import Place


def issues_closed(app: App, place: Place, record: Conversation, _delivery: IssueDelivery) -> Sequence[Event]:
    """Closed, unless it has been opened again before this delivery was read."""
    if record.state is State.IDLE or app.issues.issue(place).is_open:
        return ()
    return (IssueClosed(),)
