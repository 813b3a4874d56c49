"""BM25 of several queries over several fields in one pass: each posting is read once, whatever number of queries has the term."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pipeline.domain.terms import Postings
from pipeline.places.queries import Query, Weights

K = 1.2
_B = 0.7
_COMMON = 0.5
"""Share of the files beyond which a term tells nothing."""


class TextSource(Protocol):
    """The text of a tree, which `pipeline.code_registry.text` has. A file is a number: its place in `paths`.

    Attributes:
        paths: all files, sorted.
        lengths: words of each field of a file, four numbers for each.
        path_lengths: terms of each path.
        edges: the files that each file imports.
    """

    paths: Sequence[str]
    lengths: Sequence[int]
    path_lengths: Sequence[int]
    edges: Sequence[Sequence[int]]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know of the index."""

    def postings(self, term: str) -> Postings:
        """Where a term stands in the texts."""

    def path_postings(self, term: str) -> Sequence[int]:
        """The files whose paths hold a term."""


class TextField(StrEnum):
    """A part of a file. The first four are those of the index, in its order."""

    NAMES = "names"
    STRINGS = "strings"
    COMMENTS = "comments"
    BODY = "body"
    PATH = "path"


_IN_TEXT = (TextField.NAMES, TextField.STRINGS, TextField.COMMENTS, TextField.BODY)
Scores = dict[int, float]


@dataclass
class TextScores:
    """The scores of all files.

    Attributes:
        scores: for each query and field the scores of the files that share a term.
        totals: what a file would get that has all terms of a query once: scores are held against it.
        rarity: the inverse document frequency of each term.
        names: for each term the files that define a name with it.
    """

    scores: dict[tuple[Query, TextField], Scores] = field(default_factory=dict)
    totals: dict[Query, float] = field(default_factory=dict)
    rarity: dict[str, float] = field(default_factory=dict)
    names: dict[str, list[int]] = field(default_factory=dict)


# A term adds to the score of a file, by BM25:   weight · rarity · count · (K + 1) / (count + K · (1 - B + B · length / mean))
#
# `rarity` grows with how few files have the term: it is 4.6 where 10 of 1,000 have it, and 1.1 where 333 have it. `count` counts
# less and less: once gives 1.0 in a file of mean length, ten times 1.96, and never more than K + 1 = 2.2. `length / mean` makes
# a term in a long file worth less. Each query (the title, the wish, …) and each field (names, strings, …) has a table of its
# own, and the trained model weighs them: "refund" in the title of the issue and in a name of the file says most.
# A posting packs the counts of the four fields of a file into 32 bits, eight for each, the names in the lowest.


def score_texts(terms: Mapping[str, Weights], index: TextSource) -> TextScores:
    """The scores of the terms of an issue over a tree."""
    result = TextScores()
    whole = len(index.paths)
    means = [max(1.0, sum(index.lengths[at::4]) / max(1, whole)) for at in range(4)]
    path_mean = max(1.0, sum(index.path_lengths) / max(1, whole))
    lengths = index.lengths
    for term, weights in terms.items():
        postings = index.postings(term)
        in_paths = index.path_postings(term)
        frequency = max(len(postings.files), len(in_paths))
        if not frequency:
            continue
        rarity = rarity_of(frequency, whole)
        result.rarity[term] = rarity
        for query, weight in weights.items():
            result.totals[query] = result.totals.get(query, 0.0) + rarity * weight
        tables = [
            [
                (result.scores.setdefault((query, kind), {}), weight * rarity)
                for query, weight in weights.items()
            ]
            for kind in _IN_TEXT
        ]
        if len(postings.files) > _COMMON * whole and whole > 20:
            continue
        defining = result.names.setdefault(term, [])
        for number, packed_counts in zip(postings.files, postings.counts, strict=True):
            for at, shift in enumerate((0, 8, 16, 24)):
                count = packed_counts >> shift & 0xFF
                if not count:
                    continue
                if at == 0:
                    defining.append(number)
                length = lengths[4 * number + at] / means[at]
                part = count * (K + 1) / (count + K * (1 - _B + _B * length))
                for table, weight in tables[at]:
                    table[number] = table.get(number, 0.0) + part * weight
        path_rarity = rarity_of(len(in_paths), whole)
        for query, weight in weights.items():
            table = result.scores.setdefault((query, TextField.PATH), {})
            for number in in_paths:
                part = (K + 1) / (1 + K * (1 - _B + _B * index.path_lengths[number] / path_mean))
                table[number] = table.get(number, 0.0) + part * weight * path_rarity
    return result


def rarity_of(holders: int, whole: int) -> float:
    """The inverse frequency of a term that so many of all files, or of all commits, have."""
    return math.log(1 + (whole - holders + 0.5) / (holders + 0.5))


def best(scores: Scores, limit: int) -> list[int]:
    """The numbers with the highest scores, the highest first; of equal ones the lowest number."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)[:limit]


def plain_bm25(scores: TextScores) -> Scores:
    """BM25 of the whole issue over whole texts: what everything else is held against."""
    return scores.scores.get((Query.ALL, TextField.BODY), {})
