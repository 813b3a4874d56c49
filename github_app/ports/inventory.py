"""What the sweep asks of GitHub: which repositories there are, and which deliveries failed. Protocols and data only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from github_app.ports.github import Repository


@dataclass(frozen=True)
class FailedDelivery:
    """A delivery that GitHub could not bring. `id` is that of an attempt; `guid` that of the delivery."""

    id: int
    guid: str
    event: str


class Inventory(Protocol):
    """What GitHub knows besides what it announces: for a sweep that looks for what was missed."""

    def failed_deliveries(self, since: datetime) -> Iterator[FailedDelivery]:
        """Deliveries of which no attempt was answered with 2xx, oldest first. GitHub keeps them for three days."""

    def payload(self, delivery_id: int) -> Mapping[str, Any]:
        """What GitHub wanted to bring; nothing where it has forgotten it."""

    def installations(self) -> Iterator[int]:
        """The ids of the installations that are not suspended."""

    def repositories(self, installation_id: int) -> Sequence[Repository]:
        """The repositories of an installation that are not archived."""

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        """The numbers of open issues with a label."""

    def ended_runs(self, repository: Repository, since: datetime) -> Iterator[Mapping[str, Any]]:
        """Completed runs of our workflow, newest first, as `workflow_run` of a delivery; none without the workflow."""
