"""Turn a webhook payload into our own words, once: only the fields that are used, everything else ignored."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError


class UnusableDelivery(ValueError):
    """A delivery of ours that lacks a field we need: GitHub changed its payload, or it is not GitHub's."""


class _Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(_Payload):
    """An account. `type` is `User`, `Bot`, `Organization` or `Mannequin`."""

    id: int
    login: str
    type: str = "User"


class InstallationId(_Payload):
    """The installation of our App that a delivery is for."""

    id: int


class RepositoryPayload(_Payload):
    """The repository, as every delivery describes it."""

    id: int
    full_name: str
    default_branch: str


class IdOnly(_Payload):
    """An object of which only the id matters."""

    id: int


class LabelPayload(_Payload):
    """A label, in small letters: GitHub and the `if` of a workflow take names for equal that differ only in their case."""

    name: Annotated[str, StringConstraints(to_lower=True)]


class IssuePayload(_Payload):
    """An issue as it stood when the delivery was sent. `pull_request` is there when it is one."""

    number: int
    title: str
    body: str | None = None
    state: str = "open"
    locked: bool = False
    user: User | None = None
    updated_at: datetime
    labels: tuple[LabelPayload, ...] = ()
    pull_request: Mapping[str, Any] | None = None


class CommentPayload(_Payload):
    """A comment as it stood when the delivery was sent."""

    id: int
    body: str | None = None
    user: User | None = None
    created_at: datetime | None = None
    performed_via_github_app: IdOnly | None = None


class _From(_Payload):
    text: str | None = Field(default=None, alias="from")


class Changes(_Payload):
    """What an edit replaced."""

    title: _From | None = None
    body: _From | None = None


class WorkflowRunPayload(_Payload):
    """A workflow run, in GitHub's words; nothing in it was written by the run."""

    id: int
    run_attempt: int = 1
    path: str
    event: str
    display_title: str = ""
    conclusion: str | None = None
    head_branch: str | None = None
    head_sha: str
    head_repository: IdOnly | None = None
    actor: User | None = None
    created_at: datetime
    updated_at: datetime | None = None


class _ForRepository(_Payload):
    installation: InstallationId
    repository: RepositoryPayload
    sender: User


class IssueDelivery(_ForRepository):
    """Something happened to an issue itself."""

    event: Literal["issues"] = "issues"
    action: Literal["labeled", "unlabeled", "edited", "closed"]
    issue: IssuePayload
    label: LabelPayload | None = None


class CommentDelivery(_ForRepository):
    """Something happened to a comment; those on pull requests arrive here too."""

    event: Literal["issue_comment"] = "issue_comment"
    action: Literal["created", "edited", "deleted"]
    issue: IssuePayload
    comment: CommentPayload
    changes: Changes | None = None


class RunDelivery(_ForRepository):
    """A workflow run was queued, has started or has completed."""

    event: Literal["workflow_run"] = "workflow_run"
    action: Literal["requested", "in_progress", "completed"]
    workflow_run: WorkflowRunPayload


class BranchPayload(_Payload):
    """The head of a pull request."""

    ref: str


class PullRequestPayload(_Payload):
    """A pull request that was reviewed."""

    number: int
    head: BranchPayload


class ReviewDelivery(_ForRepository):
    """Somebody reviewed a pull request."""

    event: Literal["pull_request_review"] = "pull_request_review"
    action: Literal["submitted"]
    pull_request: PullRequestPayload
    review: IdOnly


class CheckSuitePayload(_Payload):
    """The checks of one workflow run, or of one other App, on one commit."""

    head_branch: str | None = None


class CheckSuiteDelivery(_ForRepository):
    """The checks of a commit on a branch of ours have ended."""

    event: Literal["check_suite"] = "check_suite"
    action: Literal["completed"]
    check_suite: CheckSuitePayload

    @property
    def issue(self) -> int | None:
        """The issue for which the branch is called; None for a branch that is not ours."""
        return issue_of_branch(self.check_suite.head_branch or "")


