"""What the client asks of a provider's protocol. Each protocol is one file, which imports its SDK with the first connection."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from pipeline.llm.failures import RESUME, ModelFailed, ModelRefused, ReplyCut
from pipeline.llm.port import ModelReply, Request
from pipeline.llm.usage import Usage

CHARACTERS_PER_TOKEN = 4
"""A guess for as long as a reply arrives: what it used is said at its end."""


@dataclass(frozen=True)
class SdkErrors:
    """An SDK's classes of errors. One generator makes both SDKs, so a class means the same in each.

    `answered` are errors that the provider sent, before the reply or in its middle. `not_signed_in` are those that a
    request ends with, before it is sent, if signing in fails.
    """

    base: type[Exception]
    connection: type[Exception]
    timeout: type[Exception]
    answered: type[Exception]
    not_signed_in: tuple[type[Exception], ...] = ()


class Again(Exception):
    """An attempt failed in a way that may pass. `retry_after` is what the server asks us to wait, in seconds."""

    def __init__(self, failure: ModelFailed, retry_after: float | None = None) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.retry_after = retry_after


class Arrival(Protocol):
    """One reply as it arrives, until it is whole or has broken off."""

    def events(self) -> Generator[None, None, None]:
        """Send the request, and listen: one step for each event."""

    @property
    def has_begun(self) -> bool:
        """Whether anything of the reply is there."""

    @property
    def so_far(self) -> Usage:
        """What it has used: as the provider has said, with a guess at what was written since."""

    def whole(self) -> ModelReply:
        """The reply, if it is whole.

        Raises:
            Again: it broke off.
            ModelFailed: it ended before its end.
            ValueError: it is none.
        """


class Wire(Protocol):
    """One provider through its SDK, without retries of its own. `url` is where it is asked."""

    url: str
    errors: SdkErrors

    def ask(self, request: Request, *, plain: bool) -> Arrival:
        """A request that is not sent yet; a `plain` one leaves out what a server may not know."""

    def count(self, request: Request, seconds: float) -> int | None:
        """How many tokens a prompt has, as the provider counts; None where the protocol has no count."""

    def close(self) -> None:
        """Let go of the connections."""


def url_of(client: Any) -> str:
    """Where an SDK's client asks, without a name or a password in it."""
    return str(client.base_url.copy_with(userinfo=b"")).rstrip("/")


def cut_off(why: str, usage: Usage) -> Again:
    """The reply broke off."""
    return Again(ReplyCut("the reply broke off", why=why, what_to_do=f"Go on. {RESUME}", usage=usage))


def too_long(stop: str, usage: Usage) -> ReplyCut:
    """The provider stopped the reply at its limit."""
    return ReplyCut(
        "the reply is longer than it may be",
        why=f"the provider stopped it with `{stop}` after {usage.output_tokens} tokens",
        what_to_do="Split the ticket into smaller ones.",
        usage=usage,
    )


def declined(why: str | None, usage: Usage) -> ModelRefused:
    """The model does not want to answer."""
    return ModelRefused(
        "the model declines to answer",
        why=why or "the provider gives no reason",
        what_to_do="Read the ticket for what it may have taken offence at, reword it, and label it again.",
        usage=usage,
    )
