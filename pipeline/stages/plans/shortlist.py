"""What a plan may choose from: things in the code that the issue can be about, the likeliest first, few enough to be read."""

from collections.abc import Iterator

from pipeline.code_registry.entries import Field, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import IssueDocument
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.places.entries import entries_of
from pipeline.stages.places.stage import Places
from pipeline.stages.plans.entities import public_surface
from pipeline.stages.selection.anchors import find_anchors
from pipeline.stages.selection.terms import terms_of

_TARGETS = 80
_SURFACES = 120


def targets_for(
    document: IssueDocument, places: Places, decision: Decomposition, registry: Registry
) -> tuple[str, ...]:
    """Ids that a plan may name as its target: what the issue cites, what its words suggest, and what the places hold."""
    chosen = [target.id for target in decision.targets]
    if decision.suggested is not None:
        chosen.append(decision.suggested.id)
    ids = dict.fromkeys((*chosen, *_cited(document, registry), *_in_places(document, places, registry)))
    return tuple(id_ for id_ in ids if registry.get(id_) is not None)[:_TARGETS]


def surfaces_for(targets: tuple[str, ...], decision: Decomposition, registry: Registry) -> tuple[str, ...]:
    """Ids of public surfaces and data that a plan's effects may name: the targets, and what leads to or from them."""
    near = (*targets, *(place.id for place in decision.chain))
    surfaces = dict.fromkeys(id_ for one in near for id_ in (one, *_around(one, registry)))
    return tuple(id_ for id_ in surfaces if public_surface(id_, registry) is not None)[:_SURFACES]


def _cited(document: IssueDocument, registry: Registry) -> Iterator[str]:
    for anchor in find_anchors(document, registry).anchors:
        yield from (route.id for route in anchor.routes)
        yield from (symbol.id for symbol in anchor.symbols)
        yield from (field.id for field in anchor.fields)


def _in_places(document: IssueDocument, places: Places, registry: Registry) -> Iterator[str]:
    paths = [file.path for file in places.ranking.files]
    entries = entries_of(paths, terms_of(document), registry)
    for path in paths:
        yield from (entry.id for entry in entries.get(path, ()))


def _around(id_: str, registry: Registry) -> Iterator[str]:
    """The routes that reach a thing, the fields of them and of itself, and what owns it."""
    entry = registry.get(id_)
    if isinstance(entry, Field):
        yield entry.owner
    routes = [one.route.id for one in registry.entry_routes(id_)] if isinstance(entry, Symbol) else []
    yield from routes
    for owner in (id_, *routes):
        yield from (field.id for field in registry.fields_of(owner))
