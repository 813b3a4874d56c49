"""Discriminating evidence: a word of the ticket that fits one candidate and no other selects it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.domain.intent import Intent, Mention, MentionKind
from pipeline.domain.words import name_parts, prose_stems, stem
from pipeline.stages.selection.vocabulary import EVERYWHERE, Vocabulary

_NAME, _DOCS = 2, 1
"""What a word of a name and a word of a docstring weigh: one word of a docstring alone is an accident."""

_ASKING = frozenset(
    stem(word)
    for word in "take accept request optional boolean flag field parameter param query pass carry keep store".split()
)
"""Words in which every wish for a request is put; that a docstring has them too is an accident."""

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


def ticket_stems(intent: Intent, *, within: str | None = None) -> frozenset[str]:
    """The stems of the ticket's own words, without the names that it mentions or introduces, and what it rules out.

    A mentioned name is compared as a name; its parts are no further evidence. Paths stay: their segments are words.
    Words that a reader gave as synonyms of a word count with it.
    """
    text = within if within is not None else intent.prose
    meant = [" ".join(synonym.means) for synonym in intent.synonyms if synonym.text in text]
    kinds = (MentionKind.NAME, MentionKind.FILE, MentionKind.OPTION)
    names = {mention.text for mention in intent.mentions if mention.kind in kinds and not _is_word(mention)}
    names |= {new.text for new in intent.new_names}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return prose_stems("\n".join([text, *meant])) - EVERYWHERE - _ASKING - frozenset(intent.excluded)


def _is_word(mention: Mention) -> bool:
    """A plain word in back-ticks may name a package or a value; as a name of the candidates it fits all of them alike."""
    return mention.kind is MentionKind.NAME and mention.text.isalpha() and mention.text.islower()


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


def words_as_written(intent: Intent, stems: Iterable[str]) -> tuple[str, ...]:
    """The words of the ticket behind some stems, as they stand there and in their order, for quoting."""
    wanted = set(stems)
    found: dict[str, str] = {}
    for word in intent.prose.replace("`", " ").replace("/", " ").split():
        plain = word.strip(".,:;!?()[]{}\"'*`“”")
        for part in name_parts(plain):
            if stem(part) in wanted:
                found.setdefault(stem(part), plain)
    for synonym in intent.synonyms:
        if (wanted - found.keys()) & prose_stems(" ".join(synonym.means)):
            found.setdefault(synonym.text, synonym.text)
    return tuple(found.values())


def is_new(intent: Intent, mention: Mention) -> bool:
    """Whether a mention is of something that the ticket wants to exist, rather than of something that is there."""
    return any(new.text == mention.text for new in intent.new_names)
