"""An answer in free words: it is read like an issue, and looked up in the whole registry, not only among the candidates."""

from collections.abc import Sequence

from pipeline.code_registry.registry import Registry
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.words import prose_stems
from pipeline.reading.document import read_issue
from pipeline.stages.decomposition.candidates import CodeChoice, route_choices, symbol_choice
from pipeline.stages.selection.anchors import find_anchors
from pipeline.stages.selection.evidence import discriminate


def choose_by_text(text: str, choices: Sequence[CodeChoice], registry: Registry) -> CodeChoice | None:
    """The one thing that an answer names: by method and path, symbol or file anywhere; else the candidate that its words fit.

    Words that fit two candidates alike choose nothing: a wrong resume is worse than another question.
    """
    citations = _citations_of(text, registry)
    if citations:
        cited_choice = next((choice for choice in choices if choice.id == citations[0].id), citations[0])
        return cited_choice if len(citations) == 1 else None
    named_choices = [
        choice for choice in choices if choice.id.partition(":")[2] in text or choice.label in text
    ]
    whole = [
        choice
        for choice in named_choices
        if not any(choice.label in longer.label for longer in named_choices if longer is not choice)
    ]
    if named_choices or not choices:
        return whole[0] if len(whole) == 1 else None
    comparison = discriminate(prose_stems(text), [choice.vocabulary for choice in choices])
    return (
        choices[comparison.chosen_index]
        if comparison.chosen_index is not None and comparison.unique_words[comparison.chosen_index]
        else None
    )


def _citations_of(text: str, registry: Registry) -> list[CodeChoice]:
    """What the answer cites; of a route and the function behind it, the route."""
    anchors = find_anchors(read_issue(IncomingTicket(title="", body=text), (), ()), registry).anchors
    routes = route_choices(registry, [route for anchor in anchors for route in anchor.routes])
    if routes:
        return routes
    symbols = {symbol.id: symbol for anchor in anchors for symbol in anchor.symbols}
    return [symbol_choice(registry, symbol) for symbol in symbols.values()]
