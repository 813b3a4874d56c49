"""One REST connection to GitHub: PyGithub's requester with its hidden second tries taken out and its errors in our words.

PyGithub's typed objects are not used: one that misses an attribute fetches itself again, a request per comment in a
long list, and answers would be believed field by field. Here an answer is JSON, checked by a small model.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from github_app.ports import GitHubRefused, GitHubUnavailable

if TYPE_CHECKING:
    from github import GithubException
    from github.Auth import Auth

    from github_app.settings import GitHubAddress

_TIMEOUT_SECONDS = 15
_PER_PAGE = 100
_UNAUTHORIZED, _FORBIDDEN, _REQUEST_TIMEOUT, _TOO_MANY, _SERVER_ERROR = 401, 403, 408, 429, 500
_NO_ADVICE_SECONDS = 60.0
"""How long to wait after a rate limit that names no time. Source: docs.github.com, "Best practices for the REST API"."""


class Answer(BaseModel):
    """Part of an answer of GitHub: the fields that we use, everything else ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


AnswerType = TypeVar("AnswerType", bound=Answer)


class Pace:
    """Spreads writes over time, for all threads of the process together.

    GitHub asks for a second between writes and answers those who do not wait with a secondary rate limit.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._next: dict[int, float] = {}

    def wait(self, installation_id: int) -> None:
        """Wait until it is this installation's turn to write."""
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next.get(installation_id, now))
            self._next[installation_id] = at + self._seconds
        time.sleep(at - now)


class Rest:
    """Requests under one credential. Only a GET is ever sent twice; a POST that got no answer is for us to look after.

    Every method raises `GitHubRefused` or `GitHubUnavailable`, and nothing else, when GitHub says no.
    """

    def __init__(
        self,
        auth: "Auth",
        settings: "GitHubAddress",
        *,
        before_write: Callable[[], None] = lambda: None,
        on_unauthorized: Callable[[], None] = lambda: None,
    ) -> None:
        from github import Github
        from urllib3 import Retry

        retry = Retry(
            total=2,
            backoff_factor=0.3,
            allowed_methods={"GET"},
            status_forcelist={502, 503, 504},
            raise_on_status=False,
            respect_retry_after_header=False,
        )
        self._requester = Github(
            auth=auth,
            base_url=settings.api_url,
            api_version=settings.api_version,
            timeout=_TIMEOUT_SECONDS,
            retry=retry,
            seconds_between_requests=0,
            seconds_between_writes=0,
            user_agent="askfirst",
        ).requester
        self._before_write = before_write
        self._on_unauthorized = on_unauthorized

    def get(self, model: type[AnswerType], path: str, **parameters: str | int) -> AnswerType:
        """One answer."""
        return _checked(model, self.request("GET", path, parameters=parameters)[1], path)

    def listed(self, model: type[AnswerType], path: str) -> list[AnswerType]:
        """All items of a list that has no pages."""
        data = self.request("GET", path)[1]
        if not isinstance(data, list):
            raise GitHubUnavailable(f"GET {path} answered no list")
        return [_checked(model, item, path) for item in data]

    def pages(
        self, model: type[AnswerType], path: str, within: str | None = None, **parameters: str | int
    ) -> Iterator[AnswerType]:
        """All items of a list, page by page; `within` is the key that holds the list where it is not the answer itself."""
        page = 1
        while True:
            query = {**parameters, "per_page": _PER_PAGE, "page": page}
            data = self.request("GET", path, parameters=query)[1]
            items = data.get(within) if within is not None and isinstance(data, dict) else data
            if not isinstance(items, list):
                raise GitHubUnavailable(f"GET {path} answered no list")
            yield from (_checked(model, item, path) for item in items)
            if len(items) < _PER_PAGE:
                return
            page += 1

    def send(
        self, verb: str, path: str, body: Mapping[str, Any] | None, model: type[AnswerType]
    ) -> AnswerType:
        """A write, sent once, and its answer. `Answer` itself is the model of an answer in which nothing is needed."""
        return _checked(model, self.request(verb, path, body=body)[1] or {}, path)

    def request(
        self,
        verb: str,
        path: str,
        *,
        parameters: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> tuple[Mapping[str, str], Any]:
        """Headers (names in lower case) and JSON of an answer. A redirect to elsewhere is an answer, never followed."""
        from github import GithubException

        if verb != "GET":
            self._before_write()
        try:
            return self._requester.requestJsonAndCheck(
                verb,
                path,
                parameters=dict(parameters) if parameters else None,
                input=dict(body) if body is not None else None,
            )
        except GithubException as error:
            if error.status == _UNAUTHORIZED:
                self._on_unauthorized()
            raise _in_our_words(error, f"{verb} {path}") from error
        except OSError as error:
            raise GitHubUnavailable(f"{verb} {path} got no answer: {type(error).__name__}") from error


def _checked(model: type[AnswerType], data: object, path: str) -> AnswerType:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors())
        raise GitHubUnavailable(f"{path} answered something else than expected in: {fields}") from error


def _in_our_words(error: "GithubException", request: str) -> GitHubRefused | GitHubUnavailable:
    """Whether to try again: rate limits (403 and 429 alike), timeouts and 5xx pass; everything else is a no.

    A 401 passes too: it means that the token was revoked before its time, and the next attempt gets a new one.
    """
    status = error.status
    headers = error.headers or {}
    message = str(error.message or (error.data or {}).get("message", ""))[:300]
    if _is_rate_limit(error, headers):
        return GitHubUnavailable(f"{request}: rate limit: {message}", _seconds_to_wait(headers))
    if status >= _SERVER_ERROR or status in {_UNAUTHORIZED, _REQUEST_TIMEOUT}:
        return GitHubUnavailable(f"{request} answered {status}: {message}")
    return GitHubRefused(status, f"{request}: {message}")


def _is_rate_limit(error: "GithubException", headers: Mapping[str, str]) -> bool:
    from github import RateLimitExceededException

    if isinstance(error, RateLimitExceededException) or error.status == _TOO_MANY:
        return True
    return error.status == _FORBIDDEN and (
        "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    )


def _seconds_to_wait(headers: Mapping[str, str]) -> float:
    """What GitHub asks for: `retry-after` in seconds, else the time at which the limit is reset, else a minute."""
    after = headers.get("retry-after", "")
    if after.isdigit():
        return float(after)
    reset = headers.get("x-ratelimit-reset", "")
    if reset.isdigit() and headers.get("x-ratelimit-remaining") == "0":
        return max(1.0, float(reset) - time.time() + 1.0)
    return _NO_ADVICE_SECONDS
