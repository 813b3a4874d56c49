"""What of a long conversation is sent: old results of tools shrink to a note, so that it fits the model's context. Pure.

The transcript keeps everything; only what is sent is cut, and cut in steps: between two steps each request begins with
the whole one before it, which the provider still has in its cache.
"""

from collections.abc import Sequence

from pipeline.agents.tools import FAMILY_ARGUMENTS
from pipeline.llm.port import ToolCall, ToolResult, Turn

MAX_CHARACTERS = 240_000
"""Characters of results that are sent at most before the next step; some 70,000 tokens of code."""

KEPT_CHARACTERS = 80_000
"""Characters of the newest results that a step leaves whole."""

_SHORT = 400
"""Results of at most so many characters stay: a note would not be much shorter."""

_HEAD = 200


def turns_to_send(
    turns: Sequence[Turn], *, max_characters: int = MAX_CHARACTERS, kept_characters: int = KEPT_CHARACTERS
) -> tuple[Turn, ...]:
    """The turns with the results of old ones left out but for their first line. The newest result is always whole.

    So is what other agents said: to call again would not bring it back, and would be paid for again.
    """
    start = _first_whole(turns, max_characters, kept_characters)
    costly = frozenset(
        block.id
        for turn in turns
        for block in turn.content
        if isinstance(block, ToolCall) and block.name in FAMILY_ARGUMENTS
    )
    return tuple(_shorten(turn, costly) if at < start else turn for at, turn in enumerate(turns))


def _first_whole(turns: Sequence[Turn], max_characters: int, kept_characters: int) -> int:
    """The turn from which on results are whole. It depends on nothing but the turns before each step."""
    start, size = 0, 0
    for at, turn in enumerate(turns):
        size += _size(turn)
        if size > max_characters:
            while start < at and size > kept_characters:
                size -= _size(turns[start])
                start += 1
    return start


def _size(turn: Turn) -> int:
    return sum(len(block.content) for block in turn.content if isinstance(block, ToolResult))


def _shorten(turn: Turn, costly: frozenset[str]) -> Turn:
    if not any(isinstance(block, ToolResult) and len(block.content) > _SHORT for block in turn.content):
        return turn
    content = tuple(
        _note(block, costly) if isinstance(block, ToolResult) else block for block in turn.content
    )
    return turn.model_copy(update={"content": content})


def _note(result: ToolResult, costly: frozenset[str]) -> ToolResult:
    if len(result.content) <= _SHORT or result.tool_use_id in costly:
        return result
    head, _, rest = result.content.partition("\n")
    note = f"[{len(rest.splitlines())} more lines were here; they are left out to save room. Call again to see them.]"
    return result.model_copy(update={"content": f"{head[:_HEAD]}\n{note}"})
