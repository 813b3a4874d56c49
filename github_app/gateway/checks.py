"""Checks of a commit over REST: `github_app.ports.github.Checks`."""

import itertools
from collections.abc import Sequence

from github_app.conversation.checks import Check
from github_app.gateway.app_auth import TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.rest import RestAnswer
from github_app.ports.github import Repository

_ACTIONS = "github-actions"
"""Slug of the App whose checks are jobs: the id of such a check is the id of its job."""

_STATUS_COMPLETED = "completed"
_MOST_CHECKS = 300


class _App(RestAnswer):
    slug: str | None = None


class _CheckRun(RestAnswer):
    id: int
    name: str
    status: str
    conclusion: str | None = None
    app: _App | None = None


class GitHubChecks:
    """`github_app.ports.github.Checks`. Reads only: the App makes no checks."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def of(self, repository: Repository, commit: str) -> Sequence[Check]:
        """The newest run of every check on a commit: the first 300."""
        path = f"/repos/{repository.full_name}/commits/{commit}/check-runs"
        reader = self._connections.to(repository, TokenScope.READ_CHECKS)
        runs = reader.pages(_CheckRun, path, within="check_runs", filter="latest")
        return [_check(run) for run in itertools.islice(runs, _MOST_CHECKS)]


def _check(run: _CheckRun) -> Check:
    app = (run.app.slug if run.app is not None else None) or ""
    conclusion = (run.conclusion or "stale") if run.status == _STATUS_COMPLETED else None
    return Check(run.name, conclusion, run.id if app == _ACTIONS else None, app)
