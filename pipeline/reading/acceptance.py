"""Acceptance criteria: the items of a section that says so. No other list is one.

A criterion is what its author wrote, with its links and code, or it is none. A sentence that only leads to a block, such as
"I expected something like the following.", says nothing without the block.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pipeline.domain.issue import Quotation, SectionRole
from pipeline.reading.language_data import ANNOUNCING_WORDS, POINTING_WORDS, words_in
from pipeline.reading.sections import IMAGE, QUIET_ROLES, Stretch
from pipeline.reading.templates import line_key

ROLES = frozenset({SectionRole.ACCEPTANCE, SectionRole.EXPECTED})
MOST_CRITERIA = 20
_LONGEST = 400
_LONGEST_LINE = 4_000
"""With its pictures and its formatting."""

_CODE_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?:(?!(?P=ticks)).)+?(?<!`)(?P=ticks)(?!`)")
_FORMATTING = re.compile(
    r"</?(?:a|b|br|code|del|details|div|em|hr|i|ins|kbd|li|ol|p|pre|s|samp|span|strong|sub|summary|sup|u|ul)\b[^<>\n]{0,2000}>",
    re.IGNORECASE,
)
_ADDRESS_SIGNS = re.compile(r"<(https?://[^<>\s]+)>")
_WORDS_OF_LINKS = re.compile(r"\[([^\[\]\n]{0,500})\]\([^()\n]{0,2000}\)|https?://\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…])(?:\s+|(?<=[。！？]))(?=\S)")
_ENDS = frozenset('.!?。！？…)）]”"»」*_`')
"""With what an item ends that does not go on in the block below it."""

_TAIL = 24
"""In so many characters at its end a sentence says that it leads to something."""


def find_acceptance(text: str, stretches: Sequence[Stretch]) -> Iterator[Quotation]:
    """The items and paragraphs of those sections, unchanged. `text` is the text of the stretches."""
    continuations = sorted(stretch.start for stretch in stretches if _goes_on_with(stretch))
    for stretch in stretches:
        if stretch.role not in ROLES:
            continue
        for start, end in stretch.items:
            following = bisect_left(continuations, end)
            goes_on = following < len(continuations) and not text[end : continuations[following]].strip()
            criterion = _criterion(text[start:end], goes_on=goes_on)
            if criterion is not None:
                yield Quotation(text=criterion, quote=text[start:end].strip())


def _goes_on_with(stretch: Stretch) -> bool:
    """Whether what stands before a stretch may go on in it: a log, code, or the rest of a paragraph."""
    return stretch.role in QUIET_ROLES or not stretch.items or stretch.items[0][0] > stretch.start


def _criterion(quote: str, *, goes_on: bool) -> str | None:
    """The item on one line; None where it is not whole without what follows, or is too long. `goes_on`: a block follows."""
    line = line_key(" ".join(map(line_key, quote.strip().split("\n"))))
    if len(line) > _LONGEST_LINE:
        return None
    pictures = list(IMAGE.finditer(line))
    if pictures and line[pictures[0].end() :].strip() and line[: pictures[0].start()].strip():
        return None  # the picture stands for a word
    goes_on = goes_on or any(picture.start() > 0 for picture in pictures)
    criterion = line_key(_without_formatting(IMAGE.sub(" ", line)))
    sentences = _SENTENCE_END.split(criterion)
    if _announces(sentences[-1], goes_on=goes_on):
        criterion = " ".join(sentences[:-1])
    words = _WORDS_OF_LINKS.sub(lambda match: match[1] or "", criterion)
    has_words = any(sign.isalnum() for sign in words)
    return criterion if has_words and len(criterion) <= _LONGEST else None


def _announces(sentence: str, *, goes_on: bool) -> bool:
    """Whether a sentence leads to something behind it: by a colon, by its last words, or as it does not end before a block."""
    plain = sentence.rstrip(" *_")
    if plain.endswith((":", "：")) or (goes_on and plain[-1:] not in _ENDS):
        return True
    tail = plain.rstrip(" .…。,!").lower()[-_TAIL:]
    words = words_in(tail, ANNOUNCING_WORDS) + (words_in(tail, POINTING_WORDS) if goes_on else ())
    return any(map(tail.endswith, words))


def _without_formatting(line: str) -> str:
    """The line without tags of HTML that only format, and without the signs around an address; code does not change."""
    parts, at = [], 0
    for span in _CODE_SPAN.finditer(line):
        parts += [_plain(line[at : span.start()]), span.group()]
        at = span.end()
    return "".join([*parts, _plain(line[at:])])


def _plain(text: str) -> str:
    return _ADDRESS_SIGNS.sub(r"\1", _FORMATTING.sub(" ", text))
