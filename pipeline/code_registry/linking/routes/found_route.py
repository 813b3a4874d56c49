"""A route found in the code, the pattern of its path, and rows of tables that lead to views."""

import re
from typing import NamedTuple

from pipeline.code_registry.entries import Confidence, SourceRange
from pipeline.code_registry.facts import Call
from pipeline.code_registry.framework import RouteMethod
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue


class FoundRoute(NamedTuple):
    """A route before its fields are read. `handler` is a function or the method of a view class.

    `registration`: the call that registers it, where there is one.
    """

    method: str
    path: str
    handler: DefinitionRef | None
    handler_name: str
    framework: str
    registered_at: SourceRange
    mounts: tuple[SourceRange, ...]
    top: RouterNode
    dynamic: bool
    confidence: Confidence
    registration: ScopedValue | None = None


def with_leading_slash(path: str) -> str:
    """The path with a slash before it."""
    return path if path.startswith("/") else f"/{path}"


def plain_pattern(regex: str) -> str:
    """A regular expression as a path: named groups are `<name>`, others `<>`; what may be left out is left out."""
    text = regex.removeprefix("^").removesuffix("$")
    pieces: list[str] = []
    at = 0
    while at < len(text):
        piece, at = _next_piece(text, at)
        optional = _OPTIONAL.match(text, at)
        if optional is not None:
            at = optional.end()
            continue
        repeat = _REPEAT.match(text, at)
        if repeat is not None:
            at = repeat.end()
            piece = piece if piece.startswith("<") else "<>"
        pieces.append(piece)
    return "".join(pieces)


_OPTIONAL = re.compile(r"[?*]\??|\{0,\d*\}")
_REPEAT = re.compile(r"\+\??|\{[\d,]+\}")
_GROUP = re.compile(r"\((?:\?P<(\w+)>|\?:)?")


def _next_piece(text: str, at: int) -> tuple[str, int]:
    """The path that the next atom of a regular expression stands for, and where it ends."""
    sign = text[at]
    if sign == "\\":
        character = text[at + 1 : at + 2]
        if character in {"Z", "A", "b"}:
            return "", at + 2
        return ("<>" if character.isalnum() else character), at + 2
    if sign == "[":
        end = text.find("]", at + 2)
        return "<>", (end if end > 0 else len(text) - 1) + 1
    if sign == "(":
        return _group(text, at)
    if sign in "^$":
        return "", at + 1
    if sign == "." and not (_OPTIONAL.match(text, at + 1) or _REPEAT.match(text, at + 1)):
        return ".", at + 1  # any one character, by which people mean the dot of a file name
    return ("<>" if sign == "." else sign), at + 1


def _group(text: str, at: int) -> tuple[str, int]:
    end = _closing(text, at)
    opening = _GROUP.match(text, at)
    inside = text[opening.end() if opening else at : end - 1]
    if opening is not None and opening.group(1) is not None:
        return f"<{opening.group(1)}>", end
    if text.startswith("(?:", at) and "|" not in inside:
        return plain_pattern(inside), end
    return ("" if text.startswith(("(?=", "(?!", "(?<!", "(?<="), at) else "<>"), end


def _closing(text: str, at: int) -> int:
    """Where a group ends; brackets in classes and escaped ones do not count."""
    depth, in_class = 0, False
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            at += 1
        elif in_class:
            in_class = sign != "]"
        elif sign == "[":
            in_class = True
            at += text.startswith(("^]", "]"), at + 1) + text.startswith("^]", at + 1)
        elif sign in "()":
            depth += 1 if sign == "(" else -1
            if depth == 0:
                return at + 1
        at += 1
    return at


class TableRow(NamedTuple):
    """A row that leads to a view: what it is registered at, and the paths it may have there."""

    node: RouterNode
    method: RouteMethod
    call: Call
    scope: Scope
    paths: tuple[TextValue, ...]


class IncludedTable(NamedTuple):
    """What a row hangs below its path: the routers that stand for it, none for something outside of the repository."""

    nodes: tuple[RouterNode, ...]
    text: str
    at: SourceRange
