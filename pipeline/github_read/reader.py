"""GitHub as a run sees it: a few questions, each answered or refused with what to do. Only GETs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pipeline.domain.errors import GitHubUnreadable, MemoRefused
from pipeline.domain.linked_work import LinkedWork
from pipeline.domain.ticket import IncomingTicket
from pipeline.github_read.job_log import WorkflowJob, tail
from pipeline.github_read.records import (
    DatedComment,
    FoundIssue,
    PullRequestReview,
    ReviewRemark,
    WholeIssue,
)
from pipeline.github_read.refusals import ADDRESS_QUERY, explain_failures
from pipeline.github_read.timeline import work_in_timeline, work_on_branches

if TYPE_CHECKING:
    from github import Github
    from github.Repository import Repository

_TIMEOUT_SECONDS = 15
_MEMO_MAX_BYTES = 32 << 20
_CHUNK_BYTES = 64 << 10
_DISMISSED_STATE = "DISMISSED"
_NOT_FOUND = 404
_MOST_FOUND = 20
_MOST_COMMENTS = 30
_COMMENT_PAGES = 3
_COMMENTS_OF_A_PAGE = 100
_LAST_PAGE = re.compile(r'[?&]page=(\d+)[^>]*>;\s*rel="last"')
_MOST_LABELS = 100
_QUERY_CHARACTERS = 200
"""GitHub refuses a search of more than 256 characters, besides operators and qualifiers (REST: Search, limits)."""

_STANDARD_ROLES = frozenset({"read", "triage", "write", "maintain", "admin", "none"})


class GitHubReader:
    """One repository on GitHub, read with a token that may only read; a public one without any."""

    def __init__(self, *, api_url: str, token: str | None, repository: str) -> None:
        self._api_url = api_url
        self._token = token
        self._name = repository
        self._opened: tuple[Github, Repository] | None = None

    @property
    def has_token(self) -> bool:
        """Whether it is signed in. What anybody may read can be read without."""
        return self._token is not None

    def ticket(self, number: int) -> IncomingTicket:
        """The current state of the issue.

        Raises:
            GitHubUnreadable: there is no such issue, or it may not be read.
        """
        with explain_failures(f"issue #{number} of {self._name}"):
            issue = self._repository().get_issue(number)
            return IncomingTicket(
                title=issue.title,
                body=issue.body or "",
                number=number,
                repository=self._name,
                author=_author(issue.raw_data),
                labels=tuple(label.name for label in issue.labels[:_MOST_LABELS]),
            )

    def issue_comments(self, number: int) -> tuple[DatedComment, ...]:
        """The comments of an issue, the oldest first: those of the last three pages of a hundred.

        Raises:
            GitHubUnreadable: there is no such issue, or it may not be read.
        """
        return tuple(self._comments(number, {}))

    def _comments(self, number: int, parameters: dict[str, str]) -> list[DatedComment]:
        """GitHub gives the oldest first and says on the first page which page is the last."""
        with explain_failures(f"the comments of issue #{number} of {self._name}"):
            return list(map(_dated_comment, self._last_pages(f"issues/{number}/comments", parameters)))

    def _last_pages(self, path: str, parameters: dict[str, str]) -> list[dict[str, Any]]:
        """The items of the last three pages of a list, in GitHub's order."""
        items, last_page = self._page(path, 1, parameters)
        if last_page > _COMMENT_PAGES:
            items = []
        for page in range(max(2, last_page - _COMMENT_PAGES + 1), last_page + 1):
            items += self._page(path, page, parameters)[0]
        return items

    def _page(self, path: str, page: int, parameters: dict[str, str]) -> tuple[list[dict[str, Any]], int]:
        headers, answer = self._repository().requester.requestJsonAndCheck(
            "GET",
            f"/repos/{self._name}/{path}",
            parameters={"per_page": _COMMENTS_OF_A_PAGE, "page": page, **parameters},
        )
        last_page = _LAST_PAGE.search(headers.get("link", ""))
        return list(answer), int(last_page[1]) if last_page else page

    def linked_work(self, number: int) -> tuple[LinkedWork, ...]:
        """Pull requests and commits that the timeline of an issue names, and branches that begin with its number.

        Raises:
            GitHubUnreadable: there is no such issue, or it may not be read.
        """
        with explain_failures(f"the timeline of issue #{number} of {self._name}"):
            events = self._last_pages(f"issues/{number}/timeline", {})
            _, refs = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/git/matching-refs/heads/{number}-"
            )
        return (*work_in_timeline(events, self._name, number), *work_on_branches(refs))

    def comments_since(self, number: int, moment: datetime) -> tuple[DatedComment, ...]:
        """The comments of an issue that were written at a moment or later, the oldest first: of many, the latest.

        Raises:
            GitHubUnreadable: there is no such issue, or it may not be read.
        """
        since = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return tuple(
            comment
            for comment in self._comments(number, {"since": since})
            if comment.written_at >= moment.replace(microsecond=0)
        )

    def run_created(self, run_id: int) -> datetime:
        """When a workflow run was created, by GitHub's clock, which also dates the comments.

        Raises:
            GitHubUnreadable: there is no such run, or it may not be read.
        """
        with explain_failures(f"run {run_id} of {self._name}"):
            _, run = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/actions/runs/{run_id}"
            )
        return datetime.fromisoformat(run["created_at"])

    def search_issues(self, text: str) -> tuple[FoundIssue, ...]:
        """Issues of this repository that hold these words, the best first; pull requests are left out.

        The author of the issue wrote the words. None of them can widen the search to another repository: each
        is sent as a plain word, and what is found elsewhere is dropped.

        Raises:
            GitHubUnreadable: GitHub does not search, for this token or at this rate.
        """
        with explain_failures(f"the issues of {self._name} for {text[:60]!r}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET",
                "/search/issues",
                parameters={"q": f"repo:{self._name} is:issue {plain_words(text)}", "per_page": _MOST_FOUND},
            )
        return tuple(
            FoundIssue(number=int(item["number"]), title=str(item["title"]), state=_state(item))
            for item in answer["items"]
            if self._is_ours(item) and "pull_request" not in item
        )

    def whole_issue(self, number: int) -> WholeIssue:
        """An issue of this repository with its first comments.

        Raises:
            GitHubUnreadable: there is no such issue, it may not be read, or it is in another repository by now.
        """
        with explain_failures(f"issue #{number} of {self._name}"):
            path = f"/repos/{self._name}/issues/{number}"
            _, issue = self._repository().requester.requestJsonAndCheck("GET", path)
            if not self._is_ours(issue):
                raise GitHubUnreadable(f"Issue #{number} was moved to another repository.")
            _, comments = self._repository().requester.requestJsonAndCheck(
                "GET", f"{path}/comments", parameters={"per_page": _MOST_COMMENTS}
            )
        first_comments = tuple(map(_dated_comment, comments))
        return WholeIssue(
            number=number,
            title=str(issue["title"]),
            state=_state(issue),
            body=str(issue["body"] or ""),
            comments=first_comments,
            more_comments=max(0, int(issue.get("comments") or 0) - len(first_comments)),
        )

    def _is_ours(self, issue: dict[str, Any]) -> bool:
        """Whether an issue is of this repository: a search is answered from all that the token may read."""
        return str(issue["repository_url"]).lower().endswith(f"/repos/{self._name}".lower())

    def role_of(self, login: str) -> str:
        """GitHub's `role_name` of a user in the repository: read, triage, write, maintain, admin or none.

        `permission` maps triage to read and maintain to write, so it is used only for custom roles, whose names say
        nothing (REST: Get repository permissions for a user). GitHub knows no role of a bot or of an account that is gone.

        Raises:
            GitHubUnreadable: the role cannot be read.
        """
        from github import GithubException

        path = f"/repos/{self._name}"
        with explain_failures(f"the role of {login} in {self._name}"):
            requester = self._repository().requester
            try:
                _, answer = requester.requestJsonAndCheck(
                    "GET", f"{path}/collaborators/{quote(login, safe='')}/permission"
                )
            except GithubException as error:
                if error.status != _NOT_FOUND:
                    raise
                # A repository that the token may not see is not found either: then this refuses, too.
                requester.requestJsonAndCheck("GET", path)
                return "none"
        role = str(answer.get("role_name") or "none")
        return role if role in _STANDARD_ROLES else str(answer.get("permission") or "none")

    def comment(self, comment_id: int) -> DatedComment:
        """An issue comment.

        Raises:
            GitHubUnreadable: it was deleted, or it may not be read.
        """
        with explain_failures(f"comment {comment_id} of {self._name}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/issues/comments/{comment_id}"
            )
        return _dated_comment(answer)

    def review(self, pull_request: int, review_id: int) -> PullRequestReview:
        """A review of a pull request.

        Raises:
            GitHubUnreadable: there is no such review, or it may not be read.
        """
        with explain_failures(f"review {review_id} of #{pull_request} of {self._name}"):
            review = self._repository().get_pull(pull_request).get_review(review_id)
            comments = self._repository().get_pull(pull_request).get_single_review_comments(review_id)
            remarks = tuple(
                ReviewRemark(comment.id, comment.path, comment.line, comment.body or "")
                for comment in comments
            )
            is_dismissed = review.state.upper() == _DISMISSED_STATE
            return PullRequestReview(body=review.body or "", is_dismissed=is_dismissed, remarks=remarks)

    def job(self, job_id: int) -> WorkflowJob:
        """A job of GitHub Actions, with the end of its log.

        Raises:
            GitHubUnreadable: there is no such job, its log was deleted, or it may not be read.
        """
        import requests

        path = f"/repos/{self._name}/actions/jobs/{job_id}"
        with explain_failures(f"job {job_id} of {self._name}"):
            requester = self._repository().requester
            _, job = requester.requestJsonAndCheck("GET", path)
            headers, _ = requester.requestJsonAndCheck("GET", f"{path}/logs", follow_302_redirect=False)
            with requests.get(headers["location"], timeout=_TIMEOUT_SECONDS, stream=True) as answer:
                answer.raise_for_status()
                log = tail(answer.iter_content(_CHUNK_BYTES))
        return WorkflowJob(str(job["name"]), str(job["head_sha"]), str(job["conclusion"]), log)

    def memo(self, run_id: int, sha256: str) -> bytes:
        """The zip of the memo artifact that an earlier run uploaded, if its bytes have the digest that is expected.

        Raises:
            MemoRefused: there is none, it expired, it is too large, or its digest is another.
            GitHubUnreadable: GitHub did not answer.
        """
        with explain_failures(f"the artifacts of run {run_id}"):
            _, answer = self._repository().requester.requestJsonAndCheck(
                "GET", f"/repos/{self._name}/actions/runs/{run_id}/artifacts"
            )
        try:
            sizes = {
                artifact["id"]: artifact["size_in_bytes"]
                for artifact in answer["artifacts"]
                if artifact["name"].startswith(f"memo-{run_id}-") and not artifact["expired"]
            }
        except (KeyError, TypeError) as error:
            raise MemoRefused("GitHub's list of the artifacts cannot be read.", why=repr(error)) from error
        if not sizes:
            raise MemoRefused(f"Run {run_id} has no memo artifact, or it has expired.")
        newest = max(sizes)
        if sizes[newest] > _MEMO_MAX_BYTES:
            raise MemoRefused(f"The memo of run {run_id} has {sizes[newest]} bytes.")
        archive_bytes = self._download(newest)
        if hashlib.sha256(archive_bytes).hexdigest() != sha256:
            raise MemoRefused(
                f"The memo of run {run_id} is not the one that was recorded.",
                why="Its SHA-256 differs from the digest in the run's inputs.",
            )
        return archive_bytes

    def _download(self, artifact_id: int) -> bytes:
        """Follow the redirect by hand and without the token: the archive lies on another host."""
        import requests

        path = f"/repos/{self._name}/actions/artifacts/{artifact_id}/zip"
        try:
            with explain_failures("the memo artifact"):
                headers, _ = self._repository().requester.requestJsonAndCheck(
                    "GET", path, follow_302_redirect=False
                )
            with requests.get(headers["location"], timeout=_TIMEOUT_SECONDS, stream=True) as answer:
                answer.raise_for_status()
                return _beginning(answer.iter_content(_CHUNK_BYTES), _MEMO_MAX_BYTES + 1)
        except KeyError as error:
            raise MemoRefused("GitHub gave no address for the memo artifact.") from error
        except (requests.RequestException, ValueError) as error:
            raise MemoRefused(
                f"The memo artifact could not be downloaded: {ADDRESS_QUERY.sub('', str(error))}"
            ) from error

    def _repository(self) -> Repository:
        if self._opened is None:
            from github import Auth, Github

            client = Github(
                auth=Auth.Token(self._token) if self._token else None,
                base_url=self._api_url,
                timeout=_TIMEOUT_SECONDS,
                seconds_between_requests=0,
                user_agent="askfirst",
                lazy=True,
            )
            self._opened = (client, client.get_repo(self._name))
        return self._opened[1]


