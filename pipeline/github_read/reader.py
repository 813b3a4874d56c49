"""GitHub as a run sees it: a few questions, each answered or refused with what to do. Only GETs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from pipeline.domain.errors import GitHubRefused, MemoRefused
from pipeline.domain.ticket import IncomingTicket

if TYPE_CHECKING:
    from github import Github
    from github.Repository import Repository

_TIMEOUT_SECONDS = 15
_MEMO_MAX_BYTES = 32 << 20
_DISMISSED = "DISMISSED"
_STANDARD_ROLES = frozenset({"read", "triage", "write", "maintain", "admin", "none"})


@dataclass(frozen=True)
class Comment:
    """An issue comment."""

    body: str
    author: str


@dataclass(frozen=True)
class ReviewRemark:
    """A comment of a review on one line. GitHub gives no line for one whose place is gone."""

    id: int
    path: str
    line: int | None
    body: str


@dataclass(frozen=True)
class Review:
    """A review of a pull request, with all its remarks. `is_dismissed`: somebody has set it aside since."""

    body: str
    is_dismissed: bool
    remarks: tuple[ReviewRemark, ...]


class GitHubReader:
    """One repository on GitHub, read with a token that may only read."""

    def __init__(self, *, api_url: str, token: str, repository: str) -> None:
        self._api_url = api_url
        self._token = token
        self._name = repository
        self._opened: tuple[Github, Repository] | None = None

    def ticket(self, number: int) -> IncomingTicket:
        """The issue as it stands now.

        Raises:
            GitHubRefused: there is no such issue, or it may not be read.
        """
        with _explained(f"issue #{number} of {self._name}"):
            issue = self._repository().get_issue(number)
            return IncomingTicket(
                title=issue.title,
                body=issue.body or "",
                number=number,
                repository=self._name,
                author=issue.user.login,
            )

    def role_of(self, login: str) -> str:
        """GitHub's `role_name` of a user in the repository: read, triage, write, maintain, admin or none.

        `permission` maps triage to read and maintain to write, so it is used only for custom roles, whose names say
        nothing (REST: Get repository permissions for a user).

        Raises:
            GitHubRefused: the role cannot be read.
        """
        with _explained(f"the role of {login} in {self._name}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/collaborators/{quote(login, safe='')}/permission"
            )
        role = str(answer.get("role_name") or "none")
        return role if role in _STANDARD_ROLES else str(answer.get("permission") or "none")

    def comment(self, comment_id: int) -> Comment:
        """An issue comment.

        Raises:
            GitHubRefused: it was deleted, or it may not be read.
        """
        with _explained(f"comment {comment_id} of {self._name}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/issues/comments/{comment_id}"
            )
        return Comment(body=str(answer["body"]), author=str(answer["user"]["login"]))

    def review(self, pull_request: int, review_id: int) -> Review:
        """A review of a pull request.

        Raises:
            GitHubRefused: there is no such review, or it may not be read.
        """
        with _explained(f"review {review_id} of #{pull_request} of {self._name}"):
            review = self._repository().get_pull(pull_request).get_review(review_id)
            found = self._repository().get_pull(pull_request).get_single_review_comments(review_id)
            remarks = tuple(ReviewRemark(one.id, one.path, one.line, one.body or "") for one in found)
            is_dismissed = review.state.upper() == _DISMISSED
            return Review(body=review.body or "", is_dismissed=is_dismissed, remarks=remarks)

    def memo(self, run_id: int, sha256: str) -> bytes:
        """The zip of the memo artifact that an earlier run uploaded, if its bytes have the digest that is expected.

        Raises:
            MemoRefused: there is none, it expired, it is too large, or its digest is another.
            GitHubRefused: GitHub did not answer.
        """
        with _explained(f"the artifacts of run {run_id}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/actions/runs/{run_id}/artifacts"
            )
        found = [
            one
            for one in answer["artifacts"]
            if one["name"].startswith(f"memo-{run_id}-") and not one["expired"]
        ]
        if not found:
            raise MemoRefused(f"Run {run_id} has no memo artifact, or it has expired.")
        newest = max(found, key=lambda one: int(one["id"]))
        if newest["size_in_bytes"] > _MEMO_MAX_BYTES:
            raise MemoRefused(f"The memo of run {run_id} has {newest['size_in_bytes']} bytes.")
        packed = self._download(newest["archive_download_url"])
        if hashlib.sha256(packed).hexdigest() != sha256:
            raise MemoRefused(
                f"The memo of run {run_id} is not the one that was recorded.",
                why="Its SHA-256 differs from the digest in the run's inputs.",
            )
        return packed

    def _download(self, url: str) -> bytes:
        """Follow the redirect by hand and without the token: the archive lies on another host."""
        import requests

        with _explained("the memo artifact"):
            headers, _ = self._repository().requester.requestJsonAndCheck(
                "GET", url, follow_302_redirect=False
            )
            try:
                answer = requests.get(headers["location"], timeout=_TIMEOUT_SECONDS, stream=True)
                answer.raise_for_status()
                return bytes(answer.raw.read(_MEMO_MAX_BYTES + 1, decode_content=True))
            except requests.RequestException as error:
                raise MemoRefused(f"The memo artifact could not be downloaded: {error}") from error

    def _repository(self) -> Repository:
        if self._opened is None:
            from github import Auth, Github

            client = Github(
                auth=Auth.Token(self._token),
                base_url=self._api_url,
                timeout=_TIMEOUT_SECONDS,
                seconds_between_requests=0,
                user_agent="askfirst",
                lazy=True,
            )
            self._opened = (client, client.get_repo(self._name))
        return self._opened[1]


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Turn whatever PyGithub raises into words for the person who set the run up."""
    import requests
    from github import GithubException

    try:
        yield
    except GithubException as error:
        message = error.data.get("message", "") if isinstance(error.data, dict) else ""
        raise GitHubRefused(
            f"GitHub did not give {what}: {error.status} {message}".rstrip(),
            why="The token may lack `issues: read` or `metadata: read`, or the thing does not exist.",
            what_to_do="Give the job `permissions: {contents: read, issues: read, actions: read}` and run again.",
        ) from error
    except requests.ConnectionError as error:
        raise GitHubRefused(
            f"GitHub did not answer when asked for {what}.",
            why=str(error),
            what_to_do="Run again; if it stays so, check GITHUB_API_URL and the network.",
        ) from error
