"""The store of conversations: one JSON record each. A writer replaces a record only if it read the latest version."""

import time
from datetime import datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from github_app.conversation.record import OPEN_STATES, Conversation, State
from github_app.storage.database import insert_into, json_field, open_tables, without_nul

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

_tables = sa.MetaData()

_conversations = sa.Table(
    "askfirst_conversations",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("changed_at", sa.Float, nullable=False, index=True),
)
"""`changed_at` is in seconds of the epoch: ended conversations are deleted by it."""

_links = sa.Table(
    "askfirst_links",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, nullable=False),
)
"""The issue of each run that we dispatched, by its id, and of each pull request that we opened, by its number."""

_RUN, _PULL_REQUEST = "run", "pull request"
_FINAL_STATES = frozenset(State) - OPEN_STATES | {State.EXPIRED}
"""A question that has expired can still be answered, from our comments, too."""


class StoredConversations:
    """`github_app.ports.conversations.Conversations` in the database. The tables are made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = open_tables(database_url, _tables)
        self._state = json_field(self._engine, _conversations.c.record, "state")

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        """The record of one conversation, or None."""
        query = sa.select(_conversations.c.record).where(
            _conversations.c.repository_id == repository_id, _conversations.c.issue == issue
        )
        with self._engine.connect() as connection:
            record = connection.execute(query).scalar_one_or_none()
        return None if record is None else Conversation.model_validate_json(record)

    def numbers(self, repository_id: int, states: frozenset[State]) -> list[int]:
        """The issues of a repository whose conversations are in one of these states."""
        query = sa.select(_conversations.c.issue).where(
            _conversations.c.repository_id == repository_id,
            self._state.in_([state.value for state in states]),
        )
        with self._engine.connect() as connection:
            return list(connection.execute(query).scalars())

    def in_states(self, states: frozenset[State]) -> list[Conversation]:
        """All conversations in one of these states."""
        query = sa.select(_conversations.c.record).where(self._state.in_([state.value for state in states]))
        with self._engine.connect() as connection:
            records = connection.execute(query).scalars().all()
        return [Conversation.model_validate_json(record) for record in records]

    def put(self, conversation: Conversation) -> bool:
        """Store a record if the stored one has exactly the version before; False when somebody else was faster."""
        key = {"repository_id": conversation.repository_id, "issue": conversation.issue}
        record = without_nul(conversation.model_dump_json())
        values = {"version": conversation.version, "record": record, "changed_at": time.time()}
        with self._engine.begin() as connection:
            if conversation.version == 1:
                change: sa.Insert | sa.Update = (
                    self._insert(_conversations).values({**key, **values}).on_conflict_do_nothing()
                )
            else:
                change = (
                    sa.update(_conversations)
                    .where(
                        _conversations.c.repository_id == conversation.repository_id,
                        _conversations.c.issue == conversation.issue,
                        _conversations.c.version == conversation.version - 1,
                    )
                    .values(values)
                )
            if connection.execute(change).rowcount != 1:
                return False
            links = [{**key, "kind": _RUN, "number": run_id} for run_id in conversation.runs]
            if conversation.pull_request is not None:
                links.append({**key, "kind": _PULL_REQUEST, "number": conversation.pull_request.number})
            if links:
                connection.execute(self._insert(_links).values(links).on_conflict_do_nothing())
        return True

    def forget(self, before: datetime) -> int:
        """Delete the conversations that ended and were not changed since a moment; how many.

        Nothing is lost on GitHub: a reply or a label brings the record back from our comments.
        """
        removal = sa.delete(_conversations).where(
            _conversations.c.changed_at < before.timestamp(),
            self._state.in_([state.value for state in _FINAL_STATES]),
        )
        with self._engine.begin() as connection:
            rows = connection.execute(
                removal.returning(_conversations.c.repository_id, _conversations.c.issue)
            ).all()
            for repository_id, issue in rows:
                is_of_it = (_links.c.repository_id == repository_id, _links.c.issue == issue)
                connection.execute(sa.delete(_links).where(*is_of_it))
        return len(rows)

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        """The issue whose record lists this run id among its dispatched runs, or None."""
        return self._issue_of(repository_id, _RUN, run_id)

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        """The issue whose conversation led to a pull request, or None."""
        return self._issue_of(repository_id, _PULL_REQUEST, number)

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()

    def _issue_of(self, repository_id: int, kind: str, number: int) -> int | None:
        query = sa.select(_links.c.issue).where(
            _links.c.repository_id == repository_id, _links.c.kind == kind, _links.c.number == number
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def _insert(self, table: sa.Table) -> "postgresql.Insert | sqlite.Insert":
        return insert_into(self._engine, table)
