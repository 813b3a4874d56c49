"""Where the upload in a job under act leaves an artifact, so that the GitHub of a test has it before the job ends."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@contextmanager
def uploads(add: Callable[[int, str, bytes], object]) -> Iterator[str]:
    """The address for `TEST_UPLOADS`. `add` is called with the run, the name of the artifact, and its archive."""

    class Uploads(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            _, run_id, name = self.path.split("/")
            add(int(run_id), name, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(201)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Uploads)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
