"""Discriminating evidence: a word of the ticket that fits one candidate and no other selects it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.code_registry.entries import Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent, Mention, MentionKind
from pipeline.domain.words import name_parts, name_stems, prose_stems, stem, stems_of_all

_METHOD_WORDS: Mapping[str, frozenset[str]] = {
    method: frozenset(stem(word) for word in words.split())
    for method, words in {
        "GET": "list show read fetch filter search sort page return download view",
        "POST": "create submit post place start trigger import upload",
        "PUT": "update replace edit set modify save",
        "PATCH": "update edit set modify change patch",
        "DELETE": "delete remove wipe erase clear purge",
    }.items()
}
"""What people say for an HTTP method. It tells routes apart whose paths are the same, and proves nothing alone."""

_EVERYWHERE = frozenset(
    stem(word) for word in "api route endpoint handler view app server request response call".split()
)
"""Words that fit every route."""


@dataclass(frozen=True)
class Vocabulary:
    """The stems that speak for a candidate: `strong` from names (path, handler, file), `weak` from its docs."""

    strong: frozenset[str]
    weak: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """Both together."""
        return self.strong | self.weak


class Verdict(StrEnum):
    """What the words say about a set of candidates."""

    SELECTED = "selected"
    TIED = "tied"
    CONTRADICTORY = "contradictory"


@dataclass(frozen=True)
class Discrimination:
    """The outcome of holding the ticket's words against candidates.

    `chosen` is the index of the one selected. `fits` holds, for each candidate, the words of the ticket that fit it;
    `only` those that fit it and no other.
    """

    verdict: Verdict
    chosen: int | None
    fits: tuple[frozenset[str], ...]
    only: tuple[frozenset[str], ...]


def ticket_stems(intent: Intent, *, within: str | None = None) -> frozenset[str]:
    """The stems of the ticket's own words, without the names that it mentions or introduces.

    A mentioned name is compared as a name; its parts are no further evidence. Paths stay: their segments are words.
    """
    text = within if within is not None else intent.prose
    names = [
        mention.text for mention in intent.mentions if mention.kind in (MentionKind.NAME, MentionKind.FILE)
    ]
    names += [new.text for new in intent.new_names]
    for name in sorted(set(names), key=len, reverse=True):
        text = text.replace(name, " ")
    return prose_stems(text) - _EVERYWHERE


def route_vocabulary(registry: Registry, route: Route) -> Vocabulary:
    """The words of a route: path, handler and its file; the first sentence of its docs counts less."""
    handler = registry.symbol(route.handler) if route.handler else None
    strong = set(path_stems(route.path)) | _METHOD_WORDS.get(route.method, frozenset())
    weak: frozenset[str] = frozenset()
    if handler is not None:
        strong |= symbol_vocabulary(handler).strong
        weak = symbol_vocabulary(handler).weak
    return Vocabulary(frozenset(strong) - _EVERYWHERE, weak - frozenset(strong) - _EVERYWHERE)


def symbol_vocabulary(symbol: Symbol) -> Vocabulary:
    """The words of a symbol: its qualified name and its file; the first sentence of its docs counts less."""
    stem_of_file = symbol.place.path.rsplit("/", 2)[-2:]
    strong = name_stems(symbol.qualified_name) | stems_of_all(stem_of_file)
    first_sentence = (symbol.docstring or "").partition(".")[0]
    return Vocabulary(strong - _EVERYWHERE, prose_stems(first_sentence) - strong - _EVERYWHERE)


def path_stems(path: str) -> frozenset[str]:
    """The stems of a path's fixed segments, without parameters and version numbers."""
    segments = [part for part in path.split("/") if part and not part.startswith((":", "{", "<", "["))]
    return stems_of_all(
        segment for segment in segments if not (segment[0] == "v" and segment[1:].isdecimal())
    )


def discriminate(
    words: frozenset[str], vocabularies: Sequence[Vocabulary], *, excluded: Iterable[str] = ()
) -> Discrimination:
    """Hold words against candidates.

    Names come first. Where no name tells candidates apart, docs do, if they say it twice: one word of a docstring that
    happens to stand in the ticket is an accident. Candidates to which the ticket says "not the … one" fall out. Two
    candidates with words of their own contradict each other, and nothing is selected.
    """
    ruled_out = frozenset(excluded)
    strong = _discriminate([vocabulary.strong for vocabulary in vocabularies], words, ruled_out, least=1)
    if strong.verdict is not Verdict.TIED:
        return strong
    return _discriminate([vocabulary.all for vocabulary in vocabularies], words, ruled_out, least=2)


def _discriminate(
    vocabularies: Sequence[frozenset[str]], words: frozenset[str], ruled_out: frozenset[str], *, least: int
) -> Discrimination:
    """`least` is how many words of its own a candidate needs to speak at all."""
    fits = tuple(words & vocabulary for vocabulary in vocabularies)
    only = tuple(_own(fits, index) for index in range(len(fits)))
    out = {index for index in range(len(fits)) if _own(vocabularies, index) & ruled_out}
    alive = [index for index in range(len(fits)) if index not in out]
    if len(alive) == 1:
        return Discrimination(Verdict.SELECTED, alive[0], fits, only)
    speaking = [index for index in alive if only[index] - ruled_out]
    if len(speaking) == 1 and len(only[speaking[0]] - ruled_out) >= least:
        return Discrimination(Verdict.SELECTED, speaking[0], fits, only)
    verdict = Verdict.CONTRADICTORY if len(speaking) > 1 else Verdict.TIED
    return Discrimination(verdict, None, fits, only)


def _own(sets: Sequence[frozenset[str]], index: int) -> frozenset[str]:
    others = frozenset[str]().union(*(other for place, other in enumerate(sets) if place != index))
    return sets[index] - others


def words_as_written(intent: Intent, stems: Iterable[str]) -> tuple[str, ...]:
    """The words of the ticket behind some stems, as they stand there and in their order, for quoting."""
    wanted = set(stems)
    found: dict[str, str] = {}
    for word in intent.prose.replace("`", " ").replace("/", " ").split():
        plain = word.strip(".,:;!?()[]{}\"'*`")
        for part in name_parts(plain):
            if stem(part) in wanted:
                found.setdefault(stem(part), plain)
    return tuple(found.values())


def is_new(intent: Intent, mention: Mention) -> bool:
    """Whether a mention is of something that the ticket wants to exist, rather than of something that is there."""
    return any(new.text == mention.text for new in intent.new_names)
