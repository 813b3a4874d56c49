"""The sandbox's face: a GitHub on 127.0.0.1 that a test or a demo starts, acts on and looks into."""

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox.actions.artifact_host import ArtifactHost
from sandbox.actions.job import Program, askfirst_program
from sandbox.actions.runner import Runners
from sandbox.actions.runs import Runs
from sandbox.app_registration import register_app
from sandbox.deliveries import DeliverySender
from sandbox.documents.documents import Addresses, Documents
from sandbox.faults import Faults
from sandbox.listener import Listener
from sandbox.rest.routes import Services
from sandbox.server import API_PREFIX, HttpExchange, RequestLog, create_server
from sandbox.world.checks import CheckOperations
from sandbox.world.clock import SandboxClock
from sandbox.world.conversations import IssueOperations
from sandbox.world.pushes import Pushes
from sandbox.world.state import (
    Account,
    AccountType,
    Comment,
    Installation,
    Issue,
    RegisteredApp,
    Repository,
    Review,
    Role,
    Run,
    TokenKind,
    WebhookDelivery,
)
from sandbox.world.world import Actor, World

WORKFLOW_FILE = Path(__file__).parent / "actions" / "askfirst.yml"


class NotQuiet(AssertionError):
    """Something still goes on after the time that was given; the message says what."""


