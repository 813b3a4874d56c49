"""Cut Markdown into its blocks, each with its place in the text. What the blocks mean is decided elsewhere."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_CHECK_BOX = re.compile(r"\[[ xX]\](?:\s|$)")
_LONGEST_HEADING = 160


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    CHECK_BOX = "check box"
    CODE = "code"
    HTML = "html"


@dataclass(frozen=True)
class MarkdownBlock:
    """A block without blocks inside, as whole lines from `start` up to `end`.

    `level` is of a heading (1 to 6), `info` the words behind the opening of a fence, `text` of a heading or a code block
    what stands inside its marks.
    """

    kind: BlockKind
    start: int
    end: int
    text: str = ""
    level: int = 0
    info: str = ""


def markdown_blocks(text: str) -> tuple[MarkdownBlock, ...]:
    """The blocks of a text in their order. Lines end with a line feed. Any text will do."""
    return tuple(_blocks(_parser().parse(text), line_starts(text)))


def line_starts(text: str) -> list[int]:
    """Where each line begins, and the end of the text."""
    return [0, *(match.end() for match in re.finditer("\n", text)), len(text)]


@cache
def _parser() -> MarkdownIt:
    """Blocks only. Link definitions stay text: a log line such as `[worker]: started` looks like one."""
    return MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])


def _blocks(tokens: list[Token], starts: list[int]) -> Iterator[MarkdownBlock]:
    in_item = in_check_box = False
    table: tuple[int, int] | None = None
    level = 0
    for token in tokens:
        match token.type:
            case "list_item_open":
                in_item, in_check_box = True, False
            case "list_item_close":
                in_item = in_check_box = False
            case "heading_open":
                level = int(token.tag[1:])
            case "table_open":
                table = _range(token, starts)
                yield MarkdownBlock(BlockKind.TEXT, *table)
            case "table_close":
                table = None
            case "fence" | "code_block":
                yield MarkdownBlock(
                    BlockKind.CODE, *_range(token, starts), text=token.content, info=token.info.strip()
                )
            case "html_block":
                yield MarkdownBlock(BlockKind.HTML, *_range(token, starts))
            case "inline" if table is None:
                if level and len(token.content) <= _LONGEST_HEADING:
                    yield MarkdownBlock(
                        BlockKind.HEADING, *_range(token, starts), text=token.content.strip(), level=level
                    )
                    level = 0
                    continue
                level = 0
                in_check_box = in_check_box or (in_item and bool(_CHECK_BOX.match(token.content)))
                kind = BlockKind.CHECK_BOX if in_check_box else BlockKind.ITEM if in_item else BlockKind.TEXT
                yield MarkdownBlock(kind, *_range(token, starts))


def _range(token: Token, starts: list[int]) -> tuple[int, int]:
    first, last = token.map or [0, 0]
    return starts[min(first, len(starts) - 1)], starts[min(last, len(starts) - 1)]
