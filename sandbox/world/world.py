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

from sandbox.world.clock import SandboxClock
from sandbox.world.git_repository import GitRepository
from sandbox.world.refusals import Invalid, NotFound
from sandbox.world.state import (
    Account,
    AccountType,
    CheckSuite,
    Comment,
    Installation,
    Issue,
    Label,
    RegisteredApp,
    Repository,
    Review,
    Role,
    Run,
    Token,
    TokenKind,
)

MAX_LABEL_NAME = 50

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
    check_suite: CheckSuite | None = None
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

    def __init__(self, directory: Path, clock: SandboxClock) -> None:
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
        self.app: RegisteredApp | None = None
        self.registration_codes: set[str] = set()

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

    def suspend(self, installation: Installation, *, is_suspended: bool) -> None:
        """Stop the App there, or let it work again."""
        with self.lock:
            action = "suspend" if is_suspended else "unsuspend"
            installation.suspended_at = self.clock.now() if is_suspended else None
            self.tell(Happening("installation", action, installation.account, installation=installation))

    def uninstall(self, installation: Installation) -> None:
        """Take the App off an account: its tokens are worth nothing from then on."""
        with self.lock:
            self.tell(Happening("installation", "deleted", installation.account, installation=installation))
            del self.installations[installation.id]

    @property
    def the_app(self) -> RegisteredApp:
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
        full_name = f"{owner}/{name}".lower()
        for repository in self.repositories.values():
            if repository.full_name.lower() == full_name:
                return repository
        raise NotFound

    def role(self, repository: Repository, account: Account) -> Role:
        """What an account may do: everybody reads a public repository."""
        role = repository.roles.get(account.id, Role.NONE)
        return role if repository.private or role else Role.READ

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
