"""What the processes of the App tell of themselves, in the store: signs of life, counts, and how much work waits."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from github_app.storage.database import connect

WORKER, GITHUB = "worker", "github"
"""Names of what the worker tells: that it lives, and when GitHub has answered."""
REPOSITORY = "repository:"
"""Prefix of the names under which it tells what a repository is called; its id follows."""

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

_QUEUE_AGE = sa.text(
    "SELECT MIN(MAX(updated_at, COALESCE(delay_until_epoch_ms, 0))) FROM workflow_status"
    " WHERE status IN ('ENQUEUED', 'PENDING')"
)
_BY_STATUS = sa.text("SELECT status, COUNT(*) FROM workflow_status GROUP BY status")
_BY_STATE = sa.text("SELECT json_extract(record, '$.state'), COUNT(*) FROM askfirst_conversations GROUP BY 1")


@dataclass(frozen=True)
class HealthNote:
    """Something that a process has told, and when (seconds of the epoch)."""

    value: Mapping[str, Any]
    at: float


class Health:
    """The tables of signs of life and counts. They are made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = connect(database_url)
        _tables.create_all(self._engine)

    def tell(self, name: str, value: Mapping[str, Any]) -> None:
        """Replace what a process tells of itself."""
        row = {"value": json.dumps(dict(value)), "at": time.time()}
        change = insert(_notes).values(name=name, **row).on_conflict_do_update(["name"], set_=row)
        with self._engine.begin() as connection:
            connection.execute(change)

    def note(self, name: str) -> HealthNote | None:
        """What a process has told last, if it ever did."""
        query = sa.select(_notes.c.value, _notes.c.at).where(_notes.c.name == name)
        with self._engine.connect() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else HealthNote(json.loads(row.value), row.at)

    def add(self, counts: Mapping[str, float]) -> None:
        """Add to counts, in one transaction."""
        with self._engine.begin() as connection:
            for name, value in counts.items():
                change = insert(_counts).values(name=name, value=value)
                total = {"value": _counts.c.value + change.excluded.value}
                connection.execute(change.on_conflict_do_update(["name"], set_=total))

    def counts(self) -> dict[str, float]:
        """All counts, by name."""
        return self._pairs(sa.select(_counts.c.name, _counts.c.value).order_by(_counts.c.name))

    def deliveries(self) -> dict[str, float]:
        """How many rows of deliveries the engine holds, by status."""
        return self._pairs(_BY_STATUS)

    def conversations(self) -> dict[str, float]:
        """How many conversations there are, by state."""
        return self._pairs(_BY_STATE)

    def queue_age(self) -> float:
        """For how many seconds the oldest delivery has been due or in hand; 0 where none is."""
        with self._engine.connect() as connection:
            oldest = connection.execute(_QUEUE_AGE).scalar()
        return 0.0 if oldest is None else max(0.0, time.time() - float(oldest) / 1000)

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def _pairs(self, query: sa.Executable) -> dict[str, float]:
        with self._engine.connect() as connection:
            return {str(name): float(value) for name, value in connection.execute(query).all()}