def plain_words(text: str) -> str:
    """A text as words of a search, in which qualifiers, operators and groups have no effect."""
    words = []
    for word in re.findall(r'[^\s"()]+', text):
        plain = word.isalnum() and word not in ("AND", "OR", "NOT")
        words.append(word if plain else f'"{word}"')
    while len(" ".join(words)) > _QUERY_CHARACTERS:
        words.pop()
    return " ".join(words)


def _dated_comment(comment: dict[str, Any]) -> DatedComment:
    return DatedComment(
        id=int(comment["id"]),
        author=_author(comment),
        is_person=(comment.get("user") or {}).get("type") == "User",
        changed_at=datetime.fromisoformat(comment["updated_at"]),
        body=str(comment["body"] or ""),
        written_at=datetime.fromisoformat(comment["created_at"]),
        is_of_team=comment.get("author_association") in ("OWNER", "MEMBER", "COLLABORATOR"),
    )


def _state(issue: dict[str, Any]) -> str:
    reason = issue.get("state_reason")
    return f"{issue['state']} ({reason})" if reason else str(issue["state"])


def _beginning(chunks: Iterator[bytes], limit: int) -> bytes:
    """The chunks as one value. Once it has so many bytes, the rest is not read."""
    content = bytearray()
    for chunk in chunks:
        content += chunk
        if len(content) >= limit:
            break
    return bytes(content)


def _author(item: dict[str, Any]) -> str:
    """GitHub shows `ghost` for an account that is gone, and gives no user."""
    return str((item.get("user") or {}).get("login") or "ghost")
