"""The values of Python strings: plain ones, escaped ones, and those that a format call puts together."""

import ast

from pipeline.code_registry.facts import Call, Expression, StringLiteral, fill_format, is_text

LONGEST = 400
"""Items of a literal that are kept."""
_QUOTES = frozenset({b'"', b"'"})


def plain_string(literal: bytes) -> bytes | None:
    """What stands between the quotes, where the literal is nothing but quotes and text; None for any other."""
    quote = literal[:1]
    if quote not in _QUOTES or b"\\" in literal:
        return None
    if literal.startswith(quote * 3):
        return literal[3:-3] if len(literal) > 5 and literal.endswith(quote * 3) else None
    return literal[1:-1] if len(literal) > 1 and literal.endswith(quote) else None


def unescape(text: str, *, raw: bool) -> str:
    """The value of what stands between the quotes."""
    if raw or "\\" not in text:
        return text
    try:
        value = ast.literal_eval(f'"""{text}"""' if '"' not in text else f"'''{text}'''")
    except (SyntaxError, ValueError):
        return text
    return value if isinstance(value, str) and is_text(value) else text


def format_call(pattern: Expression, call: Call) -> Expression:
    """`"…{}…".format(a)` as a joined string, where it takes plain positional fields only."""
    if not isinstance(pattern, StringLiteral):
        return call
    pieces = pattern.value.split("{}")
    if len(pieces) != len(call.arguments) + 1 or "{" in "".join(pieces):
        return call
    return fill_format(pieces, call.arguments, LONGEST)
