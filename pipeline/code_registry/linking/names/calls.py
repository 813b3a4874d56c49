"""Who calls whom: an edge only where import and type say so."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

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
    plain,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.linking.names.program import (
    DefinitionRef,
    Entity,
    External,
    Instance,
    SourceProgram,
)
from pipeline.code_registry.linking.names.types import Types
from pipeline.domain.testing_paths import is_test_path


class Edge:
    """An edge between definitions; `caller` with index 0 is the code at the top of a file."""

    __slots__ = ("callee", "caller", "kind", "line", "name")

    def __init__(
        self, caller: DefinitionRef, callee: DefinitionRef, line: int, name: str, kind: EdgeKind
    ) -> None:
        self.caller = caller
        self.callee = callee
        self.line = line
        self.name = name
        self.kind = kind


Sites = Mapping[DefinitionRef, Sequence[tuple[str, int]]]
"""For each function and class the calls that lead to it: the file, and the call's number among the file's calls."""


class CallSites:
    """The calls that lead to a function, looked up among the facts when somebody asks. `asked`: the functions, so far."""

    def __init__(self, program: SourceProgram, load: Callable[[], Sites]) -> None:
        self._program = program
        self._load = load
        self.asked: set[DefinitionRef] = set()

    @cached_property
    def _sites(self) -> Sites:
        return self._load()

    def of(self, function: DefinitionRef, limit: int | None = None) -> list[tuple[str, CallSite]]:
        """The calls that lead to a function or class, each with its file, in order; the first ones if there are more."""
        self.asked.add(function)
        sites = self._sites.get(function, ())[:limit]
        return [(path, self._program.files[path].calls[number]) for path, number in sites]


class CallGraph:
    """All edges, and for each function the calls that lead to it.

    `makers` are the files that make an instance of a class of one of the names `watched` that comes from outside, or of one
    that inherits from it.
    """

    def __init__(
        self,
        program: SourceProgram,
        types: Types,
        failures: FailureLog,
        maker_names: frozenset[str] = frozenset(),
    ) -> None:
        self._program = program
        self._types = types
        self._maker_names = maker_names
        self._makers_by_class: dict[DefinitionRef, set[str]] = {}
        self.makers: set[str] = set()
        self.edges: list[Edge] = []
        self.sites: dict[DefinitionRef, list[tuple[str, int]]] = {}
        for path in program.files:
            with failures.reading(path):
                self._file(path)
        for class_, paths in self._makers_by_class.items():
            if any(base.rpartition(".")[2] in maker_names for base in types.classes.external_bases(class_)):
                self.makers |= paths

    def _file(self, path: str) -> None:
        facts = self._program.files[path]
        for number, site in enumerate(facts.calls):
            self._call(path, site, number)
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

    def _call(self, path: str, site: CallSite, number: int) -> None:
        call = site.call
        function = call.function
        entity = self._types.of(function, path, site.scope)
        if isinstance(entity, External):
            if entity.dotted_name.rpartition(".")[2] in self._maker_names:
                self.makers.add(path)
        elif (callee := self._target(entity)) is not None:
            caller = self._program.refs_in(path)[site.scope]
            is_class = self._program.is_class(callee)
            name = plain(last_word(function, Subscript))
            name = name or (self._program.definition(callee).name if is_class else "")
            self._add(caller, callee, call.line, name, EdgeKind.CALL)
            self._site(callee, path, number)
            if is_class:
                if self._maker_names:
                    self._makers_by_class.setdefault(callee, set()).add(path)
                self._constructor(caller, callee, call.line, path, number)
        for value in (*call.arguments, *[value for _, value in call.keywords]):
            if isinstance(value, _NAMES):
                self._reference(path, site.scope, value, call.line)
            elif isinstance(value, Items):
                for item in value.items:
                    self._reference(path, site.scope, item, call.line)
            elif isinstance(value, Splat):
                self._reference(path, site.scope, value.value, call.line)

    def _constructor(
        self, caller: DefinitionRef, class_: DefinitionRef, line: int, path: str, number: int
    ) -> None:
        word = self._program.words.constructor
        method = self._types.member(Instance(class_.path, class_.number), word)
        if isinstance(method, DefinitionRef):
            self._add(caller, method, line, word, EdgeKind.CALL)
            self._site(method, path, number)

    def _site(self, callee: DefinitionRef, path: str, number: int) -> None:
        """Note a call for following values; what tests hand in is not what the product hands in."""
        if not is_test_path(path) or is_test_path(callee.path):
            self.sites.setdefault(callee, []).append((path, number))

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
            self.edges.append(Edge(caller, callee, line, name, kind))


_NAMES = (Name, Attribute)
