"""A database, and worker processes on it that can be killed."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery
from tests.postgres_server import PostgresServer

ROOT = Path(__file__).parents[3]
WORKER = Path(__file__).with_name("recording_worker.py")


class Bench:
    """The engine from outside, and the log of what its workers did."""

    def __init__(self, url: str, directory: Path) -> None:
        self.url = url
        self._log = directory / "log.jsonl"
        self._log.touch()
        self.processes: list[subprocess.Popen[bytes]] = []
        self.deliveries = Deliveries(self.url)

    def worker(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, str(WORKER), self.url, str(self._log)]
        process = subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE)
        self.processes.append(process)
        return process

    def accept(
        self, delivery_id: str, conversation: str = "1#1", event: str = "issues", **payload: Any
    ) -> None:
        self.deliveries.accept(Delivery(delivery_id, event, conversation, payload))

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]

    def count(self, delivery_id: str, what: str) -> int:
        return sum(line["id"] == delivery_id and line["what"] == what for line in self.log())

    def wait_for(self, delivery_id: str, what: str = "done", times: int = 1, seconds: float = 180.0) -> None:
        deadline = time.monotonic() + seconds
        while self.count(delivery_id, what) < times:
            if time.monotonic() > deadline:
                pytest.fail(f"{delivery_id} was not {what} {times} times: {self.log()}")
            time.sleep(0.02)

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.communicate()
        self.deliveries.close()


@pytest.fixture
def bench(store_url: str, tmp_path: Path) -> Iterator[Bench]:
    """On both stores."""
    bench = Bench(store_url, tmp_path)
    yield bench
    bench.close()


@pytest.fixture
def file_bench(sqlite_url: str, tmp_path: Path) -> Iterator[Bench]:
    """On one machine."""
    bench = Bench(sqlite_url, tmp_path)
    yield bench
    bench.close()


@pytest.fixture
def server_bench(postgres: PostgresServer, tmp_path: Path) -> Iterator[Bench]:
    """On several machines."""
    bench = Bench(postgres.new_database(), tmp_path)
    yield bench
    bench.close()
