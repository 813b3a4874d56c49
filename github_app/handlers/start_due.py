"""The timer of a run that had to wait for another day: may it start now?"""

from collections.abc import Sequence

from github_app.conversation.events import Event, StartDue, StartPostponed
from github_app.conversation.record import Conversation
from github_app.perform import App
from github_app.ports.conversations import TimerDue


def start_due(app: App, record: Conversation, due: TimerDue) -> Sequence[Event]:
    """That it may, or that this day's dollars are spent, too. Nothing for a timer of a start that is waited for no more."""
    postponed = record.waiting_start
    if postponed is None or postponed.timer != due.about:
        return ()
    spent = app.budget.spent_day(due.place.repository) if app.budget is not None else None
    return (StartDue() if spent is None else StartPostponed(spent),)
