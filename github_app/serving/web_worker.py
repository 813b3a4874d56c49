"""The web server's worker: a connection takes a thread only when its request has arrived whole.

Behind gunicorn's own worker eight clients that send a byte every two seconds occupy eight threads, and genuine deliveries
time out. Here a new connection waits beside the threads. Its bytes stay in the kernel and are looked at (`MSG_PEEK`) until
headers and body are there; one that is not whole after ten seconds, which is all that GitHub itself grants, is closed. A
body that is larger than the kernel keeps is handed to a thread early, and the connection is shut when its time is over.
"""

import re
import socket
import threading
import time
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

DEADLINE_SECONDS = 10.0
"""From the first byte to the last. Source: docs.github.com, "Best practices for using webhooks"."""

_PEEK_BYTES = 65_536
_YOUNG_SECONDS, _LOOK_YOUNG, _LOOK_OLD = 0.2, 0.005, 0.1
_LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,12})[ \t]*\r$")
_TRANSFER_ENCODING = re.compile(rb"(?im)^transfer-encoding:")


def is_whole(data: bytes) -> bool | None:
    """Whether a request has arrived; None where that cannot be seen from its beginning, so that it must be read.

    Example: headers that announce 5 bytes, and 3 of them, are not whole.
    """
    headers, separator, body = data.partition(b"\r\n\r\n")
    if not separator:
        return None if len(data) >= _PEEK_BYTES else False
    if _TRANSFER_ENCODING.search(headers + b"\r\n"):
        return None
    length_header = _LENGTH.search(headers + b"\r\n")
    if length_header is None or len(body) >= int(length_header.group(1)):
        return True
    return None if len(data) >= _PEEK_BYTES else False


class BufferingWorker(ThreadWorker):
    """Threads as gunicorn has them, and a hall in front of them."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._arriving: list[tuple[TConn, float]] = []

    def accept(self, listener: socket.socket) -> None:
        """Let a connection in, and wait for its request."""
        try:
            client, address = listener.accept()
        except OSError:
            return  # it is gone again, or another process was faster
        self.nr_conns += 1
        self._arrive(TConn(self.cfg, client, address, listener.getsockname()))

    def on_client_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        """Another request on a connection that was kept: it waits like the first."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._arrive(conn)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Look at what arrives as often as its age asks for."""
        if self._arriving:
            youngest = max(began for _, began in self._arriving)
            is_young = time.monotonic() - youngest < _YOUNG_SECONDS
            timeout = min(timeout, _LOOK_YOUNG if is_young else _LOOK_OLD)
        super().wait_for_and_dispatch_events(timeout)
        self._look()

    def handle(self, conn: TConn) -> Any:
        """Answer a request, in a thread. One that must still be read is shut when its time is over."""
        if not getattr(conn, "is_read_on", False):
            return super().handle(conn)
        watch = threading.Timer(DEADLINE_SECONDS, _shut, (conn.sock,))
        watch.daemon = True
        watch.start()
        try:
            return super().handle(conn)
        finally:
            watch.cancel()

    def _arrive(self, conn: TConn) -> None:
        conn.sock.setblocking(False)
        self._arriving.append((conn, time.monotonic()))
        self._look()

    def _look(self) -> None:
        """Hand what has arrived to the threads, and close what has hung up or takes too long."""
        now, waiting, self._arriving = time.monotonic(), self._arriving, []
        for conn, began in waiting:
            try:
                data = conn.sock.recv(_PEEK_BYTES, socket.MSG_PEEK)
            except BlockingIOError:
                data = None
            except OSError:
                data = b""
            whole = is_whole(data) if data else False
            if data and whole is not False:
                conn.data_ready, conn.is_read_on = True, whole is None
                self.enqueue_req(conn)
            elif data == b"" or now - began > DEADLINE_SECONDS or not self.alive:
                self.nr_conns -= 1
                conn.close()
            else:
                self._arriving.append((conn, began))


def _shut(client: socket.socket) -> None:
    """End a connection under the thread that reads it: its next read finds the end."""
    try:
        client.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it has ended by itself
