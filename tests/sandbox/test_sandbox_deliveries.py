"""Webhooks: signed, announced for every change, never sent again by themselves."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from github import GithubException

from sandbox import NotQuiet, Sandbox
from tests.sandbox.clients import app_jwt, as_app, call, eventually


class Receiver:
    """An App that keeps what it is sent and answers with `status`."""

    def __init__(self) -> None:
        self.status = 202
        self.got: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((dict(self.headers), body))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_arguments: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/webhook"

    @property
    def events(self) -> list[str]:
        return [f"{headers['X-GitHub-Event']}.{json.loads(body).get('action')}" for headers, body in self.got]

    def stop(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture
def receiver(github: Sandbox) -> Iterator[Receiver]:
    listening = Receiver()
    github.webhook_url = listening.url
    yield listening
    listening.stop()


def test_every_change_is_announced_signed_and_with_its_installation(
    github: Sandbox, receiver: Receiver
) -> None:
    issue = github.open_issue(github.create_repository(), "Title", "Body")
    github.label(issue, "bug")
    github.unlabel(issue, "bug")
    github.edit_issue(issue, body="Other")
    comment = github.comment(issue, "2?")
    github.edit_comment(issue, comment, "2")
    github.delete_comment(issue, comment)
    github.close_issue(issue)
    github.wait_until_quiet(settle=0)
    told = [event for event in receiver.events if not event.startswith("workflow_run")]
    assert told == [
        "installation.created", "issues.opened", "issues.labeled", "issues.unlabeled", "issues.edited",
        "issue_comment.created", "issue_comment.edited", "issue_comment.deleted", "issues.closed",
    ]  # fmt: skip
    guids = {headers["X-GitHub-Delivery"] for headers, _ in receiver.got}
    assert len(guids) == len(receiver.got)
    for headers, body in receiver.got:
        expected = hmac.new(github.app.webhook_secret.encode(), body, hashlib.sha256).hexdigest()
        assert headers["X-Hub-Signature-256"] == f"sha256={expected}"
        assert json.loads(body)["installation"]["id"] in github.world.installations
    edited = next(
        json.loads(body) for headers, body in receiver.got if b'"changes"' in body and b'"comment"' in body
    )
    assert edited["changes"] == {"body": {"from": "2?"}}
    assert edited["sender"]["login"] == "octocat"


def test_a_payload_holds_what_was_true_when_it_happened(github: Sandbox, receiver: Receiver) -> None:
    issue = github.open_issue(github.create_repository(), "Title", "before")
    github.label(issue)
    github.edit_issue(issue, body="after")
    github.wait_until_quiet(settle=0)
    bodies = {
        json.loads(body)["action"]: json.loads(body)["issue"]["body"]
        for headers, body in receiver.got
        if headers["X-GitHub-Event"] == "issues"
    }
    assert bodies == {"opened": "before", "labeled": "before", "edited": "after"}


def test_what_the_app_does_is_announced_as_a_bots_doing(github: Sandbox, receiver: Receiver) -> None:
    github.open_issue(github.create_repository(), "Title", "Body")
    as_app(github).get_repo("acme/orders").get_issue(1).create_comment("Which route?")
    github.wait_until_quiet(settle=0)
    payload = json.loads(receiver.got[-1][1])
    assert payload["sender"]["type"] == "Bot"
    assert payload["comment"]["performed_via_github_app"]["id"] == github.app.id


def test_a_failed_delivery_is_sent_again_only_when_asked(described: Sandbox, receiver: Receiver) -> None:
    receiver.status = 500
    orders = described.create_repository()
    described.open_issue(orders, "Title", "Body")
    eventually(lambda: len(receiver.got) == 2)
    with pytest.raises(NotQuiet, match="Internal Server Error"):
        described.wait_until_quiet(timeout=0.5, settle=0)
    receiver.status = 202
    listed = call("GET", f"{described.api_url}/app/hook/deliveries", token=app_jwt(described)).document
    assert {item["status"] for item in listed} == {"Internal Server Error"}
    for item in listed:
        address = f"{described.api_url}/app/hook/deliveries/{item['id']}"
        detail = call("GET", address, token=app_jwt(described)).document
        assert detail["request"]["headers"]["X-GitHub-Delivery"] == item["guid"]
        assert call("POST", f"{address}/attempts", token=app_jwt(described)).status == 202
    described.wait_until_quiet(settle=0)
    guids = [headers["X-GitHub-Delivery"] for headers, _ in receiver.got]
    assert sorted(guids[:2]) == sorted(guids[2:])
    again = call("GET", f"{described.api_url}/app/hook/deliveries", token=app_jwt(described)).document
    assert [item["redelivery"] for item in again] == [True, True, False, False]


def test_a_lost_delivery_never_comes_and_stands_in_the_list(github: Sandbox, receiver: Receiver) -> None:
    github.faults.lose_delivery("issues")
    github.open_issue(github.create_repository(), "Title", "Body")
    github.wait_until_quiet(settle=0)
    assert receiver.events == ["installation.created"]
    listed = call("GET", f"{github.api_url}/app/hook/deliveries", token=app_jwt(github)).document
    assert [(item["event"], item["status"]) for item in listed] == [
        ("issues", "timed out"),
        ("installation", "OK"),
    ]


def test_a_doubled_delivery_comes_twice_with_the_same_guid(github: Sandbox, receiver: Receiver) -> None:
    github.faults.repeat_delivery("issues")
    github.open_issue(github.create_repository(), "Title", "Body")
    github.wait_until_quiet(settle=0)
    assert receiver.events == ["installation.created", "issues.opened", "issues.opened"]
    assert len({headers["X-GitHub-Delivery"] for headers, _ in receiver.got}) == 2


def test_a_delayed_delivery_is_overtaken(github: Sandbox, receiver: Receiver) -> None:
    github.faults.delay_delivery("issues", seconds=0.3)
    issue = github.open_issue(github.create_repository(), "Title", "Body")
    github.comment(issue, "2")
    github.wait_until_quiet(settle=0)
    assert receiver.events == ["installation.created", "issue_comment.created", "issues.opened"]


def test_where_the_app_is_not_installed_nothing_is_announced(github: Sandbox, receiver: Receiver) -> None:
    github.open_issue(github.create_repository(has_app=False), "Title", "Body")
    github.wait_until_quiet(settle=0)
    assert receiver.events == []


def test_an_app_that_does_not_listen_is_named_as_the_reason(github: Sandbox) -> None:
    github.webhook_url = "http://127.0.0.1:9/webhook"
    github.open_issue(github.create_repository(), "Title", "Body")
    with pytest.raises(NotQuiet, match="failed to connect"):
        github.wait_until_quiet(timeout=0.3, settle=0)


def test_a_test_may_send_bytes_of_its_own(github: Sandbox, receiver: Receiver) -> None:
    def only_sha1(headers: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in headers.items() if name != "X-Hub-Signature-256"}

    github.deliveries.send("issues", b"not json", headers=only_sha1)
    headers, body = receiver.got[0]
    assert body == b"not json"
    assert "X-Hub-Signature-256" not in headers


def test_a_suspended_app_hears_and_may_nothing_until_it_is_let_back(
    github: Sandbox, receiver: Receiver
) -> None:
    orders = github.create_repository()
    app = as_app(github)
    github.suspend_app(orders)
    issue = github.open_issue(orders, "Title", "Body")
    with pytest.raises(GithubException) as refused:
        app.get_repo("acme/orders")
    assert refused.value.status == 403
    github.suspend_app(orders, is_suspended=False)
    github.comment(issue, "2")
    github.wait_until_quiet(settle=0)
    assert receiver.events == [
        "installation.created", "installation.suspend", "installation.unsuspend", "issue_comment.created",
    ]  # fmt: skip


def test_after_the_app_is_removed_its_tokens_are_worth_nothing(github: Sandbox, receiver: Receiver) -> None:
    orders = github.create_repository()
    app = as_app(github)
    github.uninstall_app(orders)
    github.open_issue(orders, "Title", "Body")
    with pytest.raises(GithubException) as refused:
        app.get_repo("acme/orders")
    assert refused.value.status == 401
    github.wait_until_quiet(settle=0)
    assert receiver.events == ["installation.created", "installation.deleted"]
