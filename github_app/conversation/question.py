"""The open question as a person sees it: numbered choices, the default, and the names by which each can be called."""

import re
from collections import Counter
from dataclasses import dataclass, field

from pipeline.contract.clarification import Candidate, Clarification, StopKind
from pipeline.contract.wire import Location

_MIN_WORD = 4
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATOR = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Choice:
    """One numbered answer.

    `names` are the strings that mean this choice and no other, `words` single words that only this choice has; both
    are casefolded. `needs_text` says that the choice means nothing without a sentence.
    """

    number: int
    id: str
    label: str
    location: Location | None = None
    needs_text: bool = False
    is_default: bool = False
    names: frozenset[str] = field(default=frozenset())
    words: frozenset[str] = field(default=frozenset())


def choices(asked: Clarification) -> tuple[Choice, ...]:
    """All choices in their order, which never changes: choice *n* is `options[n-1]`, else `candidates[n-1]`.

    Options are called by their whole label or id only: their words ("yes", "build", "stop") are everybody's words.
    """
    default = asked.question.default
    places = {candidate.id: candidate.location for candidate in asked.candidates}
    if asked.question.options is not None:
        return tuple(
            Choice(
                number,
                option.id,
                option.label,
                location=places.get(option.id),
                needs_text=option.needs_text,
                is_default=option.id == default,
                names=frozenset(_spellings(option.id) | _spellings(option.label)),
            )
            for number, option in enumerate(asked.question.options, start=1)
        )
    own_words = asked.kind is not StopKind.CONFIRMATION_NEEDED
    names = _only_one_has([_names(candidate) for candidate in asked.candidates])
    words = _only_one_has([_words(candidate) if own_words else set() for candidate in asked.candidates])
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
        for number, candidate in enumerate(asked.candidates, start=1)
    )


def default_choice(asked: Clarification) -> Choice | None:
    """What `go` takes; None when the question has no default, or one that is not among its choices."""
    return next((choice for choice in choices(asked) if choice.is_default), None)


def choice_of(asked: Clarification, choice_id: str) -> Choice | None:
    """The choice with this id, or None."""
    return next((choice for choice in choices(asked) if choice.id == choice_id), None)


def _spellings(text: str) -> set[str]:
    folded = " ".join(text.casefold().split()).strip(" .!?")
    return {folded, folded.replace("_", " ")} - {""}


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


def _words(candidate: Candidate) -> set[str]:
    text = candidate.label if candidate.location is None else f"{candidate.label} {candidate.location.path}"
    words = _SEPARATOR.split(_CAMEL.sub(" ", text).casefold())
    return {word for word in words if len(word) >= _MIN_WORD and not word.isdigit()}


def _only_one_has(sets: list[set[str]]) -> list[frozenset[str]]:
    """Each set without what another set has, too."""
    counts = Counter(item for names in sets for item in names)
    return [frozenset(item for item in names if counts[item] == 1) for names in sets]
