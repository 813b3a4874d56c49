"""What weighs when it is decided whether to ask between routes: two logistic regressions, as data.

Both were fitted on `tickets.json`, `rewordings.json` and `requests.json` of `tests/evaluation`. `docs/evaluation.md` has what they
come to on services, and on sets, that they were fitted without.
"""

import re
from dataclasses import dataclass

from pipeline.stages.selection.language_weights import PARTS_OF_REQUESTS, SENDING, TELLING, stems_of


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
    _phrase(  # whoever does not tell it gets what they get today
        0.55,
        r"optional(?:ly)?|(?:not|n't) (?:be )?(?:compulsory|mandatory|required|obligatory|necessary)"
        r"|unless (?:stated|given|told|otherwise)|if (?:none|nothing|it is missing)"
        r"|(?:when|if) not? \w+ (?:is|are) (?:given|sent|named|stated)|default(?:s|ing)?"
        r"|as (?:today|now|before|it is)|without it|left (?:out|empty)",
    ),
    _phrase(  # whoever may tell more than before sends more than before
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
    WordEvidence(
        -0.7,
        stems_of(
            "refactor rename test docs docstring readme documentation document describe upgrade version ci workflow"
            " changelog environment"
        ),
    ),
)
"""What speaks for a wish that changes what a caller sends, and what for one that no caller sees."""

REQUEST_NEW_NAME = 0.55
"""A name in code's spelling that the code does not have is most often a parameter or a field to come."""

REQUEST_BUG = -3.0
"""A bug report wants what is there to work. No regression: no report of a bug in the tickets is asked about."""


@dataclass(frozen=True)
class Measure:
    """A number with the range in which it counts, and what it weighs."""

    weight: float
    minimum: float
    maximum: float

    def log_odds(self, value: float) -> float:
        """What the number adds."""
        return self.weight * min(max(value, self.minimum), self.maximum)


ROUTES_BIAS = -0.2
ROUTES_REQUEST = Measure(1.05, -3.0, 2.0)
"""The log odds that the wish changes a request."""

ROUTES_AHEAD = Measure(3.6, 0.0, 0.5)
"""The logarithm of how many times as much the words weigh for these routes as for the next ones that share a function."""

ROUTES_BEHIND = Measure(2.45, -1.2, 0.0)
"""The same of the one among them that the words fit least, against the best route outside. Nothing below is asked about."""

ROUTES_APART = Measure(-1.15, 0.0, 3.0)
"""The logarithm of how many times as probable the file of one of them is as that of another: the issue is about one."""
