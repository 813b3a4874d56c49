"""Stores for tests: an SQLite file or a Postgres database, prepared once and copied for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from github_app.storage.database import copy_to, prepare
from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def prepared_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('prepared') / 'askfirst.sqlite'}"
    prepare(url)
    return url


@pytest.fixture
def sqlite_url(prepared_file: str, tmp_path: Path) -> str:
    path = tmp_path / "askfirst.sqlite"
    copy_to(prepared_file, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """A prepared database. A test that asks for it runs on both stores."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("sqlite_url"))
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()
