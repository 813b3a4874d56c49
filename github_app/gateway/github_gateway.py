"""Issues, permissions and workflows of GitHub over REST: the ports of `github_app.ports`, one class per port."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime
from urllib.parse import quote

from pydantic import Base64Bytes

from github_app.conversation.effects import ReactionName
from github_app.conversation.transcript import Comment, Issue, Person, Role
from github_app.gateway.app_auth import TokenScope
from github_app.gateway.connections import Connections
from github_app.gateway.rest import Rest, RestAnswer
from github_app.intake.delivery import CommentPayload, IssuePayload, LabelPayload, User, WorkflowRunPayload
from github_app.ports.github import AccessWithheld, GitHubRefused, Place, Repository, WorkflowRun

WORKFLOW_FILE = "askfirst.yml"
"""Name of the workflow file under `.github/workflows`."""

_NOT_FOUND, _CONFLICT, _UNPROCESSABLE = 404, 409, 422
_IN_PROGRESS = "in_progress"
_LABEL_COLOUR = "5319e7"
_RUNS_LOOKED_AT = 300


_GHOST = User(id=10137, login="ghost")
"""GitHub shows this account in place of one that was deleted, and null in some answers."""


def person_of(user: User | None) -> Person:
    """Who a user of an answer is."""
    account = user or _GHOST
    return Person(account.id, account.login, is_bot=account.type != "User")


class _Issue(IssuePayload):
    assignees: tuple[User, ...] | None = None


class _Comment(CommentPayload):
    created_at: datetime
    updated_at: datetime
    issue_url: str = ""

    def comment(self) -> Comment:
        return Comment(
            id=self.id,
            author=person_of(self.user),
            body=self.body or "",
            created_at=self.created_at,
            updated_at=self.updated_at,
            app_id=self.performed_via_github_app.id if self.performed_via_github_app else None,
        )


class _CommentId(RestAnswer):
    id: int


class GitHubIssues:
    """`github_app.ports.github.Issues`: the issue, its comments, reactions and labels."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def issue(self, place: Place) -> Issue:
        """The current state of the issue."""
        issue = self._reader(place).get(_Issue, _issue_path(place))
        return Issue(
            number=issue.number,
            title=issue.title,
            body=issue.body or "",
            author=person_of(issue.user),
            assignee_ids=frozenset(user.id for user in issue.assignees or ()),
            labels=frozenset(label.name for label in issue.labels),
            is_open=issue.state == "open",
            is_locked=issue.locked,
            is_pull_request=issue.pull_request is not None,
        )

    def comments(self, place: Place) -> Sequence[Comment]:
        """All comments of the issue, oldest first, every page."""
        return [
            comment.comment()
            for comment in self._reader(place).pages(_Comment, f"{_issue_path(place)}/comments")
        ]

    def comment(self, place: Place, comment_id: int) -> Comment | None:
        """The current state of a comment; None when it is gone or belongs to another issue."""
        comment = self._reader(place).find(_Comment, _comment_path(place, comment_id))
        is_here = comment is not None and comment.issue_url.endswith(f"/issues/{place.issue}")
        return comment.comment() if comment is not None and is_here else None

    def post(self, place: Place, body: str) -> int:
        """Post a comment and return its id."""
        return (
            self._writer(place).send("POST", f"{_issue_path(place)}/comments", {"body": body}, _CommentId).id
        )

    def edit(self, place: Place, comment_id: int, body: str) -> None:
        """Replace the text of one of our comments."""
        self._writer(place).send("PATCH", _comment_path(place, comment_id), {"body": body}, _CommentId)

    def react(self, place: Place, comment_id: int | None, reaction: ReactionName) -> None:
        """React to a comment, or to the issue itself where `comment_id` is None. Twice is once."""
        target = _issue_path(place) if comment_id is None else _comment_path(place, comment_id)
        self._writer(place).send("POST", f"{target}/reactions", {"content": reaction.value}, RestAnswer)

    def add_label(self, place: Place, label: str) -> None:
        """Put a label on the issue; one that is there stays. A label that the repository lacks is created."""
        writer = self._writer(place)
        labels = f"/repos/{place.repository.full_name}/labels"
        if writer.find(RestAnswer, f"{labels}/{quote(label, safe='')}") is None:
            self._create_label(writer, labels, label)
        writer.request("POST", f"{_issue_path(place)}/labels", body={"labels": [label]})

    def remove_label(self, place: Place, label: str) -> None:
        """Take a label off the issue; one that is not there is no error, and costs no write."""
        labels = f"{_issue_path(place)}/labels"
        if label not in {issue_label.name for issue_label in self._reader(place).pages(LabelPayload, labels)}:
            return
        try:
            self._writer(place).request("DELETE", f"{labels}/{quote(label, safe='')}")
        except GitHubRefused as refusal:
            if refusal.status != _NOT_FOUND:
                raise

    @staticmethod
    def _create_label(writer: Rest, labels: str, label: str) -> None:
        """Create a label; 422 says that somebody else was faster."""
        try:
            writer.send("POST", labels, {"name": label, "color": _LABEL_COLOUR}, RestAnswer)
        except GitHubRefused as refusal:
            if refusal.status != _UNPROCESSABLE:
                raise

    def _reader(self, place: Place) -> Rest:
        return self._connections.to(place.repository, TokenScope.READ_ISSUES)

    def _writer(self, place: Place) -> Rest:
        return self._connections.to(place.repository, TokenScope.WRITE_ISSUES)


class _Permission(RestAnswer):
    permission: str
    role_name: str = ""
    user: User | None = None


