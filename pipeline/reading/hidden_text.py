"""Remove what a person does not see in a rendered issue: HTML comments and invisible characters."""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.domain.issue import Span

_OPENING, _CLOSING = "<!--", "-->"
_KEPT_FORMAT = frozenset("\n\t\r")
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_PLAIN = re.compile(r"[\n\t -~]*\Z")


@dataclass(frozen=True)
class VisibleText:
    """What people read of a text, and where each of its characters stands in the source.

    Attributes:
        text: without hidden parts; every line ends with a line feed alone.
        offsets: for each character of `text` its place in the source.
        hidden_pieces: how many hidden pieces were left out.
        comment: id of the issue comment that the source is; None for title and body.
    """

    text: str
    offsets: Sequence[int]
    hidden_pieces: int = 0
    comment: int | None = None

    def span(self, start: int, end: int) -> Span:
        """Where a stretch of the visible text stands in the source. Hidden characters at its ends do not belong to it."""
        if end <= start:
            after = self.offsets[-1] + 1 if self.offsets else 0
            at = self.offsets[start] if start < len(self.offsets) else after
            return Span(start=at, end=at, comment=self.comment)
        return Span(start=self.offsets[start], end=self.offsets[end - 1] + 1, comment=self.comment)


def remove_hidden(text: str) -> str:
    """The text that people read: without HTML comments, and without characters that show nothing (`is_hidden`)."""
    return visible_text(text).text


def without_invisible(text: str) -> str:
    """A text that no browser renders, such as a log: comments are shown unchanged, invisible characters are not."""
    return "".join(character for character in text if not is_hidden(character))


def visible_text(source: str, *, start: int = 0, comment: int | None = None) -> VisibleText:
    """The visible part of a source. `start` is where the text begins in a longer source.

    A character that goes puts no comment together. GitHub shows `<!-- a -->` with a zero-width space behind `<!`, so it
    becomes `<!- - a -->`, which no reader of Markdown behind this function takes for a comment.
    """
    if _PLAIN.match(source) and _OPENING not in source:
        return VisibleText(source, range(start, start + len(source)), comment=comment)
    places, hidden_count = places_outside_comments(source)
    characters: list[str] = []
    offsets = array("L")
    for at in places:
        character = source[at]
        if character == "\r":
            if source[at + 1 : at + 2] == "\n":
                continue
            character = "\n"
        elif is_hidden(character):
            hidden_count += 1
            continue
        elif character == "-" and characters[-3:] == ["<", "!", "-"]:
            characters.append(" ")
            offsets.append(start + at)
        characters.append(character)
        offsets.append(start + at)
    return VisibleText("".join(characters), offsets, hidden_count, comment)


def places_outside_comments(text: str) -> tuple[Sequence[int], int]:
    """Places of the characters outside HTML comments, and how many comments there are.

    One pass with a stack: where what is left so far ends with `<!--`, these four signs go, and so does all up to the next
    `-->`; an unclosed comment hides all that follows. So `<!<!-- a -->-- b -->` leaves nothing, as if comments were removed
    again and again.
    """
    if _OPENING not in text:
        return range(len(text)), 0
    places: list[int] = []
    comments, at = 0, 0
    while at < len(text):
        places.append(at)
        at += 1
        if text[at - 1] == "-" and "".join(text[place] for place in places[-4:]) == _OPENING:
            del places[-4:]
            comments += 1
            closing = text.find(_CLOSING, at)
            at = len(text) if closing < 0 else closing + len(_CLOSING)
    return places, comments


def is_hidden(character: str) -> bool:
    """Whether a character is none that people read: a control, format, surrogate, private-use or variation character."""
    if character in _KEPT_FORMAT:
        return False
    if character.isascii():
        return not character.isprintable()
    code = ord(character)
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co") or any(
        code in span for span in _VARIATION_SELECTORS
    )
