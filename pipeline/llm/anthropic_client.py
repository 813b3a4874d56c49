"""The real client: Anthropic's SDK behind the port, with attempts, waits and lengths that end.

The SDK is imported with the first question and not before: it takes longer to import than a whole run without a model,
and a resumed run may find every answer in its memo.
Its own retries are off, because it waits as long as `retry-after` says, without a limit.
"""

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from pipeline.llm.failures import (
    ModelFailed,
    ModelKeyMissing,
    ModelOverloaded,
    ModelRateLimited,
    ModelRefused,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyCut,
    ReplyMalformed,
)
from pipeline.llm.port import Origin, Reply, Request, StopReason
from pipeline.llm.usage import Usage
from pipeline.llm.wire_format import content_of, messages_of, system_of, tools_of, usage_of

if TYPE_CHECKING:
    import anthropic
    import httpx2
    from anthropic.types import Message

KEY_VARIABLE = "ANTHROPIC_API_KEY"
URL_VARIABLE = "ANTHROPIC_BASE_URL"

_RESUME = "What was done before is kept: --resume DIR"


@dataclass(frozen=True)
class Patience:
    """How long a client tries, in seconds. `silence` is the longest wait for the next byte of a reply."""

    attempts: int = 4
    longest_wait: float = 60.0
    silence: float = 120.0
    whole_reply: float = 900.0


