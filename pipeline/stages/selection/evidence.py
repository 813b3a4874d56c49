"""Discriminating evidence: a word of the ticket that fits one candidate and no other selects it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipeline.stages.selection.vocabulary import Vocabulary

_NAME, _DOCS = 2, 1
"""What a word of a name and a word of a docstring weigh: one word of a docstring alone is an accident."""

_ENOUGH, _TIMES = 2, 2
"""A candidate is selected by words that weigh at least `_ENOUGH`, and `_TIMES` as much as those for any other."""


@dataclass(frozen=True)
class Discrimination:
    """The outcome of holding the ticket's words against candidates.

    `chosen_index` is the index of the one selected, None if none is; `candidates` are the indices of those that the ticket
    does not rule out, and `shortlist` of these those that no other one outdoes: with every word that fits it, and a word of
    a name besides. `matched_words` holds, for each of all, the words of the ticket that fit it; `unique_words` those that
    fit it and no other. Words that fit one each and weigh alike are contradictory.
    """

    chosen_index: int | None
    candidates: tuple[int, ...]
    shortlist: tuple[int, ...]
    matched_words: tuple[frozenset[str], ...]
    unique_words: tuple[frozenset[str], ...]
    is_contradictory: bool = False


def discriminate(
    words: frozenset[str],
    vocabularies: Sequence[Vocabulary],
    *,
    excluded_stems: Iterable[str] = (),
    outdoing: bool = False,
) -> Discrimination:
    """Hold words against candidates.

    First those fall out that have a word which the ticket rules out and which not all of them have. Of the rest one is
    selected if its own words (that fit no other) weigh enough, and twice as much as any other's: names weigh more than
    docs. Where two have words of their own that weigh alike, they contradict each other and nothing is selected.

    `outdoing` says that candidates were found by a name alone, so that one which others outdo is not meant. Candidates of
    the call graph all lead to the place, and stay.
    """
    matched_words = tuple(words & vocabulary.all for vocabulary in vocabularies)
    candidates = _not_ruled_out(vocabularies, frozenset(excluded_stems))
    fits = [words if index in candidates else frozenset() for index, words in enumerate(matched_words)]
    counts = Counter(word for fit in fits for word in fit)
    unique_words = tuple(frozenset(word for word in fit if counts[word] == 1) for fit in fits)
    if len(candidates) == 1:
        # The others are ruled out: that, and no word of its own, selects.
        no_words = tuple(frozenset[str]() for _ in matched_words)
        return Discrimination(candidates[0], candidates, candidates, matched_words, no_words)
    weights = sorted(
        ((_weight(unique_words[index], vocabularies[index]), index) for index in candidates), reverse=True
    )
    (first, heaviest), (second, _) = weights[0], weights[1]
    if first >= _ENOUGH and first >= _TIMES * second:
        return Discrimination(heaviest, candidates, (heaviest,), matched_words, unique_words)
    shortlist = _not_outdone(candidates, matched_words, vocabularies) if outdoing else candidates
    if len(shortlist) == 1:
        return Discrimination(shortlist[0], candidates, shortlist, matched_words, matched_words)
    return Discrimination(None, candidates, shortlist, matched_words, unique_words, second > 0)


def _not_outdone(
    candidates: Sequence[int], matched_words: Sequence[frozenset[str]], vocabularies: Sequence[Vocabulary]
) -> tuple[int, ...]:
    return tuple(
        index
        for index in candidates
        if not any(
            matched_words[index] < matched_words[rival]
            and (matched_words[rival] - matched_words[index]) & vocabularies[rival].strong
            for rival in candidates
        )
    )


def _not_ruled_out(vocabularies: Sequence[Vocabulary], excluded_stems: frozenset[str]) -> tuple[int, ...]:
    """By the words of their names: docs speak of other things in passing."""
    telling = excluded_stems - frozenset.intersection(*(vocabulary.strong for vocabulary in vocabularies))
    candidates = tuple(
        index for index, vocabulary in enumerate(vocabularies) if not vocabulary.strong & telling
    )
    return candidates or tuple(range(len(vocabularies)))


def _weight(words: frozenset[str], vocabulary: Vocabulary) -> int:
    return sum(_NAME if word in vocabulary.strong else _DOCS for word in words)
