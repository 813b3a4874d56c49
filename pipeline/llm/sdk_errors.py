"""What a failure that the SDK reports means: whether it may pass, how long to wait, and what a person is told."""

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from pipeline.llm.failures import (
    RESUME,
    ModelFailed,
    ModelOverloaded,
    ModelRateLimited,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyMalformed,
)
from pipeline.llm.services import Service
from pipeline.llm.usage import Usage
from pipeline.llm.wire import Again

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


def may_pass(error: Any) -> bool:
    """Whether the same request may be answered a little later, by an error that the provider sent."""
    status = status_of(error)
    return error.type in _TOO_OFTEN | _NO_CAPACITY or status >= 500 or status in (408, 409, 429)


def status_of(error: Any) -> int:
    """The status of an answer. In the middle of a stream OpenAI's SDK has none: some servers send it as the error's code."""
    if isinstance(status := getattr(error, "status_code", None), int):
        return status
    code = str(error.code)
    return int(code) if code.isascii() and code.isdigit() and len(code) == 3 else 500


def of_answer(error: Any, usage: Usage, service: Service) -> Again | ModelFailed:
    """The typed outcome of an error that the provider sent, before the reply or in its middle."""
    status, why = status_of(error), message_in(error)
    response = getattr(error, "response", None)
    retry_after = None if response is None else _retry_after(response.headers)
    wait_text = f"; asked to wait {retry_after:g} seconds" if retry_after is not None else ""
    if not may_pass(error):
        return ModelRequestRejected(
            f"the provider does not accept the request (HTTP {status})",
            why=why,
            what_to_do=f"Look at {service.look_at}. {RESUME}",
            usage=usage,
            status=status,
        )
    if error.type in _TOO_OFTEN or status == 429:
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
            status=status,
        )
    return Again(failure, retry_after)


def message_in(error: Any) -> str:
    """The provider's own words: Anthropic's, Bedrock's (`{"message": …}`) or Google's (`{"error": …}`, also in a list)."""
    body: Any = error.body
    if isinstance(body, list) and body:
        body = body[0]
    inner = body.get("error") if isinstance(body, dict) else None
    for part in (body, inner):
        if isinstance(part, dict) and isinstance(part.get("message"), str):
            return str(part["message"])[:500]
    for part in (body, inner):
        if isinstance(part, str) and not part.lstrip().startswith("<"):
            return part[:500]
    return f"HTTP {status_of(error)}"


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


def unreachable(why: str, url: str, service: Service) -> ModelUnreachable:
    """There was no answer."""
    advice = f"Look at the network and at {service.address}. {RESUME}"
    return ModelUnreachable(f"the provider cannot be reached at {url}", why=why, what_to_do=advice)


def malformed_reply(why: str, usage: Usage, service: Service) -> ReplyMalformed:
    """The reply makes no sense."""
    return ReplyMalformed(
        "the reply is not what the provider's API promises",
        why=why[:500],
        what_to_do=f"Look at {service.address}: does the server speak {service.protocol}? {RESUME}",
        usage=usage,
    )
