"""In which script and language an issue is written, and whether its title says more than its kind."""

import re
import unicodedata
from collections import Counter
from itertools import islice

from pipeline.domain.words import STOP_WORDS
from pipeline.reading.language_data import (
    ENGLISH_FUNCTION_WORDS,
    FOREIGN_FUNCTION_WORDS,
    WORDS_OF_NO_TOPIC,
    without_words,
)

_LETTERS_FOR_SCRIPT = 4_000
_WORDS_FOR_LANGUAGE = 2_000
_FOREIGN, _ENGLISH = frozenset(FOREIGN_FUNCTION_WORDS), frozenset(ENGLISH_FUNCTION_WORDS)
_LEAST_WORDS = 3
"""Function words of other languages that an English text may hold: names, quotations."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def script_of(text: str) -> str:
    """The writing system of most letters: the first word of their Unicode name, `Han` for ideographs."""
    letters = islice((sign for sign in text if sign.isalpha()), _LETTERS_FOR_SCRIPT)
    counts = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in letters)
    if not counts:
        return ""
    script = max(counts, key=lambda name: (counts[name], name))
    return "Han" if script == "CJK" else script.capitalize()


def is_english(text: str, script: str) -> bool:
    """Whether prose is in English, as far as one can tell: few words tell nothing, and then it is."""
    if script not in ("", "Latin"):
        return False
    words = [match.group().lower() for match in islice(_WORD.finditer(text), _WORDS_FOR_LANGUAGE)]
    foreign = sum(word in _FOREIGN for word in words)
    english = sum(word in _ENGLISH for word in words)
    return foreign < _LEAST_WORDS or foreign <= 2 * english


def has_topic(title: str) -> bool:
    """Whether a title has more words than those for the kind of an issue. "[Bug]: it does not work" has none."""
    rest = without_words(title, WORDS_OF_NO_TOPIC)
    return any(word.lower() not in STOP_WORDS for word in re.findall(r"[^\W_]+", rest))
