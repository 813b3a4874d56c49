"""Issues that cite something: from what is cited to targets, or to a question between several things that it fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.code_registry.entries import Route, Symbol
from pipeline.contract.code_slots import CodeSlot, Slot
from pipeline.contract.ticket import CodePlace
from pipeline.domain.issue import Citation, CitationKind, IssueKind, SectionRole
from pipeline.stages.decomposition.by_model import by_model_of_callers
from pipeline.stages.decomposition.candidates import (
    CodeChoice,
    callers_of,
    choices_above,
    field_choice,
    handlers_apart,
    key_choice,
    route_choice,
    route_choices,
    symbol_choice,
)
from pipeline.stages.decomposition.choosing import Chooser, select
from pipeline.stages.decomposition.from_ranking import is_beside, is_unlikely, leads, unless_doubted
from pipeline.stages.decomposition.outcome import OpenChoice, Outcome, Selection, Suggestion
from pipeline.stages.decomposition.subject import Subject
from pipeline.stages.selection.anchors import Anchor, outermost
from pipeline.stages.selection.labels import name_of

_MOST_ROUTES = 12
"""More candidates than this are no list that a person can choose from (a hub)."""

_MOST_CHOICES = 4
"""More things of one name than this are not what the name alone could mean."""

_MOST_TARGETS = 4
"""More things than this in one title are a list of examples."""

_LINES = frozenset({CitationKind.LINE, CitationKind.FRAME})


def by_citation(subject: Subject) -> Outcome | None:
    """A cited route, the request that a code block shows, a name or a line, and last the frame of a traceback."""
    anchors = subject.anchors
    known_names = {anchor.citation.text for anchor in anchors.introductions}
    for name in [name for name in anchors.new_names if name.text not in known_names]:
        subject.note(
            f"`{name.text}`", concluded="No route, symbol, field or setting that was read has that name."
        )
    wish_anchors, shown_anchors, search = (
        anchors.wished_anchors(),
        anchors.shown_anchors(),
        _ByCitation(subject),
    )
    if by_route := _beyond_doubt(search.routes(wish_anchors), subject) or search.request(shown_anchors):
        return by_route
    by_name = unless_doubted(search.names(wish_anchors), subject)
    if isinstance(by_name, Selection | OpenChoice):
        return by_name
    return _beyond_doubt(search.innermost_frame(shown_anchors), subject) or by_name


def _beyond_doubt(outcome: Outcome | None, subject: Subject) -> Selection | OpenChoice | None:
    outcome = unless_doubted(outcome, subject)
    return outcome if isinstance(outcome, Selection | OpenChoice) else None


@dataclass(frozen=True)
class _ByCitation:
    """The targets of anchors, one method for each kind of citation."""

    subject: Subject

    def routes(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The cited routes: all of a title; else the first one. One handler each selects, several ask."""
        targets: list[Selection] = []
        for anchor in [anchor for anchor in anchors if anchor.routes]:
            citation, choices = anchor.citation, route_choices(self.subject.registry, anchor.routes)
            if len(choices) > _MOST_ROUTES:
                self._note(citation, (), f"{len(choices)} routes fit: too many to mean one.")
                continue
            if len(choices) > 1:
                return self._choose(Slot.ENTRY_ROUTE.value, choices, citation)
            self._note(citation, choices, "One route fits.")
            because = f"The issue names “{citation.quote}”, and one handler answers that."
            targets.append(select(choices[0], because, citation))
            if citation.role is not SectionRole.TITLE:
                break
        return _together(targets)

    def request(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The one request that a code block shows (`PATCH /items/3`): how to see a bug says where it is."""
        requests = [anchor for anchor in anchors if anchor.citation.method is not None and anchor.routes]
        handlers = {route.handler or route.id for anchor in requests for route in anchor.routes}
        return self.routes(requests[:1]) if len(handlers) == 1 else None

    def names(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """Definitions, fields, settings and commands; the content of a cited line comes last.

        A file alone says where to look, and not what for.
        """
        lines = [anchor for anchor in anchors if anchor.citation.kind in _LINES]
        named_anchors = [
            anchor for anchor in anchors if anchor.citation.kind not in {*_LINES, CitationKind.FILE}
        ]
        return (
            self._definitions(named_anchors)
            or next(self._data(named_anchors), None)
            or self._definitions(lines)
        )

    def innermost_frame(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The innermost frame of a traceback whose file the tree has."""
        frames = [
            anchor
            for anchor in anchors
            if anchor.citation.kind is CitationKind.FRAME and len(anchor.symbols) == 1
        ]
        innermost = min(frames, key=lambda anchor: anchor.citation.depth or 0, default=None)
        return None if innermost is None else self._symbol(innermost.symbols[0], innermost.citation)

    def _definitions(self, anchors: Sequence[Anchor]) -> Outcome | None:
        """The first cited definition that leads somewhere; of those in a title, which has a wish for each, all."""
        targets: list[Selection] = []
        for anchor in anchors:
            citation = anchor.citation
            symbols = outermost(anchor.symbols, self.subject.registry)
            if len(symbols) > _MOST_CHOICES:
                self._note(citation, (), f"{len(symbols)} definitions fit, and none is meant alone.")
                continue
            outcome = self._definition(symbols, citation) if symbols else None
            if isinstance(outcome, Selection) and citation.role is SectionRole.TITLE:
                targets.append(outcome)
            elif targets or outcome is not None:
                return _together(targets) or outcome
        return _together(targets)

    def _definition(self, symbols: Sequence[Symbol], citation: Citation) -> Outcome | None:
        """One definition leads on; several are a question."""
        if len(symbols) == 1:
            return self._from_leaf(symbols[0], citation)
        choices = [symbol_choice(self.subject.registry, symbol) for symbol in symbols]
        return self._choose_namesake(Slot.DEFINITION.value, choices, citation)

    def _data(self, anchors: Sequence[Anchor]) -> Iterator[Outcome]:
        """Settings, fields and commands of a cited name: one is the target, several are a question."""
        registry = self.subject.registry
        for anchor in anchors:
            if anchor.keys:
                slot, choices = Slot.SETTING, [key_choice(key) for key in anchor.keys]
            elif anchor.fields:
                slot, choices = Slot.MODEL, [field_choice(registry, field) for field in anchor.fields]
            else:
                commands = [symbol_choice(registry, command.symbol) for command in anchor.commands]
                slot, choices = Slot.COMMAND, commands
            if len(choices) == 1:
                self._note(anchor.citation, choices, "One thing has that name.")
                because = (
                    f"The issue names “{anchor.citation.quote}”, and one thing in the code has that name."
                )
                yield select(choices[0], because, anchor.citation)
            elif 1 < len(choices) <= _MOST_CHOICES and (
                outcome := self._choose_namesake(slot.value, choices, anchor.citation)
            ):
                yield outcome

    def _from_leaf(self, leaf: Symbol, citation: Citation) -> Outcome:
        """From the place where the work is done to the route that is to ask for it.

        A name in the title whose file leads the ranking by far is the place itself.
        """
        entries = self.subject.registry.entry_routes(leaf.id)
        routes = handlers_apart([entry.route for entry in entries])
        if 1 < len(routes) <= _MOST_ROUTES:
            return self._between_routes(leaf, routes, citation)
        is_place = citation.role is SectionRole.TITLE and leads(self.subject.ranking, {leaf.place.path})
        about = f"`{leaf.name}`"
        if not is_place and not routes:
            self.subject.note(about, concluded="No route leads to it: it is the place itself.")
        if is_place or not routes or not self._changes_request(leaf):
            return self._symbol(leaf, citation)
        if routes[1:]:
            return self._from_hub(leaf, len(routes), citation)
        choice = route_choice(self.subject.registry, routes[0], entries[0].chain)
        because = f"{choice.label} is the only route that reaches `{leaf.name}`."
        self.subject.note(about, [choice], concluded="One route leads to it.")
        return select(choice, because, citation)

    def _between_routes(self, leaf: Symbol, routes: Sequence[Route], citation: Citation) -> Outcome:
        """What a person chose; else what a model that reads the issue with the routes leaves open; else what words do.

        A model selects no route: the function is the target then, since the issue names it.
        """
        choices = choices_above(leaf, routes, self.subject.registry)
        by_answer = Chooser(self.subject).by_answer(Slot.ENTRY_ROUTE.value, choices, f"`{leaf.name}`")
        if by_answer is not None:
            return by_answer
        is_bug = self.subject.document.kind is IssueKind.BUG
        by_model = None if is_bug else by_model_of_callers(leaf, routes, self.subject)
        if isinstance(by_model, OpenChoice) or (isinstance(by_model, Suggestion) and by_model.may_exist):
            return by_model
        if by_model is not None or not self._changes_request(leaf):
            return self._symbol(leaf, citation)
        return self._choose(Slot.ENTRY_ROUTE.value, choices, citation, leaf)

    def _changes_request(self, leaf: Symbol) -> bool:
        """Whether words say that the wish probably changes a request."""
        change = self.subject.request_change
        if not change.is_likely:
            conclusion = (
                "The wish probably changes no request: whichever route leads here, the change is the same."
            )
            self.subject.note(f"`{leaf.name}`", words=change.words, concluded=conclusion)
        return change.is_likely

    def _from_hub(self, leaf: Symbol, routes: int, citation: Citation) -> Outcome:
        """Offer the layer above a hub: a list of all its routes would be no question."""
        registry = self.subject.registry
        callers = (registry.symbol(caller) for caller in sorted(set(callers_of(leaf.id, registry))))
        layer = [caller for caller in callers if caller is not None]
        if not 2 <= len(layer) <= _MOST_ROUTES:
            conclusion = f"{routes} routes and {len(layer)} callers lead to it: no list to choose from."
            self.subject.note(f"`{leaf.name}`", concluded=conclusion)
            return self._symbol(leaf, citation)
        choices = [symbol_choice(registry, caller, (caller.id, leaf.id)) for caller in layer]
        return self._choose(Slot.CALLER.value, choices, citation, leaf)

    def _symbol(self, symbol: Symbol, citation: Citation) -> Selection:
        place = CodePlace(id=symbol.id, label=name_of(symbol), location=symbol.place.location())
        return Selection((place,), f"The issue names “{citation.quote}”.", (symbol.id,), citation)

    def _choose(
        self, slot: CodeSlot, choices: Sequence[CodeChoice], citation: Citation, leaf: Symbol | None = None
    ) -> Outcome:
        """Choose between things that a citation fits, or that lead to the cited `leaf`."""
        quote, name = citation.quote, None if leaf is None else leaf.name
        return Chooser(self.subject).choose(
            slot, choices, f"`{name or quote}`", leaf=name, quotes=(quote,), citation=citation
        )

    def _choose_namesake(
        self, slot: CodeSlot, choices: Sequence[CodeChoice], citation: Citation
    ) -> Outcome | None:
        """The same for things of one name; where the name stands by the way, far behind the likeliest file, they are no question."""
        outcome = self._choose(slot, choices, citation)
        is_far = is_beside(choices, self.subject) and is_unlikely(choices, self.subject)
        if isinstance(outcome, OpenChoice) and citation.role is not SectionRole.TITLE and is_far:
            self._note(citation, choices, "Other files are likelier than theirs.")
            return None
        return outcome

    def _note(self, citation: Citation, choices: Sequence[CodeChoice], conclusion: str) -> None:
        self.subject.note(f"`{citation.quote}`", choices, concluded=conclusion)


def _together(targets: Sequence[Selection]) -> Selection | None:
    """Several cited things as the targets of one ticket: it has a wish for each."""
    if not targets or len(targets) > _MOST_TARGETS:
        return None
    places = {place.id: place for target in targets for place in target.targets}
    because = " ".join(dict.fromkeys(target.because for target in targets))
    return Selection(tuple(places.values()), because, targets[0].chain, targets[0].citation)
