"""The clauses of an issue: what each wishes for, and whether it speaks of a change of something that is there. Pure."""

import re
from dataclasses import dataclass

from pipeline.domain.issue import IssueDocument
from pipeline.domain.words import name_stems, prose_stems, prose_words, stem
from pipeline.stages.selection.language_weights import ADDITION_WORDS, INTERNAL_WORDS, POSSIBILITY

_MODAL = re.compile(
    r"\b(?:wants?|needs?|would|could|can|should|must|may|lets?|please)\b|\w['’]d\b", re.IGNORECASE
)
_ASIDE = re.compile(
    r"[,;(]?\s+(?:so that|so|because|since|as|in order to|for example|for instance|but|while|whereas|instead of|like that)\s"
    r"|\be\.g\.|^as\s",
    re.IGNORECASE,
)
"""What begins a reason, an example or a comparison: it mentions things and does not ask for them."""

_CODE = re.compile(r"`[^`]*`")

_OTHER_CHANGES = (
    frozenset(word for word, weight in ADDITION_WORDS.items() if weight < 0) | INTERNAL_WORDS
) - {stem("should"), stem("must")}


@dataclass(frozen=True)
class Clause:
    """A part of the wish.

    `stems` are those of its words and of the parts of its names, without words that say nothing of code. `prose` are the
    stems of all its plain words, without those that are marked as code.
    """

    text: str
    is_title: bool
    stems: frozenset[str]
    prose: frozenset[str]

    @property
    def is_wish(self) -> bool:
        """Whether it wishes for something: by a modal verb, or by a word for adding."""
        has_modal = _MODAL.search(self.text) is not None or POSSIBILITY.search(self.text) is not None
        return has_modal or any(ADDITION_WORDS.get(word, 0) > 0 for word in self.prose)

    def speaks_of_change(self, thing: frozenset[str]) -> bool:
        """Whether it speaks of a change, a fix or a test, in other words than those of a thing."""
        return bool(self.prose & _OTHER_CHANGES - thing)


def whole_sentences(document: IssueDocument) -> tuple[Clause, ...]:
    """The title and the sentences of the wish."""
    return tuple(_clause(sentence, document) for sentence in dict.fromkeys(document.wish_sentences))


def clauses_of(document: IssueDocument) -> tuple[Clause, ...]:
    """The same without their reasons, examples and comparisons."""
    parts = [part.strip() for sentence in document.wish_sentences for part in _ASIDE.split(sentence)]
    return tuple(_clause(part, document) for part in dict.fromkeys(parts) if part)


def _clause(text: str, document: IssueDocument) -> Clause:
    prose = frozenset(stem(word) for word in prose_words(_CODE.sub(" ", text)))
    return Clause(text, text in document.title, prose_stems(text) | name_stems(text), prose)
