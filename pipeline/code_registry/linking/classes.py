"""What a class is made of: its bases in the repository and outside of it, and the members that others give it."""

from collections.abc import Callable, Iterator

from pipeline.code_registry.facts import Assignment, Attribute, Expression, Name, Subscript
from pipeline.code_registry.linking.program import Defined, Entity, External, Instance, Program
from pipeline.code_registry.paths import is_test_path

MOST_BASES = 100
"""Classes that one class inherits from, as far as they are followed."""


class Classes:
    """Answers about classes; `of` and `of_name` say what an expression or a bare name is where it stands."""

    def __init__(
        self,
        program: Program,
        of: Callable[[Expression, str, int], Entity | None],
        of_name: Callable[[str, str, int], Entity | None],
    ) -> None:
        self._program = program
        self._of = of
        self._of_name = of_name
        self._lineages: dict[Defined, tuple[Defined, ...]] = {}
        self._external: dict[Defined, list[str]] = {}
        self._extensions: dict[Defined, list[Defined]] | None = None
        self._members: dict[tuple[Defined, str], list[tuple[str, Assignment]]] | None = None

    def lineage(self, class_: Defined) -> tuple[Defined, ...]:
        """The class and its bases in the repository, nearest first."""
        known = self._lineages.get(class_)
        if known is None:
            self._lineages[class_] = (class_,)
            known = self._lineages[class_] = tuple(self._walk_bases(class_))
        return known

    def _walk_bases(self, class_: Defined) -> Iterator[Defined]:
        seen: set[Defined] = set()
        waiting = [class_]
        while waiting and len(seen) < MOST_BASES:
            at = waiting.pop(0)
            if at in seen:
                continue
            seen.add(at)
            yield at
            yield from self.extensions(at)
            bases: list[Defined] = []
            for base in self._program.definition(at).bases:
                entity = self._of(base, at.path, self._program.definition(at).parent)
                if isinstance(entity, Defined) and self._program.is_class(entity):
                    bases.append(entity)
            waiting = bases + waiting

    def extensions(self, class_: Defined) -> list[Defined]:
        """Definitions that hold further members of a class: a matter of languages with static types."""
        if not self._program.words.static_types:
            return []
        if self._extensions is None:
            found: dict[Defined, list[Defined]] = {}
            for extension in self._program.extensions():
                definition = self._program.definition(extension)
                owner = self._of_name(definition.name, extension.path, definition.parent)
                if isinstance(owner, Defined):
                    found.setdefault(owner, []).append(extension)
            self._extensions = found
        return self._extensions.get(class_, [])

    def member_values(self, class_: Defined, name: str) -> list[tuple[str, Assignment]]:
        """Assignments from outside of the class to the attribute `name` of its instances, with their files.

        What tests put into a class of the product is not what the product puts there.
        """
        if not self._program.words.static_types:
            return []
        if self._members is None:
            found: dict[tuple[Defined, str], list[tuple[str, Assignment]]] = {}
            for path, facts in self._program.files.items():
                is_test = is_test_path(path)
                for assignment in facts.assignments:
                    if assignment.mode == "member" and assignment.annotation is not None:
                        owner = self._of(assignment.annotation, path, assignment.scope)
                        if isinstance(owner, Instance) and (not is_test or is_test_path(owner.path)):
                            key = (Defined(owner.path, owner.number), assignment.target)
                            found.setdefault(key, []).append((path, assignment))
            self._members = found
        return self._members.get((class_, name), [])

    def external_bases(self, class_: Defined) -> list[str]:
        """Dotted names of what the class and its bases inherit from outside; `?` for what cannot be resolved."""
        known = self._external.get(class_)
        if known is None:
            known = self._external[class_] = self._external_bases(class_)
        return known

    def _external_bases(self, class_: Defined) -> list[str]:
        found: list[str] = []
        for at in self.lineage(class_):
            definition = self._program.definition(at)
            for base in definition.bases:
                name = base.base if isinstance(base, Subscript) else base
                entity = self._of(base, at.path, definition.parent) or self._of(
                    name, at.path, definition.parent
                )
                if isinstance(entity, External):
                    found.append(entity.dotted)
                elif entity is None:
                    found.append(f"?{name.name if isinstance(name, Name | Attribute) else ''}")
        return found
