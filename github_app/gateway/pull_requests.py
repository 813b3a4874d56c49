"""Pull requests and reviews of GitHub over REST: `github_app.ports.PullRequests`."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from pydantic import Base64Bytes

from github_app.conversation.transcript import Person
from github_app.gateway.app_auth import May
from github_app.gateway.connections import Connections
from github_app.gateway.rest import Answer
from github_app.ports import GitHubRefused, MadeCommit, PullRequestNow, Repository, Review

_NOT_FOUND, _UNPROCESSABLE = 404, 422


class _Id(Answer):
    id: int


class _Head(Answer):
    ref: str
    sha: str
    repo: _Id | None = None


class _PullRequest(Answer):
    number: int
    state: str
    head: _Head


class _User(Answer):
    id: int
    login: str
    type: str = "User"


_GHOST = _User(id=10137, login="ghost")


class _Review(Answer):
    id: int
    user: _User | None = None
    body: str | None = None
    state: str


class _Remark(Answer):
    id: int
    path: str
    body: str = ""


class _Workflow(Answer):
    name: str
    path: str
    state: str


class _File(Answer):
    content: Base64Bytes


_TRIGGER = re.compile(r"(?<![.\w])pull_request(?![.\w])")
"""The event in a workflow file, and not `github.event.pull_request.…` or `pull_request_target`."""
_MOST_WORKFLOWS = 30


class GitHubPullRequests:
    """`github_app.ports.PullRequests`. Opening takes a token of its own; looking takes a weaker one."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def find(self, repository: Repository, made: MadeCommit) -> int | None:
        """The newest pull request of exactly this commit into the default branch, in whatever state."""
        owner = repository.full_name.partition("/")[0]
        found = self._connections.to(repository, May.READ_PULL_REQUESTS).pages(
            _PullRequest,
            _path(repository),
            state="all",
            head=f"{owner}:{made.branch}",
            base=repository.default_branch,
        )
        wanted = (made.branch, made.sha)
        return max((one.number for one in found if (one.head.ref, one.head.sha) == wanted), default=None)

    def open(self, repository: Repository, branch: str, title: str, body: str) -> int:
        """Open a draft into the default branch, sent once, and return its number.

        A repository whose plan has no drafts gets a pull request that is none.
        """
        writer = self._connections.to(repository, May.WRITE_PULL_REQUESTS)
        request = {"title": title, "head": branch, "base": repository.default_branch, "body": body}
        try:
            return writer.send("POST", _path(repository), {**request, "draft": True}, _PullRequest).number
        except GitHubRefused as refusal:
            if refusal.status != _UNPROCESSABLE or "draft" not in refusal.message.casefold():
                raise
        return writer.send("POST", _path(repository), request, _PullRequest).number

    def now(self, repository: Repository, number: int) -> PullRequestNow | None:
        """One pull request, or None."""
        try:
            found = self._connections.to(repository, May.READ_PULL_REQUESTS).get(
                _PullRequest, f"{_path(repository)}/{number}"
            )
        except GitHubRefused as refusal:
            if refusal.status == _NOT_FOUND:
                return None
            raise
        head = found.head
        return PullRequestNow(
            number, head.ref, head.sha, found.state == "open", head.repo.id if head.repo else None
        )

    def review(self, repository: Repository, number: int, review_id: int) -> Review | None:
        """A review with its remarks, or None."""
        reader = self._connections.to(repository, May.READ_PULL_REQUESTS)
        path = f"{_path(repository)}/{number}/reviews/{review_id}"
        try:
            found = reader.get(_Review, path)
        except GitHubRefused as refusal:
            if refusal.status == _NOT_FOUND:
                return None
            raise
        remarks = tuple((one.id, one.path, one.body) for one in reader.pages(_Remark, f"{path}/comments"))
        user = found.user or _GHOST
        author = Person(user.id, user.login, is_bot=user.type != "User")
        return Review(found.id, author, found.body or "", found.state.lower(), remarks)

    def checks(self, repository: Repository, commit: str) -> Sequence[str]:
        """The names of the workflows that a pull request of this commit starts, as far as their files show it."""
        listed = self._connections.to(repository, May.READ_RUNS).pages(
            _Workflow, f"/repos/{repository.full_name}/actions/workflows", within="workflows"
        )
        active = [one for one in listed if one.state == "active"][:_MOST_WORKFLOWS]
        return [one.name for one in active if self._starts_on_pull_request(repository, commit, one.path)]

    def _starts_on_pull_request(self, repository: Repository, commit: str, path: str) -> bool:
        reader = self._connections.to(repository, May.WRITE_CONTENTS)
        try:
            file = reader.get(_File, f"/repos/{repository.full_name}/contents/{quote(path)}", ref=commit)
        except GitHubRefused:
            return False  # a file of another branch, or GitHub's own
        lines = file.content.decode("utf-8", "replace").splitlines()
        return any(_TRIGGER.search(line.partition("#")[0]) for line in lines)


def _path(repository: Repository) -> str:
    return f"/repos/{repository.full_name}/pulls"
