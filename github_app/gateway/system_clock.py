"""The clock of this machine: `github_app.ports.conversations.Clock`."""

import time
from datetime import UTC, datetime

from github_app.ports.github import NotYet


class SystemClock:
    """`github_app.ports.conversations.Clock` of this machine."""

    def now(self) -> datetime:
        """Now, in UTC."""
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


class RequeueingClock(SystemClock):
    """The same for the worker, which never sleeps: it puts off work that must wait, and serves others meanwhile."""

    def sleep(self, seconds: float) -> None:
        """Say that it is too early.

        Raises:
            NotYet: always.
        """
        raise NotYet("GitHub may need some seconds to show what it did", retry_after=seconds)
