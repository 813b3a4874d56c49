"""The clock of this machine: `github_app.ports.Clock`."""

import time
from datetime import UTC, datetime


class SystemClock:
    """`github_app.ports.Clock` of this machine."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)
