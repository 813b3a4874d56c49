"""The sentences of an issue: whether each wishes for something, and whether it speaks of a change of what is there. Pure."""

import re
from dataclasses import dataclass

from pipeline.domain.issue import IssueDocument
from pipeline.domain.words import prose_words, stem
from pipeline.stages.selection.language_weights import ADDITION_WORDS, INTERNAL_WORDS, POSSIBILITY

_MODAL = re.compile(
    r"\b(?:wants?|needs?|would|could|can|should|must|may|lets?|please)\b|\w['’]d\b", re.IGNORECASE
)
_CODE = re.compile(r"`[^`]*`")

_OTHER_CHANGES = (
    frozenset(word for word, weight in ADDITION_WORDS.items() if weight < 0) | INTERNAL_WORDS
) - {stem("should"), stem("must")}


@dataclass(frozen=True)
class Sentence:
    """A sentence of the wish. `prose` are the stems of its plain words, without those that are marked as code."""

    text: str
    prose: frozenset[str]

    @property
    def is_wish(self) -> bool:
        """Whether it wishes for something: by a modal verb, or by a word for adding."""
        has_modal = _MODAL.search(self.text) is not None or POSSIBILITY.search(self.text) is not None
        return has_modal or any(ADDITION_WORDS.get(word, 0) > 0 for word in self.prose)

    def speaks_of_change(self, thing: frozenset[str]) -> bool:
        """Whether it speaks of a change, a fix or a test, in other words than those of a thing."""
        return bool(self.prose & _OTHER_CHANGES - thing)


def sentences_of(document: IssueDocument) -> tuple[Sentence, ...]:
    """The title and the sentences of the wish."""
    return tuple(
        Sentence(text, frozenset(stem(word) for word in prose_words(_CODE.sub(" ", text))))
        for text in dict.fromkeys(document.wish_sentences)
    )
