"""What the sweep asks of GitHub: which repositories there are, and which deliveries failed. Protocols and data only."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from github_app.ports.github import Repository


@dataclass(frozen=True)
class DeliveryAttempt:
    """How GitHub brought a delivery, or tried to. `id` is that of the attempt; `guid` that of the delivery."""

    id: int
    guid: str
    event: str
    delivered_at: datetime
    is_acknowledged: bool


@dataclass(frozen=True)
class AttemptPage:
    """A page of attempts, newest first. `cursor` leads to the page with older ones; None where there is none."""

    attempts: Sequence[DeliveryAttempt]
    cursor: str | None


class Inventory(Protocol):
    """What GitHub knows besides what it announces: for a sweep that looks for what was missed."""

    def attempts(self, cursor: str | None) -> AttemptPage:
        """The newest attempts to bring a delivery, or those behind a cursor. GitHub keeps them for three days."""

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
