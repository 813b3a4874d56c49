"""A reply as it arrives, event by event, until it is whole or has broken off."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydantic import ValidationError

from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.llm.failures import ModelRefused, ReplyCut
from pipeline.llm.port import ModelReply, StopReason
from pipeline.llm.sdk_errors import cut_off, malformed_reply
from pipeline.llm.services import Service
from pipeline.llm.usage import Usage
from pipeline.llm.wire_format import content_of, usage_of

if TYPE_CHECKING:
    from anthropic.lib.streaming import ParsedMessageStreamEvent
    from anthropic.types import Message, RawContentBlockDeltaEvent

_CHARACTERS_PER_TOKEN = 4
"""A guess for as long as a reply arrives: what it used is said at its end."""


class PartialReply:
    """As much of a message as has arrived. `message` is None until it begins."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.message: Message | None = None
        self._characters = 0

    def take(self, event: "ParsedMessageStreamEvent[None]", snapshot: "Callable[[], Message]") -> None:
        """Listen to one more event; `snapshot` is the message so far."""
        if event.type == "message_start" or self.message is not None:
            self.message = snapshot()
        if event.type == "content_block_delta":
            self._characters += len(_text_of_event(event))

    @property
    def usage(self) -> Usage:
        """What the provider has said that it used."""
        return Usage() if self.message is None else usage_of(self.message.usage)

    @property
    def so_far(self) -> Usage:
        """The same, with a guess at what was written since."""
        usage = self.usage
        output_tokens = max(usage.output_tokens, self._characters // _CHARACTERS_PER_TOKEN)
        return usage.model_copy(update={"output_tokens": output_tokens})

    def whole(self) -> ModelReply:
        """The reply, if it is whole.

        Raises:
            Again: it broke off.
            ModelFailed: it ended before its end, or is none.
        """
        message, usage = self.message, self.usage
        if message is None or message.stop_reason is None:
            raise cut_off("the stream ended before the reply did", self.so_far)
        match message.stop_reason:
            case "end_turn" | "stop_sequence":
                reason = StopReason.END_TURN
            case "tool_use":
                reason = StopReason.TOOL_USE
            case "max_tokens" | "model_context_window_exceeded":
                raise ReplyCut(
                    "the reply is longer than it may be",
                    why=f"the provider stopped it with `{message.stop_reason}` after {usage.output_tokens} tokens",
                    what_to_do="Split the ticket into smaller ones.",
                    usage=usage,
                )
            case "refusal":
                details = message.stop_details
                raise ModelRefused(
                    "the model declines to answer",
                    why=(details and (details.explanation or details.category))
                    or "the provider gives no reason",
                    what_to_do="Read the ticket for what it may have taken offence at, reword it, and label it again.",
                    usage=usage,
                )
            case unknown_reason:
                raise malformed_reply(
                    f"stop reason `{unknown_reason}`, which nothing in the request allows",
                    usage,
                    self._service,
                )
        try:
            return ModelReply(content=content_of(message), stop_reason=reason, usage=usage)
        except ValidationError as error:
            raise malformed_reply(mistakes_by_key(error)[0], usage, self._service) from error


def _text_of_event(event: "RawContentBlockDeltaEvent") -> str:
    """What a piece of a reply adds to it: words, arguments of a call, or thoughts."""
    match event.delta.type:
        case "text_delta":
            return event.delta.text
        case "input_json_delta":
            return event.delta.partial_json
        case "thinking_delta":
            return event.delta.thinking
        case _:
            return ""
