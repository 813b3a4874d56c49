"""How probable it is that a wish changes what a caller sends or gets, rather than what happens inside."""

import re
from dataclasses import dataclass
from math import exp

from pipeline.domain.issue import CitationKind, IssueDocument, IssueKind
from pipeline.domain.words import prose_stems
from pipeline.stages.selection.anchors import Anchors
from pipeline.stages.selection.language_weights import INTERNAL_WORDS, POSSIBILITY, REQUEST_WORDS
from pipeline.stages.selection.terms import Terms

_BIAS = -2.0
_NEW_NAME = 2.0
"""A name in code's spelling that the code does not have is most often a parameter or a field to come."""

_POSSIBILITY, _MOST_POSSIBILITIES = 0.7, 2
"""What each wish for a possibility weighs, and how many of them count."""

_TITLE = 1.5
_MAX_WORD_WEIGHT = 4.0
"""Words together weigh at most this much to either side: a long text has some of every kind."""

_KINDS = {IssueKind.BUG: -3.0, IssueKind.FEATURE: 0.5, IssueKind.OTHER: -0.5, IssueKind.UNSURE: 0.0}
LIKELY = 0.5
POSSIBLE = 0.2

_PLAIN_WORD = re.compile(r"(?<![\w/.:$-])[^\W\d_][^\W\d_'’-]*(?:/[^\W\d_]+)?(?![\w/]|::|[.-]\w)")
"""A word that is no part of a path, an address, an identifier or a version; `flag/option` are two."""

_QUOTED_KINDS = frozenset({CitationKind.FILE, CitationKind.LINE, CitationKind.COMMAND, CitationKind.MESSAGE})
"""What is quoted says what there is, not what is wanted: a path such as `tests/test_api.py` is no wish for a test."""


@dataclass(frozen=True)
class RequestChange:
    """The probability, and the words of the issue that speak for it or against it, as they are written."""

    probability: float
    words: tuple[str, ...]

    @property
    def is_likely(self) -> bool:
        """Whether the answer to "which route?" probably changes what is built."""
        return self.probability >= LIKELY

    @property
    def is_possible(self) -> bool:
        """Whether it is worth a question where the code itself says that there are several ways in."""
        return self.probability >= POSSIBLE


def request_change(document: IssueDocument, anchors: Anchors, terms: Terms) -> RequestChange:
    """Weigh the kind of the issue, names that are new to the code, and words; a logistic function of their sum."""
    title, wish = (prose_stems(_changing_words(text, document)) for text in (document.title, document.wish))
    weighted_stems = [
        (stem, weight * (_TITLE if stem in title else 1.0))
        for table in (REQUEST_WORDS, INTERNAL_WORDS)
        for stem, weight in table.items()
        if stem in wish and stem not in terms.excluded_stems
    ]
    words = sum(weight for _, weight in weighted_stems)
    score = _BIAS + _KINDS[document.kind] + max(-_MAX_WORD_WEIGHT, min(_MAX_WORD_WEIGHT, words))
    if anchors.parameters():
        score += _NEW_NAME
    possibilities = len(POSSIBILITY.findall(_changing_words(document.wish, document)))
    score += _POSSIBILITY * min(possibilities, _MOST_POSSIBILITIES)
    quotes = terms.quote(frozenset(stem for stem, _ in weighted_stems))
    return RequestChange(round(1 / (1 + exp(-score)), 4), quotes)


def _changing_words(text: str, document: IssueDocument) -> str:
    """The plain words of a text, without those of paths, names and whatever it quotes."""
    quotes = {citation.quote for citation in document.citations if citation.kind in _QUOTED_KINDS}
    for quote in sorted(quotes, key=lambda quote: (-len(quote), quote)):
        text = text.replace(quote, " ")
    return " ".join(_PLAIN_WORD.findall(text))
