"""Deliveries that were put off: why, until when, and whose turn it is when they are due.

A delivery of a conversation that comes later must not overtake one that waits. So each delivery has a turn, a number that
grows with the moment at which it was accepted, and before it is done, this table is asked whether one with a smaller turn
waits in the same conversation. Example: reply A is put off for a rate limit; reply B comes, finds A here, and waits for
just a little longer than A.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import sqlalchemy as sa

from github_app.storage.database import insert_into, open_tables
from github_app.storage.store_clock import StoreClock

_tables = sa.MetaData()

_waiting = sa.Table(
    "askfirst_waiting",
    _tables,
    sa.Column("delivery_id", sa.Text, primary_key=True),
    sa.Column("row_id", sa.Text, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("conversation", sa.Text, nullable=False, index=True),
    sa.Column("installation_id", sa.BigInteger),
    sa.Column("turn", sa.BigInteger, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("due", sa.Float, nullable=False),
)

_STALE_SECONDS = 900.0
"""A row that is overdue by more is what somebody took away by hand: nobody waits for it any longer."""


class Wait(StrEnum):
    """Why a delivery is put off."""

    TURN = "turn"
    """Nothing is wrong: it is too early, or somebody else's turn. It is not counted as a failure."""
    OUTAGE = "outage"
    """GitHub cannot be reached. After some hours the delivery counts as stuck."""
    WITHHELD = "withheld"
    """An operator must grant or set something. The delivery waits for as long as it takes, and is listed as stuck."""


@dataclass(frozen=True)
class Waiting:
    """A delivery that was put off. `row_id` is the row that takes it up again, at `due` (seconds of the epoch)."""

    delivery_id: str
    row_id: str
    event: str
    conversation: str
    installation_id: int | None
    turn: int
    kind: Wait
    why: str
    due: float
    since: float = 0.0

    @property
    def waits_since(self) -> datetime:
        """When it was put off first."""
        return datetime.fromtimestamp(self.since, UTC)

    @property
    def next_try(self) -> datetime:
        """When it is tried again."""
        return datetime.fromtimestamp(self.due, UTC)


class WaitingDeliveries:
    """The table of deliveries that were put off. It is made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = open_tables(database_url, _tables)
        self._clock = StoreClock(database_url)

    def put(self, waiting: Waiting) -> None:
        """Keep a delivery; one that waits already keeps the moment since when."""
        values = {**vars(waiting), "kind": waiting.kind.value, "since": self._clock.now()}
        again = {name: value for name, value in values.items() if name not in {"delivery_id", "since"}}
        statement = insert_into(self._engine, _waiting).values(values)
        change = statement.on_conflict_do_update(index_elements=["delivery_id"], set_=again)
        with self._engine.begin() as connection:
            connection.execute(change)

    def make_due(self, delivery_id: str, now: float) -> None:
        """A delivery that waits is due now."""
        change = sa.update(_waiting).where(_waiting.c.delivery_id == delivery_id).values(due=now)
        with self._engine.begin() as connection:
            connection.execute(change)

    def remove(self, delivery_id: str) -> None:
        """Forget a delivery that has ended."""
        with self._engine.begin() as connection:
            connection.execute(sa.delete(_waiting).where(_waiting.c.delivery_id == delivery_id))

    def ahead_of(self, delivery_id: str, conversation: str, turn: int) -> Waiting | None:
        """The first delivery of a conversation that waits and whose turn is earlier, if there is one."""
        query = (
            sa.select(_waiting)
            .where(
                _waiting.c.conversation == conversation,
                _waiting.c.turn < turn,
                _waiting.c.delivery_id != delivery_id,
                _waiting.c.due > self._clock.now() - _STALE_SECONDS,
            )
            .order_by(_waiting.c.turn)
            .limit(1)
        )
        return next(iter(self._read(query)), None)

    def all(self) -> list[Waiting]:
        """All that wait, those longest first who have waited longest."""
        return self._read(sa.select(_waiting).order_by(_waiting.c.since))

    def of_installation(self, installation_id: int) -> list[Waiting]:
        """All that wait in one installation."""
        return self._read(sa.select(_waiting).where(_waiting.c.installation_id == installation_id))

    def of_conversation(self, conversation: str) -> list[Waiting]:
        """All that wait in one conversation."""
        return self._read(sa.select(_waiting).where(_waiting.c.conversation == conversation))

    def get(self, delivery_id: str) -> Waiting | None:
        """One delivery, if it waits."""
        return next(iter(self._read(sa.select(_waiting).where(_waiting.c.delivery_id == delivery_id))), None)

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def _read(self, query: sa.Select[tuple[object, ...]]) -> list[Waiting]:
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return [Waiting(**{**row, "kind": Wait(row["kind"])}) for row in rows]
