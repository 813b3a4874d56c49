"""The real client: a provider's protocol behind the port, with attempts, waits and lengths that end.

An SDK is imported with the first question and not before: it takes longer to import than a whole run without a model,
and a resumed run may find every answer in its memo.
Its own retries are off, because it waits as long as `retry-after` says, without a limit.
What a server lacks is found out by asking: a request that it does not take is put once more in its plainest form.
"""

import json
import random
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.llm.failures import (
    RESUME,
    ModelFailed,
    ModelKeyMissing,
    ModelOverloaded,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyCut,
)
from pipeline.llm.port import AS_JSON, ModelReply, Origin, Request
from pipeline.llm.sdk_errors import (
    malformed_reply,
    may_pass,
    message_in,
    of_answer,
    unreachable,
)
from pipeline.llm.services import Service
from pipeline.llm.usage import Usage
from pipeline.llm.wire import Again, Arrival, Wire, cut_off, too_long

if TYPE_CHECKING:
    import httpx2

Arriving = Callable[[Request, Usage], None]
"""Is told what a reply has used so far, again and again while it arrives, from the thread that waits for it."""

_SHORTEST = 512  # tokens: with less room left by attempts that broke off, another is not worth paying for

_COUNT_MARGIN = 1.02
"""A count is an estimate, and what is billed may differ by a little:
https://platform.claude.com/docs/en/build-with-claude/token-counting"""

_ENDLESS = 2
"""A reply this many times as long as it may be, by a guess, comes from a server that does not keep to the limit."""

_REJECTED = frozenset({400, 422})
_NOT_UNDERSTOOD = _REJECTED | {500}
"""What servers answer to a key that they do not know. Some break over a schema that they do not know."""

_NONSENSE = (ValueError, TypeError, AttributeError, LookupError, RuntimeError)
"""What an SDK raises over events that are not what its types promise."""


@dataclass(frozen=True)
class Patience:
    """How long a client tries, in seconds. `silence` is the longest wait for the next byte of a reply.

    `first_attempts` is how often an address is tried that has never answered, `connect` how long each time.
    `count` is the longest wait for a count of tokens, which a guess can stand in for.
    """

    attempts: int = 4
    first_attempts: int = 2
    connect: float = 3.5
    longest_wait: float = 60.0
    silence: float = 120.0
    whole_reply: float = 900.0
    count: float = 10.0


