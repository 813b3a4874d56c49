"""Turns the port's values into the provider's and back: https://platform.claude.com/docs/en/api/messages/create."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, assert_never, cast

from pipeline.llm.port import Block, Opaque, Request, Text, ToolCall, ToolResult, Turn
from pipeline.llm.usage import Usage

if TYPE_CHECKING:
    from anthropic.types import Message, MessageParam, TextBlockParam, ToolParam
    from anthropic.types import Usage as WireUsage

_CACHED = {"type": "ephemeral"}
"""Ends a prefix that the provider keeps for five minutes. Four are allowed in a request, and three are used: after the
tools, after the system prompt, and after the newest turn, so that the next turn pays for nothing but what is new."""


def system_of(request: Request) -> "list[TextBlockParam]":
    """The system prompt, kept in the cache."""
    return cast("list[TextBlockParam]", [{"type": "text", "text": request.system, "cache_control": _CACHED}])


def tools_of(request: Request) -> "list[ToolParam]":
    """The tools, kept in the cache."""
    tools: list[dict[str, Any]] = [tool.model_dump() for tool in request.tools]
    if tools:
        tools[-1]["cache_control"] = _CACHED
    return cast("list[ToolParam]", tools)


def messages_of(request: Request) -> "list[MessageParam]":
    """The conversation so far, kept in the cache up to its newest turn."""
    messages = [_message(turn) for turn in request.turns]
    if messages and messages[-1]["content"]:
        messages[-1]["content"][-1]["cache_control"] = _CACHED
    return cast("list[MessageParam]", messages)


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
        case Text() | ToolCall() | ToolResult():
            return block.model_dump()
        case Opaque():
            return dict(block.raw)
    assert_never(block)


def _block(wire: Mapping[str, Any]) -> Block:
    match wire["type"]:
        case "text":
            return Text(text=wire["text"])
        case "tool_use":
            return ToolCall(id=wire["id"], name=wire["name"], input=wire["input"])
        case _:
            return Opaque(raw=dict(wire))
