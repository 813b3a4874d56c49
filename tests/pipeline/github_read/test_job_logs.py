"""The log of a job lies behind an address that is a key for some minutes: no message shows it."""

import json
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from pipeline.domain.errors import GitHubUnreadable
from pipeline.github_read.reader import GitHubReader
from tests.local_http import ANY_PORT, QuietHandler, run_server

KEY = "sig=c2lnbmVk"


class _Handler(QuietHandler):
    """GitHub, whose store of logs is `gone` or does not answer at all."""

    server: "Store"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/logs"):
            self._answer(302, {}, location=f"{self.server.logs}/log.txt?se=2026&{KEY}")
        elif path == "/log.txt":
            self._answer(403, {})
        else:
            self._answer(200, {"id": 1, "name": "test", "full_name": "acme/orders", "url": self.server.url})

    def _answer(self, status: int, document: object, location: str | None = None) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Store(ThreadingHTTPServer):
    """Listens on this machine alone."""

    def __init__(self) -> None:
        super().__init__(ANY_PORT, _Handler)
        self.url = self.logs = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture
def store() -> Iterator[Store]:
    store = Store()
    with run_server(store):
        yield store


@pytest.mark.parametrize("logs", [None, "http://127.0.0.1:1"], ids=["refused", "not reached"])
def test_a_log_that_cannot_be_read_shows_no_key_to_it(store: Store, logs: str | None) -> None:
    store.logs = logs or store.url
    with pytest.raises(GitHubUnreadable) as refused:
        GitHubReader(api_url=store.url, token="t", repository="acme/orders").job(71)
    message = f"{refused.value} {refused.value.why}"
    assert "job 71 of acme/orders" in message
    assert "/log.txt" in message
    assert KEY not in message
