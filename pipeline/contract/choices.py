"""The open question as a person sees it: numbered choices, the default, and the names by which each can be called."""

import re
from collections import Counter
from dataclasses import dataclass, field

from pipeline.contract.clarification import Candidate, Clarification, StopKind
from pipeline.contract.wire import Location

_MIN_WORD = 4
_ENDINGS = ("ing", "ed", "s")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATOR = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Choice:
    """One answer: numbered, or number 0 for a thing of the code that is not offered and can be named.

    `names` are the strings that mean this choice and no other, `words` single words that only this choice has; both
    are casefolded. `needs_text` says that the choice means nothing without a sentence, `effect` what it would do.
    """

    number: int
    id: str
    label: str
    location: Location | None = None
    needs_text: bool = False
    effect: str | None = None
    is_default: bool = False
    names: frozenset[str] = field(default=frozenset())
    words: frozenset[str] = field(default=frozenset())


def choices(clarification: Clarification) -> tuple[Choice, ...]:
    """All choices in their order, which never changes: choice *n* is `options[n-1]`, else `candidates[n-1]`.

    Options are called by their whole label or id only: their words ("yes", "build", "stop") are everybody's words.
    """
    default = clarification.question.default
    places = {candidate.id: candidate.location for candidate in clarification.candidates}
    if clarification.question.options is not None:
        return tuple(
            Choice(
                number,
                option.id,
                option.label,
                location=places.get(option.id),
                needs_text=option.needs_text,
                effect=option.effect,
                is_default=option.id == default,
                names=frozenset(_spellings(option.id) | _spellings(option.label)),
            )
            for number, option in enumerate(clarification.question.options, start=1)
        )
    own_words = clarification.kind is not StopKind.CONFIRMATION_NEEDED
    names = _only_one_has([_names(candidate) for candidate in clarification.candidates])
    words = (
        _words_of_one(clarification.candidates)
        if own_words
        else [frozenset()] * len(clarification.candidates)
    )
    return tuple(
        Choice(
            number,
            candidate.id,
            candidate.label,
            location=candidate.location,
            is_default=candidate.id == default,
            names=names[number - 1],
            words=words[number - 1],
        )
        for number, candidate in enumerate(clarification.candidates, start=1)
    )


def named_elsewhere(clarification: Clarification) -> tuple[Choice, ...]:
    """The names of things besides the choices. A name that a choice has, too, means the choice."""
    offered_names = {name for choice in choices(clarification) for name in choice.names}
    return tuple(
        Choice(0, thing.id, thing.label, names=frozenset(map(str.casefold, thing.names)) - offered_names)
        for thing in clarification.question.elsewhere
    )


def stem_of(word: str) -> str:
    """A word without its commonest English endings, so that "streaming" finds "stream"."""
    word = word.strip("'’-").removesuffix("'s").removesuffix("’s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_WORD:
            return word.removesuffix(ending)
    return word


def default_choice(clarification: Clarification) -> Choice | None:
    """What `go` takes; None when the question has no default, or one that is not among its choices."""
    return next((choice for choice in choices(clarification) if choice.is_default), None)


def choice_of(clarification: Clarification, choice_id: str) -> Choice | None:
    """The choice with this id, or the thing that was named in its place, or None."""
    nameable = (*choices(clarification), *named_elsewhere(clarification))
    return next((choice for choice in nameable if choice.id == choice_id), None)


def _spellings(text: str) -> set[str]:
    spelling = " ".join(text.casefold().split()).strip(" .!?")
    return {spelling, spelling.replace("_", " ")} - {""}


def _names(candidate: Candidate) -> set[str]:
    """Label, id, handler, the path of a route, the file and its name."""
    names = _spellings(candidate.label) | {candidate.id.casefold(), candidate.handler_symbol.casefold()}
    names |= {word for word in candidate.label.casefold().split() if word.startswith("/") and len(word) > 1}
    handler = candidate.facts.get("handler")
    if isinstance(handler, str) and handler:
        names.add(handler.casefold())
    if candidate.location is not None:
        path = candidate.location.path.casefold()
        names |= {path, path.rsplit("/", 1)[-1]}
    return names


def _words(text: str) -> set[str]:
    words = _SEPARATOR.split(_CAMEL.sub(" ", text).casefold())
    return {word for word in words if len(word) >= _MIN_WORD and not word.isdigit()}


def _words_of_one(candidates: tuple[Candidate, ...]) -> list[frozenset[str]]:
    """The words of each candidate's label and file that nothing known about another candidate has in any form.

    "The export endpoint" is no choice between `GET /orders/export` and a route whose handler is called `export_report`.
    """
    words_by_candidate, stems_by_candidate = [], []
    for candidate in candidates:
        words = _words(candidate.label) | _words(candidate.location.path if candidate.location else "")
        texts = (candidate.id, candidate.handler_symbol, *map(str, candidate.facts.values()))
        words_by_candidate.append(words)
        stems_by_candidate.append({stem_of(word) for word in words.union(*map(_words, texts))})
    counts = Counter(stem for stems in stems_by_candidate for stem in stems)
    return [frozenset(word for word in words if counts[stem_of(word)] == 1) for words in words_by_candidate]


def _only_one_has(sets: list[set[str]]) -> list[frozenset[str]]:
    """Each set without what another set has, too."""
    counts = Counter(item for names in sets for item in names)
    return [frozenset(item for item in names if counts[item] == 1) for names in sets]
