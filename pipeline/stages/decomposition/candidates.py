"""The candidates of a question: ids, labels, facts that differ, an order, and a default with its reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from pipeline.code_registry.entries import Field, Route, SourceRange, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.clarification import Candidate
from pipeline.contract.ticket import CodePlace
from pipeline.domain.words import name_parts, stem
from pipeline.stages.selection.labels import label_of
from pipeline.stages.selection.settings import Key
from pipeline.stages.selection.vocabulary import (
    Vocabulary,
    body_stems,
    path_stems,
    route_vocabulary,
    symbol_vocabulary,
)

_MOST_LABELS = 4
"""Choices that a sentence names."""


@dataclass(frozen=True)
class CodeChoice:
    """One thing that the ticket may mean.

    `detail` stands behind its label in the reason; `chain` leads from it to the leaf, symbol ids, itself first.
    """

    id: str
    label: str
    place: SourceRange
    detail: str
    vocabulary: Vocabulary
    own_words: frozenset[str]
    facts: Mapping[str, JsonValue]
    weight: int
    chain: tuple[str, ...] = ()
    body_field_count: int | None = None

    def code_place(self) -> CodePlace:
        """As a target of the ticket."""
        return CodePlace(id=self.id, label=self.label, location=self.place.location())


def labels_in_words(choices: Sequence[CodeChoice]) -> str:
    """The labels of choices in a sentence; of many the first. Those that are alike have their places behind them."""
    counts = Counter(choice.label for choice in choices)
    labels = [
        choice.label if counts[choice.label] == 1 else f"{choice.label} ({choice.place})"
        for choice in choices[:_MOST_LABELS]
    ]
    rest = [f"{len(choices) - _MOST_LABELS} more"] if len(choices) > _MOST_LABELS else []
    *first, last = [*labels, *rest] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def route_choice(registry: Registry, route: Route, chain: tuple[str, ...] = ()) -> CodeChoice:
    """A route as a choice. It stands for its handler; other URLs of the same handler are no candidates of their own."""
    count = route.body_field_count
    callers = len(callers_of(route.handler, registry)) if route.handler else 0
    tests = len(registry.tests_reaching(route.handler)) if route.handler else 0
    return CodeChoice(
        id=route.id,
        label=route.label,
        place=route.place,
        detail=f"{_count_text(count)} {'field' if count == 1 else 'fields'}",
        vocabulary=route_vocabulary(registry, route),
        own_words=path_stems(route.path),
        body_field_count=count,
        facts={
            "handler": route.handler_name,
            "body fields": _count_text(count),
            "query fields": len(route.query_fields),
            "tests that reach it": tests,
        },
        weight=tests + callers,
        chain=chain or ((route.handler,) if route.handler else ()),
    )


def symbol_choice(registry: Registry, symbol: Symbol, chain: tuple[str, ...] = ()) -> CodeChoice:
    """A function, method or class as a choice. The words of its body count as those of its docs do."""
    words, body = symbol_vocabulary(symbol), body_stems(registry, symbol)
    callers = len(callers_of(symbol.id, registry))
    tests = len(registry.tests_reaching(symbol.id))
    return CodeChoice(
        id=symbol.id,
        label=label_of(symbol, registry),
        place=symbol.place,
        detail=str(symbol.place),
        vocabulary=Vocabulary(words.strong, (words.weak | body) - words.strong),
        own_words=words.strong,
        facts={"called from": callers, "tests that reach it": tests},
        weight=callers + tests,
        chain=chain or (symbol.id,),
    )


def field_choice(registry: Registry, field: Field) -> CodeChoice:
    """A field of a table or model as a choice; the model is what tells it apart."""
    owner = registry.symbol(field.owner)
    model = owner.name if owner else field.owner
    vocabulary = symbol_vocabulary(owner) if owner else Vocabulary(frozenset(), frozenset())
    uses = len(callers_of(field.owner, registry))
    return CodeChoice(
        id=field.id,
        label=f"{model}.{field.name}",
        place=field.place,
        detail=str(field.place),
        vocabulary=vocabulary,
        own_words=vocabulary.strong,
        facts={"fields of the model": len(registry.fields_of(field.owner)), "uses of the model": uses},
        weight=uses,
        chain=(field.owner,),
    )


def key_choice(key: Key) -> CodeChoice:
    """A setting as a choice; where two have one name, the file tells them apart."""
    return CodeChoice(
        id=key.id,
        label=f"{key.name} ({key.place.path})",
        place=key.place,
        detail=str(key.place),
        vocabulary=key.vocabulary,
        own_words=key.vocabulary.strong,
        facts={"declared in": str(key.place)},
        weight=0,
    )


def in_order(
    choices: Sequence[CodeChoice], words: frozenset[str]
) -> tuple[tuple[CodeChoice, ...], str | None]:
    """The choices, best supported first, and in one sentence what speaks for the first one; None where nothing does.

    Best supported is the one that has least that the issue does not speak of; then the one that the code itself uses
    and tests most; then the shorter name, which is an order and no reason.
    """

    def unspoken(choice: CodeChoice) -> int:
        return len(choice.own_words - words - shared_words)

    shared_words = frozenset.intersection(*(choice.own_words for choice in choices))
    ranking = tuple(
        sorted(choices, key=lambda choice: (unspoken(choice), -choice.weight, len(choice.label), choice.id))
    )
    first, second = ranking[0], ranking[1]
    if unspoken(first) < unspoken(second):
        missing = " or ".join(
            f"“{word}”" for word in _as_named(second, second.own_words - words - shared_words)[:2]
        )
        return ranking, f"The issue does not mention {missing}, which is what sets {second.label} apart."
    if first.weight > second.weight:
        return (
            ranking,
            f"The code and its tests lead to {first.label} more often ({first.weight} places, not {second.weight}).",
        )
    return ranking, None


def _as_named(choice: CodeChoice, stems: frozenset[str]) -> list[str]:
    """The words of a choice's own names behind some stems, for people to read."""
    words = (*name_parts(choice.label), *name_parts(choice.place.path))
    words_by_stem = {stem(word): word for word in reversed(words) if stem(word) in stems}
    return sorted(words_by_stem.values())


