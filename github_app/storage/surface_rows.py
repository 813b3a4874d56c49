"""Messages to surfaces and replies from them, as rows of the durable engine: at least once, in turn, tried again for hours."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from github_app.conversation.states import EXPIRY_DAYS
from github_app.ports.surfaces import SurfaceMessage, SurfaceReply
from github_app.storage.database import insert_into, open_tables
from github_app.storage.delivery import Delivery
from github_app.storage.timers import conversation_key

MESSAGE_EVENT = "surface message"
REPLY_EVENT = "surface reply"
"""Events of such deliveries. GitHub has none of these names."""


_tables = sa.MetaData()

_references = sa.Table(
    "askfirst_shown",
    _tables,
    sa.Column("surface", sa.Text, primary_key=True),
    sa.Column("question_key", sa.Text, primary_key=True),
    sa.Column("shown_as", sa.Text, nullable=False),
    sa.Column("at", sa.Float, nullable=False, index=True),
)
"""The second column holds any key of `MessageReferences`, the third the text that is kept, the last when (seconds of the epoch)."""

_KEYS = ["surface", "question_key"]
_SHORTEST_RETENTION = timedelta(days=2 * EXPIRY_DAYS)
"""A question is open for fewer days, and its message is edited when it closes."""


class StoredMessageReferences:
    """`github_app.surfaces.outgoing.MessageReferences` in the database. The table is made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = open_tables(database_url, _tables)

    def get(self, surface: str, key: str) -> str | None:
        """The stored text, or None."""
        query = sa.select(_references.c.shown_as).where(
            _references.c.surface == surface, _references.c.question_key == key
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def put(self, surface: str, key: str, text: str) -> None:
        """Keep it; the newest counts."""
        values = {"shown_as": text, "at": time.time()}
        statement = insert_into(self._engine, _references).values(surface=surface, question_key=key, **values)
        with self._engine.begin() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=_KEYS, set_=values))

    def forget(self, before: datetime) -> int:
        """Delete what was kept before a moment and can belong to no open question; how many rows."""
        latest = min(before, datetime.now(UTC) - _SHORTEST_RETENTION).timestamp()
        with self._engine.begin() as connection:
            return connection.execute(sa.delete(_references).where(_references.c.at < latest)).rowcount

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()


def message_store(accept: Callable[[Delivery], None]) -> Callable[[SurfaceMessage], None]:
    """Stores messages, each once. Those of one conversation to one surface are sent one after another, and hold up neither
    another surface nor the conversation.
    """

    def store(message: SurfaceMessage) -> None:
        key = f"{message.surface}:{conversation_key(message.repository_id, message.issue)}"
        accept(Delivery(message.id, MESSAGE_EVENT, key, message.model_dump()))

    return store


def reply_store(accept: Callable[[Delivery], None]) -> Callable[[SurfaceReply], None]:
    """Stores replies, each once, among what is worked on in turn for the conversation."""

    def store(reply: SurfaceReply) -> None:
        key = conversation_key(reply.repository_id, reply.issue)
        accept(Delivery(reply.id, REPLY_EVENT, key, reply.model_dump(mode="json")))

    return store
