"""The gateway as it is, against a GitHub on 127.0.0.1."""

import io
import json
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from github_app.gateway.app_auth import AppAuth
from github_app.gateway.change_publisher import GitHubPublisher
from github_app.gateway.checks import GitHubChecks
from github_app.gateway.connections import AppConnections
from github_app.gateway.github_gateway import GitHubIssues, GitHubPermissions, GitHubWorkflows
from github_app.gateway.pull_requests import GitHubPullRequests
from github_app.gateway.rest import Pace
from github_app.gateway.run_artifact import GitHubArtifacts
from github_app.ports.github import Place, Repository
from github_app.settings import Settings
from sandbox import Sandbox
from sandbox.server import HttpExchange
from sandbox.world.state import Issue
from sandbox.world.state import Repository as SandboxRepository
from tests.contract.github_description import github_description

NO_JOB = ["true"]


class RealClock:
    """The time. A GitHub on this machine checks JWTs by it too."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass
class Gateway:
    """Everything the App uses of GitHub, and the GitHub it uses."""

    github: Sandbox
    settings: Settings
    auth: AppAuth
    issues: GitHubIssues
    permissions: GitHubPermissions
    workflows: GitHubWorkflows
    artifacts: GitHubArtifacts
    publisher: GitHubPublisher
    pull_requests: GitHubPullRequests
    checks: GitHubChecks
    orders: SandboxRepository
    repository: Repository

    def place(self, issue: Issue) -> Place:
        return Place(self.repository, issue.number)

    def open_issue(self, title: str = "Add a dry_run flag", body: str | None = "to the bulk action") -> Issue:
        return self.github.open_issue(self.orders, title, body)

    def calls(self) -> list[str]:
        """What was asked of GitHub, without the requests for tokens."""
        return [f"{one.method} {one.path}" for one in self.github.requests if "access_tokens" not in one.path]


def settings_for(github: Sandbox, **changes: object) -> Settings:
    known: dict[str, object] = {
        "app_id": github.app.id,
        "client_id": github.app.client_id,
        "private_key": github.app.private_key_pem,
        "webhook_secret": github.app.webhook_secret,
        "marker_key": "a marker key of some length",
        "database_url": "sqlite:///unused.sqlite",
        "api_url": github.api_url,
        "seconds_between_writes": 0.0,
    }
    return Settings(**{**known, **changes})  # type: ignore[arg-type]  # a table of mixed values


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    description = github_description()
    problems: list[str] = []

    def check(exchange: HttpExchange) -> None:
        problems.extend(description.problems(exchange) if description else ())

    with Sandbox.start(program=lambda _folders: NO_JOB, observer=check) as github:
        orders = github.create_repository(collaborators={"octocat": "write", "hubot": "triage"})
        installation = github.world.installation_of(orders)
        assert installation is not None
        repository = Repository(installation.id, orders.id, "acme/orders", "main")
        settings = settings_for(github)
        auth = AppAuth(settings, RealClock())
        connections = AppConnections(settings, auth, Pace(0))
        yield Gateway(
            github,
            settings,
            auth,
            GitHubIssues(connections),
            GitHubPermissions(connections),
            GitHubWorkflows(connections),
            GitHubArtifacts(connections, settings),
            GitHubPublisher(connections),
            GitHubPullRequests(connections),
            GitHubChecks(connections),
            orders,
            repository,
        )
    assert problems == []


def zipped(**documents: object) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in documents.items():
            archive.writestr(f"{name}.json", json.dumps(document))
    return buffer.getvalue()
