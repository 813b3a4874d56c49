"""The store of conversations: one JSON record each, replaced only by whoever read the version before."""

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from github_app.conversation.record import Conversation
from github_app.storage.database import connect

_tables = sa.MetaData()

_conversations = sa.Table(
    "askfirst_conversations",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
)

_runs = sa.Table(
    "askfirst_runs",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("run_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, nullable=False),
)
"""Index of the runs that we dispatched: whose issue is run 17? Ids are unique on one GitHub, but cost nothing to scope."""

_pull_requests = sa.Table(
    "askfirst_pull_requests",
    _tables,
    sa.Column("repository_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("issue", sa.BigInteger, nullable=False),
)
"""Index of the pull requests that we opened: a review of number 9 belongs to the conversation of issue 7."""


class StoredConversations:
    """`github_app.ports.Conversations` in the database. The tables are made when the first one is opened."""

    def __init__(self, database_url: str) -> None:
        self._engine = connect(database_url)
        _tables.create_all(self._engine)

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        """The record of one conversation, or None."""
        query = sa.select(_conversations.c.record).where(
            _conversations.c.repository_id == repository_id, _conversations.c.issue == issue
        )
        with self._engine.connect() as connection:
            record = connection.execute(query).scalar_one_or_none()
        return None if record is None else Conversation.model_validate_json(record)

    def put(self, conversation: Conversation) -> bool:
        """Store a record if the stored one has exactly the version before; False when somebody else was faster."""
        key = {"repository_id": conversation.repository_id, "issue": conversation.issue}
        values = {"version": conversation.version, "record": conversation.model_dump_json()}
        with self._engine.begin() as connection:
            if conversation.version == 1:
                change: sa.Insert | sa.Update = (
                    insert(_conversations).values({**key, **values}).on_conflict_do_nothing()
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
            for run_id in conversation.runs:
                connection.execute(insert(_runs).values({**key, "run_id": run_id}).on_conflict_do_nothing())
            if conversation.pull_request is not None:
                number = {"number": conversation.pull_request.number}
                connection.execute(insert(_pull_requests).values({**key, **number}).on_conflict_do_nothing())
        return True

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        """The issue whose record lists this run id among its dispatched runs, or None."""
        query = sa.select(_runs.c.issue).where(
            _runs.c.repository_id == repository_id, _runs.c.run_id == run_id
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        """The issue whose conversation led to a pull request, or None."""
        query = sa.select(_pull_requests.c.issue).where(
            _pull_requests.c.repository_id == repository_id, _pull_requests.c.number == number
        )
        with self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()
