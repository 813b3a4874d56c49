"""`github_app.ports.github.Inventory`: what the App has missed, as GitHub still knows it."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict

from github_app.gateway.app_auth import AppAuth, TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.github_gateway import WORKFLOW_FILE
from github_app.gateway.rest import Rest, RestAnswer
from github_app.ports.github import GitHubRefused, GitHubUnavailable, Repository
from github_app.ports.inventory import AttemptPage, DeliveryAttempt

if TYPE_CHECKING:
    from github_app.settings import Settings

_NOT_FOUND = 404
_NEXT = re.compile(r'[?&]cursor=([^&>]+)[^>]*>;\s*rel="next"')


class _Attempt(RestAnswer):
    id: int
    guid: str
    event: str
    delivered_at: datetime
    status_code: int


class _Request(RestAnswer):
    payload: dict[str, Any] | None = None


class _FullAttempt(RestAnswer):
    request: _Request


class _Installation(RestAnswer):
    id: int
    suspended_at: datetime | None = None


class _Repository(RestAnswer):
    id: int
    full_name: str
    default_branch: str = "main"
    archived: bool = False


class _Issue(RestAnswer):
    number: int
    pull_request: RestAnswer | None = None


class _AnyRun(RestAnswer):
    """A run as GitHub describes it, whole: it becomes the payload of a delivery, which is checked then."""

    model_config = ConfigDict(extra="allow", frozen=True)


class GitHubInventory:
    """The requests to GitHub as the App itself, and as each of its installations."""

    def __init__(self, settings: "Settings", auth: AppAuth, connections: Connections) -> None:
        self._settings = settings
        self._auth = auth
        self._connections = connections

    def attempts(self, cursor: str | None) -> AttemptPage:
        """The newest attempts to bring a delivery, or those behind a cursor. GitHub keeps them for three days."""
        query: dict[str, str | int] = {"per_page": 100}
        if cursor is not None:
            query["cursor"] = cursor
        headers, page = self._as_app().request("GET", "/app/hook/deliveries", parameters=query)
        if not isinstance(page, list):
            raise GitHubUnavailable("GET /app/hook/deliveries answered no list")
        next_page = _NEXT.search(headers.get("link", ""))
        return AttemptPage([_attempt(item) for item in page], next_page.group(1) if next_page else None)

    def payload(self, delivery_id: int) -> Mapping[str, Any]:
        """What GitHub wanted to bring; nothing where it has forgotten it."""
        attempt = self._as_app().find(_FullAttempt, f"/app/hook/deliveries/{delivery_id}")
        return (attempt.request.payload if attempt is not None else None) or {}

    def installations(self) -> Iterator[int]:
        """The ids of the installations that are not suspended."""
        for installation in self._as_app().pages(_Installation, "/app/installations"):
            if installation.suspended_at is None:
                yield installation.id

    def repositories(self, installation_id: int) -> list[Repository]:
        """The repositories of an installation that are not archived."""
        reader = self._as_installation(installation_id)
        pages = reader.pages(_Repository, "/installation/repositories", within="repositories")
        return [
            Repository(installation_id, repository.id, repository.full_name, repository.default_branch)
            for repository in pages
            if not repository.archived
        ]

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        """The numbers of open issues with a label."""
        reader = self._connections.to(repository, TokenScope.READ_ISSUES)
        path = f"/repos/{repository.full_name}/issues"
        for issue in reader.pages(_Issue, path, labels=label, state="open"):
            if issue.pull_request is None:
                yield issue.number

    def ended_runs(self, repository: Repository, since: datetime) -> Iterator[Mapping[str, Any]]:
        """Completed runs of our workflow, newest first, as `workflow_run` of a delivery; none without the workflow."""
        path = f"/repos/{repository.full_name}/actions/workflows/{WORKFLOW_FILE}/runs"
        reader = self._connections.to(repository, TokenScope.READ_RUNS)
        created_range = f">={since:%Y-%m-%dT%H:%M:%SZ}"
        try:
            runs = reader.pages(
                _AnyRun, path, within="workflow_runs", status="completed", created=created_range
            )
            for run in runs:
                yield run.model_dump()
        except GitHubRefused as refusal:
            if refusal.status != _NOT_FOUND:
                raise

    def _as_app(self) -> Rest:
        from github.Auth import AppAuthToken

        return Rest(AppAuthToken(self._auth.jwt()), self._settings, on_answer=self._auth.on_answer)

    def _as_installation(self, installation_id: int) -> Rest:
        from github.Auth import Token

        return Rest(Token(self._auth.token_of_installation(installation_id)), self._settings)


def _attempt(item: object) -> DeliveryAttempt:
    attempt = _Attempt.model_validate(item)
    is_acknowledged = 200 <= attempt.status_code < 300
    return DeliveryAttempt(attempt.id, attempt.guid, attempt.event, attempt.delivered_at, is_acknowledged)
