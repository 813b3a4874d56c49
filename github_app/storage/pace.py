"""The pace of writes to GitHub where several machines write: one per installation, kept by the database."""

import time

import sqlalchemy as sa

from github_app.ports.github import RECEIPTS_AT_ONCE
from github_app.storage.database import EPOCH_OF_SERVER, insert_into, open_tables

_tables = sa.MetaData()

_pace = sa.Table(
    "askfirst_pace",
    _tables,
    sa.Column("installation_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("free_at", sa.Double, nullable=False),
)
"""From when on an installation may be written to again (seconds of the epoch)."""


class SharedPace:
    """`github_app.gateway.connections.WritePace` for all workers of one Postgres database together."""

    def __init__(self, database_url: str, seconds: float) -> None:
        self._seconds = seconds
        self._engine = open_tables(database_url, _tables)

    def wait(self, installation_id: int, *, is_receipt: bool = False) -> None:
        """Wait until it is this installation's turn to write.

        Raises:
            SQLAlchemyError: the database does not answer; the delivery is put off.
        """
        is_ours = not self._seconds
        while not is_ours:
            seconds, is_ours = self.ask(installation_id, is_receipt=is_receipt)
            time.sleep(seconds)

    def ask(self, installation_id: int, *, is_receipt: bool) -> tuple[float, bool]:
        """In how many seconds to write, and whether a turn is taken for the caller; as `github_app.gateway.rest.Pace`.

        One statement takes a turn, so that no two get it.
        """
        first = insert_into(self._engine, _pace).values(
            installation_id=installation_id, free_at=EPOCH_OF_SERVER + self._seconds
        )
        later = sa.func.greatest(_pace.c.free_at, EPOCH_OF_SERVER) + self._seconds
        is_free = sa.true() if is_receipt else _pace.c.free_at <= EPOCH_OF_SERVER
        turn = first.on_conflict_do_update(
            index_elements=["installation_id"], set_={"free_at": later}, where=is_free
        )
        next_turn = sa.select(_pace.c.free_at - EPOCH_OF_SERVER).where(
            _pace.c.installation_id == installation_id
        )
        with self._engine.begin() as connection:
            seconds = connection.execute(
                turn.returning(_pace.c.free_at - self._seconds - EPOCH_OF_SERVER)
            ).scalar_one_or_none()
            is_ours = seconds is not None
            if seconds is None:
                seconds = connection.execute(next_turn).scalar_one()
        earlier = (RECEIPTS_AT_ONCE - 1) * self._seconds if is_receipt else 0.0
        return max(0.0, float(seconds) - earlier), is_ours

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()
