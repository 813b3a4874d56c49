"""Requests to surfaces: one try, no redirects, and no surface that holds the worker."""

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from github_app.ports.github import NotYet
from github_app.ports.surfaces import SurfaceUnavailable
from github_app.surfaces import http_post
from github_app.surfaces.http_post import AT_ONCE, HttpPost
from github_app.surfaces.outgoing import Outgoing, SurfaceAnswer


class Server:
    """Answers every request with the same bytes, or never."""

    def __init__(self, answer: bytes | None) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/in"
        self.requests: list[bytes] = []
        self._answer = answer
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self._connections.append(connection)
            self.requests.append(_whole_request(connection))
            if self._answer is not None:
                connection.sendall(self._answer)
                connection.close()

    def close(self) -> None:
        """End everything, and wake whoever waits for it."""
        for connection in (self._socket, *self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()


def _whole_request(connection: socket.socket) -> bytes:
    """Headers and body, which may come apart."""
    text = b""
    while True:
        head, end, body = text.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head.lower())
        if end and len(body) >= (int(length[1]) if length else 0):
            return text
        more = connection.recv(65_536)
        if not more:
            return text
        text += more


@pytest.fixture
def silent() -> Iterator[Server]:
    server = Server(None)
    yield server
    server.close()


def answering(status: str, headers: str = "", body: str = "") -> Server:
    return Server(f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}".encode())


def test_status_wait_and_body_are_told_and_the_body_sent_is_the_one_that_was_signed() -> None:
    server = answering("429 Slow", "Retry-After: 7\r\n", '{"ok": false}')
    answer = HttpPost()(Outgoing(server.url, {"webhook-id": "msg_1"}, "ü"))
    assert answer == SurfaceAnswer(429, b'{"ok": false}', 7.0)
    assert server.requests[0].lower().startswith(b"post /in http/1.1")
    assert b"webhook-id: msg_1" in server.requests[0]
    assert server.requests[0].endswith("\r\n\r\nü".encode())
    server.close()


def test_a_redirect_is_an_answer_and_nothing_is_sent_elsewhere() -> None:
    other = answering("204 Fine")
    server = answering("307 There", f"Location: {other.url}\r\n")
    assert HttpPost()(Outgoing(server.url, {}, "{}")).status == 307
    assert other.requests == []
    server.close()
    other.close()


def test_nobody_there_is_unavailable() -> None:
    server = answering("204 Fine")
    server.close()
    with pytest.raises(SurfaceUnavailable, match="no answer"):
        HttpPost()(Outgoing(server.url, {}, "{}"))


def test_a_surface_that_never_answers_holds_two_threads_and_no_third(silent: Server) -> None:
    post, gave_up = HttpPost(), []

    def send() -> None:
        with pytest.raises(SurfaceUnavailable):
            post(Outgoing(silent.url, {}, "{}"))
        gave_up.append(True)

    threads = [threading.Thread(target=send) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 60
    while len(silent.requests) < AT_ONCE and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(NotYet):
        post(Outgoing(silent.url, {}, "{}"))
    silent.close()
    for thread in threads:
        thread.join()
    assert gave_up == [True, True]
    with pytest.raises(SurfaceUnavailable):
        post(Outgoing(silent.url, {}, "{}"))


class Dripping:
    """A body of which a byte comes now and then."""

    def __init__(self) -> None:
        self.is_closed = False

    def read1(self, _amount: int) -> bytes:
        time.sleep(0.02)
        return b"."

    def close(self) -> None:
        self.is_closed = True


def test_an_answer_that_drips_is_given_up() -> None:
    response = Dripping()
    with pytest.raises(SurfaceUnavailable, match="longer than"):
        http_post._read_within(response, 0.1)  # type: ignore[arg-type]
    assert response.is_closed


class Endless(Dripping):
    """A body that does not end."""

    def read1(self, amount: int) -> bytes:
        return b"." * amount


def test_of_an_answer_without_end_little_is_read() -> None:
    assert len(http_post._read_within(Endless(), 2)) == 64 * 1024  # type: ignore[arg-type]
