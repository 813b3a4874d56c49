"""Turns the port's values into the provider's and back: https://platform.claude.com/docs/en/api/messages/create."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never, cast

from pipeline.llm.port import Block, Opaque, Request, TextBlock, ToolCall, ToolResult, Turn
from pipeline.llm.usage import Usage

if TYPE_CHECKING:
    from anthropic.types import Message, MessageParam, TextBlockParam, ToolParam
    from anthropic.types import Usage as WireUsage

_CACHE_CONTROL = {"type": "ephemeral"}
"""Ends a prefix that the provider keeps for five minutes: reading it costs a tenth or less, writing it a quarter more.

Four are allowed in a request, and each is looked for among the last 20 blocks before it. So four are used: after the
tools, after the system prompt (other agents have the same, or begin again with it), after the user's newest turn, and
after the one before it, where the last request ended: a turn of many calls has more than 20 blocks. A prefix shorter than
512 to 4,096 tokens, by model, is not kept and costs nothing more.
https://platform.claude.com/docs/en/build-with-claude/prompt-caching
"""


def system_of(request: Request) -> "list[TextBlockParam]":
    """The system prompt."""
    system = [{"type": "text", "text": request.system}]
    return cast("list[TextBlockParam]", _with_cache_mark(system, request))


def tools_of(request: Request) -> "list[ToolParam]":
    """The tools."""
    return cast("list[ToolParam]", _with_cache_mark([tool.model_dump() for tool in request.tools], request))


def messages_of(request: Request) -> "list[MessageParam]":
    """The conversation so far."""
    messages = [_message(turn) for turn in request.turns]
    for message in [message for message in messages if message["role"] == "user"][-2:]:
        _with_cache_mark(message["content"], request)
    return cast("list[MessageParam]", messages)


def _with_cache_mark(blocks: list[dict[str, Any]], request: Request) -> list[dict[str, Any]]:
    """The blocks, which the cache keeps up to their last one if they are sent again."""
    if blocks and not request.once:
        blocks[-1]["cache_control"] = _CACHE_CONTROL
    return blocks


def content_of(message: "Message") -> tuple[Block, ...]:
    """What the model said. Blocks that are not for us are kept as they came."""
    return tuple(_block(block.to_dict(mode="json")) for block in message.content)


def usage_of(usage: "WireUsage") -> Usage:
    """Tokens as they are billed; fields that a server leaves out count as none."""
    return Usage(
        input_tokens=usage.input_tokens or 0,
        output_tokens=usage.output_tokens or 0,
        cache_write_tokens=usage.cache_creation_input_tokens or 0,
        cache_read_tokens=usage.cache_read_input_tokens or 0,
    )


def _message(turn: Turn) -> dict[str, Any]:
    return {"role": turn.role, "content": [_wire(block) for block in turn.content]}


def _wire(block: Block) -> dict[str, Any]:
    match block:
        case TextBlock() | ToolCall() | ToolResult():
            return block.model_dump()
        case Opaque():
            return dict(block.raw)
    assert_never(block)


def _block(wire: Mapping[str, Any]) -> Block:
    match wire["type"]:
        case "text":
            return TextBlock(text=wire["text"])
        case "tool_use":
            return ToolCall(id=wire["id"], name=wire["name"], input=wire["input"])
        case _:
            return Opaque(raw=dict(wire))
