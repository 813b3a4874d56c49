"""How probable it is that a wish changes what a caller sends or gets, rather than what happens inside."""

import re
from dataclasses import dataclass

from pipeline.domain.issue import IssueDocument, IssueKind
from pipeline.domain.words import stem
from pipeline.stages.selection.question_weights import (
    REQUEST_BIAS,
    REQUEST_BUG,
    REQUEST_EVIDENCE,
    REQUEST_NEW_NAME,
    WordEvidence,
)

_MAX_COUNT = 2
"""How often words of one kind count."""

_PLAIN_WORD = re.compile(r"(?<![\w/.:$-])[^\W\d_]+(?![\w/]|::|[.-]\w)")
"""A word that is no part of a path, an address, an identifier or a version."""


@dataclass(frozen=True)
class RequestChange:
    """The log odds, and the words of the issue that speak for it or against it, as they are written; `has_against`: some speak against."""

    log_odds: float
    words: tuple[str, ...]
    has_against: bool = False

    @property
    def is_likely(self) -> bool:
        """Whether the answer to "which route?" probably changes what is built."""
        return self.log_odds >= 0


def request_change(document: IssueDocument, *, has_new_name: bool = False) -> RequestChange:
    """Weigh the kind of the issue, a name that is new to the code, and words; a logistic function of their sum."""
    text = _own_words(document)
    log_odds, words, has_against = REQUEST_BIAS, list[str](), False
    for evidence in REQUEST_EVIDENCE:
        matches = _matches(evidence, text)
        log_odds += evidence.weight * min(_MAX_COUNT, len(matches))
        words += matches
        has_against |= evidence.weight < 0 and bool(matches)
    if has_new_name:
        log_odds += REQUEST_NEW_NAME
    if document.kind is IssueKind.BUG:
        log_odds += REQUEST_BUG
    return RequestChange(round(log_odds, 4), tuple(dict.fromkeys(words)), has_against)


def _matches(evidence: WordEvidence, text: str) -> list[str]:
    if evidence.phrase is not None:
        return [match[0] for match in evidence.phrase.finditer(text)]
    return [word for word in _PLAIN_WORD.findall(text) if stem(word) in evidence.stems]


def _own_words(document: IssueDocument) -> str:
    """Title and wish without what they cite: that says what there is, and not what is wanted."""
    text = f"{document.title}. {document.wish}"
    quotes = {citation.quote for citation in document.citations}
    for quote in sorted(quotes, key=lambda quote: (-len(quote), quote)):
        text = text.replace(quote, " ")
    return text
