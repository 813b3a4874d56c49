"""The web server as it runs: real gunicorn, real SQLite, real SIGKILL."""

import hashlib
import hmac
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.contract.version import VERSION

ROOT = Path(__file__).parents[3]
SECRET = "a webhook secret of some length"
PAYLOAD = {
    "action": "labeled", "label": {"name": "askfirst"},
    "issue": {"number": 418, "title": "Add a flag", "body": "…", "updated_at": "2026-08-22T12:00:00Z"},
    "repository": {"id": 7, "full_name": "acme/orders", "default_branch": "main"}, "installation": {"id": 3},
    "sender": {"id": 1, "login": "octocat", "type": "User"},
}  # fmt: skip


class WebServer:
    """`askfirst-app web` on a free port and a database of its own."""

    def __init__(self, directory: Path, **settings: str) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port: int = listener.getsockname()[1]
        self._command = [sys.executable, "-m", "github_app.cli", "web"]
        self._database = directory / "askfirst.sqlite"
        self._environment = {
            "PYTHONPATH": str(ROOT), "HOME": str(directory), "ASKFIRST_DATA_DIRECTORY": str(directory),
            "ASKFIRST_PORT": str(self.port), "ASKFIRST_WEBHOOK_SECRET": SECRET, "ASKFIRST_APP_ID": "417",
            "ASKFIRST_CLIENT_ID": "Iv23liExample", "ASKFIRST_MARKER_KEY": "a marker key of some length",
            "ASKFIRST_PRIVATE_KEY": "-----BEGIN RSA PRIVATE KEY-----", **settings,
        }  # fmt: skip
        self.process: subprocess.Popen[bytes] | None = None

    def refusal(self) -> tuple[int, str]:
        """The exit code and the last words of a server that does not start."""
        ended = subprocess.run(
            self._command, env=self._environment, capture_output=True, text=True, timeout=60
        )
        return ended.returncode, ended.stderr

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, env=self._environment, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 120
        while not self.answers():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            return self.request("GET", "/healthz") == 200
        except OSError:
            return False

    def signed(self, guid: str, event: str = "issues") -> tuple[bytes, dict[str, str]]:
        """Body and headers of a delivery."""
        body = json.dumps(PAYLOAD).encode()
        signature = "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
        return body, {
            "X-GitHub-Event": event, "X-GitHub-Delivery": guid, "X-Hub-Signature-256": signature,
        }  # fmt: skip

    def deliver(self, guid: str, event: str = "issues") -> int:
        return self.request("POST", "/webhook", *self.signed(guid, event))

    def request(
        self, verb: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(verb, path, body, headers or {})
            return connection.getresponse().status
        finally:
            connection.close()

    def children(self) -> list[int]:
        assert self.process is not None
        tasks = Path(f"/proc/{self.process.pid}/task")
        return [int(pid) for task in tasks.iterdir() for pid in (task / "children").read_text().split()]

    def kill(self) -> None:
        """SIGKILL to every process of the server at once."""
        assert self.process is not None
        for pid in [self.process.pid, *self.children()]:
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()

    def stored(self) -> list[str]:
        connection = sqlite3.connect(self._database)
        try:
            rows = connection.execute("SELECT workflow_uuid FROM workflow_status ORDER BY 1").fetchall()
        finally:
            connection.close()
        return [guid for (guid,) in rows]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WebServer]:
    server = WebServer(tmp_path)
    server.start()
    yield server
    if server.process is not None and server.process.poll() is None:
        server.kill()


@pytest.mark.kill
def test_what_was_acknowledged_survives_a_kill_of_every_process(server: WebServer) -> None:
    guids = [f"guid-{number}" for number in range(20)]
    assert {server.deliver(guid) for guid in guids} == {202}
    assert server.deliver("guid-3") == 202
    assert server.deliver("a-push", event="push") == 202
    server.kill()
    assert server.stored() == sorted(guids)
    server.start()
    assert server.deliver("guid-3") == 202
    assert server.stored() == sorted(guids)


@pytest.mark.kill
def test_a_killed_web_process_is_replaced_and_loses_nothing_that_was_acknowledged(server: WebServer) -> None:
    acknowledged = []
    for number in range(40):
        if number in {10, 25}:
            os.kill(server.children()[0], signal.SIGKILL)
        try:
            if server.deliver(f"guid-{number}") == 202:
                acknowledged.append(f"guid-{number}")
        except (OSError, http.client.HTTPException):
            continue
    assert len(acknowledged) > 30
    assert set(acknowledged) <= set(server.stored())


@pytest.mark.process
def test_a_busy_port_is_named_and_ends_the_server_as_something_to_try_again(tmp_path: Path) -> None:
    server = WebServer(tmp_path)
    with socket.create_server(("127.0.0.1", server.port)):
        code, said = server.refusal()
    assert code == os.EX_TEMPFAIL
    assert f"Port {server.port} of 127.0.0.1 is in use by another process." in said


@pytest.mark.process
def test_a_request_may_come_in_pieces_and_be_large(server: WebServer) -> None:
    body = b"x" * 3_000_000
    head = f"POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for pieces in ([head[:20], head[20:], body[:100], body[100:]], [head + body[:1], body[1:]]):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            for piece in pieces:
                client.sendall(piece)
                time.sleep(0.05)
            assert client.recv(12) == b"HTTP/1.1 401"


@pytest.mark.process
def test_it_ends_when_told_and_its_port_is_free(server: WebServer) -> None:
    assert server.process is not None
    children = server.children()
    server.process.terminate()
    assert server.process.wait(timeout=60) == 0
    server.process.communicate()
    assert not server.answers()
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)


@pytest.mark.process
def test_a_missing_setting_is_said_in_words_and_ends_with_1(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "github_app.cli", "web"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "ASKFIRST_WEBHOOK_SECRET is not set" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.process
def test_every_line_of_a_json_log_is_json_and_the_first_says_who_starts(tmp_path: Path) -> None:
    server = WebServer(tmp_path, ASKFIRST_LOG_FORMAT="json")
    server.start()
    assert server.process is not None
    server.process.terminate()
    _, log = server.process.communicate(timeout=60)
    lines = [json.loads(line) for line in log.decode().splitlines()]
    assert lines[0]["message"].startswith(f"askfirst-app {VERSION} web starts: App 417 (Iv23liExample)")
    assert {"gunicorn.error"} < {line["logger"] for line in lines}


@pytest.mark.process
def test_a_repository_that_the_list_does_not_name_is_answered_and_left_out(tmp_path: Path) -> None:
    server = WebServer(tmp_path, ASKFIRST_ALLOW="octocat, acme/other")
    server.start()
    assert server.process is not None
    try:
        assert server.deliver("left-out") == 202
        assert server.stored() == []
    finally:
        server.process.terminate()
        _, log = server.process.communicate(timeout=60)
    assert "left out issues of acme/orders: ASKFIRST_ALLOW does not name it" in log.decode()
