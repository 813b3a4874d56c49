"""The costs of runs: one row for each attempt of a run, by repository and day."""

from collections.abc import Callable
from datetime import date, datetime

import sqlalchemy as sa

from github_app.daily_budget import day_of
from github_app.ports.conversations import RunCost
from github_app.storage.database import insert_into, open_tables

_tables = sa.MetaData()

_costs = sa.Table(
    "askfirst_costs",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("attempt", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("day", sa.Text, nullable=False, index=True),
    sa.Column("dollars", sa.Float, nullable=False),
)
"""`day` is written `2026-11-24`, in UTC."""


class StoredCosts:
    """`github_app.ports.conversations.Costs` in the database. `on_cost` is told the dollars of each new row."""

    def __init__(self, database_url: str, on_cost: Callable[[float], None] = lambda _dollars: None) -> None:
        self._engine = open_tables(database_url, _tables)
        self._on_cost = on_cost

    def add(self, cost: RunCost) -> None:
        """Keep what an attempt of a run has cost. The same attempt again changes nothing."""
        row = insert_into(self._engine, _costs).values(
            repository_id=cost.repository_id, run_id=cost.run_id, attempt=cost.attempt,
            day=cost.day.isoformat(), dollars=cost.dollars,
        )  # fmt: skip
        with self._engine.begin() as connection:
            is_new = connection.execute(row.on_conflict_do_nothing()).rowcount == 1
        if is_new and cost.dollars:
            self._on_cost(cost.dollars)

    def of_run(self, repository_id: int, run_id: int, attempt: int) -> float | None:
        """The dollars that are kept of an attempt of a run; None where it has no row."""
        query = sa.select(_costs.c.dollars).where(
            _costs.c.repository_id == repository_id, _costs.c.run_id == run_id, _costs.c.attempt == attempt
        )
        with self._engine.connect() as connection:
            dollars: float | None = connection.execute(query).scalar_one_or_none()
        return dollars

    def on_day(self, repository_id: int, day: date) -> float:
        """What the runs of a repository have cost on a day."""
        return self.of_repositories(day).get(repository_id, 0.0)

    def of_repositories(self, day: date) -> dict[int, float]:
        """What the runs of each repository have cost on a day, by the repository's id."""
        query = (
            sa.select(_costs.c.repository_id, sa.func.sum(_costs.c.dollars))
            .where(_costs.c.day == day.isoformat())
            .group_by(_costs.c.repository_id)
        )
        with self._engine.connect() as connection:
            return {int(row[0]): float(row[1]) for row in connection.execute(query)}

    def forget(self, before: datetime) -> None:
        """Delete the rows of earlier days."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_costs).where(_costs.c.day < day_of(before).isoformat()))

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()