class GitHubPermissions:
    """`github_app.ports.github.Permissions` by the collaborator permission API."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def role(self, repository: Repository, person: Person) -> Role:
        """The person's role today; `Role.NONE` for a stranger, and for a login that belongs to another id now.

        A custom role is worth its `permission`, which GitHub rounds down to admin, write, read or none.
        """
        path = f"/repos/{repository.full_name}/collaborators/{quote(person.login, safe='')}/permission"
        permission = self._connections.to(repository, TokenScope.READ_ROLES).find(_Permission, path)
        if permission is None or permission.user is None or permission.user.id != person.id:
            return Role.NONE
        names = {role.value: role for role in Role}
        return names.get(permission.role_name) or names.get(permission.permission) or Role.NONE


class _Run(WorkflowRunPayload):
    status: str | None = None

    def workflow_run(self) -> WorkflowRun:
        """In our words. Some answers append `@ref` to the path: only the file counts."""
        return WorkflowRun(
            id=self.id,
            attempt=self.run_attempt,
            path=self.path.partition("@")[0],
            event=self.event,
            display_title=self.display_title,
            status=self.status or "",
            conclusion=self.conclusion,
            head_branch=self.head_branch,
            head_sha=self.head_sha,
            head_repository_id=self.head_repository.id if self.head_repository else None,
        )


class _Step(RestAnswer):
    name: str
    status: str


class _Job(RestAnswer):
    steps: tuple[_Step, ...] | None = None


class _File(RestAnswer):
    content: Base64Bytes


class _DispatchedRun(RestAnswer):
    workflow_run_id: int | None = None


class GitHubWorkflows:
    """`github_app.ports.github.Workflows`. Starting and cancelling take a token of their own; looking takes a weaker one."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def dispatch(self, repository: Repository, inputs: Mapping[str, str]) -> int | None:
        """Start a run on the default branch by `workflow_dispatch`, sent once; its run id, or None if not told.

        Raises:
            GitHubRefused: no such workflow, workflow disabled, or Actions switched off.
        """
        path = f"/repos/{repository.full_name}/actions/workflows/{WORKFLOW_FILE}/dispatches"
        body = {"ref": repository.default_branch, "inputs": dict(inputs)}
        starter = self._connections.to(repository, TokenScope.START_RUNS)
        return starter.send("POST", path, body, _DispatchedRun).workflow_run_id

    def find(self, repository: Repository, run_name: str) -> WorkflowRun | None:
        """The newest `workflow_dispatch` run of the workflow with exactly this run-name (`display_title`)."""
        path = f"/repos/{repository.full_name}/actions/workflows/{WORKFLOW_FILE}/runs"
        reader = self._connections.to(repository, TokenScope.READ_RUNS)
        runs = reader.pages(_Run, path, within="workflow_runs", event="workflow_dispatch")
        newest = itertools.islice(runs, _RUNS_LOOKED_AT)
        return next((run.workflow_run() for run in newest if run.display_title == run_name), None)

    def run(self, repository: Repository, run_id: int) -> WorkflowRun | None:
        """The current state of a run, its newest attempt; None when GitHub knows none."""
        path = f"/repos/{repository.full_name}/actions/runs/{run_id}"
        run = self._connections.to(repository, TokenScope.READ_RUNS).find(_Run, path)
        return None if run is None else run.workflow_run()

    def step(self, repository: Repository, run_id: int) -> str | None:
        """The step that a run is at, by the name that its workflow gives it; None where GitHub shows none."""
        path = f"/repos/{repository.full_name}/actions/runs/{run_id}/jobs"
        jobs = self._connections.to(repository, TokenScope.READ_RUNS).pages(
            _Job, path, within="jobs", filter="latest"
        )
        steps = (step for job in jobs for step in job.steps or ())
        return next((step.name for step in steps if step.status == _IN_PROGRESS), None)

    def source(self, repository: Repository, commit: str) -> str:
        """The text of the workflow file of a commit; "" where there is none, or the App may read no code."""
        path = f"/repos/{repository.full_name}/contents/.github/workflows/{WORKFLOW_FILE}"
        try:
            file = self._connections.to(repository, TokenScope.READ_CONTENTS).find(_File, path, ref=commit)
        except AccessWithheld:
            return ""
        return "" if file is None else file.content.decode("utf-8", "replace")

    def cancel(self, repository: Repository, run_id: int) -> None:
        """Ask GitHub to cancel a run; one that has ended is no error."""
        path = f"/repos/{repository.full_name}/actions/runs/{run_id}/cancel"
        try:
            self._connections.to(repository, TokenScope.START_RUNS).send("POST", path, None, RestAnswer)
        except GitHubRefused as refusal:
            if refusal.status != _CONFLICT:
                raise

    def rerun(self, repository: Repository, run_id: int, attempt: int) -> None:
        """Run a run again after an attempt has ended. Do nothing if it has a later attempt.

        Raises:
            GitHubRefused: it can no longer be run again.
        """
        run = self.run(repository, run_id)
        if run is None or run.attempt <= attempt:
            path = f"/repos/{repository.full_name}/actions/runs/{run_id}/rerun"
            self._connections.to(repository, TokenScope.START_RUNS).send("POST", path, None, RestAnswer)


def _issue_path(place: Place) -> str:
    return f"/repos/{place.repository.full_name}/issues/{place.issue}"


def _comment_path(place: Place, comment_id: int) -> str:
    return f"/repos/{place.repository.full_name}/issues/comments/{comment_id}"
