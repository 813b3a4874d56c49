"""Branches and pull requests of the fake GitHub."""

import dataclasses

from github_app.ports.github import (
    GitHubRefused,
    GitHubUnavailable,
    MadeCommit,
    PullRequestNow,
    Repository,
    Review,
    UnpublishableChange,
    WantedCommit,
)
from pipeline.contract.decisions import DECISIONS_PATH
from tests.github_app.fakes.people import PULL_REQUEST, REPOSITORY


class Code:
    """Branches and pull requests: what a publisher makes, found again by what it is."""

    def __init__(self) -> None:
        self.commits: dict[str, WantedCommit] = {}
        self.decisions: str | None = None
        self.base_files: dict[str, str] = {}
        self.branch = ""
        self.opened: list[tuple[str, str]] = []
        self.opened_of: list[tuple[str, str]] = []
        self.reviews: dict[int, Review] = {}
        self.is_open = True
        self.pushed: str | None = None
        self.refuses: UnpublishableChange | GitHubRefused | None = None
        self.refuses_pull_request: GitHubRefused | None = None
        self.unavailable_after_commit = False

    def start_branch(self, repository: Repository, wanted: WantedCommit) -> MadeCommit:
        return self._make(wanted)

    def continue_branch(self, repository: Repository, wanted: WantedCommit) -> MadeCommit:
        assert wanted.branch == self.branch
        if wanted not in self.commits.values() and self.pushed not in {None, wanted.base}:
            if not wanted.follows_pushes:
                raise UnpublishableChange("somebody has pushed")
            wanted = dataclasses.replace(wanted, base=self.pushed)
        self.pushed = None
        return self._make(wanted)

    def text_of(self, repository: Repository, commit: str, path: str) -> str | None:
        written = [
            file.content
            for made in self.commits.values()
            for file in made.files
            if file.path == path and file.content is not None
        ]
        if written:
            return written[-1].decode()
        return self.base_files.get(path, self.decisions if path == DECISIONS_PATH else None)

    def _make(self, wanted: WantedCommit) -> MadeCommit:
        if self.refuses is not None:
            raise self.refuses
        made = next((sha for sha, commit in self.commits.items() if commit == wanted), None)
        if made is None:
            made = f"{len(self.commits) + 1:040x}"
            self.commits[made] = wanted
            self.branch = wanted.branch
        if self.unavailable_after_commit:
            self.unavailable_after_commit = False
            raise GitHubUnavailable("502")
        return MadeCommit(wanted.branch, list(self.commits)[-1], wanted.base)

    def find(self, repository: Repository, made: MadeCommit) -> int | None:
        return PULL_REQUEST if (made.branch, made.sha) in self.opened_of else None

    def open(self, repository: Repository, branch: str, title: str, body: str) -> int:
        if self.refuses_pull_request is not None:
            raise self.refuses_pull_request
        self.opened.append((title, body))
        self.opened_of.append((branch, list(self.commits)[-1]))
        return PULL_REQUEST

    def now(self, repository: Repository, number: int) -> PullRequestNow | None:
        if number != PULL_REQUEST or not self.opened:
            return None
        body = self.opened[-1][1]
        return PullRequestNow(number, self.branch, self.head(), self.is_open, REPOSITORY.id, body)

    def describe(self, repository: Repository, number: int, body: str) -> None:
        assert number == PULL_REQUEST
        self.opened[-1] = (self.opened[-1][0], body)

    def head(self) -> str:
        return self.pushed or list(self.commits)[-1]

    def review(self, repository: Repository, number: int, review_id: int) -> Review | None:
        return self.reviews.get(review_id)

    def checks(self, repository: Repository, commit: str) -> list[str]:
        return ["CI"]
