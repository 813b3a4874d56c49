"""Descriptions: whether a ticket says what the docs of something say, in nearly all their words."""

import re
from collections.abc import Sequence
from functools import lru_cache

from pipeline.domain.words import prose_stems

_COVERED = 0.75
"""The share of a description's words that one sentence of the ticket has to say."""

_LEAST = 3
"""A description of fewer words than this is said by accident."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*])")


def described_by(prose: str, docs: str) -> frozenset[str]:
    """The words in which a sentence of the ticket says what the first sentence of some docs says; none if it does not."""
    return _said_by(_sentences(prose), docs)


def described_best(prose: str, docs: Sequence[str]) -> tuple[int, frozenset[str]] | None:
    """The one of many descriptions that the ticket says in most words; None where none is or two are said alike."""
    sentences = _sentences(prose)
    found = [
        (len(words), -index, words) for index, one in enumerate(docs) if (words := _said_by(sentences, one))
    ]
    found.sort(key=lambda one: (-one[0], -one[1]))
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return -found[0][1], found[0][2]


def _said_by(sentences: Sequence[frozenset[str]], docs: str) -> frozenset[str]:
    wanted = _first_sentence(docs)
    if len(wanted) < _LEAST:
        return frozenset()
    best = max((wanted & sentence for sentence in sentences), key=len)
    return best if len(best) >= max(_LEAST, _COVERED * len(wanted)) else frozenset()


def _sentences(prose: str) -> tuple[frozenset[str], ...]:
    return tuple(prose_stems(sentence) for sentence in _SENTENCE.split(prose))


@lru_cache(maxsize=65_536)
def _first_sentence(docs: str) -> frozenset[str]:
    return prose_stems(re.split(r"[.;:](?:\s|$)|\n\s*\n", docs.strip(), maxsplit=1)[0])
