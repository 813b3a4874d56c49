"""The real client: Anthropic's SDK behind the port, with attempts, waits and lengths that end.

The SDK is imported with the first question and not before: it takes longer to import than a whole run without a model,
and a resumed run may find every answer in its memo.
Its own retries are off, because it waits as long as `retry-after` says, without a limit.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.llm.failures import ModelFailed, ModelKeyMissing, ReplyCut
from pipeline.llm.partial_reply import PartialReply
from pipeline.llm.port import ModelReply, Origin, Request
from pipeline.llm.sdk_errors import (
    RESUME,
    Again,
    cut_off,
    malformed_reply,
    may_pass,
    message_in,
    of_status,
    unreachable,
)
from pipeline.llm.services import Connection, Service
from pipeline.llm.usage import Usage
from pipeline.llm.wire_format import messages_of, system_of, tools_of

if TYPE_CHECKING:
    import httpx2

Arriving = Callable[[Request, Usage], None]
"""Is told what a reply has used so far, again and again while it arrives, from the thread that waits for it."""

_SHORTEST = 512
"""In tokens: an attempt with less room than this, after others that broke off, is not worth paying for."""

_COUNT_MARGIN = 1.02
"""A count is an estimate, and what is billed may differ by a little:
https://platform.claude.com/docs/en/build-with-claude/token-counting"""


@dataclass(frozen=True)
class Patience:
    """How long a client tries, in seconds. `silence` is the longest wait for the next byte of a reply.

    `count` is the longest wait for a count of tokens, which a guess can stand in for.
    """

    attempts: int = 4
    longest_wait: float = 60.0
    silence: float = 120.0
    whole_reply: float = 900.0
    count: float = 10.0


class AnthropicModel:
    """Asks a provider of Anthropic's models. Safe to use from several threads."""

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
        self._connection: Connection | None = None
        self._counts = True
        self._guess_was_noted = False

    @property
    def origin(self) -> Origin:
        """Replies of a real model."""
        return Origin.MODEL

    def reply(self, request: Request) -> ModelReply:
        """The next turn, after as many attempts as patience allows.

        Raises:
            ModelFailed: there is no whole reply; what cut-off attempts cost is on the error.
        """
        usage_so_far, room = Usage(), request.max_tokens
        for attempt in range(1, self._patience.attempts + 1):
            try:
                reply = self._attempt(request.model_copy(update={"max_tokens": room}))
            except Again as again:
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
                return reply.model_copy(update={"usage": reply.usage + usage_so_far})
        raise AssertionError("the last attempt returns or raises")

    def count_tokens(self, request: Request) -> int:
        """How long the prompt is, as the provider counts it; a guess where it does not, which is noted once.

        Raises:
            ModelKeyMissing: nobody is signed in.
        """
        if not self._counts:
            return request.guessed_tokens
        import anthropic
        import httpx2

        connection = self._connect()
        try:
            answer: object = connection.messages.count_tokens(
                **_prompt(request), timeout=self._patience.count
            )
        except connection.not_signed_in as error:
            raise self._not_signed_in(error) from error
        except (anthropic.AnthropicError, httpx2.TransportError, ValueError) as error:
            return self._guess_tokens(request, error)
        tokens = getattr(answer, "input_tokens", None)
        if not isinstance(tokens, int):  # a server may answer anything
            return self._guess_tokens(request, ValueError("the answer holds no count"))
        return round(tokens * _COUNT_MARGIN)

    def close(self) -> None:
        """Let go of the connections."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _guess_tokens(self, request: Request, error: Exception) -> int:
        """A guess. It is said once that prompts are guessed at, and no more is counted where counting is not offered."""
        import anthropic

        why = message_in(error) if isinstance(error, anthropic.APIStatusError) else str(error)
        with self._lock:
            self._counts = may_pass(error)
            was_noted, self._guess_was_noted = self._guess_was_noted, True
        if not was_noted:
            self._note(
                "The provider does not count tokens before a call, so the length of a prompt is guessed, and the guess is "
                f"too high rather than too low: {why}"
            )
        return request.guessed_tokens

    def _wait(self, again: Again, attempt: int) -> float | None:
        """Seconds until the next attempt; None when there is none, or when it would be too long to wait for."""
        if attempt >= self._patience.attempts:
            return None
        if again.retry_after is not None:
            return again.retry_after if again.retry_after <= self._patience.longest_wait else None
        spread = 0.75 + random.random() / 4  # noqa: S311 (spreads attempts in time; nothing secret depends on it)
        return min(0.5 * 2.0**attempt, self._patience.longest_wait) * spread

    def _connect(self) -> Connection:
        with self._lock:
            if self._connection is None:
                self._connection = self._service.connect(
                    timeout=self._patience.silence, http_client=self._http_client
                )
            return self._connection

    def _not_signed_in(self, error: Exception) -> ModelKeyMissing:
        return ModelKeyMissing(
            "the provider cannot be asked, because signing in to it failed",
            why=str(error.args[0] if error.args else error)[:500],
            what_to_do=f"{self._service.how_to_sign_in}\n{RESUME}",
        )

    def _attempt(self, request: Request) -> ModelReply:
        """One request and its whole reply."""
        import anthropic
        import httpx2

        partial = PartialReply(self._service)
        connection = self._connect()
        try:
            self._listen(connection, request, partial)
        except connection.not_signed_in as error:
            raise self._not_signed_in(error) from error
        except anthropic.APIStatusError as error:
            raise of_status(error, partial.so_far, self._service) from error
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            raise self._connection_error(error, partial) from error
        except (ValueError, RuntimeError, anthropic.AnthropicError) as error:
            raise malformed_reply(str(error), partial.so_far, self._service) from error
        return partial.whole()

    def _connection_error(self, error: Exception, partial: PartialReply) -> Again:
        """No connection, no answer, or a reply that broke off: the SDK reports all three alike."""
        import anthropic

        silent = isinstance(error, anthropic.APITimeoutError)
        why = f"no answer for {self._patience.silence:g} seconds" if silent else f"{error.__cause__ or error}"
        return unreachable(why, self._service) if partial.message is None else cut_off(why, partial.so_far)

    def _listen(self, connection: Connection, request: Request, partial: PartialReply) -> None:
        end = time.monotonic() + self._patience.whole_reply
        self._arriving(request, Usage())
        with connection.messages.stream(**_prompt(request), max_tokens=request.max_tokens) as stream:
            for event in stream:
                partial.take(event, lambda: stream.current_message_snapshot)
                self._arriving(request, partial.so_far)
                if time.monotonic() > end:
                    raise Again(
                        ReplyCut(
                            f"the reply took longer than {self._patience.whole_reply:g} seconds",
                            what_to_do=RESUME,
                            usage=partial.so_far,
                        )
                    )


def _prompt(request: Request) -> dict[str, Any]:
    """All that a model is told, which is also all that is counted."""
    from anthropic import omit, transform_schema

    schema = request.output_schema
    return {
        "model": request.model,
        "system": system_of(request),
        "messages": messages_of(request),
        "tools": tools_of(request) or omit,
        "output_config": {"format": {"type": "json_schema", "schema": transform_schema(dict(schema))}}
        if schema is not None
        else omit,
    }
