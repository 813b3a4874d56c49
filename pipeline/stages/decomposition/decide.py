"""The decision: from mentions and words to one target, to a question between candidates, or to "unknown".

Pure. It asks only where two or more concrete candidates stand, no word of the ticket fits one and no other, and the
answer changes what is built; where it finds no candidate it invents none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.code_registry.entries import FieldKind, Route, Symbol
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace
from pipeline.domain.intent import Intent, Operation
from pipeline.domain.mentions import find_mentions
from pipeline.domain.words import prose_stems
from pipeline.stages.decomposition.candidates import (
    Choice,
    callers_of,
    field_choice,
    handlers_apart,
    in_order,
    route_choice,
    symbol_choice,
)
from pipeline.stages.decomposition.evidence_table import EvidenceRow
from pipeline.stages.decomposition.outcome import Outcome, Selected, Undecided, Unknown
from pipeline.stages.decomposition.prose_search import search_by_words
from pipeline.stages.decomposition.questions import Slot
from pipeline.stages.selection.anchors import Anchor, find_anchors, outermost
from pipeline.stages.selection.evidence import Verdict, discriminate, ticket_stems, words_as_written

_MANY = 12
"""More candidates than this are no list that a person can choose from (a hub)."""


@dataclass
class Decider:
    """One decision over one ticket. `answers` are those to this stage's own questions."""

    intent: Intent
    registry: Registry
    answers: tuple[Answer, ...] = ()
    rows: list[EvidenceRow] = field(default_factory=list)

    def decide(self) -> Outcome:
        """Decide; `rows` then holds the evidence."""
        anchors = find_anchors(self.intent, self.registry)
        for anchor in anchors:
            if anchor.fits_nothing:
                self._note(f"`{anchor.mention.quote}`", concluded="The code has nothing of that name.")
        return (
            self._by_route(anchors)
            or self._by_field([anchor for anchor in anchors if _is_stored(anchor)])
            or self._by_symbol(anchors)
            or self._by_field(anchors)
            or self._by_words()
            or Unknown("No name and no words of the ticket fit something in the code well enough.")
        )

    def _by_route(self, anchors: Sequence[Anchor]) -> Outcome | None:
        named = [anchor for anchor in anchors if anchor.routes]
        for anchor in sorted(named, key=lambda one: self.intent.wish.find(one.mention.quote) < 0):
            choices = self._route_choices(anchor.routes)
            quote = anchor.mention.quote
            if len(choices) == 1:
                self._note(f"`{quote}`", choices, concluded="One route fits: selected outright.")
                return self._select(choices[0], f"The ticket names “{quote}”, and one handler answers that.")
            return self._choose(Slot.ENTRY_ROUTE, choices, f"`{quote}`", leaf=None, quotes=(quote,))
        return None

    def _by_symbol(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            symbols = outermost(anchor.symbols, self.registry)
            if not symbols:
                continue
            quote = anchor.mention.quote
            if len(symbols) > _MANY:
                self._note(
                    f"`{quote}`",
                    concluded=f"{len(symbols)} definitions have that name: too many to mean one.",
                )
                continue
            if len(symbols) > 1:
                found = [symbol_choice(self.registry, symbol) for symbol in symbols]
                return self._choose(Slot.DEFINITION, found, f"`{quote}`", leaf=None, quotes=(quote,))
            return self._from_leaf(symbols[0], quote)
        return None

    def _by_field(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            if not anchor.fields or len(anchor.fields) > _MANY:
                continue
            quote = anchor.mention.quote
            choices = [field_choice(self.registry, found) for found in anchor.fields]
            if len(choices) == 1:
                self._note(f"`{quote}`", choices, concluded="One field has that name: selected outright.")
                return self._select(choices[0], f"The ticket names “{quote}”, and one model has that field.")
            return self._choose(Slot.MODEL, choices, f"`{quote}`", leaf=None, quotes=(quote,))
        return None

    def _by_words(self) -> Outcome | None:
        """Only for wishes that change a request: elsewhere words alone would invent a target."""
        if not self.intent.changes_surface:
            self._note(
                "the words of the ticket", concluded="It names nothing, and asks for no change of a request."
            )
            return None
        found = search_by_words(self.intent, self.registry)
        if found is None:
            self._note("the words of the ticket", concluded="They fit no route better than others.")
            return None
        choices = self._route_choices(found.routes)
        words = words_as_written(self.intent, found.words)
        leaf = self.registry.symbol(found.leaf) if found.leaf else None
        if leaf is None:
            self._note("the words of the ticket", choices, words=words, concluded="They fit one route best.")
            return self._select(choices[0], f"{_listed(words)} {choices[0].label} and no other route.")
        self._note(
            "the words of the ticket", choices, words=words, concluded=f"Their routes share `{leaf.name}`."
        )
        return self._from_leaf(leaf, " ".join(words))

    def _from_leaf(self, leaf: Symbol, quote: str) -> Outcome:
        """From the place where the work is done to the route that shall ask for it."""
        about = f"`{leaf.name}`"
        place = CodePlace(id=leaf.id, label=leaf.qualified_name, location=leaf.place.location())
        if not self.intent.changes_surface:
            self._note(
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
            self._note(about, concluded="No route leads to it: it is the target itself.")
            return Selected((place,), f"The ticket names “{quote}”, and no route leads to it.", (leaf.id,))
        chains = {entry.route.id: entry.chain for entry in entries}
        choices = [route_choice(self.registry, route, chains[route.id]) for route in routes]
        if len(choices) == 1:
            self._note(about, choices, concluded="One route leads to it: selected.")
            return self._select(
                choices[0], f"{choices[0].label} is the only route that reaches `{leaf.name}`."
            )
        return self._choose(Slot.ENTRY_ROUTE, choices, about, leaf=leaf.name, quotes=(quote,))

    def _from_hub(self, leaf: Symbol, routes: int, quote: str) -> Outcome:
        """Offer the layer above a hub: a list of all its routes would be no question."""
        callers = (self.registry.symbol(caller) for caller in sorted(set(callers_of(leaf.id, self.registry))))
        layer = [caller for caller in callers if caller is not None]
        if not 2 <= len(layer) <= _MANY:
            self._note(
                f"`{leaf.name}`",
                concluded=f"{routes} routes and {len(layer)} callers lead to it: no list to choose from.",
            )
            place = CodePlace(id=leaf.id, label=leaf.qualified_name, location=leaf.place.location())
            return Selected((place,), f"The ticket names “{quote}”, which {routes} routes share.", (leaf.id,))
        choices = [symbol_choice(self.registry, caller, (caller.id, leaf.id)) for caller in layer]
        return self._choose(Slot.CALLER, choices, f"`{leaf.name}`", leaf=leaf.name, quotes=(quote,))

    def _choose(
        self, slot: Slot, choices: Sequence[Choice], about: str, *, leaf: str | None, quotes: tuple[str, ...]
    ) -> Outcome:
        """Let answers, then words select; ask where neither does and the answer matters."""
        if (answered := self._answered(slot, choices)) is not None:
            self._note(about, choices, concluded=f"An answer chose {answered.label}.")
            return self._select(answered, f"{self._who_answered(slot)} chose {answered.label}.")
        if (said := self._said(slot)) is not None:
            return self._from_reply(said, choices, about)
        words = ticket_stems(self.intent)
        held = discriminate(words, [choice.vocabulary for choice in choices], excluded=self.intent.excluded)
        if held.verdict is Verdict.SELECTED and held.chosen is not None:
            chosen = choices[held.chosen]
            telling = words_as_written(self.intent, held.only[held.chosen])
            self._note(
                about, choices, words=telling, concluded=f"These words fit {chosen.label} and no other."
            )
            why = f"{_listed(telling)} it and no other" if telling else "The ticket rules out the others"
            return self._select(chosen, f"{why}: {chosen.label}.")
        ranked, reason = in_order(choices, words)
        self._note(
            about, ranked, words=_shared(self.intent, held.fits), concluded="No word fits one and no other."
        )
        if (
            slot is Slot.DEFINITION
            and not self.intent.changes_surface
            and self.intent.operation is Operation.FIX
        ):
            return Unknown(
                "Several definitions have that name, and a bug report does not choose between them."
            )
        return Undecided(slot, ranked, reason, leaf, quotes)

    def _from_reply(self, said: str, choices: Sequence[Choice], about: str) -> Outcome:
        """A reply in free words is prose like the ticket's own: it selects by a name or by its words, or not at all."""
        named = {mention.text for mention in find_mentions(said)}
        by_name = [
            choice for choice in choices if choice.id.partition(":")[2] in said or choice.label in named
        ]
        longest = max(by_name, key=lambda choice: len(choice.label), default=None)
        held = discriminate(prose_stems(said), [choice.vocabulary for choice in choices])
        chosen = longest or (choices[held.chosen] if held.chosen is not None else None)
        if chosen is None:
            self._note(about, choices, concluded="The answer in free words selects none of them.")
            return Unknown("The answer in free words selects none of the candidates.")
        self._note(about, choices, concluded=f"The answer in free words selects {chosen.label}.")
        return self._select(chosen, f"The answer “{said}” fits {chosen.label} and no other.")

    def _said(self, slot: Slot) -> str | None:
        texts = [answer.text for answer in self.answers if answer.slot == slot.value and answer.text]
        return texts[-1] if texts else None

    def _answered(self, slot: Slot, choices: Sequence[Choice]) -> Choice | None:
        chosen = [answer.choice for answer in self.answers if answer.slot == slot.value and answer.choice]
        return next((choice for pick in reversed(chosen) for choice in choices if choice.id == pick), None)

    def _who_answered(self, slot: Slot) -> str:
        names = [
            answer.answered_by for answer in self.answers if answer.slot == slot.value and answer.answered_by
        ]
        return names[-1] if names else "An answer"

    def _route_choices(self, routes: Sequence[Route]) -> list[Choice]:
        return [route_choice(self.registry, route) for route in handlers_apart(routes)]

    def _select(self, choice: Choice, because: str) -> Selected:
        return Selected((choice.code_place(),), because, choice.chain)

    def _note(
        self, about: str, choices: Sequence[Choice] = (), *, words: Sequence[str] = (), concluded: str
    ) -> None:
        labels = tuple(choice.label for choice in choices)
        self.rows.append(EvidenceRow(about=about, candidates=labels, words=tuple(words), concluded=concluded))


def _is_stored(anchor: Anchor) -> bool:
    """Whether a name is a column: then it means that, whatever local function is called the same."""
    return any(found.kind is FieldKind.TABLE for found in anchor.fields)


def _listed(words: Sequence[str]) -> str:
    """The words as the subject of a sentence and its verb: `The words “a”, “b” fit`."""
    quoted = ", ".join(f"“{word}”" for word in words)
    return f"The word {quoted} fits" if len(words) == 1 else f"The words {quoted} fit"


def _shared(intent: Intent, fits: Sequence[frozenset[str]]) -> tuple[str, ...]:
    return words_as_written(intent, frozenset[str]().union(*fits))
