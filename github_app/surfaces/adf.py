"""Atlassian Document Format: the documents that we write, and the words in those that people write.

Text of others stands in text nodes only, in which nothing is markup, mention or link. Source: developer.atlassian.com,
"Atlassian Document Format"; its JSON Schema is `dist/json-schema/v1/full.json` of `@atlaskit/adf-schema`.
"""

import math
from collections.abc import Iterable

from pydantic import JsonValue

Node = dict[str, JsonValue]

_LEFT_OUT = frozenset({"expand", "nestedExpand", "table"})
"""Nodes that hold pasted text, and no answer: as `<details>` on GitHub."""
_LINES = frozenset({"paragraph", "heading", "taskItem", "decisionItem", "caption"})


def document(blocks: Iterable[Node]) -> Node:
    """A whole document."""
    return {"type": "doc", "version": 1, "content": list(blocks)}


def paragraph(*inline: Node) -> Node:
    """A paragraph."""
    return {"type": "paragraph", "content": list(inline)}


def text(words: str, *, strong: bool = False, href: str | None = None) -> Node:
    """Words without markup. A text node is never empty."""
    marks: list[JsonValue] = []
    if href is not None:
        marks.append({"type": "link", "attrs": {"href": href}})
    if strong:
        marks.append({"type": "strong"})
    node: Node = {"type": "text", "text": words or "(empty)"}
    return {**node, "marks": marks} if marks else node


def mention(account: str) -> Node:
    """A mention, by which Jira tells the person."""
    return {"type": "mention", "attrs": {"id": account}}


def numbered_list(items: Iterable[Node]) -> Node:
    """Paragraphs as a list that is counted from 1."""
    return {"type": "orderedList", "content": [{"type": "listItem", "content": [item]} for item in items]}


def code(words: str) -> Node:
    """Words letter by letter."""
    return {"type": "codeBlock", "attrs": {}, "content": [{"type": "text", "text": words or "(empty)"}]}


def plain_text(node: JsonValue) -> str:
    """What a person wrote, as a comment of GitHub would have it: quotes, code, lists and struck words as Markdown.

    Mentions are as `incoming.WrittenReply` has them. An editor makes a list of "2. that": its number is kept.
    """
    return "\n".join(_lines(node))


def _lines(node: JsonValue) -> list[str]:
    """Lines of a block. A block of blocks, known or not, has the lines of its parts."""
    kind = node.get("type") if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(kind, str | None) or kind in _LEFT_OUT:
        return []
    children = _children(node)
    if kind in _LINES:
        return "".join(_inline(child) for child in children).split("\n")
    if kind == "codeBlock":
        return ["```", *"".join(_inline(child) for child in children).split("\n"), "```"]
    if kind == "orderedList":
        order = _attribute(node, "order")
        start = int(order) if isinstance(order, int | float) and math.isfinite(order) else 1
        return [
            line
            for number, item in enumerate(children, start=start)
            for line in _with_mark(f"{number}. ", _lines(item))
        ]
    if kind == "bulletList":
        return [line for item in children for line in _with_mark("- ", _lines(item))]
    lines = [line for child in children for line in _lines(child)]
    return [f"> {line}" for line in lines] if kind == "blockquote" else lines


def _inline(node: JsonValue) -> str:
    if not isinstance(node, dict):
        return ""
    match node.get("type"):
        case "text":
            words = node.get("text")
            return _as_marked(words, node) if isinstance(words, str) else ""
        case "hardBreak":
            return "\n"
        case "mention":
            return f"@<{_attribute(node, 'id')}>"
        case "emoji":
            sign = _attribute(node, "text")
            return sign if isinstance(sign, str) else ""
        case _:
            return ""


def _as_marked(words: str, node: Node) -> str:
    marks = node.get("marks")
    kinds = (
        {str(mark.get("type")) for mark in marks if isinstance(mark, dict)}
        if isinstance(marks, list)
        else set()
    )
    if "strike" in kinds:
        return f"~~{words}~~"
    return f"`{words}`" if "code" in kinds else words


def _with_mark(mark: str, lines: list[str]) -> list[str]:
    return [f"{mark}{lines[0]}", *lines[1:]] if lines else []


def _children(node: Node) -> list[JsonValue]:
    content = node.get("content")
    return content if isinstance(content, list) else []


def _attribute(node: Node, name: str) -> JsonValue:
    attributes = node.get("attrs")
    return attributes.get(name) if isinstance(attributes, dict) else None
