"""What a failure that the SDK reports means: whether it may pass, how long to wait, and what a person is told."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from pipeline.llm.failures import (
    ModelFailed,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyCut,
    ReplyMalformed,
)
from pipeline.llm.services import Service
from pipeline.llm.usage import Usage

if TYPE_CHECKING:
    import anthropic

RESUME = "What was done before is kept: --resume DIR"

_TOO_OFTEN = frozenset({"rate_limit_error", "throttlingException"})
_NO_CAPACITY = frozenset(
    {
        "overloaded_error",
        "api_error",
        "timeout_error",
        "internalServerException",
        "modelStreamErrorException",
        "modelTimeoutException",
        "serviceUnavailableException",
    }
)
"""Types of errors in the middle of a stream. Those that end in `Exception` are Bedrock's:
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html"""


class Again(Exception):
    """An attempt failed in a way that may pass. `retry_after` is what the server asks us to wait, in seconds."""

    def __init__(self, failure: ModelFailed, retry_after: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.retry_after = retry_after


def may_pass(error: Exception) -> bool:
    """Whether the same request may be answered a little later."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        status = error.status_code
        return error.type in _TOO_OFTEN | _NO_CAPACITY or status >= 500 or status in (408, 409, 429)
    return isinstance(error, anthropic.APIConnectionError)


def of_status(error: "anthropic.APIStatusError", usage: Usage, service: Service) -> Again | ModelFailed:
    """The typed outcome of an error that the provider sent, before the reply or in its middle (then with status 200)."""
    why = message_in(error)
    retry_after = _retry_after(error.response.headers)
    wait_text = f"; asked to wait {retry_after:g} seconds" if retry_after is not None else ""
    if not may_pass(error):
        return ModelRequestRejected(
            f"the provider does not accept the request (HTTP {error.status_code})",
            why=why,
            what_to_do=f"Look at {service.look_at}. {RESUME}",
            usage=usage,
        )
    if error.type in _TOO_OFTEN or error.status_code == 429:
        failure: ModelFailed = ModelRateLimited(
            "the provider limits how often this account asks",
            why=f"{why}{wait_text}",
            what_to_do=f"Wait, then go on. {RESUME}",
            usage=usage,
        )
    else:
        failure = ModelOverloaded(
            "the provider has no capacity at the moment",
            why=f"{why}{wait_text}",
            what_to_do=f"Wait, then go on. {RESUME}",
            usage=usage,
        )
    return Again(failure, retry_after)


def message_in(error: "anthropic.APIStatusError") -> str:
    """The provider's own words: Anthropic's, Bedrock's (`{"message": …}`) or Google's (`{"error": …}`, also in a list)."""
    body: Any = error.body
    if isinstance(body, list) and body:
        body = body[0]
    for part in (body, body.get("error") if isinstance(body, dict) else None):
        if isinstance(part, dict) and isinstance(part.get("message"), str):
            return str(part["message"])[:500]
    return f"HTTP {error.status_code}"


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


def unreachable(why: str, service: Service) -> Again:
    """Nobody answered."""
    advice = f"Look at the network and at {service.address}. {RESUME}"
    return Again(ModelUnreachable("the provider cannot be reached", why=why, what_to_do=advice))


def cut_off(why: str, usage: Usage) -> Again:
    """The reply broke off."""
    return Again(ReplyCut("the reply broke off", why=why, what_to_do=f"Go on. {RESUME}", usage=usage))


def malformed_reply(why: str, usage: Usage, service: Service) -> ReplyMalformed:
    """The reply makes no sense."""
    return ReplyMalformed(
        "the reply is not what the provider's API promises",
        why=why[:500],
        what_to_do=f"Look at {service.address}: does the server speak Anthropic's Messages API? {RESUME}",
        usage=usage,
    )
