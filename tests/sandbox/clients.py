"""How the tests of the sandbox talk to it: the real PyGithub, and plain HTTP where PyGithub hides the answer."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jwt
from github import Auth, Github, GithubIntegration

from sandbox import Sandbox

ALL = {"actions": "write", "contents": "write", "issues": "write", "pull_requests": "write"}


def integration(github: Sandbox) -> GithubIntegration:
    return GithubIntegration(
        auth=Auth.AppAuth(github.app.client_id, github.app.private_key_pem),
        base_url=github.api_url,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )


def as_app(github: Sandbox, permissions: dict[str, str] | None = None, version: str = "2022-11-28") -> Github:
    """PyGithub with an installation token of the first installation."""
    installation = next(iter(github.world.installations))
    token = integration(github).get_access_token(installation, permissions=permissions or ALL)
    return with_token(github, token.token, version)


def as_person(github: Sandbox, login: str) -> Github:
    return with_token(github, github.token_of(login))


def with_token(github: Sandbox, token: str, version: str = "2022-11-28") -> Github:
    return Github(
        auth=Auth.Token(token),
        base_url=github.api_url,
        api_version=version,
        retry=None,
        seconds_between_requests=0,
        seconds_between_writes=0,
    )


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        return None


def call(method: str, url: str, body: object = None, *, token: str | None = None) -> Reply:
    """One plain HTTP request with a JSON body that follows no redirect."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=60) as answer:
            return Reply(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, dict(error.headers), error.read())


def app_jwt(github: Sandbox, claims: dict[str, object] | None = None, *, key: str | None = None) -> str:
    now = int(time.time())
    standard = {"iat": now - 60, "exp": now + 300, "iss": github.app.client_id}
    return jwt.encode({**standard, **(claims or {})}, key or github.app.private_key_pem, algorithm="RS256")


def eventually(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
