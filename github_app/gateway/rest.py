"""One REST connection to GitHub: PyGithub's requester with its hidden second tries taken out and its errors in our words.

PyGithub's typed objects are not used: one that misses an attribute fetches itself again, a request per comment in a
long list, and answers would be believed field by field. Here an answer is JSON, checked by a small model.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from github_app.gateway.refusals import RefusedRequest, sorted_refusal
from github_app.ports.github import RECEIPTS_AT_ONCE, GitHubRefused, GitHubUnavailable
from github_app.settings import API_VERSION

if TYPE_CHECKING:
    from github.Auth import Auth

    from github_app.settings import GitHubAddress

_TIMEOUT_SECONDS = 15
_PER_PAGE = 100
_RECEIPT = "/reactions"
"""End of the path of a write by which people see that they were heard."""
_NOT_AUTHORIZED, _NOT_FOUND = 401, 404


class RestAnswer(BaseModel):
    """Part of an answer of GitHub: the fields that we use, everything else ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


AnswerType = TypeVar("AnswerType", bound=BaseModel)


class Pace:
    """Spreads writes over time, for all threads of the process together.

    GitHub asks for a second between many writes and answers those who do not wait with a secondary rate limit. A receipt (a
    reaction) takes the next turn that no receipt has, and may be sent up to four turns before it: five that come after a
    quiet while are sent together, and everything else waits for five turns. Every other write takes a turn only when one is
    free at that moment. So receipts never stand behind comments. Example, a turn each second: a comment is sent at 0.0, two
    more wait from 0.1 on, and five receipts come at 0.4: they take the turns of 1.0 to 5.0, four are sent at 0.4 and the last
    at 1.0, and the comments at 6.0 and 7.0.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._next: dict[int, float] = {}

    def wait(self, installation_id: int, *, is_receipt: bool = False) -> None:
        """Wait until it is this installation's turn to write."""
        while True:
            seconds, is_ours = self.ask(installation_id, time.monotonic(), is_receipt=is_receipt)
            time.sleep(seconds)
            if is_ours:
                return

    def ask(self, installation_id: int, now: float, *, is_receipt: bool) -> tuple[float, bool]:
        """In how many seconds to write, and whether a turn is taken for the caller, who else asks again then."""
        with self._lock:
            turn = max(now, self._next.get(installation_id, now))
            earlier = (RECEIPTS_AT_ONCE - 1) * self._seconds if is_receipt else 0.0
            at = max(now, turn - earlier)
            is_ours = is_receipt or at == now
            if is_ours:
                self._next[installation_id] = turn + self._seconds
        return at - now, is_ours


class Rest:
    """Requests under one credential. Only a GET is ever sent twice; a POST that got no answer is for us to look after,
    unless it `may_repeat`.

    `before_write` is called before each write, and told whether it is a receipt. Every method raises `GitHubRefused` or `GitHubUnavailable`, and nothing else, when GitHub says no. `has_operator` is
    False in a job: no person there can grant an App what GitHub withholds, so the refusal is the answer.
    """

    def __init__(
        self,
        auth: "Auth",
        settings: "GitHubAddress",
        *,
        before_write: Callable[[bool], None] = lambda _is_receipt: None,
        on_unauthorized: Callable[[], None] = lambda: None,
        on_answer: Callable[[], None] = lambda: None,
        has_operator: bool = True,
        may_repeat: bool = False,
    ) -> None:
        from github import Github
        from urllib3 import Retry

        retry = Retry(
            total=2,
            backoff_factor=0.3,
            allowed_methods={"GET", "POST"} if may_repeat else {"GET"},
            status_forcelist={502, 503, 504},
            raise_on_status=False,
            respect_retry_after_header=False,
        )
        self._requester = Github(
            auth=auth,
            base_url=settings.api_url,
            api_version=API_VERSION,
            timeout=_TIMEOUT_SECONDS,
            retry=retry,
            seconds_between_requests=0,
            seconds_between_writes=0,
            user_agent="askfirst",
        ).requester
        self._before_write = before_write
        self._on_unauthorized = on_unauthorized
        self._on_answer = on_answer
        self._grantor = settings.server_url if has_operator else None

    def get(self, model: type[AnswerType], path: str, **parameters: str | int) -> AnswerType:
        """One answer."""
        return _validate(model, self.request("GET", path, parameters=parameters)[1], path)

    def find(self, model: type[AnswerType], path: str, **parameters: str | int) -> AnswerType | None:
        """One answer; None where there is no such thing."""
        try:
            return self.get(model, path, **parameters)
        except GitHubRefused as refusal:
            if refusal.status == _NOT_FOUND:
                return None
            raise

    def whole_list(self, model: type[AnswerType], path: str) -> list[AnswerType]:
        """All items of a list that has no pages."""
        data = self.request("GET", path)[1]
        if not isinstance(data, list):
            raise GitHubUnavailable(f"GET {path} answered no list")
        return [_validate(model, item, path) for item in data]

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
            yield from (_validate(model, item, path) for item in items)
            if len(items) < _PER_PAGE:
                return
            page += 1

    def send(
        self, verb: str, path: str, body: Mapping[str, Any] | None, model: type[AnswerType]
    ) -> AnswerType:
        """A write, sent once, and its answer. `RestAnswer` itself is the model of an answer in which nothing is needed."""
        return _validate(model, self.request(verb, path, body=body)[1] or {}, path)

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
            self._before_write(path.endswith(_RECEIPT))
        try:
            answer = self._requester.requestJsonAndCheck(
                verb,
                path,
                parameters=dict(parameters) if parameters else None,
                input=dict(body) if body is not None else None,
            )
        except GithubException as error:
            if error.status == _NOT_AUTHORIZED:
                self._on_unauthorized()
            raise sorted_refusal(error, RefusedRequest(verb, path, body), self._grantor) from error
        except OSError as error:
            raise GitHubUnavailable(f"{verb} {path} got no answer: {type(error).__name__}") from error
        self._on_answer()
        return answer


def _validate(model: type[AnswerType], data: object, path: str) -> AnswerType:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors())
        raise GitHubUnavailable(f"{path} answered something else than expected in: {fields}") from error
