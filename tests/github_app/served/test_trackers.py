"""The served App beside a Jira that speaks over HTTP: a question on a ticket, its answer in a signed webhook."""

import hashlib
import hmac
import json
import threading
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from github_app.sandbox import Sandbox
from github_app.sandbox.served_app import ServedApp, free_port
from tests.contract.adf_schema import adf_validator
from tests.github_app.fakes.jira import shown
from tests.github_app.served.conftest import World, scripted_run
from tests.github_app.served.test_serve import READY, wait_for_label

JIRA_SECRET = "a secret of the webhook of Jira"


class Trackers(ThreadingHTTPServer):
    """What is posted, as `(path, body)`. A Jira below `/jira`: every ticket is there."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posts: list[tuple[str, dict[str, Any]]] = []
        self.came = threading.Condition()

    def wait_for(self, path: str, number: int = 1) -> dict[str, Any]:
        """The body of a post to a path, by its number."""

        def to_path() -> list[dict[str, Any]]:
            return [body for posted_to, body in self.posts if posted_to == path]

        with self.came:
            assert self.came.wait_for(lambda: len(to_path()) >= number, timeout=60), self.posts
            return to_path()[number - 1]

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What the tracker at a path answers."""
        if (validator := adf_validator()) is not None:
            validator.validate(body["body"])
        comment = f"http://127.0.0.1/rest/api/3/issue/10012/comment/{len(self.posts)}"
        return {"self": comment, "author": {"accountId": "557058:b07"}, "created": now()}


class _Handler(BaseHTTPRequestHandler):
    server: Trackers

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.came:
            self.server.posts.append((self.path, body))
            answer = json.dumps(self.server.answer(self.path, body)).encode()
            self.server.came.notify_all()
        self.send_response(201)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f+0000")


@pytest.fixture
def trackers() -> Iterator[Trackers]:
    trackers = Trackers()
    thread = threading.Thread(target=trackers.serve_forever)
    thread.start()
    yield trackers
    trackers.shutdown()
    thread.join()
    trackers.server_close()


@pytest.fixture
def world(tmp_path: Path, trackers: Trackers) -> Iterator[World]:
    here = f"http://127.0.0.1:{trackers.server_port}"
    with Sandbox.start(program=scripted_run) as github:
        person = github.user("octocat")
        settings = {
            "public_url": f"http://127.0.0.1:{free_port()}",
            "surfaces": [
                {
                    "name": "jira", "kind": "jira", "url": f"{here}/jira", "project": "OPS", "email": "bot@example.com",
                    "token": "token of the tests", "secret": JIRA_SECRET,
                }
            ],
            "people": [{"login": person.login, "id": person.id, "accounts": {"jira": "557058:0c70ca7"}}],
        }  # fmt: skip
        path = tmp_path / "surfaces.yml"
        path.write_text(json.dumps(settings), encoding="utf-8")
        with ServedApp(github, tmp_path, {"ASKFIRST_SURFACES_FILE": str(path)}) as app:
            yield World(github, app, github.create_repository())


def post(address: str, body: bytes, headers: dict[str, str]) -> int:
    request = urllib.request.Request(address, body, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.status)


def test_a_question_is_answered_on_a_ticket(world: World, trackers: Trackers) -> None:
    issue = world.github.open_issue(world.orders, "OPS-12: Add a dry_run flag", "to the bulk action")
    world.github.label(issue)
    comments = "/jira/rest/api/3/issue/OPS-12/comment"
    assert "2. POST /actions/stream" in shown(trackers.wait_for(comments)["body"])
    comment = {
        "self": "http://127.0.0.1/rest/api/2/issue/10012/comment/99", "author": {"accountId": "557058:0c70ca7"},
        "body": "2", "created": now(), "jsdPublic": True,
    }  # fmt: skip
    body = json.dumps({"webhookEvent": "comment_created", "comment": comment}).encode()
    mac = hmac.new(JIRA_SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature": f"sha256={mac}"}
    assert post(f"{world.app.address}/surfaces/jira", body, headers) == 200
    wait_for_label(world, issue, READY)
    ending = shown(trackers.wait_for(comments, 2)["body"])
    assert ending.startswith("Answered by octocat on jira: POST /actions/stream")
    assert len(world.github.runs(world.orders)) == 2
