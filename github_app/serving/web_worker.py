"""The web server's worker: a connection takes a thread only when its request has arrived whole.

Behind gunicorn's own worker eight clients that send a byte every two seconds occupy eight threads, and a client that does not
hang up after its answer stops the whole loop for two seconds. Here a connection waits in the loop. Its bytes stay in the
kernel, which says when as many are there as the headers announce (`SO_RCVLOWAT`). Headers have five seconds and 16 KiB, the
whole request ten seconds. A body that is larger than the kernel keeps goes to a thread early, and at most half of the threads
read such bodies. Where too many wait, the one that has waited longest is closed: a genuine delivery arrives at once.
"""

import fcntl
import re
import select
import selectors
import socket
import sys
import termios
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

DEADLINE_SECONDS = 10.0
"""From the first byte to the last. Source: docs.github.com, "Best practices for using webhooks"."""
_HEADER_SECONDS = 5.0
_LARGEST_HEADERS = 16_384
"""Bytes. GitHub's headers have about one thousand."""
_KEPT_BYTES = 262_144
"""Bytes that the kernel keeps of a request. The largest issue, 65,536 characters, is smaller in all usual scripts."""
_MOST_WAITING = 512
"""Connections that wait: fewer than files that a process may open by default (1,024), and than gunicorn's own limit."""
_ACCEPTED_AT_ONCE = 32
_LINGER_SECONDS = 2.0
_LOOK_EVERY = 0.5
_LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,12})[ \t]*\r$")
_TRANSFER_ENCODING = re.compile(rb"(?im)^transfer-encoding[ \t]*:")
_REFUSAL = "HTTP/1.1 {}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
_WITHOUT_LENGTH = _REFUSAL.format("411 Length Required").encode()
_HEADERS_TOO_LARGE = _REFUSAL.format("431 Request Header Fields Too Large").encode()


def expected_bytes(beginning: bytes) -> int | bytes:
    """How many bytes a request has in all, by its beginning; while headers are missing, one more than are there.

    Bytes are the answer with which it is refused. Example: headers of 60 bytes that announce 5 make 65. GitHub announces the
    length of each delivery; a body without one (`Transfer-Encoding`) could only be measured by a thread that reads it.
    """
    headers, separator, _ = beginning.partition(b"\r\n\r\n")
    if not separator:
        return len(beginning) + 1 if len(beginning) < _LARGEST_HEADERS else _HEADERS_TOO_LARGE
    if _TRANSFER_ENCODING.search(headers):
        return _WITHOUT_LENGTH
    length_header = _LENGTH.search(headers + b"\r\n")
    return len(headers) + len(separator) + (int(length_header.group(1)) if length_header else 0)


