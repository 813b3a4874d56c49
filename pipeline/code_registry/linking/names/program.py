"""All files together: which name means what, where."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Argument,
    Assignment,
    CallSite,
    CodeDefinition,
    FileFacts,
    Import,
    ReturnValue,
)
from pipeline.code_registry.linking.names.words import FindModule, TypeWords


class Module(NamedTuple):
    """A file of the repository, imported."""

    path: str


class DefinitionRef(NamedTuple):
    """A function or class itself: a definition of a file."""

    path: str
    number: int


class Instance(NamedTuple):
    """A value of a class of the repository."""

    path: str
    number: int


class External(NamedTuple):
    """Something that lives outside the repository, by its dotted name."""

    dotted_name: str


class ExternalInstance(NamedTuple):
    """What a call of something external gives."""

    dotted_name: str


class Collection(NamedTuple):
    """Many values of one type."""

    element: "Entity"


Entity = Module | DefinitionRef | Instance | External | ExternalInstance | Collection


def agreement(entities: Sequence[Entity | None]) -> Entity | None:
    """The one answer; unknown if there are two."""
    if len(entities) == 1:
        return entities[0]
    answers = {entity for entity in entities if entity is not None}
    return next(iter(answers)) if len(answers) == 1 else None


_CLASSLIKE = frozenset({"class", "extension"})
_WITH_MEMBERS = frozenset({"class", "extension", "object"})
Binding = int | Import | Assignment | Argument
"""What a name is bound to in a scope: a definition's index, an import, an assignment or a parameter."""


class _Names:
    """What the names of one file are bound to, scope by scope.

    `seen_first` and `outer`: for each scope, where the search for a name begins and where it goes on; the names of
    classes are seen from their own code alone, and those of object literals not at all.
    """

    __slots__ = ("by_scope", "outer", "seen_first")

    def __init__(self, facts: FileFacts, *, class_scope: bool) -> None:
        definitions = facts.definitions
        self.by_scope: dict[int, dict[str, list[Binding]]] = {}
        self.outer: list[int] = []
        self.seen_first: list[int] = []
        hides_members = [definition.kind in _WITH_MEMBERS for definition in definitions]
        for index, definition in enumerate(definitions):
            at = definition.parent
            while at >= 0 and hides_members[at]:
                at = definitions[at].parent
            self.outer.append(at)
            sees_own = not hides_members[index] or (class_scope and definition.kind != "object")
            self.seen_first.append(index if sees_own else at)
            if index and definition.kind != "extension":
                self._bind(definition.parent, definition.name, index)
            for argument in definition.arguments:
                self._bind(index, argument.name, argument)
        for import_ in facts.imports:
            self._bind(import_.scope, import_.local, import_)
        for assignment in facts.assignments:
            if not assignment.on_self:
                scope = 0 if assignment.mode == "outer" else assignment.scope
                self._bind(scope, assignment.target, assignment)

    def _bind(self, scope: int, name: str, binding: Binding) -> None:
        names = self.by_scope.get(scope)
        if names is None:
            names = self.by_scope[scope] = {}
        bound = names.get(name)
        if bound is None:
            names[name] = [binding]
        else:
            bound.append(binding)