class Sandbox:
    """A running GitHub with one App, `askfirst`.

    Use it as a context manager: at the end the ports are free, no process runs and the disk is as before. Times in
    seconds. What methods return is the live state: read it, and change it only through methods.
    """

    def __init__(
        self, *, port: int, program: Program, environment: Mapping[str, str], faults: Faults
    ) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="askfirst-sandbox-"))
        self.clock = SandboxClock()
        self.world = World(self._directory / "repositories", self.clock)
        self._listener, self._artifact_listener = Listener(port), Listener()
        html = self._listener.address
        self.addresses = Addresses(html + API_PREFIX, html, self._artifact_listener.address)
        self.faults = faults
        self.log = RequestLog()
        self.artifact_host = ArtifactHost(self.clock)
        documents = Documents(self.world, self.addresses)
        self.actions = Runs(documents)
        self.conversations = IssueOperations(self.world)
        self.pushes = Pushes(self.world, self.conversations)
        self.checks = CheckOperations(self.world)
        self.deliveries = DeliverySender(documents, self.faults)
        jobs = self._directory / "jobs"
        jobs.mkdir()
        self._runners = Runners(documents, self.actions, program, environment, jobs)
        self.world.listeners += [
            self.deliveries.announce,
            self.actions.on_happening,
            self._runners.on_happening,
        ]
        self.world.app = register_app(self.world)
        services = Services(
            self.world,
            documents,
            self.conversations,
            self.actions,
            self.pushes,
            self.checks,
            self.deliveries,
            self._artifact_address,
            lambda run: self.addresses.artifacts + self.artifact_host.offer_log(run),
        )
        self._server = create_server(services, self.faults, self.log)

    @classmethod
    def start(
        cls,
        *,
        port: int = 0,
        program: Program = askfirst_program,
        environment: Mapping[str, str] | None = None,
        observer: Callable[[HttpExchange], None] | None = None,
        faults: Faults | None = None,
    ) -> Self:
        """A GitHub that answers.

        Args:
            port: of the REST API and the pages; 0 takes a free one.
            program: what a run executes; without it, the installed pipeline.
            environment: variables that every run gets besides GitHub's own, such as a model key.
            observer: is told of every REST exchange, to check it.
            faults: switches of another kind, such as those that turn themselves on by chance.
        """
        from sandbox.pages.pages import add_pages
        from sandbox.pages.registration import add_registration

        github = cls(port=port, program=program, environment=environment or {}, faults=faults or Faults())
        if observer is not None:
            github.log.observers.append(observer)
        add_pages(
            github._server,
            github.world,
            github.conversations,
            github.pushes,
            github.actions,
            github.addresses,
        )
        add_registration(github._server, github.world)
        github._listener.start(github._server)
        github._artifact_listener.start(github.artifact_host)
        github.deliveries.start()
        github._runners.start()
        return github

    def stop(self) -> None:
        """End runs and deliveries, give the ports back, remove the files."""
        self._runners.stop()
        self.deliveries.stop()
        self._listener.stop()
        self._artifact_listener.stop()
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # Addresses and credentials

    @property
    def api_url(self) -> str:
        """Root of the REST API."""
        return self.addresses.api

    @property
    def html_url(self) -> str:
        """Root of the pages."""
        return self.addresses.html

    @property
    def app(self) -> RegisteredApp:
        """The App with id, client id, private key (PEM, PKCS#1) and webhook secret."""
        return self.world.the_app

    @property
    def webhook_url(self) -> str | None:
        """Where deliveries go. Without one they are recorded and not sent."""
        return self.app.webhook_url

    @webhook_url.setter
    def webhook_url(self, url: str | None) -> None:
        self.app.webhook_url = url

    @property
    def requests(self) -> list[HttpExchange]:
        """Every REST exchange so far, in the order of the answers."""
        return list(self.log.exchanges)

    def token_of(self, login: str) -> str:
        """A personal token, to call the REST API as that person."""
        return self.world.issue_token(TokenKind.USER, self.user(login)).value

    # What people do

    def user(self, login: str) -> Account:
        """The person of that login, who is made if new."""
        return self.world.account(login)

    def create_repository(
        self,
        name: str = "orders",
        *,
        owner: str = "acme",
        from_directory: Path | None = None,
        private: bool = False,
        collaborators: Mapping[str, str] | None = None,
        workflow: Path | None = WORKFLOW_FILE,
        has_app: bool = True,
    ) -> Repository:
        """A repository of an organization, with the App installed on it.

        Args:
            name: of the repository.
            owner: the organization, made if new.
            from_directory: whose files become the first commit.
            private: whether only collaborators may read.
            collaborators: role by login (`read triage write maintain admin`); without it, `octocat` may write.
            workflow: what to put at `.github/workflows/askfirst.yml` unless the directory has that file; None for no
                workflow.
            has_app: whether the App covers it.
        """
        account = self.world.account(owner, AccountType.ORGANIZATION)
        with self.world.lock:
            repository = self.world.create_repository(
                account, name, files=from_directory, private=private, default_branch="main"
            )
            for login, role in (collaborators if collaborators is not None else {"octocat": "write"}).items():
                self.set_role(repository, login, role)
            if workflow is not None and not self.actions.workflows(repository):
                self.commit(
                    repository, {".github/workflows/askfirst.yml": workflow.read_text(encoding="utf-8")}
                )
            if has_app and self.world.installation_of(repository) is None:
                self.world.install(account)
        return repository

    def suspend_app(self, repository: Repository, *, is_suspended: bool = True) -> None:
        """Suspend the installation that covers a repository, or take the suspension back."""
        self.world.suspend(self._installation(repository), is_suspended=is_suspended)

    def uninstall_app(self, repository: Repository) -> None:
        """Remove the installation that covers a repository."""
        self.world.uninstall(self._installation(repository))

    def set_role(self, repository: Repository, login: str, role: str) -> None:
        """Give somebody a role: `none read triage write maintain admin`."""
        repository.roles[self.user(login).id] = Role[role.upper()]

    def commit(self, repository: Repository, files: Mapping[str, str | None], *, by: str = "octocat") -> str:
        """Commit files (None deletes) to the default branch and return the commit's id."""
        ref = f"refs/heads/{repository.default_branch}"
        sha = repository.git.commit_files(
            repository.git.resolve(ref), files, f"Change {len(files)} files", by
        )
        self.pushes.set_ref(repository, Actor(self.user(by)), ref, sha, force=False)
        return sha

    def open_issue(
        self, repository: Repository, title: str, body: str | None, *, by: str = "octocat"
    ) -> Issue:
        """Open an issue."""
        return self.conversations.open_issue(repository, self._person(by), title, body)

    def label(self, issue: Issue, name: str = "askfirst", *, by: str = "octocat") -> None:
        """Put a label on an issue."""
        self.conversations.add_labels(self.repository_of(issue), issue, self._person(by), [name])

    def unlabel(self, issue: Issue, name: str = "askfirst", *, by: str = "octocat") -> None:
        """Take a label off."""
        self.conversations.remove_label(self.repository_of(issue), issue, self._person(by), name)

    def comment(self, issue: Issue, body: str, *, by: str = "octocat") -> Comment:
        """Comment on an issue."""
        return self.conversations.add_comment(self.repository_of(issue), issue, self._person(by), body)

    def edit_comment(self, issue: Issue, comment: Comment, body: str, *, by: str = "octocat") -> None:
        """Edit a comment of an issue."""
        self.conversations.edit_comment(self.repository_of(issue), comment.id, self._person(by), body)

    def delete_comment(self, issue: Issue, comment: Comment, *, by: str = "octocat") -> None:
        """Delete a comment of an issue."""
        self.conversations.delete_comment(self.repository_of(issue), comment.id, self._person(by))

    def edit_issue(
        self, issue: Issue, *, title: str | None = None, body: str | None = None, by: str = "octocat"
    ) -> None:
        """Edit an issue."""
        self.conversations.edit_issue(
            self.repository_of(issue), issue, self._person(by), title=title, body=body
        )

    def close_issue(self, issue: Issue, *, by: str = "octocat") -> None:
        """Close an issue or pull request."""
        self.conversations.set_issue_state(self.repository_of(issue), issue, self._person(by), "closed")

    def reopen_issue(self, issue: Issue, *, by: str = "octocat") -> None:
        """Open it again."""
        self.conversations.set_issue_state(self.repository_of(issue), issue, self._person(by), "open")

    def lock_issue(self, issue: Issue, *, by: str = "octocat") -> None:
        """Lock the conversation."""
        self.conversations.set_lock(self.repository_of(issue), issue, self._person(by), is_locked=True)

    def review(
        self,
        pull: Issue,
        event: str,
        body: str | None = None,
        *,
        remarks: Sequence[tuple[str, int, str]] = (),
        by: str = "octocat",
    ) -> Review:
        """Review a pull request: `APPROVE`, `REQUEST_CHANGES` or `COMMENT`; remarks are path, line and text."""
        return self.pushes.review(self.repository_of(pull), pull, self._person(by), event, body, remarks)

    # What there is to see

    def repository_of(self, issue: Issue) -> Repository:
        """The repository of an issue or pull request."""
        for repository in self.world.repositories.values():
            if repository.issues.get(issue.number) is issue:
                return repository
        raise LookupError(f"issue {issue.number} belongs to no repository of this sandbox")

    def url_of(self, issue: Issue) -> str:
        """The page of an issue."""
        return f"{self.addresses.html_of(self.repository_of(issue))}/issues/{issue.number}"

    def comments(self, issue: Issue) -> list[Comment]:
        """The comments of an issue, oldest first."""
        with self.world.lock:
            return list(issue.comments)

    def labels(self, issue: Issue) -> set[str]:
        """The names of an issue's labels."""
        with self.world.lock:
            return {label.name for label in issue.labels}

    def runs(self, repository: Repository, *, include_skipped: bool = False) -> list[Run]:
        """The runs, oldest first; those that only said "not my label" are left out unless asked for."""
        with self.world.lock:
            return [run for run in repository.runs.values() if include_skipped or run.conclusion != "skipped"]

    def pull_requests(self, repository: Repository) -> list[Issue]:
        """The pull requests, oldest first."""
        with self.world.lock:
            return [issue for issue in repository.issues.values() if issue.pull_request]

    def wait_until_quiet(self, timeout: float = 120.0, *, settle: float = 1.0) -> None:
        """Wait until no run is unfinished, all deliveries are acknowledged and nobody has called for `settle` seconds.

        A lost delivery counts as none, and so does one without a webhook address.

        Raises:
            NotQuiet: the time is over.
        """
        deadline = time.monotonic() + timeout
        while not self.is_quiet(settle=settle):
            if time.monotonic() > deadline:
                raise NotQuiet(f"after {timeout} s: " + ("; ".join(self._busy()) or "requests keep coming"))
            time.sleep(0.02)

    def is_quiet(self, *, settle: float = 1.0) -> bool:
        """Whether nothing goes on, and nobody has called for `settle` seconds."""
        return not self._busy() and time.monotonic() - self.log.last_activity >= settle

    def _busy(self) -> list[str]:
        runs = [f"run {run.id} ({run.name}) is {run.status}" for run in self.actions.unfinished_runs()]
        deliveries = [_describe(delivery) for delivery in self.deliveries.pending()]
        calls = [f"{self.log.in_flight} requests are being answered"] if self.log.in_flight else []
        return runs + deliveries + calls

    def _installation(self, repository: Repository) -> Installation:
        installation = self.world.installation_of(repository)
        if installation is None:
            raise LookupError(f"the App is not installed on {repository.full_name}")
        return installation

    def _person(self, login: str) -> Actor:
        return Actor(self.user(login))

    def _artifact_address(self, repository: Repository, artifact_id: int) -> str:
        artifact = self.actions.downloadable(repository, artifact_id)
        return self.addresses.artifacts + self.artifact_host.offer(artifact)

    def advance(self, seconds: float) -> None:
        """Let time pass: tokens, download addresses and artifacts expire by it."""
        self.clock.advance(timedelta(seconds=seconds))


def _describe(delivery: WebhookDelivery) -> str:
    return f"delivery {delivery.id} ({delivery.event}.{delivery.action}) is {delivery.status}"
