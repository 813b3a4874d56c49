"""The decision: from mentions and words to one target, to a question between candidates, or to "unknown".

Pure. It asks only where two or more concrete candidates stand, no word of the ticket fits one and no other, and the
answer changes what is built; where it finds no candidate it invents none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.code_registry.entries import FieldKind, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace
from pipeline.domain.intent import Intent, MentionKind
from pipeline.stages.decomposition.by_words import by_command, by_description, by_route, by_setting
from pipeline.stages.decomposition.candidates import (
    callers_of,
    field_choice,
    handlers_apart,
    key_choice,
    route_choice,
    symbol_choice,
)
from pipeline.stages.decomposition.choosing import Chooser
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.outcome import Outcome, Selected, Unknown
from pipeline.stages.decomposition.questions import Slot
from pipeline.stages.selection.anchors import Anchor, find_anchors, outermost
from pipeline.stages.selection.evidence import discriminate, ticket_stems, words_as_written
from pipeline.stages.selection.settings import find_keys

_MANY = 12
"""More candidates than this are no list that a person can choose from (a hub)."""


@dataclass
class Decider:
    """One decision over one ticket. `answers` are those to this stage's own questions."""

    intent: Intent
    registry: Registry
    answers: tuple[Answer, ...] = ()
    rows: list[EvidenceRow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._chooser = Chooser(self.intent, self.registry, self.answers, self.rows)

    def decide(self) -> Outcome:
        """Decide; `rows` then holds the evidence.

        Names before words. Names that stand in a code block only count where no other leads anywhere.
        """
        anchors = find_anchors(self.intent, self.registry)
        for anchor in anchors:
            if anchor.fits_nothing:
                self._chooser.note(
                    f"`{anchor.mention.quote}`", concluded="The code has nothing of that name."
                )
        told = [anchor for anchor in anchors if not anchor.mention.fenced]
        fenced = [anchor for anchor in anchors if anchor.mention.fenced]
        return (
            self._by_route(told)
            or self._by_call(fenced)
            or self._by_names(told)
            or self._by_names(fenced)
            or by_command(self._chooser)
            or by_setting(self._chooser)
            or by_route(self._chooser, self._from_leaf)
            or by_description(self._chooser)
            or Unknown("No name and no words of the ticket fit something in the code well enough.")
        )

    def _by_names(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """Routes, then columns, then functions; but a function that a ticket names goes first where no request changes.

        "`cancel` overwrites `remarks`" is about the function; "add `by` next to `remarks`" is about the column. What a
        file holds comes last: the file says where to look, and a name what for.
        """
        working = [] if self.intent.changes_surface else [one for one in anchors if _is_function(one)]
        files = [anchor for anchor in anchors if anchor.mention.kind is MentionKind.FILE]
        named = [anchor for anchor in anchors if anchor.mention.kind is not MentionKind.FILE]
        return (
            self._by_route(anchors)
            or self._by_symbol(working)
            or self._by_field([anchor for anchor in named if _is_stored(anchor)])
            or self._by_symbol(named)
            or self._by_field(named)
            or self._by_symbol(files)
        )

    def _by_call(self, fenced: Sequence[Anchor]) -> Outcome | None:
        """The one request that a code block shows (`PATCH /items/3`): how to see a bug says where it is."""
        called = [one for one in fenced if one.mention.kind is MentionKind.ROUTE and one.routes]
        handlers = {route.handler or route.id for anchor in called for route in anchor.routes}
        return self._by_route(called[:1]) if len(handlers) == 1 else None

    def _by_route(self, anchors: Sequence[Anchor]) -> Outcome | None:
        named = [anchor for anchor in anchors if anchor.routes]
        for anchor in sorted(named, key=lambda one: self.intent.wish.find(one.mention.quote) < 0):
            choices = self._chooser.route_choices(anchor.routes)
            quote = anchor.mention.quote
            if len(choices) == 1:
                self._chooser.note(f"`{quote}`", choices, concluded="One route fits: selected outright.")
                return self._chooser.select(
                    choices[0], f"The ticket names “{quote}”, and one handler answers that."
                )
            return self._chooser.choose(Slot.ENTRY_ROUTE, choices, f"`{quote}`", leaf=None, quotes=(quote,))
        return None

    def _by_symbol(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            symbols = outermost(anchor.symbols, self.registry)
            if not symbols:
                continue
            quote = anchor.mention.quote
            if len(symbols) > _MANY:
                self._chooser.note(
                    f"`{quote}`",
                    concluded=f"{len(symbols)} definitions have that name: too many to mean one.",
                )
                continue
            if len(symbols) > 1 and anchor.mention.kind is MentionKind.FILE:
                if (selected := self._in_file(symbols, quote)) is not None:
                    return selected
                continue
            if len(symbols) > 1:
                if (by_route := self._entries_of(symbols, quote)) is not None:
                    return by_route
                found = [symbol_choice(self.registry, symbol) for symbol in symbols]
                return self._chooser.choose(Slot.DEFINITION, found, f"`{quote}`", leaf=None, quotes=(quote,))
            return self._from_leaf(symbols[0], quote)
        return None

    def _in_file(self, symbols: Sequence[Symbol], quote: str) -> Outcome | None:
        """A file says where to look, not which of its functions is meant: words may select one, and nobody is asked."""
        if len(symbols) > _MANY:
            self._chooser.note(f"`{quote}`", concluded=f"The file has {len(symbols)}: too many to mean one.")
            return None
        choices = [symbol_choice(self.registry, symbol) for symbol in symbols]
        words, vocabularies = ticket_stems(self.intent), [choice.vocabulary for choice in choices]
        held = discriminate(words, vocabularies, excluded=self.intent.excluded)
        if held.chosen is None:
            self._chooser.note(
                f"`{quote}`", choices, concluded="The file has several, and no word fits one only."
            )
            return None
        telling = words_as_written(self.intent, held.only[held.chosen])
        chosen = choices[held.chosen]
        self._chooser.note(f"`{quote}`", choices, words=telling, concluded=f"These words fit {chosen.label}.")
        return self._from_leaf(symbols[held.chosen], quote)

    def _entries_of(self, symbols: Sequence[Symbol], quote: str) -> Outcome | None:
        """Definitions of one name that all answer requests: a wish for the request is a question between their routes."""
        if not self.intent.changes_surface:
            return None
        entries = [self.registry.entry_routes(symbol.id) for symbol in symbols]
        routes = handlers_apart([entry.route for found in entries for entry in found])
        if not all(entries) or not 2 <= len(routes) <= _MANY:
            return None
        chains = {entry.route.id: entry.chain for found in entries for entry in found}
        choices = [route_choice(self.registry, route, chains[route.id]) for route in routes]
        return self._chooser.choose(Slot.ENTRY_ROUTE, choices, f"`{quote}`", leaf=None, quotes=(quote,))

    def _by_field(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            if not anchor.fields or len(anchor.fields) > _MANY:
                continue
            quote = anchor.mention.quote
            choices = [field_choice(self.registry, found) for found in anchor.fields]
            if len(choices) == 1:
                self._chooser.note(
                    f"`{quote}`", choices, concluded="One field has that name: selected outright."
                )
                return self._chooser.select(
                    choices[0], f"The ticket names “{quote}”, and one model has that field."
                )
            keys = {(key.place.path, key.place.start_line): key for key in find_keys(self.registry)}
            settings = [keys.get((found.place.path, found.place.start_line)) for found in anchor.fields]
            known = [key for key in settings if key is not None]
            if len(known) == len(choices):
                of_keys = [key_choice(key) for key in known]
                return self._chooser.choose(Slot.SETTING, of_keys, f"`{quote}`", leaf=None, quotes=(quote,))
            return self._chooser.choose(Slot.MODEL, choices, f"`{quote}`", leaf=None, quotes=(quote,))
        return None

    def _from_leaf(self, leaf: Symbol, quote: str, spent: frozenset[str] = frozenset()) -> Outcome:
        """From the place where the work is done to the route that shall ask for it. `spent` are words that led here."""
        about = f"`{leaf.name}`"
        place = CodePlace(id=leaf.id, label=leaf.qualified_name, location=leaf.place.location())
        if not self.intent.changes_surface:
            self._chooser.note(
                about,
                concluded="The wish changes no request: the change is made here, whichever route leads to it.",
            )
            return Selected(
                (place,),
                f"The ticket names “{quote}”, and the change is the same for every caller.",
                (leaf.id,),
            )
        entries = self.registry.entry_routes(leaf.id)
        routes = handlers_apart([entry.route for entry in entries])
        if len(routes) > _MANY:
            return self._from_hub(leaf, len(routes), quote)
        if not routes:
            self._chooser.note(about, concluded="No route leads to it: it is the target itself.")
            return Selected((place,), f"The ticket names “{quote}”, and no route leads to it.", (leaf.id,))
        chains = {entry.route.id: entry.chain for entry in entries}
        choices = [route_choice(self.registry, route, chains[route.id]) for route in routes]
        if len(choices) == 1:
            self._chooser.note(about, choices, concluded="One route leads to it: selected.")
            return self._chooser.select(
                choices[0], f"{choices[0].label} is the only route that reaches `{leaf.name}`."
            )
        return self._chooser.choose(
            Slot.ENTRY_ROUTE, choices, about, leaf=leaf.name, quotes=(quote,), spent=spent
        )

    def _from_hub(self, leaf: Symbol, routes: int, quote: str) -> Outcome:
        """Offer the layer above a hub: a list of all its routes would be no question."""
        callers = (self.registry.symbol(caller) for caller in sorted(set(callers_of(leaf.id, self.registry))))
        layer = [caller for caller in callers if caller is not None]
        if not 2 <= len(layer) <= _MANY:
            self._chooser.note(
                f"`{leaf.name}`",
                concluded=f"{routes} routes and {len(layer)} callers lead to it: no list to choose from.",
            )
            place = CodePlace(id=leaf.id, label=leaf.qualified_name, location=leaf.place.location())
            return Selected((place,), f"The ticket names “{quote}”, which {routes} routes share.", (leaf.id,))
        choices = [symbol_choice(self.registry, caller, (caller.id, leaf.id)) for caller in layer]
        return self._chooser.choose(Slot.CALLER, choices, f"`{leaf.name}`", leaf=leaf.name, quotes=(quote,))


def _is_function(anchor: Anchor) -> bool:
    """Whether a name is of functions only."""
    kinds = {symbol.kind for symbol in anchor.symbols}
    return (
        bool(kinds)
        and kinds <= {SymbolKind.FUNCTION, SymbolKind.METHOD}
        and not anchor.fields
        and anchor.mention.kind is MentionKind.NAME
    )


def _is_stored(anchor: Anchor) -> bool:
    """Whether a name is a column: then it means that, whatever local function is called the same."""
    return any(found.kind is FieldKind.TABLE for found in anchor.fields)
