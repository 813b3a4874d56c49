"""The timer of a run that had to wait for another day: may it start now?"""

from collections.abc import Sequence

from github_app.conversation.events import Event, StartDue, StartPostponed
from github_app.conversation.record import Conversation
from github_app.perform import App
from github_app.ports.conversations import TimerDue


def start_due(app: App, record: Conversation, due: TimerDue) -> Sequence[Event]:
    """That it may, or that this day's dollars are spent, too. Nothing for a timer of a start that is waited for no more."""
    late_start = record.waiting_start
    if late_start is None or late_start.timer != due.about:
        return ()
    day = app.budget.spent_day(due.place.repository) if app.budget is not None else None
    return (StartDue() if day is None else StartPostponed(day),)
