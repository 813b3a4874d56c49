"""Discriminating evidence: a word of the ticket that fits one candidate and no other selects it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.stages.selection.vocabulary import Vocabulary

_NAME, _DOCS = 2, 1
"""What a word of a name and a word of a docstring weigh: one word of a docstring alone is an accident."""

_ENOUGH, _TIMES = 2, 2
"""A candidate is selected by words that weigh at least `_ENOUGH`, and `_TIMES` as much as those for any other."""


class Verdict(StrEnum):
    """What the words say about a set of candidates."""

    SELECTED = "selected"
    TIED = "tied"
    CONTRADICTORY = "contradictory"


@dataclass(frozen=True)
class Discrimination:
    """The outcome of holding the ticket's words against candidates.

    `chosen` is the index of the one selected; `alive` are the indices of those that the ticket does not rule out, and
    `close` of these those that no other one outdoes: with every word that fits it, and a word of a name besides.
    `fits` holds, for each candidate, the words of the ticket that fit it; `only` those that fit it and no other.
    """

    verdict: Verdict
    chosen: int | None
    alive: tuple[int, ...]
    close: tuple[int, ...]
    fits: tuple[frozenset[str], ...]
    only: tuple[frozenset[str], ...]


def discriminate(
    words: frozenset[str],
    vocabularies: Sequence[Vocabulary],
    *,
    excluded: Iterable[str] = (),
    outdoing: bool = False,
) -> Discrimination:
    """Hold words against candidates.

    First those fall out that have a word which the ticket rules out and which not all of them have. Of the rest one is
    selected if its own words (that fit no other) weigh enough, and twice as much as any other's: names weigh more than
    docs. Where two have words of their own that weigh alike, they contradict each other and nothing is selected.

    `outdoing` says that candidates were found by a name alone, so that one which others outdo is not meant. Candidates of
    the call graph all lead to the place, and stay.
    """
    fits = tuple(words & vocabulary.all for vocabulary in vocabularies)
    alive = _not_ruled_out(vocabularies, frozenset(excluded))
    only = tuple(
        _own([fits[place] if place in alive else frozenset() for place in range(len(fits))], index)
        for index in range(len(fits))
    )
    if len(alive) == 1:
        none = tuple(
            frozenset[str]() for _ in fits
        )  # the others are ruled out: that, and no word of its own, selects
        return Discrimination(Verdict.SELECTED, alive[0], alive, alive, fits, none)
    weighed = sorted(((_weight(only[index], vocabularies[index]), index) for index in alive), reverse=True)
    (first, chosen), (second, _) = weighed[0], weighed[1]
    if first >= _ENOUGH and first >= _TIMES * second:
        return Discrimination(Verdict.SELECTED, chosen, alive, (chosen,), fits, only)
    close = _not_outdone(alive, fits, vocabularies) if outdoing else alive
    if len(close) == 1:
        return Discrimination(Verdict.SELECTED, close[0], alive, close, fits, fits)
    verdict = Verdict.CONTRADICTORY if second else Verdict.TIED
    return Discrimination(verdict, None, alive, close, fits, only)


def _not_outdone(
    alive: Sequence[int], fits: Sequence[frozenset[str]], vocabularies: Sequence[Vocabulary]
) -> tuple[int, ...]:
    return tuple(
        one
        for one in alive
        if not any(
            fits[one] < fits[other] and (fits[other] - fits[one]) & vocabularies[other].strong
            for other in alive
        )
    )


def _not_ruled_out(vocabularies: Sequence[Vocabulary], excluded: frozenset[str]) -> tuple[int, ...]:
    """By the words of their names: docs speak of other things in passing."""
    telling = excluded - frozenset.intersection(*(one.strong for one in vocabularies))
    alive = tuple(index for index, one in enumerate(vocabularies) if not one.strong & telling)
    return alive or tuple(range(len(vocabularies)))


def _weight(words: frozenset[str], vocabulary: Vocabulary) -> int:
    return sum(_NAME if word in vocabulary.strong else _DOCS for word in words)


def _own(sets: Sequence[frozenset[str]], index: int) -> frozenset[str]:
    others = frozenset[str]().union(*(other for place, other in enumerate(sets) if place != index))
    return sets[index] - others