def route_choices(registry: Registry, routes: Sequence[Route]) -> list[CodeChoice]:
    """Routes as choices, one for each handler."""
    return [route_choice(registry, route) for route in handlers_apart(routes)]


def choices_above(leaf: Symbol | None, routes: Sequence[Route], registry: Registry) -> list[CodeChoice]:
    """Routes as choices, each with the chain of calls that leads from it to a function."""
    entries = () if leaf is None else registry.entry_routes(leaf.id)
    chains = {entry.route.id: entry.chain for entry in entries}
    return [route_choice(registry, route, chains.get(route.id, ())) for route in routes]


def as_candidates(choices: Sequence[CodeChoice]) -> tuple[Candidate, ...]:
    """The payload's candidates. Facts that are the same for all say nothing and are left out."""
    telling = [
        name for name in choices[0].facts if len({str(choice.facts.get(name)) for choice in choices}) > 1
    ]
    return tuple(
        Candidate(
            handler_symbol=f"<{choice.id}>",
            body_field_count=choice.body_field_count,
            id=choice.id,
            label=choice.label,
            location=choice.place.location(),
            facts={name: choice.facts[name] for name in telling},
        )
        for choice in choices
    )


def callers_of(symbol_id: str, registry: Registry) -> tuple[str, ...]:
    """The functions of the product that call a symbol, one entry for each place."""
    callers = (edge.caller for edge in registry.callers(symbol_id))
    return tuple(
        caller for caller in callers if (symbol := registry.symbol(caller)) is None or not symbol.is_test
    )


def handlers_apart(routes: Sequence[Route]) -> tuple[Route, ...]:
    """One route for each handler, in the order of the registry: of several URLs the one with the shortest path.

    A handler that shows a form and takes it is asked about as the one that takes it.
    """
    first: dict[str, Route] = {}
    for route in sorted(routes, key=lambda route: (len(route.path), route.method == "GET", route.id)):
        first.setdefault(route.handler or route.id, route)
    return tuple(sorted(first.values(), key=lambda route: route.id))


def _count_text(count: int | None) -> JsonValue:
    return "?" if count is None else count
