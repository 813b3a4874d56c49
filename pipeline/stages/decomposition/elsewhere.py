"""What an answer may name that is no candidate: each thing of the code with the names that only this thing has.

The reader of replies has no registry, so the question carries the names. A name counts if it is method and path, a file
that holds one thing, or a symbol that no ordinary word is taken for: with `_` or `.` in it, or a capital inside.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from pipeline.code_registry.entries import Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import NamedElsewhere, StopKind
from pipeline.contract.code_slots import CodeSlot
from pipeline.contract.wire import question_id
from pipeline.stages.decomposition.candidates import CodeChoice, handlers_apart, route_choice, symbol_choice
from pipeline.stages.selection.labels import label_of

MOST_CHARACTERS = 150_000
"""The longest list, routes first; a person names anything else with `/answer`."""

_LONGEST = 200
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>|:(\w+)")
_KINDS = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS})
_LOOKS_LIKE_CODE = re.compile(r"[_.]|[a-z0-9][A-Z]")


def named_elsewhere(choices: Sequence[CodeChoice], registry: Registry) -> tuple[NamedElsewhere, ...]:
    """The routes and symbols that are none of the choices, with the names that lead to exactly one of them."""
    things = {thing.id: thing for thing in _things(registry)}
    owners: dict[str, set[str]] = defaultdict(set)
    names: dict[str, list[str]] = {}
    for thing in things.values():
        names[thing.id] = list(_names(thing, registry))
        for name in names[thing.id]:
            owners[name.casefold()].add(thing.id)
    for path, ids in _by_file(things).items():
        owners[path.casefold()] |= ids
        names[next(iter(ids))] += [path] if len(ids) == 1 else []
    choice_ids = {choice.id for choice in choices}
    rows, room = [], MOST_CHARACTERS
    for id_, thing in things.items():
        own_names = tuple(dict.fromkeys(name for name in names[id_] if len(owners[name.casefold()]) == 1))
        if not own_names or id_ in choice_ids:
            continue
        row = NamedElsewhere(id=id_, label=label_of(thing, registry), names=own_names)
        room -= len(row.model_dump_json())
        if room < 0:
            break
        rows.append(row)
    return tuple(rows)


def is_to_question_between(answer: Answer, slot: CodeSlot, choices: Sequence[CodeChoice]) -> bool:
    """Whether an answer is to a question between some of these things: words, or a model, may have left fewer of them open."""
    ids = [choice.id for choice in choices]
    # A question offers twelve things at most, so these are 4,083 questions at most.
    questions = (subset for count in range(len(ids), 1, -1) for subset in combinations(ids, count))
    kind = StopKind.CLARIFICATION_NEEDED.value
    return any(question_id(kind, slot.id, subset, None) == answer.question_id for subset in questions)


def choice_of(id_: str, registry: Registry) -> CodeChoice | None:
    """The route or symbol of an id as a choice; None where the code has it no more."""
    entry = registry.get(id_)
    if isinstance(entry, Route):
        return route_choice(registry, entry)
    return symbol_choice(registry, entry) if isinstance(entry, Symbol) else None


def _things(registry: Registry) -> Iterator[Route | Symbol]:
    """Routes, one for each handler, then functions, methods and classes that answer no route."""
    routes = handlers_apart(registry.routes)
    yield from routes
    handlers = {route.handler for route in routes}
    for symbol in registry.symbols:
        if symbol.kind in _KINDS and not symbol.is_test and symbol.id not in handlers:
            yield symbol


def _names(thing: Route | Symbol, registry: Registry) -> Iterator[str]:
    if isinstance(thing, Symbol):
        plain_names = (thing.qualified_name, thing.name)
    else:
        for route in registry.handler_group(thing):
            yield route.label
            yield _PARAMETER.sub(lambda match: f"{{{match[1] or match[2]}}}", route.label)
            if len({sibling.handler or sibling.id for sibling in registry.routes_at(None, route.path)}) == 1:
                yield route.path
        plain_names = (thing.handler_name, thing.handler_name.rpartition(".")[2])
    yield from (name for name in plain_names if _LOOKS_LIKE_CODE.search(name) and len(name) <= _LONGEST)


def _by_file(things: Mapping[str, Route | Symbol]) -> dict[str, set[str]]:
    """The things of each file by its path, and by its name alone; methods belong to their class."""
    files: dict[str, set[str]] = defaultdict(set)
    for thing in things.values():
        if isinstance(thing, Route) or "." not in thing.qualified_name:
            files[thing.place.path].add(thing.id)
            files[thing.place.path.rpartition("/")[2]].add(thing.id)
    return files
