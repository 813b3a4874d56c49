"""GitHub's issues on 127.0.0.1: a search that finds whatever it is told to find, single issues, and their comments."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.local_http import ANY_PORT, QuietHandler, run_server

REPOSITORY = "acme/parcels"


@dataclass
class IssuesServer:
    """`found` is what every search finds, by number in `issues`. `queries` are the searches, word for word."""

    url: str = ""
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    found: tuple[int, ...] = ()
    refuses: bool = False
    queries: list[str] = field(default_factory=list)

    def add(self, number: int, title: str, body: str, **more: Any) -> None:
        told = {"number": number, "title": title, "body": body, "state": "open", "state_reason": None}
        told |= {"comments": 0, "repository_url": f"{self.url}/repos/{REPOSITORY}"}
        self.issues[number] = told | more

    def answer(self, path: str) -> tuple[int, Any]:
        split = urlsplit(path)
        parts = split.path.strip("/").split("/")
        if self.refuses:
            return 403, {"message": "API rate limit exceeded"}
        if parts == ["search", "issues"]:
            self.queries.append(parse_qs(split.query)["q"][0])
            return 200, {"total_count": len(self.found), "items": [self.issues[one] for one in self.found]}
        if parts[:4] == ["repos", *REPOSITORY.split("/"), "issues"] and int(parts[4]) in self.issues:
            number = int(parts[4])
            return 200, self.comments.get(number, []) if parts[5:] == ["comments"] else self.issues[number]
        return 404, {"message": "Not Found"}


@contextmanager
def issues_on_github() -> Iterator[IssuesServer]:
    """The server for as long as the block lasts."""
    told = IssuesServer()

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, document = told.answer(self.path)
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with run_server(ThreadingHTTPServer(ANY_PORT, Handler)) as url:
        told.url = url
        yield told