class InstallationDelivery(_Payload):
    """The App was installed, removed or changed somewhere."""

    event: Literal["installation"] = "installation"
    action: str
    installation: InstallationId


RepositoryDelivery = IssueDelivery | CommentDelivery | RunDelivery | ReviewDelivery | CheckSuiteDelivery
"""Something that happened in a repository."""

Delivery = RepositoryDelivery | InstallationDelivery

_MODELS: dict[str, type[RepositoryDelivery | InstallationDelivery]] = {
    "issues": IssueDelivery,
    "issue_comment": CommentDelivery,
    "workflow_run": RunDelivery,
    "pull_request_review": ReviewDelivery,
    "check_suite": CheckSuiteDelivery,
    "installation": InstallationDelivery,
}

RUN_NAME = re.compile(r"askfirst #([1-9]\d{0,17})(?: ([0-9a-f]{32}))? ?", re.ASCII)
"""The run-name of our workflow: the issue's number and, for a run that the App started, its nonce. No title, ever."""


def parse_delivery(event: str, payload: bytes | Mapping[str, Any]) -> Delivery | None:
    """A delivery in our words; None for an event or an action that is not ours, which are many and grow.

    Checks of other branches and starts of other workflows are not ours either: every push of everybody brings some, and
    none is stored.

    Raises:
        UnusableDelivery: the event is ours, and a field that we need is missing.
    """
    model = _MODELS.get(event)
    if model is None:
        return None
    try:
        if isinstance(payload, bytes):
            delivery = model.model_validate_json(payload)
        else:
            delivery = model.model_validate(payload)
    except ValidationError as error:
        if any(problem["loc"] == ("action",) for problem in error.errors()):
            return None
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UnusableDelivery(f"{event}: {field}: {first['msg']}") from error
    return delivery if _is_ours(delivery) else None


def _is_ours(delivery: Delivery) -> bool:
    match delivery:
        case CheckSuiteDelivery():
            return delivery.issue is not None
        case RunDelivery(action="requested" | "in_progress"):
            return run_name_parts(delivery.workflow_run.display_title) is not None
        case _:
            return True


def run_name_parts(display_title: str) -> tuple[int, str | None] | None:
    """Issue number and nonce in a run's name; None when it is not exactly of our form."""
    match = RUN_NAME.fullmatch(display_title)
    return (int(match.group(1)), match.group(2)) if match else None


BRANCH = re.compile(r"askfirst/([1-9]\d{0,17})-[a-z0-9-]+", re.ASCII)
"""A branch of ours, and the issue that it is for. Anybody who may push can call a branch so."""


def issue_of_branch(branch: str) -> int | None:
    """The issue for which a branch of ours is called; None for other branches."""
    match = BRANCH.fullmatch(branch)
    return int(match.group(1)) if match else None


def conversation_key(
    delivery: Delivery, issue_of_pull_request: Callable[[int, int], int | None] = lambda _id, _number: None
) -> str:
    """What deliveries are handled one after another: those of one conversation.

    A run goes by the number in its run-name, what happens on a pull request by the issue that led to it. That orders
    the work and decides nothing.
    """
    match delivery:
        case CommentDelivery() if delivery.issue.pull_request is not None:
            number = delivery.issue.number
            return (
                f"{delivery.repository.id}#{issue_of_pull_request(delivery.repository.id, number) or number}"
            )
        case IssueDelivery() | CommentDelivery():
            return f"{delivery.repository.id}#{delivery.issue.number}"
        case RunDelivery():
            parts = run_name_parts(delivery.workflow_run.display_title)
            return f"{delivery.repository.id}#{parts[0] if parts else 'other'}"
        case ReviewDelivery():
            pull_request = delivery.pull_request
            number = issue_of_branch(pull_request.head.ref) or pull_request.number
            return f"{delivery.repository.id}#{number}"
        case CheckSuiteDelivery():
            return f"{delivery.repository.id}#{delivery.issue}"
        case InstallationDelivery():
            return f"installation:{delivery.installation.id}"
