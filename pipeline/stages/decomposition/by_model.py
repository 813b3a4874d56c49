"""Have a model say which routes an issue may be about: one question, with the routes that the words fit best, or those that
reach a cited function, and a form.

Words find the right routes among the first nearly always, and say badly whether an issue leaves open which one is meant: "the
back office" is `/admin`, and no word of the code says so. A reader of both knows. What it says makes a question or a
suggestion, never a target, and what the registry does not have is left out.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.code_registry.entries import Route, Symbol
from pipeline.contract.code_slots import Slot
from pipeline.domain.printable import printable_line
from pipeline.reading.hidden_text import remove_hidden
from pipeline.stages.decomposition.candidates import choices_above, route_choice
from pipeline.stages.decomposition.choosing import Chooser
from pipeline.stages.decomposition.outcome import NoMatch, OpenChoice, Outcome, Suggestion
from pipeline.stages.decomposition.shared_work import RouteSearch
from pipeline.stages.decomposition.subject import Subject

if TYPE_CHECKING:
    from pipeline.stages.decomposition.ask_for_routes import RoutesForm

MOST_ROUTES = 120
"""Routes that a model is shown: of a large program those that the words fit best."""

_IN_DETAIL = 40
"""So many with what they take and call, the others in a line."""

_MOST_CHOICES = 4
_MOST_CALLS, _MOST_FIELDS = 8, 30
_LONGEST_DOC, _LONGEST_NAME, _LONGEST_QUOTE = 120, 60, 200


def by_model(subject: Subject) -> Outcome | None:
    """A question between the routes that the issue leaves open, the one that it is about, or neither; None without a reply."""
    if subject.read_routes is None:
        return None
    search = RouteSearch(subject.terms, subject.registry)
    routes = search.ranked_routes()[:MOST_ROUTES]
    form = subject.read_routes(list_routes(routes, search)) if len(routes) > 1 else None
    if form is None:
        return None
    meant_routes = _meant_routes(form, routes)
    handlers = [route.handler for route in meant_routes if route.handler]
    leaf = search.shared_function(handlers) if len(handlers) > 1 else None
    return _outcome(form, routes, leaf, subject)


def by_model_of_callers(leaf: Symbol, routes: Sequence[Route], subject: Subject) -> Outcome | None:
    """The same for the routes that reach a function, which the issue cites."""
    if subject.read_routes is None:
        return None
    form = subject.read_routes(list_routes(routes, RouteSearch(subject.terms, subject.registry)))
    return None if form is None else _outcome(form, routes, leaf, subject)


def _outcome(form: "RoutesForm", routes: Sequence[Route], leaf: Symbol | None, subject: Subject) -> Outcome:
    """The outcome; `routes` are those that the model was shown, in their order, `leaf` is what those meant share."""
    if form.exists:
        choice = route_choice(subject.registry, routes[form.exists - 1])
        because = f"A model reads the issue as a wish for what {choice.label} does already."
        subject.note("the wish", [choice], concluded=because)
        return Suggestion(choice, because, may_exist=True)
    about = " ".join(form.quote.split())[:_LONGEST_QUOTE] or subject.document.title
    choices = choices_above(leaf, _meant_routes(form, routes), subject.registry)
    if not form.changes_request or form.for_each or not 0 < len(choices) <= _MOST_CHOICES:
        nothing_open = "A model finds no choice between routes in it."
        subject.note(about, choices, concluded=nothing_open)
        return NoMatch(nothing_open)
    if len(choices) == 1:
        because = f"A model reads “{about}” as a wish for {choices[0].label}."
        subject.note(about, choices, concluded=because)
        return Suggestion(choices[0], because)
    subject.note(about, choices, concluded="A model reads it as a wish for any of them.")
    outcome = Chooser(subject).leave_open(
        Slot.ENTRY_ROUTE.value, choices, about, leaf=leaf.name if leaf else None
    )
    return (
        replace(outcome, is_read=True, new_thing=_name_of(form.new_thing))
        if isinstance(outcome, OpenChoice)
        else outcome
    )


def _meant_routes(form: "RoutesForm", routes: Sequence[Route]) -> list[Route]:
    return [routes[number - 1] for number in dict.fromkeys(form.routes)]


def list_routes(routes: Sequence[Route], search: RouteSearch) -> tuple[str, ...]:
    """Routes as a model reads them, each with its number."""
    return tuple("\n".join(_lines(number, route, search)) for number, route in enumerate(routes, start=1))


def _lines(number: int, route: Route, search: RouteSearch) -> Iterator[str]:
    registry, handler = search.registry, route.handler or ""
    head = printable_line(f"{number}. {route.label} → {route.handler_name}")
    if number > _IN_DETAIL:
        yield head
        return
    symbol = registry.symbol(handler)
    docs = printable_line((symbol.docstring if symbol else None) or "")[:_LONGEST_DOC]
    yield f"{head}: {docs}" if docs else head
    yield from _names("takes", (field.name for field in registry.fields_of(route.id)), _MOST_FIELDS)
    yield from _names("calls", _calls(handler, search), _MOST_CALLS)


def _names(verb: str, names: Iterable[str], limit: int) -> Iterator[str]:
    """A line with names, each once; of many the first."""
    each_once = list(dict.fromkeys(names))
    if each_once:
        yield f"   {verb} {', '.join(each_once[:limit])}{', …' if len(each_once) > limit else ''}"


def _calls(handler: str, search: RouteSearch) -> Iterator[str]:
    """The names of the functions that calls lead to, but for those that many routes call; the nearest first."""
    for layer in search.layers(handler)[1:]:
        for symbol in filter(None, map(search.registry.symbol, layer)):
            if not symbol.name.startswith("<") and not search.is_common(symbol.id):
                yield symbol.name


def _name_of(new_thing: str) -> str:
    """The model's name for the new thing, as questions use it; empty where it is no short name."""
    line = printable_line(remove_hidden(new_thing)).strip(" ?.!")
    return line if len(line) <= _LONGEST_NAME else ""
