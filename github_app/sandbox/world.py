"""The state of the sandbox's GitHub and everything that may happen to it. Knows nothing of HTTP.

Each change that GitHub would announce is told to the listeners as a `Happening`, while the lock is still held, so that
what they see is the state right after the change.
"""

import itertools
import secrets
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from github_app.sandbox.clock import Clock
from github_app.sandbox.git_repository import GitRepository
from github_app.sandbox.refusals import Forbidden, Invalid, NotFound
from github_app.sandbox.state import (
    Account,
    AccountType,
    App,
    Comment,
    Installation,
    Issue,
    Label,
    Reaction,
    Repository,
    Review,
    Role,
    Run,
    Token,
    TokenKind,
)

MAX_BODY = 65_536
"""Characters of an issue's or comment's body."""

MAX_LABEL_NAME = 50

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")

_TOKEN_LIFE = timedelta(hours=1)


@dataclass(frozen=True)
class Happening:
    """Something that GitHub announces: `event` and `action` are its own words."""

    event: str
    action: str | None
    sender: Account
    repository: Repository | None = None
    issue: Issue | None = None
    comment: Comment | None = None
    label: Label | None = None
    review: Review | None = None
    run: Run | None = None
    installation: Installation | None = None
    changes: dict[str, Any] | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Actor:
    """Who acts: an account, and whether an App's token carries its word."""

    account: Account
    via_app: bool = False


