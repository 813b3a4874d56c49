"""Takes webhooks on 127.0.0.1 and keeps them as they came: headers and raw bytes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer

from tests.emulator.github_emulator import PATIENCE
from tests.local_http import ANY_PORT, QuietHandler, run_server

HEADERS = ("X-GitHub-Event", "X-GitHub-Delivery", "X-Hub-Signature-256")


@dataclass(frozen=True)
class Received:
    """One delivery."""

    event: str
    delivery_id: str
    signature: str
    body: bytes


@dataclass
class Receiver:
    """What came in so far."""

    url: str
    deliveries: list[Received] = field(default_factory=list)

    def wait_for(self, event: str, count: int = 1) -> list[Received]:
        """The deliveries of an event, when there are that many."""
        deadline = time.monotonic() + PATIENCE
        while len(found := [one for one in self.deliveries if one.event == event]) < count:
            assert time.monotonic() < deadline, [one.event for one in self.deliveries]
            time.sleep(0.05)
        return found


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A receiver for as long as the block lasts."""

    class Handler(QuietHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            event, delivery_id, signature = (self.headers[name] for name in HEADERS)
            taken.deliveries.append(Received(event, delivery_id, signature, body))
            self.send_response(202)
            self.end_headers()

    with run_server(ThreadingHTTPServer(ANY_PORT, Handler)) as url:
        taken = Receiver(f"{url}/webhook")
        yield taken
