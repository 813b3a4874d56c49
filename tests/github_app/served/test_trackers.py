"""The served App beside a Jira and a Linear that speak over HTTP: questions on tickets, answers in signed webhooks."""

import hashlib
import hmac
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from github_app.surfaces.linear import FIND, OPEN_SESSION, SAY
from sandbox import Sandbox
from sandbox.served_app import ServedApp, free_port
from tests.contract.adf_schema import adf_validator
from tests.github_app.fakes.jira import shown
from tests.github_app.served.conftest import World, scripted_run
from tests.github_app.served.test_serve import READY, wait_for_label

JIRA_SECRET = "a secret of the webhook of Jira"
LINEAR_SECRET = "lin_wh_a secret of the webhook"


class Trackers(ThreadingHTTPServer):
    """What is posted, as `(path, body)`. A Jira below `/jira` and a Linear below `/linear`: every ticket is there."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.posts: list[tuple[str, dict[str, Any]]] = []
        self.came = threading.Condition()

    def wait_for(self, path: str, number: int = 1) -> dict[str, Any]:
        """The body of a post to a path, by its number."""

        with self.came:
            assert self.came.wait_for(lambda: len(self.posted_to(path)) >= number, timeout=60), self.posts
            return self.posted_to(path)[number - 1]

    def posted_to(self, path: str) -> list[dict[str, Any]]:
        """The bodies of all posts to a path."""
        return [body for posted_to, body in self.posts if posted_to == path]

    def said(self) -> list[dict[str, Any]]:
        """All activities in sessions of Linear."""
        return [body["variables"]["input"] for _, body in self.posts if body.get("query") == SAY]

    def answer(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """What the tracker at a path answers."""
        if path == "/linear/oauth/token":
            return {"access_token": "token of the tests"}
        if path == "/linear/graphql":
            return self._graphql(body["query"])
        if (validator := adf_validator()) is not None:
            validator.validate(body["body"])
        comment = f"http://127.0.0.1/rest/api/3/issue/10012/comment/{len(self.posts)}"
        return {"self": comment, "author": {"accountId": "557058:b07"}, "created": now()}

    def _graphql(self, query: str) -> dict[str, Any]:
        if query == FIND:
            return {"errors": [{"message": "Entity not found: AgentActivity"}]}
        if query == OPEN_SESSION:
            return {"data": {"agentSessionCreateOnIssue": {"agentSession": {"id": "session-of-eng-7"}}}}
        self.came.notify_all()
        return {"data": {"agentActivityCreate": {"agentActivity": {"id": "a", "createdAt": now()}}}}

    def activity(self, number: int) -> dict[str, Any]:
        """What the App said in sessions, by its number."""

        with self.came:
            assert self.came.wait_for(lambda: len(self.said()) >= number, timeout=60), self.posts
            return self.said()[number - 1]


class _Handler(BaseHTTPRequestHandler):
    server: Trackers

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        body = json.loads(content) if self.headers["content-type"] == "application/json" else {}
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
                },
                {
                    "name": "linear", "kind": "linear", "url": f"{here}/linear", "team": "ENG", "client_id": "client",
                    "client_secret": "secret of the client", "secret": LINEAR_SECRET,
                },
            ],
            "people": [
                {
                    "login": person.login, "id": person.id,
                    "accounts": {"jira": "557058:0c70ca7", "linear": "user-octocat"},
                }
            ],
        }  # fmt: skip
        path = tmp_path / "surfaces.yml"
        path.write_text(json.dumps(settings), encoding="utf-8")
        with ServedApp(github, tmp_path, {"ASKFIRST_SURFACES_FILE": str(path)}) as app:
            yield World(github, app, github.create_repository())


def post(address: str, body: bytes, headers: dict[str, str]) -> int:
    request = urllib.request.Request(address, body, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.status)


def send_until(is_answered: Callable[[], bool], address: str, body: bytes, headers: dict[str, str]) -> None:
    """Send a reply again and again, as a tracker does that hears nothing: the App may not have noted yet where its question stands."""
    deadline = time.monotonic() + 50
    while not is_answered():
        assert time.monotonic() < deadline
        assert post(address, body, headers) == 200
        time.sleep(0.2)


def signature(secret: str, body: bytes) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def test_one_question_is_answered_in_jira_and_one_in_linear(world: World, trackers: Trackers) -> None:
    session = {"id": "session-of-octocat", "issue": {"identifier": "ENG-7"}}
    call = {"type": "AgentSessionEvent", "action": "created", "agentSession": session, "appUserId": "b07"}
    began = time.monotonic()
    body = json.dumps({**call, "webhookTimestamp": time.time() * 1000}).encode()
    address, name = f"{world.app.address}/surfaces/linear", "Linear-Signature"
    assert post(address, body, {name: signature(LINEAR_SECRET, body)}) == 200
    assert trackers.activity(1)["content"]["type"] == "thought"
    assert time.monotonic() - began < 10

    first = world.github.open_issue(world.orders, "OPS-12: Add a dry_run flag", "to the bulk action")
    world.github.label(first)
    second = world.github.open_issue(world.orders, "Add a dry_run flag, too", "to the bulk action, see ENG-7")
    world.github.label(second)
    comments = "/jira/rest/api/3/issue/OPS-12/comment"
    assert "2. POST /actions/stream" in shown(trackers.wait_for(comments)["body"])
    comment = {
        "self": "http://127.0.0.1/rest/api/2/issue/10012/comment/99", "author": {"accountId": "557058:0c70ca7"},
        "body": "2", "created": now(), "jsdPublic": True,
    }  # fmt: skip
    body = json.dumps({"webhookEvent": "comment_created", "comment": comment}).encode()
    headers = {"X-Hub-Signature": f"sha256={signature(JIRA_SECRET, body)}"}
    jira = f"{world.app.address}/surfaces/jira"
    send_until(lambda: len(trackers.posted_to(comments)) == 2, jira, body, headers)

    question = trackers.activity(2)
    assert (question["agentSessionId"], question["signal"]) == ("session-of-octocat", "select")
    prompt = {"userId": "user-octocat", "createdAt": now(), "content": {"type": "prompt", "body": "1"}}
    prompted = {**call, "action": "prompted", "agentActivity": prompt, "webhookTimestamp": time.time() * 1000}
    body = json.dumps(prompted).encode()
    send_until(lambda: len(trackers.said()) == 3, address, body, {name: signature(LINEAR_SECRET, body)})

    wait_for_label(world, first, READY)
    wait_for_label(world, second, READY)
    ending = shown(trackers.wait_for(comments, 2)["body"])
    assert ending.startswith("Answered by octocat on jira: POST /actions/stream")
    assert trackers.activity(3)["content"]["body"].startswith(
        "Answered by octocat on linear: POST `/actions`"
    )
    assert len(world.github.runs(world.orders)) == 4
