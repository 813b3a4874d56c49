"""What the App's door takes: deliveries that are acknowledged once they are stored, beside the same handler without a store.

Both doors are gunicorn as an operator runs it, on SQLite and on Postgres, without a worker beside them unless it is said.
Deliveries are labels on issues in the words of the sandbox, each of a conversation of its own, signed before the clock runs.
Whoever sends shares the processors with whoever answers, in all cases alike.
"""

import http.client
import json
import queue
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from github_app.intake.delivery import conversation_key, parse_delivery
from github_app.storage.database import is_postgres, prepare, single_connections
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery
from sandbox import Sandbox
from sandbox.deliveries import signature
from sandbox.served_app import app_environment, free_port
from sandbox.world.state import Issue
from tests.postgres_server import PostgresServer

RATES = (20, 60, 100)
"""Deliveries per second of the open loop."""
STORED = 10_000
"""Deliveries after which memory and database are looked at."""
_ROOT = Path(__file__).parents[2]
_CONNECTIONS, _ROUNDS, _ROUND_SECONDS, _MOST_PER_SECOND = 8, 3, 4.0, 2_000
_SENDERS, _OPEN_SECONDS = 64, 10.0
_INSTALLATIONS, _DRAINED = 8, 200
_START_SECONDS, _DRAIN_SECONDS = 120.0, 600.0


@dataclass(frozen=True)
class OpenLoop:
    """Answers at a rate that does not wait for them: milliseconds from the moment at which each was due, and failures."""

    rate: int
    p50: float
    p99: float
    failed: int


@dataclass(frozen=True)
class StoreUnderLoad:
    """One store. Rates are deliveries per second, sizes bytes and megabytes (proportional set size of all processes)."""

    store: str
    acknowledged: float
    without_store: float
    open_loops: tuple[OpenLoop, ...]
    drained: float
    stored: int
    bytes_per_delivery: float
    memory_before: float
    memory_after: float


@dataclass(frozen=True)
class _Request:
    body: bytes
    headers: Mapping[str, str]


class _Mail:
    """Signed deliveries, each for another issue."""

    def __init__(self, github: Sandbox) -> None:
        repository = github.create_repository(workflow=None)
        issue = github.open_issue(repository, "Add a dry_run flag", "to the bulk action")
        github.label(issue)
        [labelled] = [
            attempt
            for attempt in github.deliveries.attempts
            if (attempt.event, attempt.action) == ("issues", "labeled")
        ]
        self.github = github
        self._secret = github.app.webhook_secret
        self._payload = json.loads(labelled.body)
        self._number = 1_000

    def next(self, count: int) -> list[_Request]:
        """So many deliveries that nobody has sent yet."""
        return [self._one() for _ in range(count)]

    def _one(self) -> _Request:
        self._number += 1
        self._payload["issue"]["number"] = self._number
        body = json.dumps(self._payload).encode()
        return _Request(
            body,
            {
                "Content-Type": "application/json",
                "X-GitHub-Event": "issues",
                "X-GitHub-Delivery": str(uuid.uuid4()),
                "X-Hub-Signature-256": signature(self._secret, body),
            },
        )


@dataclass(frozen=True)
class _Door:
    """A web server that answers."""

    process: subprocess.Popen[bytes]
    port: int


def measure(stored: int = STORED) -> list[StoreUnderLoad]:
    """Measure both stores. Postgres writes to the disk before it answers, as it does in operation."""
    with tempfile.TemporaryDirectory(prefix="askfirst-bench-") as folder, Sandbox.start() as github:
        urls = (f"sqlite:///{Path(folder) / name}.sqlite" for name in ("stored", "drained"))
        mail = _Mail(github)
        results = [_measure("SQLite", urls, mail, Path(folder), stored)]
        server = PostgresServer(is_durable=True)
        try:
            urls = (server.new_database(is_prepared=False) for _ in range(2))
            results.append(_measure("Postgres", urls, mail, Path(folder), stored))
        finally:
            server.stop()
        return results


def _measure(store: str, urls: Iterator[str], mail: _Mail, folder: Path, stored: int) -> StoreUnderLoad:
    url = next(urls)
    prepare(url)
    environment = app_environment(mail.github, folder, free_port()) | {"ASKFIRST_DATABASE_URL": url}
    bare_rates, rates = [], []
    with (
        _door(environment, "tests.benchmarks.door_without_store") as bare,
        _door(environment, "github_app.cli", "web") as door,
    ):
        sent = _closed_loop(door.port, mail, 1.0)[1]
        size, memory = _size(url), _megabytes(door.process.pid)
        for _ in range(_ROUNDS):  # in turns, so that a busy machine slows both down alike
            bare_rates.append(_closed_loop(bare.port, mail, _ROUND_SECONDS)[0])
            rate, count = _closed_loop(door.port, mail, _ROUND_SECONDS)
            rates.append(rate)
            sent += count
        loops = tuple(_open_loop(door.port, mail, rate) for rate in RATES)
        sent += sum(round(rate * _OPEN_SECONDS) for rate in RATES)
        while sent < stored:
            sent += _closed_loop(door.port, mail, _ROUND_SECONDS)[1]
        memory_after, grown = _megabytes(door.process.pid), _size(url) - size
    return StoreUnderLoad(
        store,
        acknowledged=statistics.median(rates),
        without_store=statistics.median(bare_rates),
        open_loops=loops,
        drained=_drain(next(urls), environment, mail.github),
        stored=sent,
        bytes_per_delivery=grown / sent,
        memory_before=memory,
        memory_after=memory_after,
    )


