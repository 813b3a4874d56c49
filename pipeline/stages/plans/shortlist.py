"""What a plan may choose from: things in the code that the ticket can be about, best first, and few enough to be read."""

from collections.abc import Iterator

from pipeline.code_registry.entries import Field, Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.plans.entities import public_surface, words_of
from pipeline.stages.selection.anchors import find_anchors
from pipeline.stages.selection.evidence import ticket_stems
from pipeline.stages.selection.ranking import Ranking

_TARGETS = 80
_SURFACES = 120


def targets_for(intent: Intent, found: Decomposition, registry: Registry) -> tuple[str, ...]:
    """Ids that a plan may name as its target. What the words of the ticket have selected already is not opened again."""
    if found.targets:
        return tuple(dict.fromkeys(target.id for target in found.targets))
    return tuple(dict.fromkeys((*_named(intent, registry), *_fitting(intent, registry))))[:_TARGETS]


def surfaces_for(targets: tuple[str, ...], found: Decomposition, registry: Registry) -> tuple[str, ...]:
    """Ids of public surfaces and data that a plan's effects may name: the targets, and what leads to or from them."""
    near = (*targets, *(place.id for place in found.chain))
    surfaces = dict.fromkeys(id_ for one in near for id_ in (one, *_around(one, registry)))
    return tuple(id_ for id_ in surfaces if public_surface(id_, registry) is not None)[:_SURFACES]


def _named(intent: Intent, registry: Registry) -> Iterator[str]:
    """What the ticket's names fit."""
    for anchor in find_anchors(intent, registry):
        yield from (route.id for route in anchor.routes)
        yield from (symbol.id for symbol in anchor.symbols)
        yield from (field.id for field in anchor.fields)


def _fitting(intent: Intent, registry: Registry) -> Iterator[str]:
    """What the ticket's words fit, the best first."""
    kinds = (SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS)
    symbols = [one for one in registry.symbols if one.kind in kinds and not one.is_test]
    entries: list[Route | Symbol] = [*registry.routes, *symbols]
    ranking = Ranking(ticket_stems(intent), [words_of(entry.id, registry) for entry in entries])
    weighed = [(ranking.weight(index), index) for index in range(len(entries)) if ranking.fits[index]]
    for _, index in sorted(weighed, key=lambda one: (-one[0], one[1])):
        yield entries[index].id


def _around(id_: str, registry: Registry) -> Iterator[str]:
    """The routes that reach a thing, the fields of them and of itself, and what owns it."""
    entry = registry.get(id_)
    if isinstance(entry, Field):
        yield entry.owner
    if isinstance(entry, Symbol):
        yield from (found.route.id for found in registry.entry_routes(id_))
    routes = (found.route.id for found in registry.entry_routes(id_)) if isinstance(entry, Symbol) else ()
    for owner in (id_, *routes):
        yield from (field.id for field in registry.fields_of(owner))
