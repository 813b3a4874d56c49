"""How probable it is that a wish changes what a caller sends or gets, rather than what happens inside: a logistic regression.

The weights were fitted on `tickets.json`, `rewordings.json` and `requests.json` of `tests/evaluation`; `docs/evaluation.md` has
their results on sets that they were fitted without.
"""

import re
from dataclasses import dataclass

from pipeline.domain.issue import IssueDocument, IssueKind
from pipeline.domain.words import stem
from pipeline.stages.selection.language_weights import (
    INNER_WORDS,
    PARTS_OF_REQUESTS,
    SENDING,
    TELLING,
    stems_of,
)


@dataclass(frozen=True)
class WordEvidence:
    """Words of one kind that speak for a wish that changes a request, or against it. They count at most twice."""

    weight: float
    stems: frozenset[str] = frozenset()
    phrase: re.Pattern[str] | None = None


def _phrase(weight: float, pattern: str) -> WordEvidence:
    return WordEvidence(weight, phrase=re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE))


REQUEST_BIAS = -2.0
REQUEST_EVIDENCE = (
    WordEvidence(1.2, PARTS_OF_REQUESTS),
    WordEvidence(1.1, SENDING),
    WordEvidence(0.75, TELLING),
    WordEvidence(
        1.05, stems_of("keep store remember record save note")
    ),  # what is told is kept with the thing
    _phrase(  # callers that do not send it get what they get today
        0.55,
        r"optional(?:ly)?|(?:not|n't) (?:be )?(?:compulsory|mandatory|required|obligatory|necessary)"
        r"|unless (?:stated|given|told|otherwise)|if (?:none|nothing|it is missing)"
        r"|(?:when|if) not? \w+ (?:is|are) (?:given|sent|named|stated)|default(?:s|ing)?"
        r"|as (?:today|now|before|it is)|without it|left (?:out|empty)",
    ),
    _phrase(  # callers that may tell more than before send more than before
        1.15,
        r"(?:able|possible|possibility|way|means|chance|like|love|want|wants|free) (?:to|of|for)|let (?!us\b)\w+|allow\w*"
        r"|(?:can|could|may)(?: \w+){0,6} be \w+|nowhere|no (?:place|room|field)|ought to|place for",
    ),
    _phrase(  # an indefinite article: a new one is wanted, and none of those that exist
        -0.35,
        r"(?:an?|another|new|separate) (?:\w+ )?(?:call|route|endpoint|page|command|job|report|sub-?resource|screen|list)",
    ),
    _phrase(  # what must not happen is prevented inside
        -0.45,
        r"(?:must|may|should|ca)(?:n't|not| not)|never|refuse[ds]?|reject(?:s|ed)?|turned away|4\d\d",
    ),
    WordEvidence(
        -0.45, stems_of("slow slower fast faster speed performance second ms cache memory timeout index")
    ),
    WordEvidence(-0.2, stems_of("bug crash error exception fail broken wrong typo leak race twice again")),
    WordEvidence(-0.4, stems_of("log logging message wording text journal metric trace heading print")),
    WordEvidence(-0.7, INNER_WORDS | stems_of("upgrade version workflow environment")),
)
"""What speaks for a wish that changes what a caller sends, and what for one that no caller sees."""

REQUEST_NEW_NAME = 0.55
"""A name in code's spelling that the code does not have is most often a parameter or a field to come."""

REQUEST_BUG = -3.0
"""A bug report wants what is there to work. No regression: no report of a bug in the tickets is asked about."""

_MAX_COUNT = 2
"""How often words of one kind count."""

_PLAIN_WORD = re.compile(r"(?<![\w/.:$-])[^\W\d_]+(?![\w/]|::|[.-]\w)")
"""A word that is no part of a path, an address, an identifier or a version."""


@dataclass(frozen=True)
class RequestChange:
    """The log odds, and the words of the issue, unchanged, that speak for it or against it; `has_against`: some speak against."""

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
