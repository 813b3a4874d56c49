"""What a class is made of: its bases in the repository and outside of it, and the members that others give it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from pipeline.code_registry.facts import Assignment, CodeDefinition, Expression, Subscript, last_word
from pipeline.code_registry.linking.names.program import (
    DefinitionRef,
    Entity,
    External,
    Instance,
    SourceProgram,
)
from pipeline.domain.testing_paths import is_test_path

MOST_BASES = 100
"""The most base classes of one class that are followed."""

Heirs = Mapping[DefinitionRef, Sequence[DefinitionRef]]
"""For each class those that inherit from it, in order."""


class Classes:
    """Answers about classes; `of` and `of_name` say what an expression or a bare name is where it stands."""

    def __init__(
        self,
        program: SourceProgram,
        of: Callable[[Expression, str, int], Entity | None],
        of_name: Callable[[str, str, int], Entity | None],
    ) -> None:
        self._program = program
        self._of = of
        self._of_name = of_name
        self.heirs: Heirs = {}
        """Set as soon as all files are linked."""
        self._lineages: dict[DefinitionRef, tuple[DefinitionRef, ...]] = {}
        self._external: dict[DefinitionRef, list[str]] = {}
        self._extensions: dict[DefinitionRef, list[DefinitionRef]] | None = None
        self._members: dict[tuple[DefinitionRef, str], list[tuple[str, Assignment]]] | None = None

    def lineage(self, class_: DefinitionRef) -> tuple[DefinitionRef, ...]:
        """The class and its bases in the repository, nearest first."""
        lineage = self._lineages.get(class_)
        if lineage is None:
            self._lineages[class_] = (class_,)
            lineage = self._lineages[class_] = tuple(self._walk_bases(class_))
        return lineage

    def methods(self, class_: DefinitionRef) -> Iterator[tuple[DefinitionRef, CodeDefinition]]:
        """The methods of a class and of its bases in the repository, nearest first."""
        for at in self.lineage(class_):
            for ref, definition in self._program.definitions_in(at.path):
                if definition.parent == at.number and definition.kind == "function":
                    yield ref, definition

    def bases_in(self, path: str) -> Iterator[tuple[DefinitionRef, DefinitionRef]]:
        """Each class of the repository that a class of a file inherits from, with the heir; no test's class is one."""
        for ref, definition in self._program.definitions_in(path) if not is_test_path(path) else ():
            if definition.bases:
                yield from ((base, ref) for base in self.lineage(ref)[1:])

    def _walk_bases(self, class_: DefinitionRef) -> Iterator[DefinitionRef]:
        visited_classes: set[DefinitionRef] = set()
        waiting = [class_]
        while waiting and len(visited_classes) < MOST_BASES:
            at = waiting.pop(0)
            if at in visited_classes:
                continue
            visited_classes.add(at)
            yield at
            yield from self.extensions(at)
            bases: list[DefinitionRef] = []
            for base in self._program.definition(at).bases:
                entity = self._of(base, at.path, self._program.definition(at).parent)
                if isinstance(entity, DefinitionRef) and self._program.is_class(entity):
                    bases.append(entity)
            waiting = bases + waiting

    def extensions(self, class_: DefinitionRef) -> list[DefinitionRef]:
        """Definitions that hold further members of a class: a matter of languages with static types."""
        if not self._program.words.static_types:
            return []
        if self._extensions is None:
            extensions: dict[DefinitionRef, list[DefinitionRef]] = {}
            for extension in self._program.extensions():
                definition = self._program.definition(extension)
                owner = self._of_name(definition.name, extension.path, definition.parent)
                if isinstance(owner, DefinitionRef):
                    extensions.setdefault(owner, []).append(extension)
            self._extensions = extensions
        return self._extensions.get(class_, [])

    def member_values(self, class_: DefinitionRef, name: str) -> list[tuple[str, Assignment]]:
        """Assignments from outside of the class to the attribute `name` of its instances, with their files.

        What tests put into a class of the product is not what the product puts there.
        """
        if not self._program.words.static_types:
            return []
        if self._members is None:
            values: dict[tuple[DefinitionRef, str], list[tuple[str, Assignment]]] = {}
            for path, facts in self._program.files.items():
                is_test = is_test_path(path)
                for assignment in facts.assignments:
                    if assignment.mode == "member" and assignment.annotation is not None:
                        owner = self._of(assignment.annotation, path, assignment.scope)
                        if isinstance(owner, Instance) and (not is_test or is_test_path(owner.path)):
                            key = (DefinitionRef(owner.path, owner.number), assignment.target)
                            values.setdefault(key, []).append((path, assignment))
            self._members = values
        return self._members.get((class_, name), [])

    def external_bases(self, class_: DefinitionRef) -> list[str]:
        """Dotted names of what the class and its bases inherit from outside; `?` for what cannot be resolved."""
        bases = self._external.get(class_)
        if bases is None:
            bases = self._external[class_] = self._external_bases(class_)
        return bases

    def _external_bases(self, class_: DefinitionRef) -> list[str]:
        names: list[str] = []
        for at in self.lineage(class_):
            definition = self._program.definition(at)
            for base in definition.bases:
                name = base.base if isinstance(base, Subscript) else base
                entity = self._of(base, at.path, definition.parent) or self._of(
                    name, at.path, definition.parent
                )
                if isinstance(entity, External):
                    names.append(entity.dotted_name)
                elif entity is None:
                    names.append(f"?{last_word(name)}")
        return names
