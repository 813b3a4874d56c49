"""Read the regular expression of a route as a path."""

import re


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
