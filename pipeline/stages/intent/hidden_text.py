"""Remove what a person does not see in a rendered issue: HTML comments and invisible characters."""

import re
import unicodedata

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_KEPT_FORMAT = frozenset("\n\t\r")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))


def remove_hidden(text: str) -> tuple[str, int]:
    """The text that people read, and how many hidden pieces were removed.

    Comments are removed until none is left, because removing one can put another together. An unclosed comment hides
    all that follows, as it does on GitHub. Control, format, surrogate, private-use and variation characters go too.
    """
    removed = 0
    while True:
        text, count = _COMMENT.subn("", text)
        if not count:
            break
        removed += count
    visible = [character for character in text if not _is_hidden(character)]
    return "".join(visible), removed + len(text) - len(visible)


def _is_hidden(character: str) -> bool:
    if character in _KEPT_FORMAT or character.isascii():
        return not character.isprintable() and character not in _KEPT_FORMAT
    code = ord(character)
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co") or any(
        code in span for span in _VARIATION_SELECTORS
    )