class SourceProgram:
    """The facts of all files, sorted by path, with look-ups by scope and name."""

    def __init__(self, files: Mapping[str, FileFacts], find: FindModule, words: TypeWords) -> None:
        self.files = files
        self.words = words
        self._find = find
        self._definitions: dict[str, tuple[CodeDefinition, ...]] = {}
        self._refs: dict[str, tuple[DefinitionRef, ...]] = {}
        self._tables: dict[str, _Names] = {}
        self._members: dict[str, dict[int, dict[str, list[Assignment]]]] = {}
        self._returns: dict[str, dict[int, list[ReturnValue]]] = {}
        self._calls: dict[str, dict[int, list[CallSite]]] = {}

    def definition(self, of: DefinitionRef | Instance) -> CodeDefinition:
        """The definition an entity stands for."""
        definitions = self._definitions.get(of.path)
        return (definitions if definitions is not None else self.definitions_of(of.path))[of.number]

    def definitions_of(self, path: str) -> tuple[CodeDefinition, ...]:
        """The definitions of a file."""
        definitions = self._definitions.get(path)
        if definitions is None:
            definitions = self._definitions[path] = self.files[path].definitions
        return definitions

    def refs_in(self, path: str) -> tuple[DefinitionRef, ...]:
        """What names the definitions of a file, by their numbers: made once, because it is asked for a million times."""
        refs = self._refs.get(path)
        if refs is None:
            numbers = range(len(self.definitions_of(path)))
            refs = self._refs[path] = tuple([DefinitionRef(path, number) for number in numbers])
        return refs

    def is_class(self, of: DefinitionRef) -> bool:
        """Whether the definition has members: a class, or an object literal."""
        return self.definition(of).kind in {"class", "object"}

    def definitions(self) -> Iterator[tuple[DefinitionRef, CodeDefinition]]:
        """Every function and class."""
        for path in self.files:
            yield from self.definitions_in(path)

    def definitions_in(self, path: str) -> Iterator[tuple[DefinitionRef, CodeDefinition]]:
        """Every function and class of a file."""
        for ref, definition in zip(self.refs_in(path), self.definitions_of(path), strict=True):
            if ref.number and definition.kind != "extension":
                yield ref, definition

    def extensions(self) -> Iterator[DefinitionRef]:
        """Every definition that holds members of a class."""
        for path, facts in self.files.items():
            for index, definition in enumerate(facts.definitions):
                if definition.kind == "extension":
                    yield DefinitionRef(path, index)

    def is_member(self, of: DefinitionRef) -> bool:
        """Whether the definition is a method: of a class, an object literal, or an extension of a class."""
        parent = self.definition(of).parent
        return parent > 0 and self.definition(DefinitionRef(of.path, parent)).kind in _WITH_MEMBERS

    def find_module(self, importing: str, module: str, level: int) -> str | None:
        """Path of the file an import means."""
        return self._find(importing, module, level)

    def bindings(self, path: str, scope: int, name: str) -> tuple[int, list[Binding]]:
        """Where and to what a name is bound, seen from a scope: inner scopes first, classes only from inside."""
        table = self._tables.get(path) or self._table(path)
        by_scope, outer = table.by_scope, table.outer
        at = table.seen_first[scope]
        while at >= 0:
            names = by_scope.get(at)
            if names is not None and name in names:
                return at, names[name]
            at = outer[at]
        return -1, []

    def bindings_in(self, path: str, scope: int, name: str) -> list[Binding]:
        """What a name is bound to in exactly this scope."""
        return self.own_names(path, scope).get(name, [])

    def own_names(self, path: str, scope: int) -> Mapping[str, list[Binding]]:
        """All names bound in exactly this scope, in order of appearance within each kind."""
        return (self._tables.get(path) or self._table(path)).by_scope.get(scope, _NO_NAMES)

    def assignments_in(self, of: DefinitionRef, mode: str | None = None) -> list[Assignment]:
        """The assignments in exactly the scope of a definition, in order of lines; of one mode only if that is named."""
        bindings = chain.from_iterable(self.own_names(of.path, of.number).values())
        assignments = [binding for binding in bindings if isinstance(binding, Assignment)]
        return sorted((a for a in assignments if mode in {None, a.mode}), key=lambda item: item.line)

    def nested_functions(self, function: DefinitionRef) -> list[DefinitionRef]:
        """A function and those that are written inside it."""
        inside = {function.number}
        for number, definition in enumerate(self.definitions_of(function.path)):
            if number > function.number and definition.parent in inside:
                inside.add(number)
        return [DefinitionRef(function.path, number) for number in sorted(inside)]

    def instance_assignments(self, path: str, class_index: int, name: str) -> list[Assignment]:
        """Assignments to the attribute `name` of the instance, in the methods of the class."""
        if path not in self._members:
            by_class: dict[int, dict[str, list[Assignment]]] = {}
            for assignment in self.files[path].assignments:
                inside = assignment.on_self and assignment.mode != "member"
                owner = self.enclosing_class(path, assignment.scope) if inside else None
                if owner is not None:
                    by_class.setdefault(owner, {}).setdefault(assignment.target, []).append(assignment)
            self._members[path] = by_class
        return self._members[path].get(class_index, {}).get(name, [])

    def returns(self, of: DefinitionRef) -> list[ReturnValue]:
        """What a function returns, statement by statement."""
        if of.path not in self._returns:
            table: dict[int, list[ReturnValue]] = {}
            for result in self.files[of.path].returns:
                table.setdefault(result.scope, []).append(result)
            self._returns[of.path] = table
        return self._returns[of.path].get(of.number, [])

    def calls(self, of: DefinitionRef) -> list[CallSite]:
        """The calls in a function's own code."""
        if of.path not in self._calls:
            table: dict[int, list[CallSite]] = {}
            for site in self.files[of.path].calls:
                table.setdefault(site.scope, []).append(site)
            self._calls[of.path] = table
        return self._calls[of.path].get(of.number, [])

    def enclosing_class(self, path: str, scope: int) -> int | None:
        """The class in whose method a scope lies; functions inside the method count."""
        definitions = self.definitions_of(path)
        at = scope
        while at > 0:
            parent = definitions[at].parent
            if definitions[at].kind == "function" and definitions[parent].kind in _CLASSLIKE:
                return parent
            at = parent
        return None

    def qualified_name(self, of: DefinitionRef) -> str:
        """Names from the file down to the definition, joined by dots."""
        definitions = self.definitions_of(of.path)
        names: list[str] = []
        at = of.number
        while at > 0:
            names.append(definitions[at].name)
            at = definitions[at].parent
        return ".".join(reversed(names))

    def star_modules(self, path: str, scope: int) -> Iterator[str]:
        """Files whose every name a scope imports."""
        for binding in self.bindings_in(path, scope, "*"):
            if isinstance(binding, Import):
                module_path = self.find_module(path, binding.module, binding.level)
                if module_path is not None:
                    yield module_path

    def _table(self, path: str) -> _Names:
        table = self._tables[path] = _Names(self.files[path], class_scope=self.words.class_scope)
        return table


_NO_NAMES: Mapping[str, list[Binding]] = {}