class AnthropicModel:
    """Asks Anthropic's API, or whatever speaks it at `base_url`. Safe to use from several threads."""

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | None = None,
        patience: Patience | None = None,
        http_client: "httpx2.Client | None" = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Make a client. `http_client` and `sleep` are given by tests."""
        self._patience = patience or Patience()
        self._sleep = sleep
        self._making = threading.Lock()

        def connect() -> "anthropic.Anthropic":
            import anthropic

            return anthropic.Anthropic(
                api_key=api_key,
                base_url=base_url,
                max_retries=0,
                timeout=self._patience.silence,
                http_client=http_client,
            )

        # A function holds the key, so that no representation of the client shows it.
        self._connect = connect

    @cached_property
    def _client(self) -> "anthropic.Anthropic":
        return self._connect()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """A client for the key and the address in the environment.

        Raises:
            ModelKeyMissing: there is no key.
        """
        api_key = environment.get(KEY_VARIABLE, "").strip()
        if not api_key:
            raise ModelKeyMissing(
                f"{KEY_VARIABLE} is not set",
                why="this stage asks a language model, and has nobody to ask",
                what_to_do=f"Set the key (in a workflow: a repository secret), or use recorded replies: --replay FILE\n"
                f"export {KEY_VARIABLE}=...",
            )
        return cls(api_key, base_url=environment.get(URL_VARIABLE) or None)

    @property
    def origin(self) -> Origin:
        """Replies of a real model."""
        return Origin.MODEL

    def reply(self, request: Request) -> Reply:
        """The next turn, after as many attempts as patience allows.

        Raises:
            ModelFailed: there is no whole reply; what cut-off attempts cost is on the error.
        """
        paid = Usage()
        for attempt in range(1, self._patience.attempts + 1):
            try:
                reply = self._attempt(request)
            except _Again as again:
                paid += again.failure.usage
                wait = self._wait(again, attempt)
                if wait is None:
                    again.failure.usage = paid
                    raise again.failure from again.__cause__
                self._sleep(wait)
            except ModelFailed as failure:
                failure.usage += paid
                raise
            else:
                return reply.model_copy(update={"usage": reply.usage + paid})
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, again: "_Again", attempt: int) -> float | None:
        """Seconds until the next attempt; None when there is none, or when it would be too long to wait for."""
        if attempt >= self._patience.attempts:
            return None
        if again.retry_after is not None:
            return again.retry_after if again.retry_after <= self._patience.longest_wait else None
        spread = 0.75 + random.random() / 4  # noqa: S311 (spreads attempts in time; nothing secret depends on it)
        return min(0.5 * 2.0**attempt, self._patience.longest_wait) * spread

    def _attempt(self, request: Request) -> Reply:
        """One request and its whole reply."""
        import anthropic
        import httpx2

        heard = _Heard()
        try:
            self._listen(request, heard)
        except anthropic.APIStatusError as error:
            raise _of_status(error, heard.usage) from error
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            raise self._lost(error, heard) from error
        except (ValueError, RuntimeError, anthropic.APIError) as error:
            raise _malformed(str(error), heard.usage) from error
        return _whole(heard)

    def _lost(self, error: Exception, heard: "_Heard") -> "_Again":
        """No connection, no answer, or a reply that broke off: the SDK reports all three alike."""
        import anthropic

        silent = isinstance(error, anthropic.APITimeoutError)
        why = f"no answer for {self._patience.silence:g} seconds" if silent else f"{error.__cause__ or error}"
        return _unreachable(why) if heard.message is None else _cut_off(why, heard.usage)

    def _listen(self, request: Request, heard: "_Heard") -> None:
        from anthropic import omit, transform_schema

        with self._making:
            client = self._client
        end = time.monotonic() + self._patience.whole_reply
        schema = request.output_schema
        with client.messages.stream(
            model=request.model,
            max_tokens=request.max_tokens,
            system=system_of(request),
            messages=messages_of(request),
            tools=tools_of(request) or omit,
            output_config={"format": {"type": "json_schema", "schema": transform_schema(dict(schema))}}
            if schema is not None
            else omit,
        ) as stream:
            for event in stream:
                if event.type == "message_start" or heard.message is not None:
                    heard.message = stream.current_message_snapshot
                if time.monotonic() > end:
                    raise _Again(
                        ReplyCut(
                            f"the reply took longer than {self._patience.whole_reply:g} seconds",
                            what_to_do=_RESUME,
                            usage=heard.usage,
                        )
                    )


class _Heard:
    """As much of a message as has arrived."""

    message: "Message | None" = None

    @property
    def usage(self) -> Usage:
        return Usage() if self.message is None else usage_of(self.message.usage)


class _Again(Exception):
    """An attempt failed in a way that may pass. `retry_after` is what the server asks us to wait, in seconds."""

    def __init__(self, failure: ModelFailed, retry_after: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.retry_after = retry_after


def _whole(heard: _Heard) -> Reply:
    """The reply, if it is whole."""
    message, usage = heard.message, heard.usage
    if message is None or message.stop_reason is None:
        raise _cut_off("the stream ended before the reply did", usage)
    match message.stop_reason:
        case "end_turn" | "stop_sequence":
            reason = StopReason.END_TURN
        case "tool_use":
            reason = StopReason.TOOL_USE
        case "max_tokens" | "model_context_window_exceeded":
            raise ReplyCut(
                "the reply is longer than it may be",
                why=f"the provider stopped it with `{message.stop_reason}` after {usage.output_tokens} tokens",
                what_to_do="Split the ticket, or allow longer replies: `reply_tokens` of the budget",
                usage=usage,
            )
        case "refusal":
            details = message.stop_details
            raise ModelRefused(
                "the model declines to answer",
                why=(details and (details.explanation or details.category)) or "the provider gives no reason",
                what_to_do="Read the ticket for what it may have taken offence at, reword it, and label it again.",
                usage=usage,
            )
        case other:
            raise _malformed(f"stop reason `{other}`, which nothing in the request allows", usage)
    try:
        return Reply(content=content_of(message), stop_reason=reason, usage=usage)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        raise _malformed(f"{'.'.join(map(str, found['loc']))}: {found['msg']}", usage) from error


def _of_status(error: "anthropic.APIStatusError", usage: Usage) -> Exception:
    """The typed outcome of an error that the provider sent, before the reply or in its middle (then with status 200)."""
    status, said = error.status_code, error.api_message or f"HTTP {error.status_code}"
    retry_after = _retry_after(error.response.headers)
    asked = f"; asked to wait {retry_after:g} seconds" if retry_after is not None else ""
    if error.type == "rate_limit_error" or status == 429:
        return _Again(
            ModelRateLimited(
                "the provider limits how often this account asks",
                why=f"{said}{asked}",
                what_to_do=f"Wait, then go on. {_RESUME}",
                usage=usage,
            ),
            retry_after,
        )
    if (
        error.type in ("overloaded_error", "api_error", "timeout_error")
        or status >= 500
        or status in (408, 409)
    ):
        return _Again(
            ModelOverloaded(
                "the provider has no capacity at the moment",
                why=f"{said}{asked}",
                what_to_do=f"Wait, then go on. {_RESUME}",
                usage=usage,
            ),
            retry_after,
        )
    return ModelRequestRejected(
        f"the provider does not accept the request (HTTP {status})",
        why=said,
        what_to_do=f"Look at {KEY_VARIABLE}, at the model's name and at the account's credit. {_RESUME}",
        usage=usage,
    )


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, given as a number or as a date (RFC 9110); None where nothing usable is said."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return None if math.isnan(seconds) else max(0.0, seconds)


def _unreachable(why: str) -> _Again:
    what = f"Look at the network and at {URL_VARIABLE}. {_RESUME}"
    return _Again(ModelUnreachable("the provider cannot be reached", why=why, what_to_do=what))


def _cut_off(why: str, usage: Usage) -> _Again:
    return _Again(ReplyCut("the reply broke off", why=why, what_to_do=f"Go on. {_RESUME}", usage=usage))


def _malformed(why: str, usage: Usage) -> ReplyMalformed:
    return ReplyMalformed(
        "the reply is not what the provider's API promises",
        why=why[:500],
        what_to_do=f"Look at {URL_VARIABLE}: does the server speak Anthropic's Messages API? {_RESUME}",
        usage=usage,
    )
