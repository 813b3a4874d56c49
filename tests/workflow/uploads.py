"""Where the upload in a job under act leaves an artifact, so that the GitHub of a test has it before the job ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

from tests.local_http import ANY_PORT, QuietHandler, run_server


@contextmanager
def uploads(add: Callable[[int, str, bytes], object]) -> Iterator[str]:
    """The address for `TEST_UPLOADS`. `add` is called with the run, the name of the artifact, and its archive."""

    class Uploads(QuietHandler):
        def do_POST(self) -> None:
            _, run_id, name = self.path.split("/")
            add(int(run_id), name, self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(201)
            self.end_headers()

    with run_server(ThreadingHTTPServer(ANY_PORT, Uploads)) as url:
        yield url
