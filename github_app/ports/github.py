"""What the App needs of GitHub, by need. Small faces, no code.

People and repositories are known by their numeric ids; names travel along because GitHub's addresses want them.
Every method of a GitHub port raises `GitHubRefused` or `GitHubUnavailable`, and nothing else, when GitHub says no.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from github_app.conversation.checks import Check
from github_app.conversation.effects import ReactionName
from github_app.conversation.transcript import Comment, Issue, Person, Role
from pipeline.contract.change import Change, FileChange
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

RECEIPTS_AT_ONCE = 5
"""Reactions that may be written without a pause between them. GitHub asks for one only in a large number of writes."""


@dataclass(frozen=True)
class Repository:
    """A repository of one installation. `id` is its identity; `full_name` (`owner/name`) is where it is today."""

    installation_id: int
    id: int
    full_name: str
    default_branch: str


@dataclass(frozen=True)
class Place:
    """Where a conversation happens: an issue or pull request of a repository."""

    repository: Repository
    issue: int


class GitHubRefused(Exception):
    """GitHub said no, and will say no again (4xx but for rate limits). `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"GitHub answered {status}: {message}")
        self.status = status
        self.message = message


class GitHubUnavailable(Exception):
    """GitHub could not say (5xx, rate limit, no connection): try the whole delivery again after some seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotYet(GitHubUnavailable):
    """Nothing is wrong: the call comes too early, by a rate limit or by our own pace, or has more to do and has come further."""


class AccessWithheld(GitHubUnavailable):
    """GitHub says no until an operator grants something: a permission, a suspended installation, the App's own key.

    Nothing was done. `advice` says what to grant, and where.
    """

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(f"{message}. {advice}")
        self.advice = advice


class AppRefused(AccessWithheld):
    """GitHub takes no request of the App at all: its key, its id, this machine's clock or its API version are wrong."""


class Issues(Protocol):
    """Issues and their comments. Writes are sent once: a POST is never retried by the client underneath."""

    def issue(self, place: Place) -> Issue:
        """The current issue."""

    def comments(self, place: Place) -> Sequence[Comment]:
        """All comments of the issue, oldest first, every page."""

    def comment(self, place: Place, comment_id: int) -> Comment | None:
        """One current comment; None when it is gone or belongs to another issue."""

    def post(self, place: Place, body: str) -> int:
        """Post a comment and return its id."""

    def edit(self, place: Place, comment_id: int, body: str) -> None:
        """Replace the text of one of our comments."""

    def react(self, place: Place, comment_id: int | None, reaction: ReactionName) -> None:
        """React to a comment, or to the issue itself where `comment_id` is None. Twice is once."""

    def add_label(self, place: Place, label: str) -> None:
        """Put a label on the issue; one that is there stays. A label that the repository lacks is created."""

    def remove_label(self, place: Place, label: str) -> None:
        """Take a label off the issue; one that is not there is no error."""


class Permissions(Protocol):
    """What a person may do in a repository."""

    def role(self, repository: Repository, person: Person) -> Role:
        """The person's `role_name` today, by the collaborator permission API.

        `Role.NONE` when GitHub knows no such collaborator, or when the login now belongs to another numeric id.
        """


@dataclass(frozen=True)
class WorkflowRun:
    """A workflow run as GitHub describes it. Nothing in it was written by the run itself.

    `path` is the workflow file without any `@ref`. `conclusion` is None until the run has completed.
    """

    id: int
    attempt: int
    path: str
    event: str
    display_title: str
    status: str
    conclusion: str | None
    head_branch: str | None
    head_sha: str
    head_repository_id: int | None


@dataclass(frozen=True)
class Lags:
    """Seconds after which GitHub shows what it took: a comment or a commit, and a run in its list.

    Until then what was sent and got no answer is not sent again.
    """

    comment: float = 3.0
    run: float = 60.0


class Workflows(Protocol):
    """Starting, finding and stopping runs of the workflow `.github/workflows/askfirst.yml`."""

    def dispatch(self, repository: Repository, inputs: Mapping[str, str]) -> int | None:
        """Start a run on the default branch by `workflow_dispatch`, sent once; its run id, or None if not told.

        Raises:
            GitHubRefused: no such workflow, workflow disabled, or Actions switched off.
        """

    def find(self, repository: Repository, run_name: str) -> WorkflowRun | None:
        """The newest `workflow_dispatch` run of the workflow with exactly this run-name (`display_title`)."""

    def run(self, repository: Repository, run_id: int) -> WorkflowRun | None:
        """One run in its current state, its newest attempt; None when GitHub knows none."""

    def step(self, repository: Repository, run_id: int) -> str | None:
        """The step that a run is at, by the name that its workflow gives it; None where GitHub shows none."""

    def source(self, repository: Repository, commit: str) -> str:
        """The text of the workflow file of a commit; "" where there is none, or the App may read no code."""

    def cancel(self, repository: Repository, run_id: int) -> None:
        """Ask GitHub to cancel a run; one that has ended is no error."""

    def rerun(self, repository: Repository, run_id: int, attempt: int) -> None:
        """Run a run again after an attempt has ended. Do nothing if it has a later attempt.

        Raises:
            GitHubRefused: it can no longer be run again.
        """


class ArtifactRefused(Exception):
    """An artifact that is too large, not what its digest says, no plain zip, or no valid document. Says why."""


@dataclass(frozen=True)
class Ending:
    """The one document by which a run says how it ended, and the digest of the artifact that held it.

    `change` comes with a ticket only: shaped as the contract says, and not checked any further.
    """

    document: Clarification | Failure | Ticket
    digest: str
    change: Change | None = None


class Artifacts(Protocol):
    """What a run left behind. Fetched within limits, compared with its digest, parsed; never believed as identity."""

    def ending(self, repository: Repository, run_id: int, attempt: int) -> Ending | None:
        """The ending of a run, out of `clarification-<run_id>-<attempt>`; None when there is none, or it expired.

        Raises:
            ArtifactRefused: there is one, and it must not be used.
        """

    def memo_sha256(self, repository: Repository, run_id: int, attempt: int) -> str | None:
        """SHA-256 (64 hex digits) of the run's `memo-…` artifact as GitHub states it; None when there is none."""

    def cost(self, repository: Repository, run_id: int, attempt: int) -> float | None:
        """The dollars that a run tells in its record; None where it tells none.

        Raises:
            ArtifactRefused: there is a record, and it must not be used.
        """


class UnpublishableChange(Exception):
    """A change that cannot become a commit where it belongs. Says why, in a sentence without its full stop."""


@dataclass(frozen=True)
class WantedCommit:
    """One commit to be made. `base` is the commit against which the files were written.

    `branch` is what a new branch is called, or the branch that the commit continues. `message` is the same for the same
    run, however often it is asked for: by it the commit is found again. `follows_pushes` says whether a branch that others
    have moved is continued.
    """

    base: str
    files: tuple[FileChange, ...]
    message: str
    branch: str
    follows_pushes: bool = True


@dataclass(frozen=True)
class MadeCommit:
    """A commit at the head of a branch. `base` is its parent; another one than was wanted if the branch had moved."""

    branch: str
    sha: str
    base: str


class Publisher(Protocol):
    """Making commits. Each call takes a token of its own that may write contents of this one repository, and ends it.

    A commit that an earlier attempt has made is found at the head of its branch, or right below it.
    """

    def start_branch(self, repository: Repository, commit: WantedCommit) -> MadeCommit:
        """A new branch with one commit, or the one that an earlier attempt has made. Signed by GitHub as the App's.

        A default branch that has moved is followed if none of the files differ there. A name that is taken gets a number.

        Raises:
            ChangeRefused: a file differs on the newest default branch, a path leads through a link or is none.
        """

    def continue_branch(self, repository: Repository, commit: WantedCommit) -> MadeCommit:
        """One more commit on a branch, fast-forward, or the one that an earlier attempt has made.

        Raises:
            ChangeRefused: as above; the branch is gone, others changed the same files on it, or pushed at all where
                the commit follows no pushes.
        """

    def text_of(self, repository: Repository, commit: str, path: str) -> str | None:
        """A file of a commit as text; None where there is no such file.

        Raises:
            ChangeRefused: the path holds no file of UTF-8 text.
        """


@dataclass(frozen=True)
class Review:
    """A review in its current state. `remarks` are its comments on lines: comment id, path, text."""

    id: int
    author: Person
    body: str
    state: str
    remarks: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True)
class PullRequestNow:
    """A pull request in its current state. `head_repository_id` is None where a fork was deleted."""

    number: int
    branch: str
    head: str
    is_open: bool
    head_repository_id: int | None
    body: str = ""


class PullRequests(Protocol):
    """Pull requests and their reviews."""

    def find(self, repository: Repository, commit: MadeCommit) -> int | None:
        """The newest pull request of exactly this commit into the default branch, in whatever state.

        One of an earlier branch of the same name, which was merged or deleted since, has another commit at its head.
        """

    def open(self, repository: Repository, branch: str, title: str, body: str) -> int:
        """Open a draft into the default branch, sent once, and return its number.

        A repository whose plan has no drafts gets a pull request that is none.
        """

    def describe(self, repository: Repository, number: int, body: str) -> None:
        """Replace the description of one of our pull requests."""

    def now(self, repository: Repository, number: int) -> PullRequestNow | None:
        """One pull request, or None."""

    def review(self, repository: Repository, number: int, review_id: int) -> Review | None:
        """A review with its remarks, or None."""

    def checks(self, repository: Repository, commit: str) -> Sequence[str]:
        """The names of the workflows that a pull request of this commit starts, as far as their files show it."""


class Checks(Protocol):
    """What CI says of a commit."""

    def of(self, repository: Repository, commit: str) -> Sequence[Check]:
        """The newest run of every check on a commit; one of each suite where two have the same name."""
