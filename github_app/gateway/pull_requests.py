"""Pull requests and reviews of GitHub over REST: `github_app.ports.github.PullRequests`."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from pydantic import Base64Bytes

from github_app.gateway.app_auth import TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.github_gateway import person_of
from github_app.gateway.rest import RestAnswer
from github_app.intake.delivery import User
from github_app.ports.github import GitHubRefused, MadeCommit, PullRequestNow, Repository, Review

_UNPROCESSABLE = 422


class _Id(RestAnswer):
    id: int


class _Head(RestAnswer):
    ref: str
    sha: str
    repo: _Id | None = None


class _PullRequest(RestAnswer):
    number: int
    state: str
    head: _Head
    body: str | None = None


class _Review(RestAnswer):
    id: int
    user: User | None = None
    body: str | None = None
    state: str


class _Remark(RestAnswer):
    id: int
    path: str
    body: str = ""


class _Workflow(RestAnswer):
    name: str
    path: str
    state: str


class _File(RestAnswer):
    content: Base64Bytes


_TRIGGER = re.compile(r"(?<![.\w])pull_request(?![.\w])")
"""The event in a workflow file, and not `github.event.pull_request.…` or `pull_request_target`."""
_MOST_WORKFLOWS = 30


class GitHubPullRequests:
    """`github_app.ports.github.PullRequests`. Opening takes a token of its own; looking takes a weaker one."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def find(self, repository: Repository, commit: MadeCommit) -> int | None:
        """The newest pull request of exactly this commit into the default branch, in whatever state."""
        owner = repository.full_name.partition("/")[0]
        pull_requests = self._connections.to(repository, TokenScope.READ_PULL_REQUESTS).pages(
            _PullRequest,
            _path(repository),
            state="all",
            head=f"{owner}:{commit.branch}",
            base=repository.default_branch,
        )
        head = (commit.branch, commit.sha)
        return max(
            (
                pull_request.number
                for pull_request in pull_requests
                if (pull_request.head.ref, pull_request.head.sha) == head
            ),
            default=None,
        )

    def open(self, repository: Repository, branch: str, title: str, body: str) -> int:
        """Open a draft into the default branch, sent once, and return its number.

        A repository whose plan has no drafts gets a pull request that is none.
        """
        writer = self._connections.to(repository, TokenScope.WRITE_PULL_REQUESTS)
        request = {"title": title, "head": branch, "base": repository.default_branch, "body": body}
        try:
            return writer.send("POST", _path(repository), {**request, "draft": True}, _PullRequest).number
        except GitHubRefused as refusal:
            if refusal.status != _UNPROCESSABLE or "draft" not in refusal.message.casefold():
                raise
        return writer.send("POST", _path(repository), request, _PullRequest).number

    def describe(self, repository: Repository, number: int, body: str) -> None:
        """Replace the description of one of our pull requests."""
        writer = self._connections.to(repository, TokenScope.WRITE_PULL_REQUESTS)
        writer.send("PATCH", f"{_path(repository)}/{number}", {"body": body}, _PullRequest)

    def now(self, repository: Repository, number: int) -> PullRequestNow | None:
        """One pull request, or None."""
        reader = self._connections.to(repository, TokenScope.READ_PULL_REQUESTS)
        pull_request = reader.find(_PullRequest, f"{_path(repository)}/{number}")
        if pull_request is None:
            return None
        head = pull_request.head
        is_open, repository_id = pull_request.state == "open", head.repo.id if head.repo else None
        return PullRequestNow(number, head.ref, head.sha, is_open, repository_id, pull_request.body or "")

    def review(self, repository: Repository, number: int, review_id: int) -> Review | None:
        """A review with its remarks, or None."""
        reader = self._connections.to(repository, TokenScope.READ_PULL_REQUESTS)
        path = f"{_path(repository)}/{number}/reviews/{review_id}"
        review = reader.find(_Review, path)
        if review is None:
            return None
        remarks = tuple(
            (remark.id, remark.path, remark.body) for remark in reader.pages(_Remark, f"{path}/comments")
        )
        return Review(review.id, person_of(review.user), review.body or "", review.state.lower(), remarks)

    def checks(self, repository: Repository, commit: str) -> Sequence[str]:
        """The names of the workflows that a pull request of this commit starts, as far as their files show it."""
        workflows = self._connections.to(repository, TokenScope.READ_RUNS).pages(
            _Workflow, f"/repos/{repository.full_name}/actions/workflows", within="workflows"
        )
        active = [workflow for workflow in workflows if workflow.state == "active"][:_MOST_WORKFLOWS]
        return [
            workflow.name
            for workflow in active
            if self._starts_on_pull_request(repository, commit, workflow.path)
        ]

    def _starts_on_pull_request(self, repository: Repository, commit: str, path: str) -> bool:
        reader = self._connections.to(repository, TokenScope.WRITE_CONTENTS)
        try:
            file = reader.get(_File, f"/repos/{repository.full_name}/contents/{quote(path)}", ref=commit)
        except GitHubRefused:
            return False  # a file of another branch, or GitHub's own
        lines = file.content.decode("utf-8", "replace").splitlines()
        return any(_TRIGGER.search(line.partition("#")[0]) for line in lines)


def _path(repository: Repository) -> str:
    return f"/repos/{repository.full_name}/pulls"
