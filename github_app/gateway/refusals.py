"""What a refusal of GitHub means for us: it will pass, an operator can end it, or it is an answer.

| GitHub answers | because | raised |
|---|---|---|
| 403, 429 with a time or the words of a limit | we are too fast | `NotYet` |
| 400 about the API version, 401 to the App's JWT, 403 of a suspended installation or for a missing permission, 422 to a
  token with a permission that was not granted | an operator must do something | `AccessWithheld`; `AppRefused` where
  it concerns every request |
| 401 to a token, 408, 5xx | it passes: the next attempt gets a new token | `GitHubUnavailable` |
| everything else | the thing is gone, or cannot be done | `GitHubRefused` |
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from github_app.ports.github import AccessWithheld, AppRefused, GitHubRefused, GitHubUnavailable, NotYet

if TYPE_CHECKING:
    from github import GithubException

_BAD_REQUEST, _NOT_AUTHORIZED, _FORBIDDEN, _NOT_FOUND, _REQUEST_TIMEOUT = 400, 401, 403, 404, 408
_APP_REFUSED = frozenset({_NOT_AUTHORIZED, _NOT_FOUND})
_UNPROCESSABLE, _TOO_MANY, _SERVER_ERROR = 422, 429, 500
_NO_ADVICE_SECONDS = 60.0
"""How long to wait after a rate limit that names no time. Source: docs.github.com, "Best practices for the REST API"."""
_LONGEST_LIMIT_SECONDS = 3660.0
"""The hour of a primary rate limit, and a minute."""
_LONGEST_MESSAGE = 300
_CLOCK_TOLERANCE = 60.0
"""Seconds by which a JWT of ours is dated back."""

_PERMISSIONS_HEADER = "x-accepted-github-permissions"
"""Header by which GitHub names what a call needs: `issues=write; pull_requests=write`, of which one suffices."""


@dataclass(frozen=True)
class RefusedRequest:
    """A request, as far as it tells why it was refused."""

    verb: str
    path: str
    body: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"


def sorted_refusal(
    error: "GithubException", request: RefusedRequest, server_url: str | None
) -> GitHubRefused | GitHubUnavailable:
    """The refusal in our words. `server_url` is where an operator grants things; None where there is no operator."""
    status = error.status
    headers = {name.casefold(): value for name, value in (error.headers or {}).items()}
    message = str(error.message or (error.data or {}).get("message", ""))[:_LONGEST_MESSAGE]
    if _is_rate_limit(error, headers):
        return NotYet(f"{request}: rate limit: {message}", _seconds_to_wait(headers))
    if server_url is not None and (advice := _advice(status, message, headers, request, server_url)):
        is_of_app = status == _BAD_REQUEST or (request.path.startswith("/app") and status in _APP_REFUSED)
        refusal = AppRefused if is_of_app else AccessWithheld
        return refusal(f"{request} answered {status}: {message.rstrip('.')}", advice)
    if status >= _SERVER_ERROR or status in {_NOT_AUTHORIZED, _REQUEST_TIMEOUT}:
        return GitHubUnavailable(f"{request} answered {status}: {message}")
    return GitHubRefused(status, f"{request}: {message}")


def _advice(
    status: int, message: str, headers: Mapping[str, str], request: RefusedRequest, server_url: str
) -> str | None:
    """What an operator can grant, and where; None where the refusal is none of an operator's."""
    words = message.casefold()
    of_the_app = request.path.startswith("/app")
    if (
        of_the_app
        and status == _NOT_AUTHORIZED
        and abs(seconds := _seconds_ahead(headers)) > _CLOCK_TOLERANCE
    ):
        direction = "ahead of" if seconds > 0 else "behind"
        return (
            f"This machine's clock is {abs(seconds):.0f} s {direction} GitHub's, which refuses keys from another time. Set it:"
            " timedatectl set-ntp true"
        )
    if of_the_app and (
        status == _NOT_AUTHORIZED or (status == _NOT_FOUND and "integration not found" in words)
    ):
        return (
            "GitHub does not take the App's key. Compare ASKFIRST_CLIENT_ID and ASKFIRST_PRIVATE_KEY with the App's page"
            f" ({server_url}/settings/apps), and this machine's clock; then: askfirst-app check"
        )
    if status == _BAD_REQUEST and "version" in words:
        return "This GitHub no longer speaks the API version of this askfirst: install a newer askfirst"
    if status == _FORBIDDEN and "suspended" in words:
        return f"The installation is suspended: unsuspend it under {_installations(request, server_url)}"
    if status == _FORBIDDEN and "ip allow list" in words:
        return "The organisation's IP allow list shuts this machine out: add its address there"
    if status == _FORBIDDEN and "not accessible by integration" in words:
        return _grant(headers.get(_PERMISSIONS_HEADER, "").replace("=", ": "), request, server_url)
    if status == _UNPROCESSABLE and "permissions requested are not granted" in words:
        permissions = (request.body or {}).get("permissions") or {}
        return _grant(
            "; ".join(f"{name}: {level}" for name, level in permissions.items()), request, server_url
        )
    return None


def _seconds_ahead(headers: Mapping[str, str]) -> float:
    """How far this machine's clock is ahead of the one by which GitHub dated its answer; 0 where it did not."""
    try:
        return time.time() - parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return 0.0


def _grant(permissions: str, request: RefusedRequest, server_url: str) -> str:
    permission_text = permissions or "the permission that this call needs"
    return (
        f"Grant {permission_text} to the App ({server_url}/settings/apps, under 'Permissions & events'), and accept it under"
        f" {_installations(request, server_url)}"
    )


def _installations(request: RefusedRequest, server_url: str) -> str:
    """Where somebody decides about an installation: the page of that one, where its id is known."""
    installation = re.match(r"/app/installations/(\d+)/", request.path)
    return f"{server_url}/settings/installations{'/' + installation.group(1) if installation else ''}"


def _is_rate_limit(error: "GithubException", headers: Mapping[str, str]) -> bool:
    from github import RateLimitExceededException

    if isinstance(error, RateLimitExceededException) or error.status == _TOO_MANY:
        return True
    return error.status == _FORBIDDEN and (
        "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    )


def _seconds_to_wait(headers: Mapping[str, str]) -> float:
    """What GitHub asks for: `retry-after` in seconds, else the time at which the limit is reset, else a minute.

    A limit is reset within an hour: by a clock of ours that is slow it would seem to be later.
    """
    after = headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    reset = headers.get("x-ratelimit-reset", "")
    if reset.isdigit() and headers.get("x-ratelimit-remaining") == "0":
        return min(max(1.0, float(reset) - time.time() + 1.0), _LONGEST_LIMIT_SECONDS)
    return _NO_ADVICE_SECONDS
