"""The served App, a program and a Slack beside it: questions go out signed, answers come in signed, all over HTTP."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook

from sandbox import Sandbox
from sandbox.served_app import ServedApp, free_port
from tests.github_app.served.conftest import World, scripted_run
from tests.github_app.served.test_serve import READY, wait_for_label
from tests.local_http import ANY_PORT, QuietHandler, run_server

SECRET = "whsec_" + "bjhu" * 8
SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


class Receiver(ThreadingHTTPServer):
    """A program that checks what it gets with the library of Standard Webhooks, and refuses the first message; and Slack's
    Web API below `/api`.
    """

    def __init__(self) -> None:
        super().__init__(ANY_PORT, _Handler)
        self.refuses = 1
        self.ids: list[str] = []
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.came = threading.Condition()

    def wait_for(self, kind: str, number: int = 1) -> dict[str, Any]:
        """The message of a kind, or the call of a method of Slack's, by its number."""

        def of_kind() -> list[dict[str, Any]]:
            return [message for name, message in self.messages if name == kind]

        with self.came:
            assert self.came.wait_for(lambda: len(of_kind()) >= number, timeout=60), self.messages
            return of_kind()[number - 1]


class _Handler(QuietHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        status, answer = 204, b""
        with self.server.came:
            if self.path.startswith("/api/"):
                assert self.headers["authorization"] == "Bearer xoxb-token-of-the-tests"
                self.server.messages.append((self.path.removeprefix("/api/"), json.loads(body)))
                status, answer = (
                    200,
                    json.dumps({"ok": True, "channel": "C012AB3CD", "ts": "1764.0001"}).encode(),
                )
            else:
                message = Webhook(SECRET).verify(body, dict(self.headers))
                self.server.ids.append(self.headers["webhook-id"])
                self.server.refuses -= 1
                if self.server.refuses >= 0:
                    status = 503
                else:
                    self.server.messages.append((message["type"], message))
            self.server.came.notify_all()
        self.send_response(status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    with run_server(receiver):
        yield receiver


@pytest.fixture
def world(tmp_path: Path, receiver: Receiver) -> Iterator[World]:
    public = free_port()
    with Sandbox.start(program=scripted_run) as github:
        person, here = github.user("octocat"), f"http://127.0.0.1:{receiver.server_port}"
        settings = {
            "public_url": f"http://127.0.0.1:{public}",
            "surfaces": [
                {"name": "pager", "kind": "webhook", "url": f"{here}/in", "secret": SECRET},
                {
                    "name": "slack", "kind": "slack", "channel": "C012AB3CD", "token": "xoxb-token-of-the-tests",
                    "secret": SIGNING_SECRET, "url": f"{here}/api",
                },
            ],
            "people": [
                {"login": person.login, "id": person.id, "accounts": {"pager": "octo@example", "slack": "U0OCTOCAT"}}
            ],
        }  # fmt: skip
        path = tmp_path / "surfaces.yml"
        path.write_text(json.dumps(settings), encoding="utf-8")
        with ServedApp(github, tmp_path, {"ASKFIRST_SURFACES_FILE": str(path)}) as app:
            yield World(github, app, github.create_repository())


def post(address: str, body: str, headers: dict[str, str]) -> int:
    request = urllib.request.Request(address, body.encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return int(answer.status)


@pytest.mark.smoke
def test_one_question_is_answered_by_a_program_and_one_in_slack(world: World, receiver: Receiver) -> None:
    first = world.github.open_issue(world.orders, "Add a dry_run flag", "to the bulk action")
    world.github.label(first)
    asked = receiver.wait_for("question.asked")["data"]
    (address,) = [reply["url"] for reply in asked["replies"]]
    reply = f"{world.app.address}/reply/{address.rpartition('/')[2]}"
    assert post(reply, '{"reply": "2"}', {"Content-Type": "application/json"}) == 202
    wait_for_label(world, first, READY)
    answered = receiver.wait_for("question.answered")["data"]["answer"]
    assert answered == {
        "login": "octocat",
        "surface": "pager",
        "text": "POST /actions/stream",
        "not_passed_on": None,
    }
    assert receiver.ids[0] == receiver.ids[1]
    assert receiver.wait_for("chat.update")["ts"] == "1764.0001"

    second = world.github.open_issue(world.orders, "Add a dry_run flag, too", "to the bulk action")
    world.github.label(second)
    message = receiver.wait_for("chat.postMessage", 2)
    buttons = {
        element["action_id"]: element
        for block in message["blocks"]
        for element in block.get("elements", [])
        if "action_id" in element
    }
    payload = {"type": "block_actions", "user": {"id": "U0OCTOCAT"}, "actions": [buttons["choose:1"]]}
    body, now = urlencode({"payload": json.dumps(payload)}), str(int(time.time()))
    signature = SignatureVerifier(SIGNING_SECRET).generate_signature(timestamp=now, body=body)
    headers = {"X-Slack-Request-Timestamp": now, "X-Slack-Signature": str(signature)}
    began = time.monotonic()
    assert post(f"{world.app.address}/surfaces/slack", body, headers) == 200
    assert time.monotonic() - began < 3
    wait_for_label(world, second, READY)
    assert receiver.wait_for("question.answered", 2)["data"]["answer"]["surface"] == "slack"
    assert len(world.github.runs(world.orders)) == 4
