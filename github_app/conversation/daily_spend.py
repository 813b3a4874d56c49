"""What the runs of a repository may cost on one day (UTC), and when a run starts that must wait for the next one. Pure."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_MINUTES_OF_STARTS = 60


@dataclass(frozen=True)
class SpentDay:
    """A day whose limit is reached, in dollars. `until` is the first moment of the next day."""

    dollars: float
    limit: float
    until: datetime


def day_of(moment: datetime) -> date:
    """The day of a moment, in UTC."""
    return moment.astimezone(UTC).date()


def spent_day(dollars: float, limit: float, now: datetime) -> SpentDay | None:
    """The day of `now` if what its runs have cost has reached the limit."""
    if dollars < limit:
        return None
    next_day = day_of(now) + timedelta(days=1)
    return SpentDay(dollars, limit, datetime(next_day.year, next_day.month, next_day.day, tzinfo=UTC))


def start_at(until: datetime, issue: int) -> datetime:
    """When the run of an issue starts on the next day.

    What a run costs is known when it has ended. If all that wait started at once, they would spend the limit many times
    before the first one has ended. So they are spread over an hour: issue 418 starts 58 minutes after midnight.
    """
    return until + timedelta(minutes=issue % _MINUTES_OF_STARTS)
