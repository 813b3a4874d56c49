"""Be the App: its JWT, and installation tokens that open one repository for one kind of call, kept until they age.

PyGithub can narrow a token's permissions but not its repositories, so the token request is our own.
"""

import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from github_app.gateway.rest import Rest, RestAnswer
from github_app.ports.conversations import Clock
from github_app.ports.github import Repository
from github_app.settings import CannotStart

if TYPE_CHECKING:
    from github_app.settings import AppKey

_ISSUED_BEFORE = timedelta(seconds=60)
_VALID_FOR = timedelta(minutes=9)
"""GitHub refuses a JWT from the future and one that lives for more than ten minutes; clocks differ."""
_RENEW_BEFORE = timedelta(minutes=5)


class TokenScope(StrEnum):
    """What a token may do: the least that one family of calls needs. Metadata comes with every token."""

    READ_ISSUES = "issues: read"
    WRITE_ISSUES = "issues: write"
    READ_ROLES = "metadata: read"
    READ_RUNS = "actions: read"
    READ_CHECKS = "checks: read"
    START_RUNS = "actions: write"
    READ_PULL_REQUESTS = "pull_requests: read"
    WRITE_PULL_REQUESTS = "pull_requests: write"
    READ_CONTENTS = "contents: read"
    WRITE_CONTENTS = "contents: write"

    @property
    def permissions(self) -> dict[str, str]:
        """As GitHub wants to be asked."""
        name, _, level = self.value.partition(": ")
        return {name: level}


class _Token(RestAnswer):
    """Answer of `POST /app/installations/{id}/access_tokens`. Tokens are long: some 520 characters with dots."""

    token: str
    expires_at: datetime


class _Installation(RestAnswer):
    id: int
    app_slug: str


class UnusableKey(CannotStart):
    """The private key cannot sign: download a new one under 'Private keys' on the App's settings page."""

    def __init__(self) -> None:
        super().__init__(type(self).__doc__)


class AppAuth:
    """Credentials of the App. May be used by several threads. `on_answer` is called whenever GitHub has done what was asked."""

    def __init__(
        self, settings: "AppKey", clock: Clock, on_answer: Callable[[], None] = lambda: None
    ) -> None:
        self.on_answer = on_answer
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: dict[tuple[int, int, TokenScope], _Token] = {}

    def jwt(self) -> str:
        """A JWT that says: I am the App. Issued by the client id, as GitHub recommends; RS256.

        Raises:
            UnusableKey: the private key is none.
        """
        import jwt

        now = self._clock.now()
        claims = {
            "iat": int((now - _ISSUED_BEFORE).timestamp()),
            "exp": int((now + _VALID_FOR).timestamp()),
            "iss": self._settings.client_id,
        }
        try:
            return jwt.encode(claims, self._settings.private_key, algorithm="RS256")
        except (ValueError, jwt.InvalidKeyError) as error:
            raise UnusableKey from error

    def token(self, repository: Repository, scope: TokenScope) -> str:
        """A token of the installation for one repository and one kind of call.

        GitHub refuses it (422) when the repository does not belong to the installation, so that a payload that claims
        another tenant's repository gets nowhere.

        Raises:
            GitHubRefused: no such installation, it is suspended, or it lacks the repository or the permission.
            GitHubUnavailable: GitHub could not say.
        """
        key = (repository.installation_id, repository.id, scope)
        with self._lock:
            token = self._tokens.get(key)
        if token is None or token.expires_at - _RENEW_BEFORE <= self._clock.now():
            token = self._fetch(repository, scope)
            with self._lock:
                self._tokens[key] = token
        return token.token

    def new_token(self, repository: Repository, scope: TokenScope) -> str:
        """A token for this caller alone. It is not stored: the caller revokes it.

        Raises:
            GitHubRefused: as `token`.
            GitHubUnavailable: GitHub could not say.
        """
        return self._fetch(repository, scope).token

    def token_of_installation(self, installation_id: int) -> str:
        """A token that sees which repositories an installation has, and nothing in them. It is not kept.

        Raises:
            GitHubRefused: no such installation.
            GitHubUnavailable: GitHub could not say.
        """
        return self._post(installation_id, {"permissions": TokenScope.READ_ROLES.permissions}).token

    def token_of_job(self, full_name: str, permissions: Mapping[str, str]) -> tuple[str, str]:
        """The login under which the App speaks, and a token for one repository that a job has until it ends.

        Raises:
            GitHubRefused: the App is not installed there, or lacks a permission.
            GitHubUnavailable: GitHub could not say, or the key is of another App.
        """
        installation = self._as_app().get(_Installation, f"/repos/{full_name}/installation")
        body = {"repositories": [full_name.partition("/")[2]], "permissions": dict(permissions)}
        return f"{installation.app_slug}[bot]", self._post(installation.id, body).token

    def forget(self, repository: Repository, scope: TokenScope) -> None:
        """Drop a token that GitHub no longer takes: the installation was changed, or the token was revoked."""
        with self._lock:
            self._tokens.pop((repository.installation_id, repository.id, scope), None)

    def _fetch(self, repository: Repository, scope: TokenScope) -> _Token:
        body = {"repository_ids": [repository.id], "permissions": scope.permissions}
        return self._post(repository.installation_id, body)

    def _post(self, installation_id: int, body: Mapping[str, Any]) -> _Token:
        path = f"/app/installations/{installation_id}/access_tokens"
        return self._as_app().send("POST", path, body, _Token)

    def _as_app(self) -> Rest:
        from github.Auth import AppAuthToken

        # A second token does no harm, and without one nothing can be done.
        return Rest(AppAuthToken(self.jwt()), self._settings, on_answer=self.on_answer, may_repeat=True)
