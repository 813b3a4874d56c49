"""The sandbox's time: the real one, plus what a test has moved it forward."""

from datetime import UTC, datetime, timedelta


class SandboxClock:
    """Whole seconds in UTC, as GitHub writes them."""

    def __init__(self) -> None:
        self._offset = timedelta(0)

    def now(self) -> datetime:
        """The present moment."""
        return (datetime.now(UTC) + self._offset).replace(microsecond=0)

    def advance(self, by: timedelta) -> None:
        """Let time pass: download addresses, tokens and artifacts expire by it."""
        self._offset += by


def stamp(moment: datetime | None) -> str | None:
    """GitHub's way to write a moment, such as `2026-08-22T09:30:00Z`."""
    return None if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
