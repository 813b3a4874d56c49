"""Who calls whom: an edge only where import and type say so."""

from collections.abc import Container, Iterator
from typing import NamedTuple

from pipeline.code_registry.entries import EdgeKind
from pipeline.code_registry.facts import (
    INLINE,
    Attribute,
    Call,
    CallSite,
    Expression,
    Items,
    Name,
    Splat,
    Subscript,
    last_word,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.linking.names.mentions import Mentions, word_of_call
from pipeline.code_registry.linking.names.program import (
    DefinitionRef,
    Entity,
    External,
    Instance,
    SourceProgram,
)
from pipeline.code_registry.linking.names.types import Types
from pipeline.domain.testing_paths import is_test_path


class Edge(NamedTuple):
    """An edge between definitions; `caller` with index 0 is the code at the top of a file."""

    caller: DefinitionRef
    callee: DefinitionRef
    line: int
    name: str
    kind: EdgeKind


class Calls:
    """The edges of a program, worked out file by file as somebody asks, and for each function the calls that lead to it."""

    def __init__(
        self, program: SourceProgram, types: Types, mentions: Mentions, failures: FailureLog
    ) -> None:
        self._program = program
        self._types = types
        self._mentions = mentions
        self._failures = failures
        self._edges: dict[str, list[Edge]] = {}
        self._sites: dict[DefinitionRef, list[tuple[str, CallSite]]] = {}
        self._file: list[Edge] = []

    def of(self, function: DefinitionRef, limit: int | None = None) -> list[tuple[str, CallSite]]:
        """The calls that lead to a function or class, each with its file, in order; the first ones if there are more.

        What tests hand in is not what the product hands in: their calls count for code of tests alone.
        """
        sites = self._sites.get(function)
        if sites is None:
            sites = self._sites[function] = []
            names = self._names(function)
            is_test = is_test_path(function.path)
            for path in self._mentions.files(names):
                if not is_test_path(path) or is_test:
                    with self._failures.reading(path):
                        sites += self._sites_in(path, function, {"", *names})
        return sites[:limit]

    def _sites_in(
        self, path: str, function: DefinitionRef, names: Container[str]
    ) -> Iterator[tuple[str, CallSite]]:
        for site in self._program.files[path].calls:
            if word_of_call(site.call) in names:
                callee = self._callee(path, site)
                if callee == function or (callee is not None and self._constructor(callee) == function):
                    yield path, site

    def edges_to(self, function: DefinitionRef) -> Iterator[Edge]:
        """The edges that lead to a function or class."""
        for path in self._mentions.files(self._names(function)):
            yield from (edge for edge in self.edges_in(path) if edge.callee == function)

    def edges_in(self, path: str) -> list[Edge]:
        """The edges that lead from the code of a file."""
        edges = self._edges.get(path)
        if edges is None:
            edges = self._edges[path] = self._file = []
            with self._failures.reading(path):
                self._read(path)
        return edges

    def makers(self, names: frozenset[str]) -> set[str]:
        """The files that make an instance of an outside class of one of these names, or of a class that inherits from it."""
        if not names:
            return set()
        words = self._mentions.of([(is_call, name) for name in names for is_call in (False, True)])
        return {path for path in self._mentions.files(words) if self._makes(path, names, words)}

    def _makes(self, path: str, names: frozenset[str], words: Container[str]) -> bool:
        with self._failures.reading(path):
            for site in self._program.files[path].calls:
                word = word_of_call(site.call)
                if word and word not in words:
                    continue
                entity = self._types.of(site.call.function, path, site.scope)
                dotted_names = [entity.dotted_name] if isinstance(entity, External) else []
                callee = self._target(entity)
                if callee is not None and self._program.is_class(callee):
                    dotted_names = self._types.classes.external_bases(callee)
                if any(dotted_name.rpartition(".")[2] in names for dotted_name in dotted_names):
                    return True
        return False

    def _names(self, function: DefinitionRef) -> set[str]:
        """The names by which a function may be called. Constructors, and what makes a value callable, are called by others."""
        definition = self._program.definition(function)
        starts = [(False, self._mentions.start(function.path, definition.name))]
        if definition.name in {self._program.words.constructor, self._program.words.calling}:
            class_ = self._program.definition(DefinitionRef(function.path, definition.parent))
            starts.append((True, self._mentions.start(function.path, class_.name)))
        return self._mentions.of(starts)

    def _read(self, path: str) -> None:
        facts = self._program.files[path]
        for site in facts.calls:
            self._call(path, site)
        for result in facts.returns:
            self._reference(path, result.scope, result.value, 0)
        for ref, definition in self._program.definitions_in(path):
            for decorator in definition.decorators:
                self._reference(path, ref.number, decorator, definition.line, at=definition.parent)
            for argument in definition.arguments:
                if argument.annotation is not None:
                    self._provided_by_annotation(ref, argument.annotation, argument.line)
            if definition.keywords == INLINE:
                outside = DefinitionRef(path, definition.parent)
                self._add(outside, ref, definition.line, definition.name, EdgeKind.REFERENCE)

    def _call(self, path: str, site: CallSite) -> None:
        call = site.call
        callee = self._callee(path, site)
        if callee is not None:
            caller = self._program.refs_in(path)[site.scope]
            name = word_of_call(call)
            if not name and self._program.is_class(callee):
                name = self._program.definition(callee).name
            self._add(caller, callee, call.line, name, EdgeKind.CALL)
            method = self._constructor(callee)
            if method is not None:
                self._add(caller, method, call.line, self._program.words.constructor, EdgeKind.CALL)
        for value in (*call.arguments, *[value for _, value in call.keywords]):
            if isinstance(value, _NAMES):
                self._reference(path, site.scope, value, call.line)
            elif isinstance(value, Items):
                for item in value.items:
                    self._reference(path, site.scope, item, call.line)
            elif isinstance(value, Splat):
                self._reference(path, site.scope, value.value, call.line)

    def _callee(self, path: str, site: CallSite) -> DefinitionRef | None:
        return self._target(self._types.of(site.call.function, path, site.scope))

    def _constructor(self, callee: DefinitionRef) -> DefinitionRef | None:
        """The method that runs when an instance of a class is made."""
        if not self._program.is_class(callee):
            return None
        word = self._program.words.constructor
        method = self._types.member(Instance(callee.path, callee.number), word)
        return method if isinstance(method, DefinitionRef) else None

    def _target(self, entity: Entity | None) -> DefinitionRef | None:
        if isinstance(entity, DefinitionRef):
            return entity
        if isinstance(entity, Instance):
            method = self._types.member(entity, self._program.words.calling)
            return method if isinstance(method, DefinitionRef) else None
        return None

    def _reference(
        self, path: str, scope: int, value: Expression, line: int, *, at: int | None = None
    ) -> None:
        """Note a function that is handed over as a value; classes and values of classes are not."""
        lookup_scope = scope if at is None else at
        if isinstance(value, Name):
            entity = self._types.of_name(value.name, path, lookup_scope)
        elif isinstance(value, Attribute):
            entity = self._types.of(value, path, lookup_scope)
        else:
            return
        if isinstance(entity, DefinitionRef) and not self._program.is_class(entity):
            line = line or self._program.files[path].definitions[scope].line
            self._add(self._program.refs_in(path)[scope], entity, line, value.name, EdgeKind.REFERENCE)

    def _provided_by_annotation(self, function: DefinitionRef, annotation: Expression, line: int) -> None:
        """`session: Annotated[Session, Depends(get_session)]`, also behind an alias, leads to `get_session`."""
        alias = self._types.annotations.alias(annotation, function.path, function.number)
        expression, path, scope = alias if alias is not None else (annotation, function.path, function.number)
        match expression:
            case Subscript(Name("Annotated") | Attribute(_, "Annotated"), Items((_, *metadata))):
                for item in metadata:
                    for value in item.arguments[:1] if isinstance(item, Call) else ():
                        entity = self._types.of(value, path, scope)
                        if isinstance(entity, DefinitionRef) and not self._program.is_class(entity):
                            name = last_word(value)
                            self._add(function, entity, line, name, EdgeKind.REFERENCE)

    def _add(
        self, caller: DefinitionRef, callee: DefinitionRef, line: int, name: str, kind: EdgeKind
    ) -> None:
        if caller != callee or kind is EdgeKind.CALL:
            self._file.append(Edge(caller, callee, line, name, kind))


_NAMES = (Name, Attribute)