class ModelClient:
    """Asks a provider. Safe to use from several threads."""

    def __init__(
        self,
        service: Service,
        *,
        patience: Patience | None = None,
        http_client: "httpx2.Client | None" = None,
        sleep: Callable[[float], None] = time.sleep,
        arriving: Arriving = lambda _request, _usage: None,
        note: Callable[[str], None] = lambda _text: None,
    ) -> None:
        """Make a client. `note` takes what a reader of the journal should know; `http_client` and `sleep` are for tests."""
        self._service = service
        self._patience = patience or Patience()
        self._http_client = http_client
        self._sleep = sleep
        self._arriving = arriving
        self._note = note
        self._lock = threading.Lock()
        self._wire: Wire | None = None
        self._counts = True
        self._plain = False
        self._has_answered = False
        self._unreachable: ModelUnreachable | None = None
        self._noted: set[str] = set()

    @property
    def origin(self) -> Origin:
        """Replies of a real model."""
        return Origin.MODEL

    def reply(self, request: Request) -> ModelReply:
        """The next turn, after as many attempts as patience allows.

        Raises:
            ModelFailed: there is no whole reply; what cut-off attempts cost is on the error.
        """
        if self._plain:
            return self._reply(request, plain=True)
        try:
            return self._reply(request, plain=False)
        except (ModelRequestRejected, ModelOverloaded) as failure:
            if failure.status not in (_REJECTED if request.output_schema is None else _NOT_UNDERSTOOD):
                raise
            try:
                reply = self._reply(request, plain=True)
            except ModelFailed:
                raise failure from None
            self._plain = True
            self._note_once(
                "The server does not take structured output, cache marks or stream options, so requests go without them: "
                f"schemas stand in the prompt. It said: {failure.why}"
            )
            return reply

    def count_tokens(self, request: Request) -> int:
        """How long the prompt is, as the provider counts it; a guess where it does not, which is noted once.

        Raises:
            ModelKeyMissing: there is no key, and no user is signed in.
        """
        if not self._counts:
            return request.guessed_tokens
        import httpx2

        wire = self._connect()
        try:
            tokens = wire.count(_plain(request) if self._plain else request, self._patience.count)
        except wire.errors.not_signed_in as error:
            raise self._not_signed_in(error) from error
        except wire.errors.answered as error:
            return self._guess_tokens(request, message_in(error), again=may_pass(error))
        except (wire.errors.base, httpx2.TransportError, *_NONSENSE) as error:
            return self._guess_tokens(request, str(error), again=isinstance(error, wire.errors.connection))
        if tokens is None:
            return self._guess_tokens(request, "its protocol has no count", again=False)
        return round(tokens * _COUNT_MARGIN)

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def _guess_tokens(self, request: Request, why: str, *, again: bool) -> int:
        """A guess. It is said once that prompts are guessed at, and no more is counted where counting is not offered."""
        self._counts = again
        self._note_once(
            "The provider does not count tokens before a call, so the length of a prompt is guessed, and the guess is "
            "too high rather than too low: ",
            why,
        )
        return request.guessed_tokens

    def _note_once(self, text: str, why: str = "") -> None:
        with self._lock:
            is_new = text not in self._noted
            self._noted.add(text)
        if is_new:
            self._note(text + why)

    def _reply(self, request: Request, *, plain: bool) -> ModelReply:
        """As many attempts as patience allows; an address that has never answered is given up soon, and for good."""
        if self._unreachable is not None:
            raise ModelUnreachable(
                self._unreachable.message, why=self._unreachable.why, what_to_do=self._unreachable.what_to_do
            )
        usage_so_far, room = Usage(), request.max_tokens
        for attempt in range(1, self._patience.attempts + 1):
            try:
                reply = self._attempt(request.model_copy(update={"max_tokens": room}), plain=plain)
            except Again as again:
                self._has_answered |= not isinstance(again.failure, ModelUnreachable)
                usage_so_far += again.failure.usage
                room = request.max_tokens - usage_so_far.output_tokens
                wait = self._wait(again, attempt) if room >= _SHORTEST else None
                if wait is None:
                    again.failure.usage = usage_so_far
                    raise again.failure from again.__cause__
                self._sleep(wait)
            except ModelFailed as failure:
                failure.usage += usage_so_far
                raise
            else:
                self._has_answered = True
                return reply.model_copy(update={"usage": reply.usage + usage_so_far})
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, again: Again, attempt: int) -> float | None:
        """Seconds until the next attempt; None when there is none, or when it would be too long to wait for."""
        if isinstance(again.failure, ModelUnreachable) and not self._has_answered:
            if attempt >= self._patience.first_attempts:
                self._unreachable = again.failure
                return None
        elif attempt >= self._patience.attempts:
            return None
        if again.retry_after is not None:
            return again.retry_after if again.retry_after <= self._patience.longest_wait else None
        spread = 0.75 + random.random() / 4  # noqa: S311 (spreads attempts in time; nothing secret depends on it)
        return min(0.5 * 2.0**attempt, self._patience.longest_wait) * spread

    def _connect(self) -> Wire:
        import httpx2

        with self._lock:
            if self._wire is None:
                timeout = httpx2.Timeout(self._patience.silence, connect=self._patience.connect)
                self._wire = self._service.connect(timeout=timeout, http_client=self._http_client)
            return self._wire

    def _not_signed_in(self, error: Exception) -> ModelKeyMissing:
        return ModelKeyMissing(
            "the provider cannot be asked, because signing in to it failed",
            why=str(error.args[0] if error.args else error)[:500],
            what_to_do=f"{self._service.how_to_sign_in}\n{RESUME}",
        )

    def _attempt(self, request: Request, *, plain: bool) -> ModelReply:
        """One request and its whole reply."""
        import httpx2

        wire = self._connect()
        arrival = wire.ask(_plain(request) if plain else request, plain=plain)
        try:
            self._listen(request, arrival)
            return self._with_usage(request, arrival.whole())
        except wire.errors.not_signed_in as error:
            raise self._not_signed_in(error) from error
        except (wire.errors.connection, httpx2.TransportError) as error:
            raise self._connection_error(error, arrival, wire) from error
        except wire.errors.answered as error:
            raise of_answer(error, arrival.so_far, self._service) from error
        except (wire.errors.base, *_NONSENSE) as error:
            why = mistakes_by_key(error)[0] if isinstance(error, ValidationError) else str(error)
            raise malformed_reply(why, arrival.so_far, self._service) from error

    def _with_usage(self, request: Request, reply: ModelReply) -> ModelReply:
        """The reply; where the server does not say what the prompt used, that is guessed, and noted once."""
        if reply.usage.prompt_tokens:
            return reply
        self._note_once("The server does not say how many tokens a prompt used, so they are guessed.")
        usage = reply.usage.model_copy(update={"input_tokens": request.guessed_tokens})
        return reply.model_copy(update={"usage": usage})

    def _connection_error(self, error: Exception, arrival: Arrival, wire: Wire) -> Again | ModelUnreachable:
        """No connection, no answer, or a reply that broke off: the SDKs report all three alike."""
        import httpx2

        cause = error.__cause__ or error
        if isinstance(cause, httpx2.ConnectTimeout):
            why = f"no connection within {self._patience.connect:g} seconds"
        elif isinstance(cause, httpx2.ConnectError):
            why = str(cause)
        elif not isinstance(error, wire.errors.timeout):
            self._has_answered = True  # a server is there
            why = str(cause)
        elif self._has_answered or arrival.has_begun:
            why = f"no answer for {self._patience.silence:g} seconds"
        else:
            why = f"it takes connections, and sent nothing for {self._patience.silence:g} seconds"
            self._unreachable = unreachable(why, wire.url, self._service)
            return self._unreachable
        if arrival.has_begun:
            return cut_off(why, arrival.so_far)
        return Again(unreachable(why, wire.url, self._service))

    def _listen(self, request: Request, arrival: Arrival) -> None:
        end = time.monotonic() + self._patience.whole_reply
        self._arriving(request, Usage())
        with closing(arrival.events()) as events:
            for _ in events:
                usage = arrival.so_far
                self._arriving(request, usage)
                if time.monotonic() > end:
                    raise ReplyCut(
                        f"the reply took longer than {self._patience.whole_reply:g} seconds",
                        what_to_do=f"Take a faster server or a model that says less. {RESUME}",
                        usage=usage,
                    )
                if usage.output_tokens > _ENDLESS * request.max_tokens:
                    raise too_long("no end", usage)


def _plain(request: Request) -> Request:
    """The request in words that every server of its protocol takes: without cache marks, its schema in the prompt."""
    schema = request.output_schema
    how = "" if schema is None else f"\n\n{AS_JSON}\n{json.dumps(schema)}"
    return request.model_copy(update={"system": request.system + how, "output_schema": None, "once": True})
