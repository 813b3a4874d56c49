"""Conversations as state: issues, their comments, labels and reactions."""

from typing import Any

from sandbox.world.refusals import Forbidden, Invalid, NotFound
from sandbox.world.state import REACTIONS, Comment, Issue, Label, Reaction, Repository, Role
from sandbox.world.world import Actor, Happening, World

MAX_BODY = 65_536
"""Characters of an issue's or comment's body."""


class IssueOperations:
    """What people and Apps do to issues. Pull requests are issues here, and announced under their own name."""

    def __init__(self, world: World) -> None:
        self._world = world

    def open_issue(self, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
        """Open an issue."""
        with self._world.lock:
            issue = self.add_issue(repository, actor, title, body)
            self._tell_issue("opened", repository, issue, actor)
            return issue

    def add_issue(self, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
        """Put an issue into the repository without announcing it (pull requests are announced as such)."""
        _check_title(title)
        _check_body("Issue", body)
        now = self._world.clock.now()
        number = len(repository.issues) + 1
        issue = Issue(
            self._world.next_id(), number, title, body, actor.account, now, now, via_app=actor.via_app
        )
        repository.issues[number] = issue
        return issue

    def issue(self, repository: Repository, number: int) -> Issue:
        """The issue or pull request of that number."""
        if number not in repository.issues:
            raise NotFound
        return repository.issues[number]

    def edit_issue(
        self, repository: Repository, issue: Issue, actor: Actor, *, title: str | None, body: str | None
    ) -> None:
        """Give an issue another title or body; None leaves what is there."""
        with self._world.lock:
            changes = {}
            if title is not None and title != issue.title:
                _check_title(title)
                changes["title"] = {"from": issue.title}
                issue.title = title
            if body is not None and body != issue.body:
                _check_body("Issue", body)
                changes["body"] = {"from": issue.body or ""}
                issue.body = body
            if changes:
                self._tell_issue("edited", repository, issue, actor, changes=changes)

    def set_issue_state(
        self, repository: Repository, issue: Issue, actor: Actor, state: str, reason: str | None = None
    ) -> None:
        """Close or reopen."""
        if state not in ("open", "closed"):
            raise Invalid("Validation Failed", [{"resource": "Issue", "code": "invalid", "field": "state"}])
        with self._world.lock:
            if issue.state == state:
                return
            closing = state == "closed"
            issue.state = state
            issue.state_reason = reason or ("completed" if closing else "reopened")
            issue.closed_at = self._world.clock.now() if closing else None
            issue.closed_by = actor.account if closing else None
            self._tell_issue("closed" if closing else "reopened", repository, issue, actor)

    def set_lock(self, repository: Repository, issue: Issue, actor: Actor, *, is_locked: bool) -> None:
        """Lock or unlock the conversation."""
        with self._world.lock:
            issue.is_locked = is_locked
            self._tell_issue("locked" if is_locked else "unlocked", repository, issue, actor)

    def add_labels(self, repository: Repository, issue: Issue, actor: Actor, names: list[str]) -> None:
        """Put labels on an issue: one event for each that was not there."""
        with self._world.lock:
            for label in [self._world.label(repository, name) for name in names]:
                if label not in issue.labels:
                    issue.labels.append(label)
                    self._tell_issue("labeled", repository, issue, actor, label=label)

    def remove_label(self, repository: Repository, issue: Issue, actor: Actor, name: str) -> None:
        """Take a label off."""
        with self._world.lock:
            for label in issue.labels:
                if label.name.lower() == name.lower():
                    issue.labels.remove(label)
                    self._tell_issue("unlabeled", repository, issue, actor, label=label)
                    return
            raise NotFound

    def react(self, reactions: list[Reaction], actor: Actor, content: str) -> tuple[Reaction, bool]:
        """Add a reaction and say whether it is new. GitHub announces reactions to nobody."""
        if content not in REACTIONS:
            raise Invalid(
                "Validation Failed", [{"resource": "Reaction", "code": "invalid", "field": "content"}]
            )
        with self._world.lock:
            for reaction in reactions:
                if reaction.user is actor.account and reaction.content == content:
                    return reaction, False
            reaction = Reaction(self._world.next_id(), content, actor.account, self._world.clock.now())
            reactions.append(reaction)
            return reaction, True

    def add_comment(self, repository: Repository, issue: Issue, actor: Actor, body: str) -> Comment:
        """Comment on an issue or pull request. A locked conversation is open to writers only."""
        _check_body("IssueComment", body, is_required=True)
        with self._world.lock:
            if (
                issue.is_locked
                and not actor.via_app
                and self._world.role(repository, actor.account) < Role.WRITE
            ):
                raise Forbidden("Unable to create comment because issue is locked.")
            now = self._world.clock.now()
            comment = Comment(self._world.next_id(), body, actor.account, now, now, via_app=actor.via_app)
            issue.comments.append(comment)
            issue.updated_at = now
            self._tell_comment("created", repository, issue, comment, actor)
            return comment

    def find_comment(self, repository: Repository, comment_id: int) -> tuple[Issue, Comment]:
        """A comment and the issue it stands in."""
        for issue in repository.issues.values():
            for comment in issue.comments:
                if comment.id == comment_id:
                    return issue, comment
        raise NotFound

    def edit_comment(self, repository: Repository, comment_id: int, actor: Actor, body: str) -> Comment:
        """Change a comment: its author may, and everybody with write access."""
        _check_body("IssueComment", body, is_required=True)
        with self._world.lock:
            issue, comment = self.find_comment(repository, comment_id)
            changes = {"body": {"from": comment.body}}
            if body != comment.body:
                comment.body = body
                comment.updated_at = self._world.clock.now()
                self._tell_comment("edited", repository, issue, comment, actor, changes)
            return comment

    def delete_comment(self, repository: Repository, comment_id: int, actor: Actor) -> None:
        """Delete a comment."""
        with self._world.lock:
            issue, comment = self.find_comment(repository, comment_id)
            issue.comments.remove(comment)
            self._tell_comment("deleted", repository, issue, comment, actor)

    def _tell_issue(
        self,
        action: str,
        repository: Repository,
        issue: Issue,
        actor: Actor,
        *,
        label: Label | None = None,
        changes: dict[str, Any] | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        issue.updated_at = self._world.clock.now()
        event = "pull_request" if issue.pull_request else "issues"
        self._world.tell(
            Happening(
                event,
                action,
                actor.account,
                repository,
                issue,
                label=label,
                changes=changes,
                extra=extra or {},
            )
        )

    def _tell_comment(
        self,
        action: str,
        repository: Repository,
        issue: Issue,
        comment: Comment,
        actor: Actor,
        changes: dict[str, Any] | None = None,
    ) -> None:
        self._world.tell(
            Happening("issue_comment", action, actor.account, repository, issue, comment, changes=changes)
        )


def _check_title(title: str) -> None:
    if not title.strip():
        raise Invalid("Validation Failed", [{"resource": "Issue", "code": "missing_field", "field": "title"}])


def _check_body(resource: str, body: str | None, *, is_required: bool = False) -> None:
    if is_required and not (body or "").strip():
        raise Invalid("Validation Failed", [{"resource": resource, "code": "missing_field", "field": "body"}])
    if body is not None and len(body) > MAX_BODY:
        problem = {"resource": resource, "code": "custom", "field": "body"}
        raise Invalid(
            "Validation Failed",
            [problem | {"message": f"body is too long (maximum is {MAX_BODY} characters)"}],
        )
