"""Terms: what an index of text and a query have in common. Names and prose give the same stems, in any script.

`auditLogs` gives `audit`, `log` and, because it is one name, `auditlog`; so `audit log` in prose meets `auditlogs` in code
where a query joins its neighbouring words.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from Stemmer import Stemmer

WORD = re.compile(r"\w+")
"""A name or word as written: what `TermTable` takes."""

_LONGEST = 64
"""Characters of a word beyond which it is data, no name."""
_MOST_DIGITS = 4
_NO_TERM = " "
"""What a part is mapped to that is not indexed."""
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORDS_WITHOUT_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
"""Scripts that put no spaces between words, and Hangul, whose endings stick to the words: read as pairs of characters."""
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")

STOP_TERMS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can cannot could did do does doing
    don each etc for from get gets had has have having he her here his how i if in into is it its itself just let like
    make me more most much must my need no nor not now of on one only or other our out over own per please same she
    should so some such than that the their them then there these they this those through to too under until up us use
    used uses using very was we were what when where which while who why will with within without would yes yet you your
    def self return import export const function func var none null true false nil err int str string new public private
    void static final end fn pub mut impl else elif try except catch async await package include
    """.split()
)
"""Words of English and of programming languages that nearly every file holds: they are not indexed."""


class Postings(NamedTuple):
    """Where a term stands: numbers of files, and at the same places the packed counts of its fields."""

    files: Sequence[int]
    counts: Sequence[int]


class TermTable(dict[bytes, tuple[str, ...]]):
    """The terms of each written word, in UTF-8, made when first asked for: the hot path of indexing."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: dict[str, str] = {}
        # The terms of words are kept, so the stemmer needs no cache of its own: purging that took longer than stemming.
        self._english: Callable[[str], str] = Stemmer("english", 0).stemWord
        self._russian: Callable[[str], str] = Stemmer("russian", 0).stemWord

    def __missing__(self, word: bytes) -> tuple[str, ...]:
        if len(self) > _LARGEST_TABLE:
            self.clear()
            self._parts.clear()
        terms = self[word] = self._terms(word.decode("utf-8", "replace"))
        return terms

    def stem(self, word: str) -> str:
        """The stem of a word in lower case."""
        return self._russian(word) if _CYRILLIC.search(word) else self._english(word)

    def _terms(self, word: str) -> tuple[str, ...]:
        if len(word) > _LONGEST:
            return ()
        if not word.isascii():
            return tuple(dict.fromkeys(self._foreign(word)))
        parts = _PART.findall(word.lower() if word.isupper() else word)
        terms = dict.fromkeys([self._parts.get(part) or self._part(part) for part in parts])
        terms.pop(_NO_TERM, None)
        if len(parts) > 1 and not word[0].isdigit():
            terms[self._english("".join(parts).lower())] = None
        return tuple(terms)

    def _part(self, written: str) -> str:
        """The term of a part of a name as written; `_NO_TERM` where it is not indexed."""
        part = written.lower()
        is_indexed = part not in STOP_TERMS and (
            2 <= len(part) <= _MOST_DIGITS if part.isdigit() else len(part) > 1
        )
        term = self._parts[written] = self.stem(part) if is_indexed else _NO_TERM
        return term

    def _foreign(self, word: str) -> Iterator[str]:
        lower_word = word.casefold()
        for run in _WORDS_WITHOUT_SPACES.findall(lower_word):
            yield from (run[at : at + 2] for at in range(len(run) - 1)) if len(run) > 1 else (run,)
        for part in re.split(r"[_\d]+", _WORDS_WITHOUT_SPACES.sub("_", lower_word)):
            if len(part) > 1 and part not in STOP_TERMS:
                yield self.stem(part)


_LARGEST_TABLE = 500_000


def term_counts(text: str, table: TermTable) -> dict[str, int]:
    """How often each term stands in a text."""
    counts: dict[str, int] = {}
    for word in WORD.findall(text):
        for term in table[word.encode()]:
            counts[term] = counts.get(term, 0) + 1
    return counts


def joined_terms(text: str, table: TermTable) -> Iterable[tuple[str, str]]:
    """Neighbouring words of a text as one name, and as written: `audit log` gives `auditlog`, which `AuditLogs` in
    code gives too.
    """
    for left, right in pairwise(re.findall(r"[A-Za-z]{2,20}|[^A-Za-z\s-]", text)):
        if left.isalpha() and right.isalpha():
            first, second = left.lower(), right.lower()
            if first not in STOP_TERMS and second not in STOP_TERMS:
                yield table.stem(first + second), f"{left} {right}"
