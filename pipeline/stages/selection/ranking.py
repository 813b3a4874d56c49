"""Rank things in the code by the words of a ticket, each word weighed by how few things it fits."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

from pipeline.stages.selection.vocabulary import Vocabulary

DOCS_SHARE = 0.5
"""What a word of the docs weighs, against the same word in a name."""

CLOSE = 0.75
"""Things that words fit with at least this part of the best weight stand beside the best one."""


class TermRanking:
    """Words held against many vocabularies. A word that fits all of them tells nothing apart, one that fits few much."""

    def __init__(self, weights: Mapping[str, float], vocabularies: Sequence[Vocabulary]) -> None:
        self.vocabularies = vocabularies
        self._weights = weights
        self.fits = tuple(vocabulary.all.intersection(weights) for vocabulary in vocabularies)
        self._spread = Counter(word for fit in self.fits for word in fit)

    def weight(self, index: int) -> float:
        """How well the words fit one of them; 0 where none does."""
        strong = self.vocabularies[index].strong
        total = sum(
            self._weights[word] * self._rarity(word) * (1 if word in strong else DOCS_SHARE)
            for word in sorted(self.fits[index])
        )
        return round(total, 6)

    def best(self) -> tuple[int, ...]:
        """The indices of the best one and of those that stand beside it; empty where no word fits a name."""
        weights = [(self.weight(index), index) for index in range(len(self.vocabularies))]
        top = max(weights, key=lambda pair: pair[0], default=(0.0, 0))[0]
        if not top:
            return ()
        close = sorted((-weight, index) for weight, index in weights if weight >= CLOSE * top)
        return tuple(index for _, index in close)

    def _rarity(self, word: str) -> float:
        count = len(self.vocabularies)
        return log(1 + count / self._spread[word]) / log(1 + count)