class _Connection(TConn):
    """A connection. `low_water` is the number of bytes at which the kernel says that it is readable."""

    def __init__(self, on_answered: "Callable[[_Connection], None]", *arguments: Any) -> None:
        super().__init__(*arguments)
        self._on_answered = on_answered
        self.low_water = 1

    def close(self, graceful: bool = False) -> None:
        """Called by gunicorn: with `graceful` after an answer that the client must still read."""
        if graceful:
            self._on_answered(self)
        else:
            super().close()

    def wake_at(self, count: int) -> None:
        """Let the kernel say that it is readable when so many bytes are there."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, count)
        self.low_water = count


class BufferingWorker(ThreadWorker):
    """Threads as gunicorn has them, and a hall in front of them."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._waiting: dict[_Connection, float] = {}
        self._reading: dict[_Connection, float] = {}
        self._large: deque[_Connection] = deque()
        self._looked_at = 0.0

    def accept(self, listener: socket.socket) -> None:
        """Let in who waits, some at a time, and wait for their requests."""
        for _ in range(_ACCEPTED_AT_ONCE):
            try:
                client, address = listener.accept()
            except OSError:
                return  # no client waits, or it is gone again, or another process was faster
            self.nr_conns += 1
            if len(self._waiting) >= _MOST_WAITING:
                self._drop(next(iter(self._waiting)))
            conn = _Connection(self._linger, self.cfg, client, address, listener.getsockname())
            self._wait(conn)
            self._look(conn, client)

    def on_client_socket_readable(self, conn: _Connection, client: socket.socket) -> None:
        """Another request on a connection that was kept: it waits like the first."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._wait(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """As gunicorn does, and now and then close what takes too long."""
        super().wait_for_and_dispatch_events(min(timeout, _LOOK_EVERY) if self._waiting else timeout)
        now = time.monotonic()
        if self.alive and now - self._looked_at < _LOOK_EVERY:
            return
        self._looked_at = now
        for conn in [conn for conn, end in self._waiting.items() if now > end or not self.alive]:
            self._drop(conn)
        for conn in [conn for conn, end in self._reading.items() if now > end]:
            with suppress(OSError):  # its thread finds the end at its next read
                conn.sock.shutdown(socket.SHUT_RDWR)

    def finish_request(self, conn: _Connection, future: Any) -> None:
        """Called by gunicorn in its loop: the thread is free for the next large body."""
        if self._reading.pop(conn, None) is not None:
            while self._large:
                following = self._large.popleft()
                if (end := self._waiting.pop(following, None)) is not None:
                    self._read_on(following, end)
                    break
        super().finish_request(conn, future)

    def _wait(self, conn: _Connection) -> None:
        conn.sock.setblocking(False)
        self._waiting[conn] = time.monotonic() + _HEADER_SECONDS
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._look, conn))

    def _look(self, conn: _Connection, client: socket.socket) -> None:
        """Hand what has arrived to a thread, refuse it, or wait for as much as is missing."""
        try:
            beginning = client.recv(_LARGEST_HEADERS, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            beginning = b""
        if not beginning:
            self._drop(conn)
            return
        expected_length = expected_bytes(beginning)
        if isinstance(expected_length, bytes):
            self._drop(conn, expected_length)
            return
        count, length = _count(client), min(expected_length, _KEPT_BYTES)
        if count >= length:
            self._hand_over(conn, is_whole=count >= expected_length)
        elif length > conn.low_water:
            if expected_length > len(beginning) + 1:  # its headers are there
                self._waiting[conn] += DEADLINE_SECONDS - _HEADER_SECONDS
            conn.wake_at(length)
        elif _has_hung_up(client):
            self._drop(conn)
        else:  # the kernel has no room for as much
            self._hand_over(conn, is_whole=False)

    def _hand_over(self, conn: _Connection, *, is_whole: bool) -> None:
        self.poller.unregister(conn.sock)
        conn.wake_at(1)
        conn.data_ready = True
        if is_whole:
            del self._waiting[conn]
            self.enqueue_req(conn)
        elif len(self._reading) < self.cfg.threads // 2:
            self._read_on(conn, self._waiting.pop(conn))
        else:
            self._large.append(conn)

    def _read_on(self, conn: _Connection, end: float) -> None:
        self._reading[conn] = end
        self.enqueue_req(conn)

    def _linger(self, conn: _Connection) -> None:
        """Give a client time to read its answer and hang up: one that is cut off may lose the answer's end."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            conn.close()
            return
        conn.sock.setblocking(False)
        self.nr_conns += 1
        self._waiting[conn] = time.monotonic() + _LINGER_SECONDS
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._drain, conn))

    def _drain(self, conn: _Connection, client: socket.socket) -> None:
        try:
            rest = client.recv(_KEPT_BYTES)
        except BlockingIOError:
            return
        except OSError:
            rest = b""
        if len(rest) in {0, _KEPT_BYTES}:
            self._drop(conn)

    def _drop(self, conn: _Connection, refusal: bytes = b"") -> None:
        del self._waiting[conn]
        with suppress(KeyError):  # a large one that waits for a thread
            self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        with suppress(OSError):
            conn.sock.send(refusal)
        conn.close(graceful=bool(refusal))


def _count(client: socket.socket) -> int:
    """The bytes that the kernel has."""
    return int.from_bytes(fcntl.ioctl(client, termios.FIONREAD, bytes(4)), sys.byteorder)


def _has_hung_up(client: socket.socket) -> bool:
    poll = select.poll()
    poll.register(client, getattr(select, "POLLRDHUP", select.POLLHUP))
    return bool(poll.poll(0))