@contextmanager
def _door(environment: Mapping[str, str], *command: str) -> Iterator[_Door]:
    """A Python module that serves at the port which its settings name."""
    port = free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *command], env={**environment, "ASKFIRST_PORT": str(port)},
            stdout=log, stderr=log, cwd=_ROOT,
        )  # fmt: skip
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not _answers(port):
                assert process.poll() is None, "the web server has ended"
                assert time.monotonic() < deadline, "the web server did not start"
                time.sleep(0.1)
            yield _Door(process, port)
        finally:
            process.terminate()
            process.wait()


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _send(port: int, request: _Request) -> bool:
    """One delivery on a connection of its own, as GitHub sends it; whether it was acknowledged."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", "/webhook", body=request.body, headers=dict(request.headers))
        return connection.getresponse().status == 202
    except OSError:
        return False
    finally:
        connection.close()


def _closed_loop(port: int, mail: _Mail, seconds: float) -> tuple[float, int]:
    """As fast as answers come on a few connections: acknowledged per second, and how many."""
    pile: queue.SimpleQueue[_Request] = queue.SimpleQueue()
    for request in mail.next(round(seconds * _MOST_PER_SECOND)):
        pile.put(request)
    counts: list[int] = []
    began = time.perf_counter()

    def send() -> None:
        count = 0
        with suppress(queue.Empty):
            while time.perf_counter() - began < seconds:
                count += _send(port, pile.get_nowait())
        counts.append(count)

    _together(send, _CONNECTIONS)
    return sum(counts) / (time.perf_counter() - began), sum(counts)


def _open_loop(port: int, mail: _Mail, rate: int) -> OpenLoop:
    """So many per second, whether answers come or not."""
    requests = mail.next(round(rate * _OPEN_SECONDS))
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(len(requests)):
        numbers.put(number)
    took: list[float] = []
    failures: list[int] = []
    began = time.perf_counter()

    def send() -> None:
        with suppress(queue.Empty):
            while True:
                number = numbers.get_nowait()
                due = began + number / rate
                time.sleep(max(0.0, due - time.perf_counter()))
                if not _send(port, requests[number]):
                    failures.append(number)
                took.append((time.perf_counter() - due) * 1000)

    _together(send, _SENDERS)
    percentiles = statistics.quantiles(took, n=100)
    return OpenLoop(rate, percentiles[49], percentiles[98], len(failures))


def _together(run: Callable[[], None], count: int) -> None:
    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _drain(url: str, environment: Mapping[str, str], github: Sandbox) -> float:
    """How many labels on issues of several installations a worker acknowledges with 👀 per second that wait at its start."""
    prepare(url)
    deliveries, earlier = Deliveries(url), len(github.deliveries.attempts)
    repositories = [
        github.create_repository(f"orders-{uuid.uuid4()}", owner=f"acme-{number}", workflow=None)
        for number in range(_INSTALLATIONS)
    ]
    issues = [
        github.open_issue(repositories[number % _INSTALLATIONS], "Add a dry_run flag", None)
        for number in range(_DRAINED)
    ]
    for issue in issues:
        github.label(issue)
    for attempt in github.deliveries.attempts[earlier:]:
        delivery = parse_delivery(attempt.event, attempt.body)
        if attempt.event == "issues" and delivery is not None:
            key = conversation_key(delivery, lambda *_: None)
            fields = delivery.model_dump(mode="json", by_alias=True)
            deliveries.accept(Delivery(attempt.guid, attempt.event, key, fields))
    deliveries.close()
    command = [str(Path(sys.executable).with_name("askfirst-app")), "worker"]
    with tempfile.TemporaryFile() as log:
        worker = subprocess.Popen(
            command, env={**environment, "ASKFIRST_DATABASE_URL": url}, stdout=log, stderr=log
        )
        try:
            first = _when_seen(issues, 1)
            return (_DRAINED - 1) / (_when_seen(issues, _DRAINED) - first)
        finally:
            worker.terminate()
            worker.wait()


def _when_seen(issues: list[Issue], count: int) -> float:
    """When so many issues have a reaction."""
    deadline = time.monotonic() + _DRAIN_SECONDS
    while (seen := sum(bool(issue.reactions) for issue in issues)) < count:
        assert time.monotonic() < deadline, f"{seen} of {count}"
        time.sleep(0.02)
    return time.monotonic()


def _size(url: str) -> int:
    """Bytes of a database: of the file with all that is in its log, or as Postgres counts them."""
    with single_connections(url).connect() as connection:
        if is_postgres(url):
            return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return int(pages) * int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())


def _megabytes(parent: int) -> float:
    """The proportional set size of a process and its children: memory that two share counts once."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    kilobytes = 0
    for process in (str(parent), *children):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        kilobytes += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1024
