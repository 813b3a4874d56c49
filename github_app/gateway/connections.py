"""Where connections to GitHub come from: tokens of the App, one for each kind of call, or the one token of a job."""

import contextlib
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from github_app.gateway.app_auth import AppAuth, TokenScope
from github_app.gateway.rest import Rest
from github_app.ports.github import GitHubRefused, GitHubUnavailable, Repository

if TYPE_CHECKING:
    from github_app.settings import GitHubAddress

_CONNECTIONS_KEPT = 16


class Connections(Protocol):
    """What every adapter of GitHub needs."""

    def to(self, repository: Repository, scope: TokenScope) -> Rest:
        """A connection for one kind of call to one repository.

        Raises:
            GitHubRefused: GitHub does not allow that here.
            GitHubUnavailable: GitHub could not say.
        """

    def lent(self, repository: Repository, scope: TokenScope) -> AbstractContextManager[Rest]:
        """A connection for one task, whose permission ends with the task."""


class WritePace(Protocol):
    """Spreads what is written to an installation over time."""

    def wait(self, installation_id: int, *, is_receipt: bool = False) -> None:
        """Wait until it is this installation's turn to write; receipts go before all else."""


class AppConnections:
    """Connections of the App, each under a token that can do just what is asked. Each thread keeps its own few open."""

    def __init__(self, settings: "GitHubAddress", auth: AppAuth, pace: WritePace) -> None:
        self._settings = settings
        self._auth = auth
        self._pace = pace
        self._of_thread = threading.local()

    def to(self, repository: Repository, scope: TokenScope) -> Rest:
        """A connection for one kind of call to one repository.

        Raises:
            GitHubRefused: see `AppAuth.token`.
            GitHubUnavailable: GitHub could not say.
        """
        from github.Auth import Token

        token = self._auth.token(repository, scope)
        connections: dict[str, Rest] = self._of_thread.__dict__
        if token not in connections:
            if len(connections) >= _CONNECTIONS_KEPT:
                connections.clear()
            connections[token] = Rest(
                Token(token),
                self._settings,
                before_write=lambda is_receipt: self._pace.wait(
                    repository.installation_id, is_receipt=is_receipt
                ),
                on_unauthorized=lambda: self._auth.forget(repository, scope),
                on_answer=self._auth.on_answer,
            )
        return connections[token]

    @contextlib.contextmanager
    def lent(self, repository: Repository, scope: TokenScope) -> Iterator[Rest]:
        """A connection whose token is revoked when it is given back, for permissions that must not last an hour.

        Raises:
            GitHubRefused: see `AppAuth.token`.
            GitHubUnavailable: GitHub could not say.
        """
        from github.Auth import Token

        token = self._auth.new_token(repository, scope)
        rest = Rest(
            Token(token),
            self._settings,
            before_write=lambda _is_receipt: self._pace.wait(repository.installation_id),
        )
        try:
            yield rest
        finally:
            with contextlib.suppress(GitHubRefused, GitHubUnavailable):  # it ends by itself within the hour
                rest.request("DELETE", "/installation/token")
