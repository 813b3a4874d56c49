"""What exists on the sandbox's GitHub: accounts, repositories, issues, runs. Data only; `world` changes it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any

from sandbox.world.git_repository import GitRepository

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
"""GitHub's words for its eight reactions."""


class Role(IntEnum):
    """What somebody may do in a repository, in rising order; names are GitHub's `role_name`."""

    NONE = 0
    READ = 1
    TRIAGE = 2
    WRITE = 3
    MAINTAIN = 4
    ADMIN = 5

    @property
    def role_name(self) -> str:
        """GitHub's word for the role."""
        return self.name.lower()

    @property
    def permission(self) -> str:
        """The older, coarser word: GitHub shows triage as read and maintain as write."""
        return {Role.TRIAGE: Role.READ, Role.MAINTAIN: Role.WRITE}.get(self, self).role_name


class AccountType(StrEnum):
    """GitHub's kinds of accounts."""

    USER = "User"
    ORGANIZATION = "Organization"
    BOT = "Bot"


class RunStatus(StrEnum):
    """How far a run is."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass
class Account:
    """A user, an organization or a bot."""

    id: int
    login: str
    type: AccountType
    created_at: datetime


@dataclass
class RegisteredApp:
    """The one GitHub App this GitHub knows, with its secrets. `other_keys` are private keys that it has besides the first."""

    id: int
    client_id: str
    slug: str
    name: str
    owner: Account
    bot: Account
    private_key_pem: str
    webhook_secret: str
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime
    webhook_url: str | None = None
    other_keys: tuple[str, ...] = ()


@dataclass
class Installation:
    """The App on one account. `repository_ids` is None for all repositories of the account."""

    id: int
    account: Account
    permissions: dict[str, str]
    created_at: datetime
    repository_ids: set[int] | None = None
    suspended_at: datetime | None = None


class TokenKind(StrEnum):
    """Whose word a token is."""

    USER = "user"
    INSTALLATION = "installation"
    JOB = "job"


@dataclass
class Token:
    """A credential. `repository_ids` is None where it is not narrowed; `permissions` is empty for a user's token."""

    value: str
    kind: TokenKind
    account: Account
    permissions: dict[str, str]
    repository_ids: set[int] | None
    expires_at: datetime | None
    installation_id: int | None = None
    is_revoked: bool = False


@dataclass
class Label:
    """A label of a repository."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass
class Reaction:
    """One reaction of one account; `content` is GitHub's word, such as `eyes`."""

    id: int
    content: str
    user: Account
    created_at: datetime


@dataclass
class Comment:
    """A comment in the conversation of an issue or pull request."""

    id: int
    body: str
    user: Account
    created_at: datetime
    updated_at: datetime
    via_app: bool = False
    reactions: list[Reaction] = field(default_factory=list)


@dataclass
class PullRequest:
    """What a pull request has besides an issue's fields."""

    id: int
    head_branch: str
    base_branch: str
    head_sha: str
    base_sha: str
    draft: bool
    merged_at: datetime | None = None
    reviews: list["Review"] = field(default_factory=list)


@dataclass(frozen=True)
class ReviewComment:
    """A comment of a review on a line of a file."""

    id: int
    path: str
    line: int
    body: str


@dataclass
class Review:
    """A review of a pull request; `state` is GitHub's lower-case word of the webhook."""

    id: int
    user: Account
    body: str | None
    state: str
    commit_id: str
    submitted_at: datetime
    remarks: tuple[ReviewComment, ...] = ()


@dataclass
class Issue:
    """An issue, or the conversation side of a pull request: both share numbers."""

    id: int
    number: int
    title: str
    body: str | None
    user: Account
    created_at: datetime
    updated_at: datetime
    via_app: bool = False
    state: str = "open"
    state_reason: str | None = None
    closed_at: datetime | None = None
    closed_by: Account | None = None
    is_locked: bool = False
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    pull_request: PullRequest | None = None


@dataclass
class Artifact:
    """A zip that a run left. `digest` is `sha256:<hex>` of its bytes."""

    id: int
    name: str
    content: bytes
    digest: str
    created_at: datetime
    expires_at: datetime
    is_deleted: bool = False


@dataclass
class Run:
    """One run of a workflow. `event_payload` is what the job reads as `GITHUB_EVENT_PATH`; a re-run reads it again."""

    id: int
    number: int
    workflow_id: int
    path: str
    name: str
    event: str
    event_payload: dict[str, Any]
    head_branch: str
    head_sha: str
    actor: Account
    created_at: datetime
    updated_at: datetime
    group: str
    attempt: int = 1
    rerun_by: Account | None = None
    status: RunStatus = RunStatus.QUEUED
    conclusion: str | None = None
    exit_code: int | None = None
    artifacts: list[Artifact] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    log: str = ""


@dataclass
class CheckRun:
    """One check of a commit. `app` is the slug of who reports it; `log` is there where it is a job of Actions."""

    id: int
    suite_id: int
    name: str
    head_sha: str
    app: str
    status: RunStatus
    started_at: datetime
    completed_at: datetime | None = None
    conclusion: str | None = None
    log: str = ""


@dataclass
class CheckSuite:
    """The checks that one workflow run, or one other App, reports on a commit; a check that ran again is there twice."""

    id: int
    head_branch: str
    head_sha: str
    app: str
    created_at: datetime
    updated_at: datetime
    runs: list[CheckRun] = field(default_factory=list)


@dataclass
class Workflow:
    """A workflow file on the default branch."""

    id: int
    path: str
    name: str
    created_at: datetime


@dataclass
class Repository:
    """A repository with its git objects on disk and its conversations in memory."""

    id: int
    owner: Account
    name: str
    private: bool
    default_branch: str
    git: GitRepository
    created_at: datetime
    pushed_at: datetime
    roles: dict[int, Role] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    runs: dict[int, Run] = field(default_factory=dict)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    check_suites: dict[int, CheckSuite] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"


@dataclass
class WebhookDelivery:
    """One attempt to bring an event to the App. Attempts of the same event share the `guid`, never the `id`."""

    id: int
    guid: str
    event: str
    action: str | None
    body: bytes
    headers: dict[str, str]
    installation_id: int | None
    repository_id: int | None
    delivered_at: datetime
    redelivery: bool = False
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    response_body: str = ""
    is_lost: bool = False

    @property
    def is_acknowledged(self) -> bool:
        """Whether the App answered with a 2xx."""
        return 200 <= self.status_code < 300
