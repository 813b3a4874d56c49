"""The trained model: boosted trees as data, and what its scores mean as probabilities. `make train` writes the file."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import msgspec

_FILE = Path(__file__).parent / "model.json"


class DecisionTree(msgspec.Struct, frozen=True):
    """A decision tree as parallel lists, by inner node. A child below zero is the leaf `-child - 1`."""

    features: list[int]
    thresholds: list[float]
    left: list[int]
    right: list[int]
    leaves: list[float]

    def value(self, row: Sequence[float]) -> float:
        """The value of the leaf to which a row leads."""
        node = 0 if self.features else -1
        while node >= 0:
            goes_left = row[self.features[node]] <= self.thresholds[node]
            node = self.left[node] if goes_left else self.right[node]
        return self.leaves[-node - 1]


class Calibration(msgspec.Struct, frozen=True):
    """Scores in rising order, and the probability that belongs to each; between two of them a straight line."""

    scores: list[float]
    probabilities: list[float]

    def probability(self, score: float) -> float:
        """The probability of a score."""
        at = bisect_right(self.scores, score)
        if at == 0:
            return self.probabilities[0]
        if at == len(self.scores):
            return self.probabilities[-1]
        low, high = self.scores[at - 1], self.scores[at]
        share = (score - low) / (high - low)
        return self.probabilities[at - 1] + share * (self.probabilities[at] - self.probabilities[at - 1])


# A score is the sum of what the trees say of a row, and means nothing by itself. Two calibrations make probabilities of it. The
# best file has one of its own, which adds its lead: 2.0 before a second with 1.9 is a guess between two, 2.0 before 0.3 is not.


class PlaceModel(msgspec.Struct, frozen=True):
    """Features by name, the trees whose values are summed, and what the sum means.

    Attributes:
        first: calibration of the best file of an issue by its score and its lead over the second.
        others: calibration of every other file by its score.
        lead_weight: what the lead of the best file adds to its score.
    """

    features: list[str]
    trees: list[DecisionTree]
    first: Calibration
    others: Calibration
    lead_weight: float

    def scores(self, rows: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
        """The score of each row; a feature that a row lacks is 0."""
        result = {}
        for number, row in rows.items():
            values = [row.get(name, 0.0) for name in self.features]
            result[number] = sum(tree.value(values) for tree in self.trees)
        return result

    def probabilities(self, scores: Sequence[float]) -> list[float]:
        """The probabilities of scores in falling order; no file is more probable than the one before it."""
        if not scores:
            return []
        lead = scores[0] - scores[1] if len(scores) > 1 else 0.0
        result = [self.first.probability(scores[0] + self.lead_weight * lead)]
        for score in scores[1:]:
            result.append(min(result[-1], self.others.probability(score)))
        return result


@cache
def shipped_model() -> PlaceModel:
    """The model that ships with this version."""
    return msgspec.json.decode(_FILE.read_bytes(), type=PlaceModel)
