"""Citations become entries of the registry: what a name in the issue can mean in this code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pipeline.code_registry.entries import Field, FieldKind, Route, Symbol, SymbolKind
from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Citation, CitationKind, IssueDocument, SectionRole
from pipeline.domain.words import name_parts
from pipeline.places.cited_files import FileNames
from pipeline.stages.selection.commands import Command, commands_called, commands_cited, find_commands
from pipeline.stages.selection.introduction import by_adding, by_article
from pipeline.stages.selection.settings import Key, find_keys

WISH_ROLES = frozenset(
    {
        SectionRole.TITLE,
        SectionRole.SUMMARY,
        SectionRole.WISH,
        SectionRole.EXPECTED,
        SectionRole.ACCEPTANCE,
        SectionRole.OTHER,
    }
)
"""Sections in which an author says what is wanted. Logs, code and the steps of a bug do not say that."""

_NAMES = frozenset({CitationKind.NAME, CitationKind.ENVIRONMENT, CitationKind.OPTION})
_MOST_MENTIONS = 5
"""So often a name is looked at in one sentence."""

_TYPES = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE})
_DATA = (FieldKind.TABLE, FieldKind.MODEL)
_REQUEST = frozenset({FieldKind.BODY, FieldKind.QUERY, FieldKind.HEADER})


_MESSAGES = frozenset(
    "create update patch new add edit changes dto request req input payload body form params args in command".split()
)
"""Words that code puts into the names of models that only carry a request."""


@dataclass(frozen=True)
class Anchor:
    """A citation and everything in the code that it fits. Tests are no targets and are left out.

    `fields` are of stored data, `request_fields` of requests: a name that only requests have is looked for among
    their routes.
    """

    citation: Citation
    routes: tuple[Route, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    fields: tuple[Field, ...] = ()
    request_fields: tuple[Field, ...] = ()
    keys: tuple[Key, ...] = ()
    commands: tuple[Command, ...] = ()

    @property
    def fits_nothing(self) -> bool:
        """The code has nothing of that name."""
        return not self.request_fields and self.is_no_target

    @property
    def is_no_target(self) -> bool:
        """Nothing of that name can be changed by itself: at most requests have it."""
        return not (self.routes or self.symbols or self.fields or self.keys or self.commands)

    @property
    def is_wish(self) -> bool:
        """Whether it stands where the author says what is wanted."""
        return self.citation.role in WISH_ROLES


@dataclass(frozen=True)
class Anchors:
    """The anchors of an issue, and the names that the code does not have.

    Attributes:
        anchors: in the order of the issue; what stands in its title first, files last.
        new_names: citations of names where the author says what is wanted, and that fit nothing or that the issue
            introduces: it wants to have them, or they are a slip of the pen.
        introductions: of these, the names that the code has all the same.
    """

    anchors: tuple[Anchor, ...]
    new_names: tuple[Citation, ...]
    introductions: tuple[Anchor, ...] = ()

    def wished_anchors(self) -> tuple[Anchor, ...]:
        """Those of the sections in which the author says what is wanted."""
        return tuple(anchor for anchor in self.anchors if anchor.is_wish)

    def shown_anchors(self) -> tuple[Anchor, ...]:
        """Those that stand in logs, code, steps and environments only."""
        wished_texts = {anchor.citation.text for anchor in self.wished_anchors()}
        return tuple(
            anchor
            for anchor in self.anchors
            if not anchor.is_wish and anchor.citation.text not in wished_texts
        )


def find_anchors(document: IssueDocument, registry: Registry) -> Anchors:
    """What each citation of the issue fits."""
    files = tuple(citation.text for citation in document.citations if citation.kind is CitationKind.FILE)
    resolver = _Resolver(registry, files)
    anchors, new_names, introductions = [], [], []
    for citation in _once(document.citations):
        anchor = resolver.anchor(citation)
        if anchor is None:
            continue
        is_wished_name = citation.kind in _NAMES and citation.role in WISH_ROLES
        if is_wished_name and (anchor.fits_nothing or _is_introduced(anchor, document)):
            new_names.append(citation)
            introductions += [] if anchor.fits_nothing else [anchor]
        elif not anchor.fits_nothing:
            anchors.append(anchor)
    anchors.sort(
        key=lambda anchor: (
            anchor.citation.role is not SectionRole.TITLE,
            anchor.citation.kind in (CitationKind.FILE, CitationKind.LINE, CitationKind.FRAME),
        )
    )
    return Anchors(tuple(anchors), tuple(new_names), tuple(introductions))


def _is_introduced(anchor: Anchor, document: IssueDocument) -> bool:
    """Whether the issue introduces a name that the code has: a class by an article (“a `Session`”) or a dotted name is none."""
    citation = anchor.citation
    if "." in citation.text:
        return False
    name = re.compile(rf"(?<![\w-]){re.escape(citation.quote)}(?![\w-])")
    mentions = [
        (sentence[: match.start()], sentence[match.end() :])
        for sentence in document.wish_sentences
        for match in islice(name.finditer(sentence), _MOST_MENTIONS)
    ]
    is_class = any(symbol.kind in _TYPES for symbol in anchor.symbols)
    return any(
        by_adding(before, after) or (not is_class and by_article(before)) for before, after in mentions
    )


def _once(citations: Iterable[Citation]) -> Iterator[Citation]:
    """Each thing once, in the section that counts most: where the author says what is wanted before all others."""
    by_text: dict[tuple[CitationKind, str, str | None, int | None], Citation] = {}
    for citation in citations:
        key = (citation.kind, citation.text, citation.method, citation.line)
        first = by_text.get(key)
        if first is None or (first.role not in WISH_ROLES and citation.role in WISH_ROLES):
            by_text[key] = citation
    yield from by_text.values()


class _Resolver:
    """Looks citations up in one registry. `files` are those that the issue names: of several entries those there count."""

    def __init__(self, registry: Registry, files: Sequence[str]) -> None:
        self._registry = registry
        self._files = files

    @cached_property
    def _all_commands(self) -> tuple[Command, ...]:
        return find_commands(self._registry)

    @cached_property
    def _all_keys(self) -> tuple[Key, ...]:
        return find_keys(self._registry)

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        return tuple(sorted({symbol.place.path for symbol in self._registry.symbols}))

    @cached_property
    def _files_by_name(self) -> FileNames:
        return FileNames(self._paths)

    def anchor(self, citation: Citation) -> Anchor | None:
        """The citation with its entries; None for a kind that names no entry (a message, another issue)."""
        match citation.kind:
            case CitationKind.ROUTE:
                return Anchor(citation, routes=routes_cited(citation, self._registry))
            case CitationKind.FILE:
                return Anchor(citation, symbols=self._in_file(citation.text))
            case CitationKind.LINE | CitationKind.FRAME:
                return Anchor(citation, symbols=self._at_line(citation))
            case CitationKind.NAME | CitationKind.LOGGER:
                return self._name_anchor(citation)
            case CitationKind.ENVIRONMENT:
                return Anchor(citation, keys=self._keys(citation.text))
            case CitationKind.COMMAND | CitationKind.OPTION:
                return Anchor(citation, commands=commands_cited(citation, self._all_commands))
            case CitationKind.MESSAGE | CitationKind.ISSUE | CitationKind.COMMIT:
                return None

    def _name_anchor(self, citation: Citation) -> Anchor:
        """Definitions and data of a name; settings and commands where no definition has it; last, what requests send."""
        symbols, fields = self._symbols(citation.text), self._fields(citation.text)
        keys = self._keys(citation.text) if not symbols else ()
        is_only_typed = not (symbols or fields or keys)
        commands = commands_called(citation.text, self._all_commands) if is_only_typed else ()
        request_fields = tuple(
            field for field in self._registry.fields_like(citation.text) if field.kind in _REQUEST
        )
        return Anchor(
            citation,
            symbols=symbols,
            fields=fields,
            request_fields=request_fields,
            keys=keys,
            commands=commands,
        )

    def _symbols(self, name: str) -> tuple[Symbol, ...]:
        """The definitions of a name; of several, those in a file that the issue names too."""
        entries = tuple(symbol for symbol in self._registry.symbols_named(name) if not symbol.is_test)
        package, _, last = name.rpartition(".")
        if not entries and package:
            entries = tuple(
                symbol
                for symbol in self._registry.symbols_named(last)
                if not symbol.is_test and package.rpartition(".")[2] in _folders(symbol.place.path)
            )
        in_files = tuple(
            symbol for symbol in entries if any(_is_file(symbol.place.path, file) for file in self._files)
        )
        return in_files or entries

    def _fields(self, name: str) -> tuple[Field, ...]:
        """The data fields of a name in any case style; `User.banned` names the owner.

        Data is kept in tables; where the code has none, in models.
        """
        owner, _, last = name.rpartition(".")
        entries = [field for field in self._registry.fields_like(last) if field.kind in _DATA]
        if owner:
            entries = [field for field in entries if self._owner_name(field) == owner.rpartition(".")[2]]
        tables = [field for field in entries if field.kind is FieldKind.TABLE]
        request_places = {
            field.place for field in self._registry.fields_like(last) if field.kind is FieldKind.BODY
        }
        stored_fields = [
            field
            for field in entries
            if field.place not in request_places or not _is_message(self._owner_name(field))
        ]
        fields = tables or stored_fields or entries
        in_files = [
            field for field in fields if any(_is_file(field.place.path, file) for file in self._files)
        ]
        return tuple(in_files or fields)

    def _keys(self, name: str) -> tuple[Key, ...]:
        """The settings of a name: as code or an environment variable spells it."""
        last = name.rpartition(".")[2]
        exact = tuple(key for key in self._all_keys if key.name in (name, last))
        return exact or tuple(
            key for key in self._all_keys if name_parts(key.name.rpartition(".")[2]) == name_parts(last)
        )

    def _in_file(self, file: str) -> tuple[Symbol, ...]:
        return tuple(
            symbol
            for symbol in self._registry.symbols
            if not symbol.is_test
            and symbol.kind is not SymbolKind.CONSTANT
            and _is_file(symbol.place.path, file)
        )

    def _at_line(self, citation: Citation) -> tuple[Symbol, ...]:
        """The innermost definition around a line; of the file's definitions the one of the frame's name where lines moved."""
        numbers = self._files_by_name.by_tail(citation.text)
        inside = self._in_file(self._paths[numbers[0]]) if len(numbers) == 1 else ()
        if citation.function is not None:
            namesakes = tuple(
                symbol for symbol in inside if symbol.name == citation.function.rpartition(".")[2]
            )
            if namesakes:
                return namesakes
        line = citation.line
        around = [
            symbol
            for symbol in inside
            if line is not None and symbol.place.start_line <= line <= symbol.place.end_line
        ]
        return tuple(sorted(around, key=lambda symbol: symbol.place.end_line - symbol.place.start_line)[:1])

    def _owner_name(self, field: Field) -> str | None:
        owner = self._registry.symbol(field.owner)
        return owner.name if owner else None


def routes_cited(citation: Citation, registry: Registry) -> tuple[Route, ...]:
    """The product's routes that a method and path, or a path alone, fits: exactly, else by the path's tail."""
    exact = registry.routes_at(citation.method, citation.text)
    return exact or registry.routes_by_tail(citation.method, citation.text)


def outermost(symbols: Sequence[Symbol], registry: Registry) -> tuple[Symbol, ...]:
    """Of several definitions of a name, those that no other one of them calls.

    A service function that calls a method of the same name is one thing with two layers, not two readings.
    """
    ids = {symbol.id for symbol in symbols}
    outer = tuple(
        symbol
        for symbol in symbols
        if ids.isdisjoint(edge.caller for edge in registry.callers(symbol.id) if edge.caller != symbol.id)
    )
    return outer or tuple(symbols)


def _folders(path: str) -> frozenset[str]:
    """The names by which code calls the module or package of a file: its folders, and the file without its ending."""
    return frozenset(path.rpartition(".")[0].split("/"))


def _is_message(model: str | None) -> bool:
    """Whether a model's name says that it carries what one request sends, rather than what is stored."""
    return model is not None and bool(_MESSAGES & set(name_parts(model)))


def _is_file(path: str, name: str) -> bool:
    return path == name or path.endswith("/" + name.removeprefix("/"))
