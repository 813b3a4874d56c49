"""What the processes of the App tell of themselves, in the store: signs of life, counts, and how much work waits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from github_app.storage.database import engine_table, insert_into, json_field, open_tables
from github_app.storage.store_clock import StoreClock

WORKER, GITHUB = "worker", "github"
"""Names of what the worker tells: that it lives, and when GitHub has answered."""
REFUSAL = "refusal"
"""Name under which it tells why GitHub takes no request of the App; without advice when it takes them again."""
REPOSITORY = "repository:"
"""Prefix of the names under which it tells what a repository is called; its id follows."""
CHORE = "chore:"
"""Prefix of the names under which is kept when a chore was done last that one process does for all."""

_tables = sa.MetaData()

_notes = sa.Table(
    "askfirst_notes",
    _tables,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)

_counts = sa.Table(
    "askfirst_counts",
    _tables,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Float, nullable=False),
)

_records = sa.table("askfirst_conversations", sa.column("record", sa.Text))


@dataclass(frozen=True)
class HealthNote:
    """Something that a process has told, and when (seconds of the epoch)."""

    value: Mapping[str, Any]
    at: float


class Health:
    """The tables of signs of life and counts. They are made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = open_tables(database_url, _tables)
        self._clock = StoreClock(database_url)
        self._rows = engine_table(
            self._engine, "workflow_status", "status", "updated_at", "delay_until_epoch_ms"
        )

    def now(self) -> float:
        """The time of the store, with which the times of notes are compared (seconds of the epoch)."""
        return self._clock.now()

    def tell(self, name: str, value: Mapping[str, Any]) -> None:
        """Replace what a process tells of itself."""
        row = {"value": json.dumps(dict(value)), "at": self.now()}
        statement = insert_into(self._engine, _notes).values(name=name, **row)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))

    def claim(self, chore: str, every: float) -> bool:
        """Whether a chore is due that one process of all does every so many seconds; who asks first has it."""
        now, name = self.now(), f"{CHORE}{chore}"
        first = insert_into(self._engine, _notes).values(name=name, value="{}", at=now)
        due = sa.update(_notes).where(_notes.c.name == name, _notes.c.at <= now - every).values(at=now)
        with self._engine.begin() as connection:
            if connection.execute(first.on_conflict_do_nothing()).rowcount == 1:
                return True
            return connection.execute(due).rowcount == 1

    def note(self, name: str) -> HealthNote | None:
        """What a process has told last, if it ever did."""
        query = sa.select(_notes.c.value, _notes.c.at).where(_notes.c.name == name)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else HealthNote(json.loads(row.value), row.at)

    def add(self, counts: Mapping[str, float]) -> None:
        """Add to counts, in one transaction."""
        with self._engine.begin() as connection:
            for name in sorted(
                counts
            ):  # in one order, so that two processes never wait for each other's rows
                change = insert_into(self._engine, _counts).values(name=name, value=counts[name])
                total = {"value": _counts.c.value + change.excluded.value}
                connection.execute(change.on_conflict_do_update(index_elements=["name"], set_=total))

    def counts(self) -> dict[str, float]:
        """All counts, by name."""
        return self._pairs(sa.select(_counts.c.name, _counts.c.value).order_by(_counts.c.name))

    def deliveries(self) -> dict[str, float]:
        """How many rows of deliveries the engine holds, by status."""
        status = self._rows.c.status
        return self._pairs(sa.select(status, sa.func.count()).group_by(status))

    def conversations(self) -> dict[str, float]:
        """How many conversations there are, by state."""
        state = json_field(self._engine, _records.c.record, "state").label("state")
        return self._pairs(sa.select(state, sa.func.count()).select_from(_records).group_by(state))

    def queue_age(self) -> float:
        """For how many seconds the oldest delivery has been due or in hand; 0 where none is."""
        rows = self._rows.c
        due = sa.case(
            (rows.delay_until_epoch_ms > rows.updated_at, rows.delay_until_epoch_ms), else_=rows.updated_at
        )
        query = sa.select(sa.func.min(due)).where(rows.status.in_(["ENQUEUED", "PENDING"]))
        with self._engine.connect() as connection:
            oldest = connection.execute(query).scalar()
        return 0.0 if oldest is None else max(0.0, self.now() - float(oldest) / 1000)

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def _pairs(self, query: sa.Executable) -> dict[str, float]:
        with self._engine.connect() as connection:
            return {str(name): float(value) for name, value in connection.execute(query).all()}
