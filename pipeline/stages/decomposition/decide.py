"""The decision: from citations and words to targets, to a question between candidates, or to neither.

Pure. Only a citation makes a target; words alone lead to a suggestion or, where the answer changes what is built, to a
question. It asks only where two or more concrete candidates stand and no word of the issue fits one and no other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import FieldKind, Symbol, SymbolKind
from pipeline.contract.code_slots import CodeSlot, Slot
from pipeline.contract.ticket import CodePlace
from pipeline.domain.issue import Citation, CitationKind, IssueKind, SectionRole
from pipeline.stages.decomposition.by_words import by_words
from pipeline.stages.decomposition.candidates import (
    CodeChoice,
    callers_of,
    field_choice,
    handlers_apart,
    key_choice,
    route_choice,
    symbol_choice,
)
from pipeline.stages.decomposition.choosing import Chooser, select, words_that_fit
from pipeline.stages.decomposition.from_ranking import unless_doubted
from pipeline.stages.decomposition.outcome import NoMatch, OpenChoice, Outcome, Selection, Suggestion
from pipeline.stages.decomposition.request_bodies import routes_taking, shared_leaf
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.anchors import Anchor, outermost
from pipeline.stages.selection.evidence import discriminate
from pipeline.stages.selection.labels import name_of

_MOST_ROUTES = 12
"""More candidates than this are no list that a person can choose from (a hub)."""

_MOST_CHOICES = 4
"""More things of one name than this are not what the name alone could mean."""

_IN_FILES = frozenset({CitationKind.FILE, CitationKind.LINE, CitationKind.FRAME})

_MOST_TARGETS = 4
"""More things than this in one title are a list of examples."""


def decide_targets(subject: Subject) -> Outcome:
    """Decide; the rows of the subject then hold the evidence. Citations go before words."""
    return _Decision(subject).decide()


@dataclass(frozen=True)
class _Decision:
    subject: Subject

    @property
    def _chooser(self) -> Chooser:
        return Chooser(self.subject)

    def decide(self) -> Outcome:
        anchors = self.subject.anchors
        for name in anchors.new_names:
            self.subject.note(f"`{name.text}`", concluded="The code has nothing of that name.")
        wish_anchors, shown_anchors = anchors.wished_anchors(), anchors.shown_anchors()
        return (
            self._by_undoubted_routes(wish_anchors)
            or self._by_request(shown_anchors)
            or self._by_bodies(wish_anchors)
            or self._by_wish_for_column(wish_anchors)
            or self._by_names_or_frames(wish_anchors, shown_anchors)
            or by_words(self.subject, self._from_leaf)
            or NoMatch("No citation and no words of the issue lead to one place in the code.")
        )

    def _by_bodies(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """Routes that take what the issue names, where it wants a request to have more or another of it.

        "`customs_number` next to `clerk` in the JSON" is about the requests whose bodies have `clerk`; so is "the request
        should take `due_on`", which no route has yet, and then words have to find the routes.
        """
        if not self.subject.request_change.is_likely:
            return None
        registry = self.subject.registry
        for anchor in anchors:
            if anchor.citation.kind is not CitationKind.NAME:
                continue
            taking = routes_taking(anchor, registry)
            choices = self._chooser.routes(taking)
            leaf = shared_leaf([route.handler for route in taking if route.handler], registry)
            if leaf is not None and 2 <= len(choices) <= _MOST_CHOICES:
                quote = anchor.citation.quote
                return self._chooser.choose(
                    Slot.ENTRY_ROUTE.value,
                    choices,
                    f"`{quote}`",
                    leaf=leaf.name,
                    quotes=(quote,),
                    citation=anchor.citation,
                )
        return None

    def _by_undoubted_routes(self, wish_anchors: Sequence[Anchor]) -> Outcome | None:
        """The cited routes; a path without its method may be any other thing (`/formula`), so its file must be likely."""
        outcome = unless_doubted(self._by_routes(wish_anchors), self.subject)
        return outcome if isinstance(outcome, Selection | OpenChoice) else None

    def _by_wish_for_column(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """Routes by words, where a request shall take a column that none takes: nothing new is named, so it is that."""
        if not self.subject.request_change.is_likely or self.subject.anchors.parameters():
            return None
        if not any(_is_stored(anchor) and not anchor.request_fields for anchor in anchors):
            return None
        outcome = by_words(self.subject, self._from_leaf)
        return outcome if isinstance(outcome, Suggestion | OpenChoice) else None

    def _by_names_or_frames(
        self, wish_anchors: Sequence[Anchor], shown_anchors: Sequence[Anchor]
    ) -> Outcome | None:
        """What the author names; where that is doubted or nothing, what a traceback shows."""
        by_name = unless_doubted(self._by_names(wish_anchors), self.subject)
        if isinstance(by_name, Selection | OpenChoice):
            return by_name
        by_frame = unless_doubted(self._by_frames(shown_anchors), self.subject)
        return by_frame if isinstance(by_frame, Selection) else by_name

    def _by_names(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """Columns, then functions, settings and commands; but a function goes first where no request changes.

        "`cancel` overwrites `remarks`" is about the function; "add `by` next to `remarks`" is about the column. What a
        file holds comes last: the file says where to look, and a name what for.
        """
        changes_request = self.subject.request_change.is_likely
        functions = [] if changes_request else [anchor_ for anchor_ in anchors if _is_function(anchor_)]
        files = [anchor for anchor in anchors if anchor.citation.kind in _IN_FILES]
        named_anchors = [anchor for anchor in anchors if anchor.citation.kind not in _IN_FILES]
        return (
            self._by_symbols(functions)
            or self._by_fields([anchor for anchor in named_anchors if _is_stored(anchor)])
            or self._by_symbols(named_anchors)
            or self._by_fields(named_anchors)
            or self._by_keys(named_anchors)
            or self._by_commands(named_anchors)
            or self._by_symbols(files)
        )

    def _by_request(self, shown_anchors: Sequence[Anchor]) -> Outcome | None:
        """The one request that a code block shows (`PATCH /items/3`): how to see a bug says where it is."""
        requests = [
            anchor_ for anchor_ in shown_anchors if anchor_.citation.method is not None and anchor_.routes
        ]
        handlers = {route.handler or route.id for anchor in requests for route in anchor.routes}
        return self._by_routes(requests[:1]) if len(handlers) == 1 else None

    def _by_frames(self, shown_anchors: Sequence[Anchor]) -> Outcome | None:
        """The innermost frame of a traceback whose file the tree has."""
        frames = [
            anchor
            for anchor in shown_anchors
            if anchor.citation.kind is CitationKind.FRAME and len(anchor.symbols) == 1
        ]
        innermost = min(frames, key=lambda anchor: anchor.citation.depth or 0, default=None)
        return None if innermost is None else self._symbol(innermost.symbols[0], innermost.citation)

    def _by_routes(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The cited routes: all of a title; else the first one. One handler each selects, several ask."""
        targets: list[Selection] = []
        for anchor in (anchor_ for anchor_ in anchors if anchor_.routes):
            citation, choices = anchor.citation, self._chooser.routes(anchor.routes)
            if len(choices) > _MOST_ROUTES:
                self._note(citation, (), f"{len(choices)} routes fit: too many to mean one.")
                continue
            if len(choices) > 1:
                return self._choose(Slot.ENTRY_ROUTE.value, choices, citation)
            self._note(citation, choices, "One route fits: selected outright.")
            because = f"The issue names “{citation.quote}”, and one handler answers that."
            targets.append(select(choices[0], because, citation))
            if citation.role is not SectionRole.TITLE:
                break
        return _together([*targets, *self._beside(targets, anchors)]) if targets else None

    def _beside(self, routes: Sequence[Selection], anchors: Sequence[Anchor]) -> Iterator[Selection]:
        """Functions that the title names beside a route which does not lead there: it has a wish for each."""
        for anchor in anchors:
            if anchor.citation.role is not SectionRole.TITLE or not _is_function(anchor):
                continue
            ids = {place.id for route in routes for place in route.targets}
            entries = self.subject.registry.entry_routes(anchor.symbols[0].id)
            if len(anchor.symbols) == 1 and not any(entry.route.id in ids for entry in entries):
                function = self._symbol(anchor.symbols[0], anchor.citation)
                if isinstance(function, Selection):
                    yield function

    def _by_symbols(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The first cited definition that leads somewhere; of those in a title, which has a wish for each, all."""
        targets: list[Selection] = []
        for anchor in anchors:
            citation = anchor.citation
            symbols = outermost(anchor.symbols, self.subject.registry)
            outcome = self._by_definitions(symbols, citation) if len(symbols) <= _MOST_ROUTES else None
            if isinstance(outcome, Selection) and citation.role is SectionRole.TITLE:
                targets.append(outcome)
                continue
            if targets or outcome is not None:
                return _together(targets) or outcome
            if len(symbols) > 1:
                self._note(citation, (), f"{len(symbols)} definitions fit, and none is meant alone.")
        return _together(targets)

    def _by_definitions(self, symbols: Sequence[Symbol], citation: Citation) -> Outcome | None:
        """One definition leads on; several are a question, but not in a file or in a bug report.

        A file says where to look, and a bug report does not wish that one of several be changed.
        """
        symbols = tuple(
            {(symbol_.qualified_name, symbol_.place.path): symbol_ for symbol_ in reversed(symbols)}.values()
        )
        if len(symbols) < 2:
            return self._from_leaf(symbols[0], citation.quote, citation=citation) if symbols else None
        if citation.kind in _IN_FILES:
            return self._in_file(symbols, citation)
        if (by_route := self._entries_of(symbols, citation)) is not None:
            return by_route
        if self.subject.document.kind is IssueKind.BUG or len(symbols) > _MOST_CHOICES:
            return None
        choices = [symbol_choice(self.subject.registry, symbol) for symbol in symbols]
        return self._choose(Slot.DEFINITION.value, choices, citation)

    def _in_file(self, symbols: Sequence[Symbol], citation: Citation) -> Outcome | None:
        """The definition of a file that words fit, and no other one of it."""
        choices = [symbol_choice(self.subject.registry, symbol) for symbol in symbols]
        terms = self.subject.terms
        verdict = discriminate(
            terms.stems, [choice_.vocabulary for choice_ in choices], excluded_stems=terms.excluded_stems
        )
        if verdict.chosen_index is None:
            return None
        words, choice = terms.quote(verdict.unique_words[verdict.chosen_index]), choices[verdict.chosen_index]
        self._note(citation, choices, f"{words_that_fit(words)} {choice.label}.")
        return self._from_leaf(symbols[verdict.chosen_index], citation.quote, citation=citation)

    def _entries_of(self, symbols: Sequence[Symbol], citation: Citation) -> Outcome | None:
        """Definitions of one name that all answer requests: a wish for the request is a question between their routes."""
        if not self.subject.request_change.is_likely:
            return None
        registry = self.subject.registry
        entries = [registry.entry_routes(symbol.id) for symbol in symbols]
        routes = handlers_apart([entry.route for of_symbol in entries for entry in of_symbol])
        if not all(entries) or not 2 <= len(routes) <= _MOST_ROUTES:
            return None
        chains = {entry.route.id: entry.chain for of_symbol in entries for entry in of_symbol}
        choices = [route_choice(registry, route, chains[route.id]) for route in routes]
        return self._choose(Slot.ENTRY_ROUTE.value, choices, citation)

    def _by_fields(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            if not anchor.fields or len(anchor.fields) > _MOST_CHOICES:
                continue
            if len(anchor.fields) > 1 and not (_is_stored(anchor) or self.subject.anchors.new_names):
                continue  # a name that several values have, and nothing that one of them shall get
            lines = {(field_.place.path, field_.place.start_line) for field_ in anchor.fields}
            keys = [key for key in anchor.keys if (key.place.path, key.place.start_line) in lines]
            if keys and len(keys) == len(lines):
                return self._among(Slot.SETTING.value, [key_choice(key) for key in keys], anchor.citation)
            choices = [field_choice(self.subject.registry, field) for field in anchor.fields]
            return self._among(Slot.MODEL.value, choices, anchor.citation)
        return None

    def _by_keys(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            if 0 < len(anchor.keys) <= _MOST_CHOICES:
                return self._among(
                    Slot.SETTING.value, [key_choice(key) for key in anchor.keys], anchor.citation
                )
        return None

    def _by_commands(self, anchors: Sequence[Anchor]) -> Outcome | None:
        for anchor in anchors:
            if 0 < len(anchor.commands) <= _MOST_CHOICES:
                commands = [
                    symbol_choice(self.subject.registry, command.symbol) for command in anchor.commands
                ]
                return self._among(Slot.COMMAND.value, commands, anchor.citation)
        return None

    def _among(self, slot: CodeSlot, choices: Sequence[CodeChoice], citation: Citation) -> Outcome:
        """One thing of a cited name is the target; several are a question."""
        if len(choices) > 1:
            return self._choose(slot, choices, citation)
        self._note(citation, choices, "One thing has that name: selected outright.")
        because = f"The issue names “{citation.quote}”, and one thing in the code has that name."
        return select(choices[0], because, citation)

    def _from_leaf(
        self,
        leaf: Symbol,
        quote: str,
        leading_words: frozenset[str] = frozenset(),
        *,
        citation: Citation | None = None,
    ) -> Outcome:
        """From the place where the work is done to the route that shall ask for it.

        `leading_words` are words that led here, where no `citation` did.
        """
        quotes = (quote,)
        about, registry = f"`{leaf.name}`", self.subject.registry
        change = self.subject.request_change
        if not change.is_likely:
            self.subject.note(
                about,
                words=change.words,
                concluded="The wish probably changes no request: whichever route leads here, the change is the same.",
            )
            return self._symbol(leaf, citation)
        entries = registry.entry_routes(leaf.id)
        routes = handlers_apart([entry.route for entry in entries])
        if len(routes) > _MOST_ROUTES:
            return self._from_hub(leaf, len(routes), quotes, citation)
        if not routes:
            self.subject.note(about, concluded="No route leads to it: it is the place itself.")
            return self._symbol(leaf, citation)
        chains = {entry.route.id: entry.chain for entry in entries}
        choices = [route_choice(registry, route, chains[route.id]) for route in routes]
        if len(choices) == 1:
            because = f"{choices[0].label} is the only route that reaches `{leaf.name}`."
            self.subject.note(about, choices, concluded="One route leads to it.")
            return (
                Suggestion(choices[0], because) if citation is None else select(choices[0], because, citation)
            )
        return self._chooser.choose(
            Slot.ENTRY_ROUTE.value,
            choices,
            about,
            leaf=leaf.name,
            quotes=quotes,
            leading_words=leading_words,
            citation=citation,
        )

    def _from_hub(
        self, leaf: Symbol, routes: int, quotes: tuple[str, ...], citation: Citation | None
    ) -> Outcome:
        """Offer the layer above a hub: a list of all its routes would be no question."""
        about, registry = f"`{leaf.name}`", self.subject.registry
        callers = (registry.symbol(caller) for caller in sorted(set(callers_of(leaf.id, registry))))
        layer = [caller for caller in callers if caller is not None]
        if not 2 <= len(layer) <= _MOST_ROUTES:
            self.subject.note(
                about,
                concluded=f"{routes} routes and {len(layer)} callers lead to it: no list to choose from.",
            )
            return self._symbol(leaf, citation)
        choices = [symbol_choice(registry, caller, (caller.id, leaf.id)) for caller in layer]
        return self._chooser.choose(
            Slot.CALLER.value, choices, about, leaf=leaf.name, quotes=quotes, citation=citation
        )

    def _symbol(self, symbol: Symbol, citation: Citation | None) -> Selection | Suggestion:
        if citation is None:
            choice = symbol_choice(self.subject.registry, symbol)
            return Suggestion(choice, f"The words of the issue lead to `{symbol.name}`.")
        place = CodePlace(id=symbol.id, label=name_of(symbol), location=symbol.place.location())
        return Selection((place,), f"The issue names “{citation.quote}”.", (symbol.id,), citation)

    def _choose(self, slot: CodeSlot, choices: Sequence[CodeChoice], citation: Citation) -> Outcome:
        quote = citation.quote
        return self._chooser.choose(slot, choices, f"`{quote}`", quotes=(quote,), citation=citation)

    def _note(self, citation: Citation, choices: Sequence[CodeChoice], conclusion: str) -> None:
        self.subject.note(f"`{citation.quote}`", choices, concluded=conclusion)


def _together(targets: Sequence[Selection]) -> Selection | None:
    """Several cited things as the targets of one ticket: it has a wish for each."""
    if not targets or len(targets) > _MOST_TARGETS:
        return None
    places = {place.id: place for target in targets for place in target.targets}
    because = " ".join(dict.fromkeys(target.because for target in targets))
    return Selection(tuple(places.values()), because, targets[0].chain, targets[0].citation)


def _is_function(anchor: Anchor) -> bool:
    """Whether a name is of functions only."""
    kinds = {symbol.kind for symbol in anchor.symbols}
    return (
        bool(kinds)
        and kinds <= {SymbolKind.FUNCTION, SymbolKind.METHOD}
        and not anchor.fields
        and anchor.citation.kind is CitationKind.NAME
    )


def _is_stored(anchor: Anchor) -> bool:
    """Whether a name is a column: then it means that, whatever local function is called the same."""
    return any(field.kind is FieldKind.TABLE for field in anchor.fields)
