"""HTTP servers of tests: on 127.0.0.1, in a thread, and gone with the block that started them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

ANY_PORT = ("127.0.0.1", 0)


class QuietHandler(BaseHTTPRequestHandler):
    """Prints nothing about requests."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def run_server(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve for as long as the block lasts; the address, without a slash at its end."""
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
