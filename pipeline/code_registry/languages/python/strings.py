"""The values of Python strings: plain ones, escaped ones, and those that a format call puts together."""

import ast

from pipeline.code_registry.facts import Call, Expression, Text, is_text, joined

LONGEST = 400
"""Items of a literal that are kept."""
_QUOTES = frozenset({b'"', b"'"})


def plain_string(written: bytes) -> bytes | None:
    """What stands between the quotes, where the literal is nothing but quotes and text; None for any other."""
    quote = written[:1]
    if quote not in _QUOTES or b"\\" in written:
        return None
    if written.startswith(quote * 3):
        return written[3:-3] if len(written) > 5 and written.endswith(quote * 3) else None
    return written[1:-1] if len(written) > 1 and written.endswith(quote) else None


def unescape(text: str, *, raw: bool) -> str:
    """The value of what stands between the quotes."""
    if raw or "\\" not in text:
        return text
    try:
        value = ast.literal_eval(f'"""{text}"""' if '"' not in text else f"'''{text}'''")
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) and is_text(value) else text


def formatted(pattern: Expression, call: Call) -> Expression:
    """`"…{}…".format(a)` as a joined string, where it takes plain positional fields only."""
    if not isinstance(pattern, Text):
        return call
    pieces = pattern.value.split("{}")
    if len(pieces) != len(call.arguments) + 1 or "{" in "".join(pieces):
        return call
    parts: list[Expression] = [Text(pieces[0])]
    for argument, piece in zip(call.arguments, pieces[1:], strict=True):
        parts += [argument, Text(piece)]
    return joined([part for part in parts if part != Text("")], LONGEST)
