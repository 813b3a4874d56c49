"""A memo is worth time and nothing else: whatever GitHub and the store of its artifacts do, the run goes on without it."""

import hashlib
import json
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from typing import Any

import pytest

from pipeline.domain.errors import MemoRefused
from pipeline.github_read.reader import GitHubReader
from tests.local_http import ANY_PORT, QuietHandler, run_server

ARCHIVE = b"PK\x03\x04 and so on"
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()


class _Handler(QuietHandler):
    """GitHub and its store of artifacts in one."""

    server: "GitHubWithMemo"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith("/zip"):
            self._answer(self.server.status_of_archive, b"{}", self.server.location)
        elif path == "/archive.zip":
            self._answer(200, ARCHIVE, length=len(ARCHIVE) + self.server.missing)
        elif path.endswith("/artifacts"):
            self._answer(200, json.dumps(self.server.list).encode())
        else:
            self._answer(200, json.dumps({"full_name": "acme/orders", "url": self.server.url}).encode())

    def _answer(self, status: int, body: bytes, location: str = "", length: int | None = None) -> None:
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)


class GitHubWithMemo(ThreadingHTTPServer):
    """`list` is the list of artifacts, `missing` how many bytes of the archive never come."""

    def __init__(self) -> None:
        super().__init__(ANY_PORT, _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.location = f"{self.url}/archive.zip"
        self.status_of_archive, self.missing = 302, 0
        self.list: Any = self.artifacts(f"{self.url}/repos/acme/orders/actions/artifacts/7/zip")

    @staticmethod
    def artifacts(address: str) -> dict[str, Any]:
        memo = {"id": 7, "name": "memo-41-1", "expired": False, "size_in_bytes": 20}
        return {"artifacts": [{**memo, "archive_download_url": address}]}


@pytest.fixture
def github() -> Iterator[GitHubWithMemo]:
    github = GitHubWithMemo()
    with run_server(github):
        yield github


def memo(github: GitHubWithMemo) -> bytes:
    return GitHubReader(api_url=github.url, token="t", repository="acme/orders").memo(41, SHA256)


def test_a_memo_is_fetched_where_github_says(github: GitHubWithMemo) -> None:
    assert memo(github) == ARCHIVE


def test_another_host_in_the_address_of_a_memo_is_not_asked(github: GitHubWithMemo) -> None:
    github.list = github.artifacts("https://elsewhere.example/repos/acme/orders/actions/artifacts/7/zip")
    assert memo(github) == ARCHIVE


def cut(github: GitHubWithMemo) -> None:
    github.missing = 100


def without_redirect(github: GitHubWithMemo) -> None:
    github.status_of_archive, github.location = 200, ""


def without_list(github: GitHubWithMemo) -> None:
    github.list = {"message": "something else"}


def without_size(github: GitHubWithMemo) -> None:
    del github.list["artifacts"][0]["size_in_bytes"]


def odd_address(github: GitHubWithMemo) -> None:
    github.location = "http://[::1"


@pytest.mark.parametrize("failure", [cut, without_redirect, without_list, without_size, odd_address])
def test_a_memo_that_cannot_be_had_is_a_refusal_and_nothing_else(
    github: GitHubWithMemo, failure: Any
) -> None:
    failure(github)
    with pytest.raises(MemoRefused):
        memo(github)
