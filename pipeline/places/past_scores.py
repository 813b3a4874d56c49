"""What the past says: files whose commits were described in like words, how often and how lately."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.domain.history import CommitHistory
from pipeline.places.queries import Query, Weights
from pipeline.places.text_scores import K, best, rarity_of

_LIKE = 40
"""How many of the most similar commits count."""
_HALF_LIFE = 150
"""Commits after which a change weighs half."""


@dataclass
class PastIndex:
    """The past of a tree, ready for many issues. A file is its number in the tree."""

    commits: list[tuple[int, ...]] = field(default_factory=list)
    identities: list[str] = field(default_factory=list)
    postings: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    of_file: dict[int, list[int]] = field(default_factory=dict)
    issues: dict[int, list[int]] = field(default_factory=dict)
    frequency: dict[int, float] = field(default_factory=dict)
    recency: dict[int, int] = field(default_factory=dict)


def index_past(past: CommitHistory, numbers: Mapping[str, int]) -> PastIndex:
    """The past of the files of a tree, by their numbers."""
    result = PastIndex()
    for commit in past.commits:
        files = tuple(numbers[path] for path in commit.files if path in numbers)
        if not files:
            continue
        place = len(result.commits)
        result.commits.append(files)
        result.identities.append(commit.id)
        result.lengths.append(sum(commit.terms.values()))
        for term, count in commit.terms.items():
            result.postings.setdefault(term, []).append((place, count))
        for number in commit.issues:
            result.issues.setdefault(number, []).append(place)
        for number in files:
            result.of_file.setdefault(number, []).append(place)
            result.recency.setdefault(number, commit.age)
            result.frequency[number] = result.frequency.get(number, 0.0) + 0.5 ** (commit.age / _HALF_LIFE)
    return result


# What like commits say, by an example: the wish speaks of "refund" and "receipt". Every commit message is a short document that
# BM25 compares with it. Of the 40 most similar commits each hands its score on to the files that it changed, divided by the
# square root of their number: a commit of one file gives that file all, one of nine files gives each a third, since a sweeping
# commit says little of any of its files. A file that several of them changed sums up what they give.


@dataclass
class PastScores:
    """What the past says of an issue.

    Attributes:
        like: by query, for each file, how similar its most similar commits are, summed.
        commits: for each file its most similar commits, the most similar first.
        totals: what a commit would get that has all terms of the query once.
    """

    like: dict[Query, dict[int, float]] = field(default_factory=dict)
    commits: dict[int, list[int]] = field(default_factory=dict)
    totals: dict[Query, float] = field(default_factory=dict)


def score_past(terms: Mapping[str, Weights], past: PastIndex) -> PastScores:
    """The scores of the terms of an issue over the past."""
    result = PastScores()
    if not past.commits:
        return result
    for query in (Query.TITLE, Query.WISH):
        term_weights = {term: weights[query] for term, weights in terms.items() if query in weights}
        like = _commit_scores(term_weights, past, result, query)
        files: dict[int, float] = {}
        for place in best(like, _LIKE):
            share = like[place] / math.sqrt(len(past.commits[place]))
            for number in past.commits[place]:
                files[number] = files.get(number, 0.0) + share
                if query is Query.WISH:
                    result.commits.setdefault(number, []).append(place)
        result.like[query] = files
    return result


def _commit_scores(
    term_weights: Mapping[str, float], past: PastIndex, result: PastScores, query: Query
) -> dict[int, float]:
    whole = len(past.commits)
    mean = max(1.0, sum(past.lengths) / whole)
    scores: dict[int, float] = {}
    total = 0.0
    for term, weight in term_weights.items():
        postings = past.postings.get(term, ())
        rarity = rarity_of(len(postings), whole)
        total += rarity * weight
        for place, count in postings:
            part = count * (K + 1) / (count + K * (0.4 + 0.6 * past.lengths[place] / mean))
            scores[place] = scores.get(place, 0.0) + part * rarity * weight
    result.totals[query] = total
    return scores
