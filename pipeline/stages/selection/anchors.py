"""Mentions become registry ids: what a name in the ticket can mean in this code."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from pipeline.code_registry.entries import EdgeKind, Field, FieldKind, Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.intent import Intent, Mention, MentionKind
from pipeline.domain.words import name_parts
from pipeline.stages.selection.commands import find_commands
from pipeline.stages.selection.evidence import is_new

_DATA = (FieldKind.TABLE, FieldKind.MODEL)
_MESSAGES = frozenset(
    "create update patch new add edit changes dto request req input payload body form params args in command".split()
)
"""Words that code puts into the names of models that only carry a request."""


@dataclass(frozen=True)
class Anchor:
    """A mention and everything in the code that it fits. Tests are no targets and are left out."""

    mention: Mention
    routes: tuple[Route, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    fields: tuple[Field, ...] = ()

    @property
    def fits_nothing(self) -> bool:
        """The code has nothing of that name."""
        return not (self.routes or self.symbols or self.fields)


def find_anchors(intent: Intent, registry: Registry) -> tuple[Anchor, ...]:
    """What each mention of the ticket fits: names in the order of the ticket, files after them.

    Names that it wants to exist are left out. A file is where a thing stands; what the ticket names there goes first.
    """
    there = [mention for mention in intent.mentions if not is_new(intent, mention)]
    there.sort(key=lambda mention: mention.kind is MentionKind.FILE)
    return tuple(_anchor(mention, intent, registry) for mention in there)


def routes_named(mention: Mention, registry: Registry) -> tuple[Route, ...]:
    """The product's routes that a method and path, or a path alone, fits: exactly, else by the path's tail."""
    exact = registry.routes_at(mention.method, mention.text)
    return exact or registry.routes_by_tail(mention.method, mention.text)


def outermost(symbols: Sequence[Symbol], registry: Registry) -> tuple[Symbol, ...]:
    """Of several definitions of a name, those that a route reaches without passing through another of them.

    A service function that calls a method of the same name is one thing with two layers, not two readings. Beside one that
    a route reaches count those that a command reaches; definitions that nothing reaches only where no route reaches one.
    """
    if len(symbols) < 2:
        return tuple(symbols)
    ids = {symbol.id for symbol in symbols}
    if not ids & registry.reached_by_routes:
        return tuple(symbols)
    starts = {route.handler for route in registry.routes if route.handler is not None}
    if ids - registry.reached_by_routes:
        starts |= {command.symbol.id for command in find_commands(registry)}
    outer = tuple(one for one in symbols if _is_reached(one.id, starts, ids - {one.id}, registry))
    return outer or tuple(symbols)


def _is_reached(
    symbol_id: str, starts: AbstractSet[str], others: AbstractSet[str], registry: Registry
) -> bool:
    """Whether calls lead from one of many starts to a symbol, around the others."""
    seen, waiting = {symbol_id}, [symbol_id]
    while waiting:
        at = waiting.pop()
        if at in starts:
            return True
        for edge in registry.callers(at):
            if edge.kind is not EdgeKind.REQUEST and edge.caller not in seen and edge.caller not in others:
                seen.add(edge.caller)
                waiting.append(edge.caller)
    return False


def _anchor(mention: Mention, intent: Intent, registry: Registry) -> Anchor:
    match mention.kind:
        case MentionKind.OPTION:
            return Anchor(mention)
        case MentionKind.ROUTE | MentionKind.PATH:
            return Anchor(mention, routes=routes_named(mention, registry))
        case MentionKind.FILE:
            symbols = tuple(
                symbol
                for symbol in registry.symbols
                if not symbol.is_test
                and _is_file(symbol.place.path, mention.text)
                and symbol.kind is not SymbolKind.CONSTANT
            )
            return Anchor(mention, symbols=symbols)
        case MentionKind.NAME:
            symbols = _symbols(mention.text, registry, intent)
            return Anchor(mention, symbols=symbols, fields=_fields(mention.text, registry, intent))


def _symbols(name: str, registry: Registry, intent: Intent) -> tuple[Symbol, ...]:
    """The definitions of a name; of several, those in a file that the ticket names too."""
    found = tuple(symbol for symbol in registry.symbols_named(name) if not symbol.is_test)
    package, _, last = name.rpartition(".")
    if not found and package:
        found = tuple(
            symbol
            for symbol in registry.symbols_named(last)
            if not symbol.is_test and package.rpartition(".")[2] in _folders(symbol.place.path)
        )
    files = [mention.text for mention in intent.mentions if mention.kind is MentionKind.FILE]
    in_files = tuple(symbol for symbol in found if any(_is_file(symbol.place.path, file) for file in files))
    return in_files or found


def _folders(path: str) -> frozenset[str]:
    """The names by which code calls the module or package of a file: its folders, and the file without its ending."""
    return frozenset(path.rpartition(".")[0].split("/"))


def _fields(name: str, registry: Registry, intent: Intent) -> tuple[Field, ...]:
    """The data fields of a name in any case style; `User.banned` names the owner.

    Data is kept in tables; where the code has none, in models; and last in the models that only carry a request.
    """
    owner, _, last = name.rpartition(".")
    found = [field for field in registry.fields_like(last) if field.kind in _DATA]
    if owner:
        found = [field for field in found if _owner_name(field, registry) == owner.rpartition(".")[2]]
    tables = [field for field in found if field.kind is FieldKind.TABLE]
    carried = {other.place for other in registry.fields_like(last) if other.kind is FieldKind.BODY}
    kept = [
        field
        for field in found
        if field.place not in carried or not _is_message(_owner_name(field, registry))
    ]
    chosen = tables or kept or found
    files = [mention.text for mention in intent.mentions if mention.kind is MentionKind.FILE]
    in_files = [field for field in chosen if any(_is_file(field.place.path, file) for file in files)]
    return tuple(in_files or chosen)


def _is_message(model: str | None) -> bool:
    """Whether a model's name says that it carries what one request sends, rather than what is kept."""
    return model is not None and bool(_MESSAGES & set(name_parts(model)))


def _owner_name(field: Field, registry: Registry) -> str | None:
    owner = registry.symbol(field.owner)
    return owner.name if owner else None


def _is_file(path: str, named: str) -> bool:
    return path == named or path.endswith("/" + named.removeprefix("/"))
