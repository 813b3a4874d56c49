"""An answer in free words: it is read like an issue, and looked up in the whole registry, not only among the candidates."""

from collections.abc import Sequence

from pipeline.code_registry.registry import Registry
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.words import prose_stems
from pipeline.reading.document import read_issue
from pipeline.stages.decomposition.candidates import Choice, route_choices, symbol_choice
from pipeline.stages.selection.anchors import find_anchors
from pipeline.stages.selection.evidence import discriminate


def choose_by_text(text: str, choices: Sequence[Choice], registry: Registry) -> Choice | None:
    """The one thing that an answer names: by method and path, symbol or file anywhere; else the candidate that its words fit.

    Words that fit two candidates alike choose nothing: a wrong resume is worse than another question.
    """
    cited = _cited(text, registry)
    if cited:
        chosen = next((choice for choice in choices if choice.id == cited[0].id), cited[0])
        return chosen if len(cited) == 1 else None
    named = [choice for choice in choices if choice.id.partition(":")[2] in text or choice.label in text]
    whole = [one for one in named if not any(one.label in other.label for other in named if other is not one)]
    if named:
        return whole[0] if len(whole) == 1 else None
    held = discriminate(prose_stems(text), [choice.vocabulary for choice in choices])
    return choices[held.chosen] if held.chosen is not None and held.only[held.chosen] else None


def _cited(text: str, registry: Registry) -> list[Choice]:
    """What the answer cites; of a route and the function behind it, the route."""
    anchors = find_anchors(read_issue(IncomingTicket(title="", body=text), (), ()), registry).anchors
    routes = route_choices(registry, [route for anchor in anchors for route in anchor.routes])
    if routes:
        return routes
    symbols = {symbol.id: symbol for anchor in anchors for symbol in anchor.symbols}
    return [symbol_choice(registry, symbol) for symbol in symbols.values()]
