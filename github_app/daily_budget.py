"""What the runs of each repository have cost today, as they told when they ended, and whether another one may start."""

import logging
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from github_app.conversation.starting import SpentDay
from github_app.ports.conversations import Clock, Costs, RunCost
from github_app.ports.github import ArtifactRefused, Artifacts, Repository

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class DailyBudget:
    """The dollars of each repository and day. `limit` is what one repository may spend on a day (UTC); None for no limit."""

    costs: Costs
    artifacts: Artifacts
    clock: Clock
    limit: float | None = None

    def note(self, repository: Repository, run_id: int, attempt: int, ended_at: datetime | None) -> None:
        """Keep what a run has cost, once. One that tells nothing has cost nothing, as far as anybody knows.

        Raises:
            GitHubUnavailable: GitHub could not say.
        """
        if self.costs.of_run(repository.id, run_id, attempt) is not None:
            return
        dollars = None
        try:
            dollars = self.artifacts.cost(repository, run_id, attempt)
        except ArtifactRefused as refusal:
            _log.warning("run %s of %s tells no cost: %s", run_id, repository.full_name, refusal)
        day = day_of(ended_at or self.clock.now())
        self.costs.add(RunCost(repository.id, run_id, attempt, day, dollars or 0.0))

    def cost_of(self, repository: Repository, run_id: int, attempt: int) -> float:
        """The dollars that a run has told, as `note` keeps them; 0 where it told nothing."""
        return self.costs.of_run(repository.id, run_id, attempt) or 0.0

    def spent_day(self, repository: Repository) -> SpentDay | None:
        """Today, if the repository has reached its limit."""
        if self.limit is None:
            return None
        today = day_of(self.clock.now())
        day = spent_day(self.costs.on_day(repository.id, today), self.limit, today)
        if day is not None:
            _log.info(
                "%s has spent $%.2f of $%.2f today (UTC): no run starts until %s",
                repository.full_name, day.dollars, day.limit, day.until,
            )  # fmt: skip
        return day


def day_of(moment: datetime) -> date:
    """The day of a moment, in UTC."""
    return moment.astimezone(UTC).date()


def spent_day(dollars: float, limit: float, today: date) -> SpentDay | None:
    """Today if what its runs have cost has reached the limit."""
    if dollars < limit:
        return None
    return SpentDay(dollars, limit, datetime.combine(today + timedelta(days=1), datetime.min.time(), UTC))
