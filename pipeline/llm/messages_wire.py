"""Anthropic's Messages API through its SDK: https://platform.claude.com/docs/en/api/messages/create."""

from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, assert_never

from pipeline.llm.port import (
    Block,
    ModelReply,
    Opaque,
    Request,
    StopReason,
    TextBlock,
    ToolCall,
    ToolResult,
    Turn,
)
from pipeline.llm.usage import Usage
from pipeline.llm.wire import CHARACTERS_PER_TOKEN, SdkErrors, cut_off, declined, too_long, url_of

if TYPE_CHECKING:
    from anthropic.types import Message, RawContentBlockDeltaEvent
    from anthropic.types import Usage as WireUsage

_CACHE_CONTROL = {"type": "ephemeral"}
"""Ends a prefix that the provider keeps for five minutes: reading it costs a tenth or less, writing it a quarter more.

Four are allowed in a request, and each is looked for among the last 20 blocks before it. So four are used: after the
tools, after the system prompt (other agents have the same, or begin again with it), after the user's newest turn, and
after the one before it, where the last request ended: a turn of many calls has more than 20 blocks. A prefix shorter than
512 to 4,096 tokens, by model, is not kept and costs nothing more.
https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""

_NO_WORDS = {"type": "text", "text": "(no words)"}
"""Stands for an empty reply, which the API does not take back."""


class MessagesWire:
    """A client of the SDK, of which only the messages are used: Anthropic's, Bedrock's or Google Cloud's."""

    def __init__(self, client: Any, not_signed_in: tuple[type[Exception], ...] = ()) -> None:
        import anthropic

        self._client = client
        self.url = url_of(client)
        self.errors = SdkErrors(
            anthropic.AnthropicError,
            anthropic.APIConnectionError,
            anthropic.APITimeoutError,
            anthropic.APIStatusError,
            not_signed_in,
        )

    def ask(self, request: Request, *, plain: bool) -> "MessageArrival":  # noqa: ARG002 (a plain request has no more to leave out)
        """A request that is not sent yet."""
        return MessageArrival(self._client, request)

    def count(self, request: Request, seconds: float) -> int | None:
        """As the provider counts."""
        answer: object = self._client.messages.count_tokens(**_prompt(request), timeout=seconds)
        tokens = getattr(answer, "input_tokens", None)
        if not isinstance(tokens, int) or tokens <= 0:  # a server may answer anything
            raise ValueError("the answer holds no count")
        return tokens

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


class MessageArrival:
    """As much of a message as has arrived."""

    def __init__(self, client: Any, request: Request) -> None:
        self._client = client
        self._request = request
        self._message: Message | None = None
        self._characters = 0

    def events(self) -> Generator[None, None, None]:
        """Send the request, and listen."""
        body = _prompt(self._request)
        with self._client.messages.stream(**body, max_tokens=self._request.max_tokens) as stream:
            for event in stream:
                if event.type == "message_start" or self._message is not None:
                    self._message = stream.current_message_snapshot
                if event.type == "content_block_delta":
                    self._characters += len(_text_of_event(event))
                yield

    @property
    def has_begun(self) -> bool:
        """Whether anything of the message is there."""
        return self._message is not None

    @property
    def so_far(self) -> Usage:
        """What it has used."""
        usage = self._usage
        output_tokens = max(usage.output_tokens, self._characters // CHARACTERS_PER_TOKEN)
        return usage.model_copy(update={"output_tokens": output_tokens})

    @property
    def _usage(self) -> Usage:
        """What the provider has said that it used."""
        return Usage() if self._message is None else _usage_of(self._message.usage)

    def whole(self) -> ModelReply:
        """The reply, if it is whole.

        Raises:
            Again: it broke off.
            ModelFailed: it ended before its end.
            ValueError: it is none.
        """
        message, usage = self._message, self._usage
        if message is None or message.stop_reason is None:
            raise cut_off("the stream ended before the reply did", self.so_far)
        match message.stop_reason:
            case "end_turn" | "stop_sequence":
                reason = StopReason.END_TURN
            case "tool_use":
                reason = StopReason.TOOL_USE
            case "max_tokens" | "model_context_window_exceeded":
                raise too_long(message.stop_reason, usage)
            case "refusal":
                details = message.stop_details
                raise declined((details and (details.explanation or details.category)) or None, usage)
            case unknown_reason:
                raise ValueError(f"stop reason `{unknown_reason}`, which nothing in the request allows")
        content = tuple(_block(block.to_dict(mode="json")) for block in message.content)
        return ModelReply(content=content, stop_reason=reason, usage=usage)


def _prompt(request: Request) -> dict[str, Any]:
    """All that a model is told, which is also all that is counted."""
    from anthropic import omit, transform_schema

    schema = request.output_schema
    return {
        "model": request.model,
        "system": _with_cache_mark([{"type": "text", "text": request.system}], request),
        "messages": _messages(request),
        "tools": _with_cache_mark([tool.model_dump() for tool in request.tools], request) or omit,
        "output_config": {"format": {"type": "json_schema", "schema": transform_schema(dict(schema))}}
        if schema is not None
        else omit,
    }


def _messages(request: Request) -> list[dict[str, Any]]:
    """The conversation so far."""
    messages = [_message(turn) for turn in request.turns]
    for message in [message for message in messages if message["role"] == "user"][-2:]:
        _with_cache_mark(message["content"], request)
    return messages


def _with_cache_mark(blocks: list[dict[str, Any]], request: Request) -> list[dict[str, Any]]:
    """The blocks, which the cache keeps up to their last one if they are sent again."""
    if blocks and not request.once:
        blocks[-1]["cache_control"] = _CACHE_CONTROL
    return blocks


def _message(turn: Turn) -> dict[str, Any]:
    blocks = [
        _wire(block) for block in turn.content if not isinstance(block, TextBlock) or block.text.strip()
    ]
    return {"role": turn.role, "content": blocks or [dict(_NO_WORDS)]}


def _wire(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock() | ToolCall() | ToolResult():
            return block.model_dump()
        case Opaque():
            return dict(block.raw)
    assert_never(block)


def _block(wire: Mapping[str, Any]) -> Block:
    """What the model said. Blocks that are not for us are kept as they came."""
    match wire["type"]:
        case "text":
            return TextBlock(text=wire["text"])
        case "tool_use":
            return ToolCall(id=wire["id"], name=wire["name"], input=wire["input"])
        case _:
            return Opaque(raw=dict(wire))


def _usage_of(usage: "WireUsage | None") -> Usage:
    """Billed tokens. A figure that a server omits, or that makes no sense, counts as none."""

    def count(field: str) -> int:
        tokens = getattr(usage, field, None)
        return max(0, tokens) if isinstance(tokens, int) else 0

    return Usage(
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cache_write_tokens=count("cache_creation_input_tokens"),
        cache_read_tokens=count("cache_read_input_tokens"),
    )


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