class World:
    """All state, one lock. `directory` holds the git repositories."""

    def __init__(self, directory: Path, clock: Clock) -> None:
        self.directory = directory
        self.clock = clock
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}
        self.repositories: dict[int, Repository] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.listeners: list[Callable[[Happening], None]] = []
        self._ids = itertools.count(1001)
        self.actions_bot = self.account("github-actions[bot]", AccountType.BOT)
        self.ghost = self.account("ghost")
        self.app: App | None = None

    def next_id(self) -> int:
        """A fresh id: no two things of this GitHub share one."""
        return next(self._ids)

    def tell(self, happening: Happening) -> None:
        """Announce a change to all listeners."""
        for listener in self.listeners:
            listener(happening)

    # Accounts, the App, tokens

    def account(self, login: str, kind: AccountType = AccountType.USER) -> Account:
        """The account of that login, made if it does not exist."""
        with self.lock:
            key = login.lower()
            if key not in self.accounts:
                self.accounts[key] = Account(self.next_id(), login, kind, self.clock.now())
            return self.accounts[key]

    def find_account(self, login: str) -> Account:
        """The account of that login."""
        if login.lower() not in self.accounts:
            raise NotFound
        return self.accounts[login.lower()]

    def install(self, account: Account, repository_ids: Iterable[int] | None = None) -> Installation:
        """Install the App on an account, for all its repositories or for some."""
        app = self.the_app
        with self.lock:
            ids = None if repository_ids is None else set(repository_ids)
            installation = Installation(self.next_id(), account, dict(app.permissions), self.clock.now(), ids)
            self.installations[installation.id] = installation
            self.tell(Happening("installation", "created", account, installation=installation))
            return installation

    @property
    def the_app(self) -> App:
        """The registered App."""
        if self.app is None:
            raise NotFound
        return self.app

    def installation_of(self, repository: Repository) -> Installation | None:
        """The installation that covers a repository."""
        for installation in self.installations.values():
            covers = installation.repository_ids is None or repository.id in installation.repository_ids
            if installation.account.id == repository.owner.id and covers:
                return installation
        return None

    def repositories_of(self, installation: Installation) -> list[Repository]:
        """The repositories an installation covers."""
        return [r for r in self.repositories.values() if self.installation_of(r) is installation]

    def issue_token(
        self,
        kind: TokenKind,
        account: Account,
        permissions: dict[str, str] | None = None,
        repository_ids: Iterable[int] | None = None,
        installation: Installation | None = None,
    ) -> Token:
        """A new token. Installation tokens have the long form with dots that GitHub gives out since 2026-04."""
        with self.lock:
            if kind is TokenKind.USER:
                value = "ghp_" + secrets.token_hex(18)
            else:
                parts = (secrets.token_urlsafe(27), secrets.token_urlsafe(225), secrets.token_urlsafe(128))
                value = f"ghs_{self.app.id if self.app else 0}_" + ".".join(parts)
            token = Token(
                value,
                kind,
                account,
                permissions or {},
                None if repository_ids is None else set(repository_ids),
                None if kind is TokenKind.USER else self.clock.now() + _TOKEN_LIFE,
                installation.id if installation else None,
            )
            self.tokens[value] = token
            return token

    # Repositories

    def create_repository(
        self, owner: Account, name: str, *, files: Path | None, private: bool, default_branch: str
    ) -> Repository:
        """A repository with one commit. Its owner is admin if a person."""
        with self.lock:
            if any(r.owner is owner and r.name.lower() == name.lower() for r in self.repositories.values()):
                raise Invalid(
                    "Repository creation failed.", [{"message": "name already exists on this account"}]
                )
            directory = self.directory / owner.login / f"{name}.git"
            git = GitRepository.create(directory, files=files, branch=default_branch, author=owner.login)
            now = self.clock.now()
            repository = Repository(self.next_id(), owner, name, private, default_branch, git, now, now)
            if owner.type is AccountType.USER:
                repository.roles[owner.id] = Role.ADMIN
            self.repositories[repository.id] = repository
            return repository

    def repository(self, owner: str, name: str) -> Repository:
        """The repository `owner/name`; GitHub ignores case here."""
        wanted = f"{owner}/{name}".lower()
        for repository in self.repositories.values():
            if repository.full_name.lower() == wanted:
                return repository
        raise NotFound

    def role(self, repository: Repository, account: Account) -> Role:
        """What an account may do: everybody reads a public repository."""
        given = repository.roles.get(account.id, Role.NONE)
        return given if repository.private or given else Role.READ

    def association(self, repository: Repository, account: Account) -> str:
        """`author_association`, which says less than it seems to: never a base for decisions."""
        if account.id == repository.owner.id:
            return "OWNER"
        return "COLLABORATOR" if repository.roles.get(account.id, Role.NONE) >= Role.READ else "NONE"

    def label(self, repository: Repository, name: str) -> Label:
        """The label of that name, made if the repository does not have it, as GitHub does when one is added."""
        if len(name) > MAX_LABEL_NAME or not name.strip():
            raise Invalid("Validation Failed", [{"resource": "Label", "code": "invalid", "field": "name"}])
        if name.lower() not in repository.labels:
            repository.labels[name.lower()] = Label(self.next_id(), name)
        return repository.labels[name.lower()]

    # Issues

    def open_issue(self, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
        """Open an issue."""
        with self.lock:
            issue = self.add_issue(repository, actor, title, body)
            self._tell_issue("opened", repository, issue, actor)
            return issue

    def add_issue(self, repository: Repository, actor: Actor, title: str, body: str | None) -> Issue:
        """Put an issue into the repository without announcing it (pull requests are announced as such)."""
        _check_title(title)
        _check_body("Issue", body)
        now = self.clock.now()
        number = len(repository.issues) + 1
        issue = Issue(self.next_id(), number, title, body, actor.account, now, now, via_app=actor.via_app)
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
        with self.lock:
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
        with self.lock:
            if issue.state == state:
                return
            closing = state == "closed"
            issue.state = state
            issue.state_reason = reason or ("completed" if closing else "reopened")
            issue.closed_at = self.clock.now() if closing else None
            issue.closed_by = actor.account if closing else None
            self._tell_issue("closed" if closing else "reopened", repository, issue, actor)

    def set_lock(self, repository: Repository, issue: Issue, actor: Actor, *, locked: bool) -> None:
        """Lock or unlock the conversation."""
        with self.lock:
            issue.locked = locked
            self._tell_issue("locked" if locked else "unlocked", repository, issue, actor)

    def add_assignees(self, repository: Repository, issue: Issue, actor: Actor, logins: list[str]) -> None:
        """Assign people who may be assigned; others are passed over in silence, as on GitHub."""
        with self.lock:
            for login in logins:
                account = self.accounts.get(login.lower())
                if account and account not in issue.assignees and repository.roles.get(account.id):
                    issue.assignees.append(account)
                    self._tell_issue("assigned", repository, issue, actor, extra={"assignee": account})

    def add_labels(self, repository: Repository, issue: Issue, actor: Actor, names: list[str]) -> None:
        """Put labels on an issue: one event for each that was not there."""
        with self.lock:
            for label in [self.label(repository, name) for name in names]:
                if label not in issue.labels:
                    issue.labels.append(label)
                    self._tell_issue("labeled", repository, issue, actor, label=label)

    def remove_label(self, repository: Repository, issue: Issue, actor: Actor, name: str) -> None:
        """Take a label off."""
        with self.lock:
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
        with self.lock:
            for reaction in reactions:
                if reaction.user is actor.account and reaction.content == content:
                    return reaction, False
            reaction = Reaction(self.next_id(), content, actor.account, self.clock.now())
            reactions.append(reaction)
            return reaction, True

    # Comments

    def add_comment(self, repository: Repository, issue: Issue, actor: Actor, body: str) -> Comment:
        """Comment on an issue or pull request. A locked conversation is open to writers only."""
        _check_body("IssueComment", body, required=True)
        with self.lock:
            if issue.locked and not actor.via_app and self.role(repository, actor.account) < Role.WRITE:
                raise Forbidden("Unable to create comment because issue is locked.")
            now = self.clock.now()
            comment = Comment(self.next_id(), body, actor.account, now, now, via_app=actor.via_app)
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
        _check_body("IssueComment", body, required=True)
        with self.lock:
            issue, comment = self.find_comment(repository, comment_id)
            changes = {"body": {"from": comment.body}}
            if body != comment.body:
                comment.body = body
                comment.updated_at = self.clock.now()
                self._tell_comment("edited", repository, issue, comment, actor, changes)
            return comment

    def delete_comment(self, repository: Repository, comment_id: int, actor: Actor) -> None:
        """Delete a comment."""
        with self.lock:
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
        issue.updated_at = self.clock.now()
        event = "pull_request" if issue.pull_request else "issues"
        self.tell(
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
        self.tell(
            Happening("issue_comment", action, actor.account, repository, issue, comment, changes=changes)
        )


def _check_title(title: str) -> None:
    if not title.strip():
        raise Invalid("Validation Failed", [{"resource": "Issue", "code": "missing_field", "field": "title"}])


def _check_body(resource: str, body: str | None, *, required: bool = False) -> None:
    if required and not (body or "").strip():
        raise Invalid("Validation Failed", [{"resource": resource, "code": "missing_field", "field": "body"}])
    if body is not None and len(body) > MAX_BODY:
        problem = {"resource": resource, "code": "custom", "field": "body"}
        raise Invalid(
            "Validation Failed",
            [problem | {"message": f"body is too long (maximum is {MAX_BODY} characters)"}],
        )
