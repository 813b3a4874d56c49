"""How many bytes a request has, by its beginning; and a door that slow connections do not shut.

`.venv/bin/python -m tests.github_app.serving.test_web_worker` prints the table of 20, 200 and 2,000 slow connections.
"""

import http.client
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from github_app.serving.web_worker import expected_bytes
from tests.github_app.serving.test_web_process import WebServer

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = b"POST /webhook HTTP/1.1\r\nHost: x\r\n"
SLOW = {
    "idle": b"",
    "headers": HEAD,
    "body below 256 KiB": HEAD + b"Content-Length: 1000\r\n\r\n" + b"x" * 900,
    "body above 256 KiB": HEAD + b"Content-Length: 900000\r\n\r\n" + b"x" * 300_000,
    "chunked": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\n",
    "no hanging up": b"GET /healthz HTTP/1.0\r\n\r\n",
}
"""What a connection sends before it falls silent. The last one has its answer, and keeps its end open."""
_GENUINE = 10


@pytest.mark.parametrize(
    ("beginning", "expected"),
    [
        (b"P", 2),
        (HEAD, len(HEAD) + 1),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 34),
        (HEAD + b"Content-Length: 5\r\n\r\nabc", len(HEAD) + 26),
        (HEAD + b"content-length:5\r\n\r\nabcdef", len(HEAD) + 25),
        (HEAD + b"Content-Length: 5\r\nX: y\r\n\r\nabcd", len(HEAD) + 32),
        (HEAD + b"X-Other: Content-Length: 5\r\n\r\n", len(HEAD) + 30),
        (HEAD + b"Content-Length: 900000\r\n\r\n" + b"x" * 65_536, len(HEAD) + 900_026),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"411"),
        (HEAD + b"transfer-encoding :x\r\nContent-Length: 5\r\n\r\nabcde", b"411"),
        (b"x" * 16_384, b"431"),
    ],
)
def test_a_request_is_measured_by_its_headers_and_refused_where_they_do_not_tell(
    beginning: bytes, expected: int | bytes
) -> None:
    measured = expected_bytes(beginning)
    assert (measured[9:12] if isinstance(measured, bytes) else measured) == expected


@contextmanager
def slow_connections(port: int, beginning: bytes, count: int) -> Iterator[None]:
    """So many connections that have sent a beginning. Those that are closed are opened again, as an attacker would."""
    stop, clients = threading.Event(), list[socket.socket]()

    def open_all() -> None:
        while not stop.is_set():
            for place in range(count):
                with suppress(OSError):
                    if place < len(clients):
                        if not _is_closed(clients[place]):
                            continue
                        clients[place].close()
                    client = socket.create_connection(("127.0.0.1", port), timeout=5)
                    clients[place : place + 1] = [client]
                    client.settimeout(0.05)
                    client.sendall(beginning)
                if stop.is_set():
                    return
            stop.wait(0.2)

    thread = threading.Thread(target=open_all)
    thread.start()
    deadline = time.monotonic() + 30
    while len(clients) < count and time.monotonic() < deadline:
        time.sleep(0.02)
    try:
        yield
    finally:
        stop.set()
        thread.join()
        for client in clients:
            client.close()


def _is_closed(client: socket.socket) -> bool:
    try:
        client.setblocking(False)
        return client.recv(1000, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def deliver_beside(server: WebServer, kind: str, count: int) -> list[float]:
    """Seconds that genuine deliveries took beside slow connections; infinity for one that was not acknowledged."""
    seconds = []
    with slow_connections(server.port, SLOW[kind], count):
        for number in range(_GENUINE):
            began = time.monotonic()
            try:
                is_stored = server.deliver(f"{kind.replace(' ', '-')}-{count}-{number}") == 202
            except (OSError, http.client.HTTPException):
                is_stored = False
            seconds.append(time.monotonic() - began if is_stored else float("inf"))
    return seconds


@pytest.mark.process
@pytest.mark.parametrize("kind", SLOW)
def test_attack_35_slow_connections_do_not_shut_the_door(tmp_path: Path, kind: str) -> None:
    server = WebServer(tmp_path)
    server.start()
    try:
        assert float("inf") not in deliver_beside(server, kind, 200)
    finally:
        server.kill()


def table(counts: "Sequence[int]" = (20, 200, 2_000)) -> Iterator[str]:
    """One line for each kind and number of slow connections."""
    for kind in SLOW:
        for count in counts:
            with tempfile.TemporaryDirectory() as directory:
                server = WebServer(Path(directory))
                server.start()
                try:
                    seconds = deliver_beside(server, kind, count)
                finally:
                    server.kill()
            stored = sum(each != float("inf") for each in seconds)
            yield f"{kind:20} {count:>6,} {stored}/{_GENUINE} acknowledged, slowest {max(seconds) * 1000:6.0f} ms"


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
