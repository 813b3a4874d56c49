"""What an expression is: followed through imports, annotations and constructors, never guessed from a name."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, assert_never

from pipeline.code_registry.facts import (
    RESULT,
    Argument,
    Assignment,
    Attribute,
    Call,
    Choice,
    Constant,
    Each,
    Expression,
    Import,
    Inline,
    Items,
    Name,
    Pairs,
    Subscript,
)
from pipeline.code_registry.linking.annotations import DEEPEST, Annotations, is_nothing
from pipeline.code_registry.linking.classes import Classes
from pipeline.code_registry.linking.program import (
    Binding,
    Collection,
    Defined,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
    Program,
    agreed,
)
from pipeline.code_registry.linking.words import unversioned


class Types:
    """Answers what expressions are. Unknown is None; two different answers are unknown, too."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.annotations = Annotations(program, self.of)
        self.classes = Classes(program, self.of, self.of_name)
        self._memo: dict[Hashable, Entity | None] = {}
        self._names: dict[tuple[str, int, str], Entity | None] = {}
        """Names as they are seen from a scope: most are asked for again from the same one."""
        self._depth = 0

    def of(self, expression: Expression, path: str, scope: int) -> Entity | None:
        """The entity of an expression that stands in a scope of a file."""
        if self._depth > DEEPEST:
            return None
        if isinstance(expression, Name):
            known = self._names.get((path, scope, expression.name), _NOT_ASKED)
            if known is not _NOT_ASKED:
                return None if known is _OPEN else known
        reader = self._READERS.get(type(expression))
        if reader is None:
            return None
        self._depth += 1
        try:
            return reader(self, expression, path, scope)
        finally:
            self._depth -= 1

    def _name(self, expression: Name, path: str, scope: int) -> Entity | None:
        return self.of_name(expression.name, path, scope)

    def _inline(self, expression: Inline, path: str, _scope: int) -> Entity | None:
        return Defined(path, expression.number)

    def _attribute(self, expression: Attribute, path: str, scope: int) -> Entity | None:
        base, name = expression.base, expression.name
        if isinstance(base, Choice):
            return agreed([self.of(Attribute(option, name), path, scope) for option in base.options])
        owner = self.of(base, path, scope)
        return None if owner is None else self.member(owner, name)

    def _call(self, expression: Call, path: str, scope: int) -> Entity | None:
        if expression.function == _SUPER and not expression.arguments:
            return self._super(path, scope)
        called = self.of(expression.function, path, scope)
        return None if called is None else self.result(called)

    def _choice(self, expression: Choice, path: str, scope: int) -> Entity | None:
        words = self.program.words
        known = [
            self.of(option, path, scope) for option in expression.options if not is_nothing(option, words)
        ]
        return agreed(known)

    def _subscript(self, expression: Subscript, path: str, scope: int) -> Entity | None:
        """An element of a collection; a generic definition with its parameters is the definition."""
        match expression:
            case Subscript(Call(function), Constant(number)) if number.startswith(RESULT):
                called = self.of(function, path, scope)
                return self._one_result(called, int(number.removeprefix(RESULT)))
        owner = self.of(expression.base, path, scope)
        return owner if isinstance(owner, Defined) else self._element(owner)

    def _pairs(self, expression: Pairs, path: str, scope: int) -> Entity | None:
        return None if expression.name is None else self.of_name(expression.name, path, scope)

    def _element(self, collection: Entity | None) -> Entity | None:
        """What a collection holds; a class that is made of a collection is one, too."""
        for _ in range(DEEPEST):
            match collection:
                case Collection(element):
                    return element
                case Instance(path):
                    class_ = self.program.definition(collection)
                    made_of = class_.bases[:1] if len(class_.bases) == 1 else ()
                    collection = self.annotations.read(made_of[0], path, class_.parent) if made_of else None
                case _:
                    return None
        return None

    def _one_result(self, called: Entity | None, number: int) -> Entity | None:
        """One of several values that a function returns."""
        if isinstance(called, Defined) and not self.program.is_class(called):
            definition = self.program.definition(called)
            if isinstance(definition.returns, Items) and number < len(definition.returns.items):
                return self.annotations.read(definition.returns.items[number], called.path, definition.parent)
        if isinstance(called, External):
            return ExternalInstance(called.dotted) if number == 0 else None
        return None

    def _each(self, expression: Each, path: str, scope: int) -> Entity | None:
        if expression.element == Name(expression.variable):
            return self.of(expression.source, path, scope)
        inner = self.of(expression.element, path, scope)
        return None if inner is None else Collection(inner)

    def of_name(self, name: str, path: str, scope: int) -> Entity | None:
        """The entity a bare name stands for."""
        seen = (path, scope, name)
        known = self._names.get(seen, _NOT_ASKED)
        if known is not _NOT_ASKED:
            return None if known is _OPEN else known
        at, bindings = self.program.bindings(path, scope, name)
        if at < 0:
            found = self._from_star(name, path)
            if self._memo.get(("star", path, name)) is _OPEN:
                return None
            self._names[seen] = found
            return found
        own = seen if at == scope else (path, at, name)
        found = self._names.get(own, _NOT_ASKED)
        if found is _OPEN:
            return None
        if found is _NOT_ASKED:
            self._names[own] = _OPEN
            found = self._names[own] = self._of_bindings(bindings, path, at)
        self._names[seen] = found
        return found

    def _from_star(self, name: str, path: str) -> Entity | None:
        def look() -> Entity | None:
            for module in self.program.star_modules(path, 0):
                found = self.module_member(module, name)
                if found is not None:
                    return found
            return None

        return self._once(("star", path, name), look)

    def _once(self, key: Hashable, compute: Callable[[], Entity | None]) -> Entity | None:
        """Compute once; while a key is being computed, whoever asks for it again gets unknown."""
        known = self._memo.get(key, _NOT_ASKED)
        if known is not _NOT_ASKED:
            return None if known is _OPEN else known
        self._memo[key] = _OPEN
        result = self._memo[key] = compute()
        return result

    def _of_bindings(self, bindings: Sequence[Binding], path: str, scope: int) -> Entity | None:
        if len(bindings) == 1:
            only = bindings[0]
            is_later = isinstance(only, Assignment) and only.mode in _LATER
            return None if is_later else self._of_binding(only, path, scope)
        first = [b for b in bindings if not (isinstance(b, Assignment) and b.mode in _LATER)]
        return agreed([self._of_binding(binding, path, scope) for binding in first])

    def _of_binding(self, binding: Binding, path: str, scope: int) -> Entity | None:
        match binding:
            case int():
                return Defined(path, binding)
            case Import():
                return self._imported(binding, path)
            case Assignment():
                return self._assigned(binding, path)
            case Argument():
                return self._argument(binding, path, scope)
            case _ as never:
                assert_never(never)

    def _imported(self, imported: Import, path: str) -> Entity | None:
        found = self.program.find_module(path, imported.module, imported.level)
        outside = unversioned(imported.module) if self.program.words.versioned_paths else imported.module
        if imported.name is None:
            return Module(found) if found is not None else External(outside)
        if found is not None:
            member = self.module_member(found, imported.name) or self._of_default(found, imported.name)
            if member is not None:
                return member
        inner = f"{imported.module}.{imported.name}" if imported.module else imported.name
        submodule = self.program.find_module(path, inner, imported.level)
        if submodule is not None:
            return Module(submodule)
        return External(inner) if found is None and imported.level == 0 else None

    def _of_default(self, path: str, name: str) -> Entity | None:
        """A name that a module has only as a member of the one value it exports; the module, if that is asked for."""
        default = self.program.words.default
        if default is None:
            return None
        if name == default:
            return Module(path)
        value = self.module_member(path, default)
        return None if value is None else self.member(value, name)

    def _assigned(self, assignment: Assignment, path: str) -> Entity | None:
        if assignment.annotation is not None:
            annotated = self.annotations.read(assignment.annotation, path, assignment.scope)
            if annotated is not None:
                return annotated
        if assignment.value is None:
            return None
        value = self.of(assignment.value, path, assignment.scope)
        match assignment.mode:
            case "enter":
                return self._entered(value)
            case "part" | "key":
                return None
            case "each":
                return self._element(value)
            case _:
                return value

    def _entered(self, value: Entity | None) -> Entity | None:
        match value:
            case Collection(element):
                return element
            case Instance():
                for name in self.program.words.entering:
                    method = self.member(value, name)
                    if isinstance(method, Defined):
                        return self.result(method) or value
                return value
            case _:
                return value

    def _argument(self, argument: Argument, path: str, scope: int) -> Entity | None:
        definitions = self.program.definitions_of(path)
        definition = definitions[scope]
        above = definition.parent
        if (
            argument.name in self.program.words.receivers
            and above >= 0
            and definitions[above].kind == "class"
            and definition.arguments[0] == argument
        ):
            return Defined(path, above) if argument.name == "cls" else Instance(path, above)
        if argument.annotation is not None:
            outside = scope if self.program.words.class_scope else definition.parent
            entity = self.annotations.read(argument.annotation, path, outside)
            return entity if argument.kind == "plain" or entity is None else Collection(entity)
        match argument.default:
            case Call(_, (dependency, *_), _, _) as call:
                provided = self._provided(dependency, path, scope)
                return provided if provided is not None else self.of(call, path, scope)
            case Call() as call:
                return self.of(call, path, scope)
            case _:
                return None

    def _provided(self, dependency: Expression, path: str, scope: int) -> Entity | None:
        """What a default such as `Depends(function)` hands in: the result of the function."""
        called = self.of(dependency, path, scope)
        if not isinstance(called, Defined):
            return None
        result = self.result(called)
        return result.element if isinstance(result, Collection) else result

    def module_member(self, path: str, name: str) -> Entity | None:
        """What a name means at the top of a file, its star imports included."""
        bindings = self.program.own(path, 0, name)
        if bindings:
            return self.of_name(name, path, 0)
        return self._from_star(name, path)

    def member(self, owner: Entity, name: str) -> Entity | None:
        """The attribute `name` of an entity."""
        if isinstance(owner, Instance):
            return self._once_member(owner, name)
        if isinstance(owner, External):
            return External(f"{owner.dotted}.{name}")
        match owner:
            case Module(path):
                found = self.module_member(path, name)
                found = found or self._of_default(path, name)
                if found is not None:
                    return found
                inner = self.program.find_module(path, name, 1) if path.endswith("__init__.py") else None
                return Module(inner) if inner is not None else None
            case ExternalInstance(dotted):
                return External(f"{dotted}().{name}")
            case Defined() if not self.program.is_class(owner):
                return None
            case Defined():
                return self._once_member(owner, name)
            case Collection():
                return None
            case _ as never:
                assert_never(never)

    def _once_member(self, owner: Defined | Instance, name: str) -> Entity | None:
        key = (type(owner), owner.path, owner.number, name)
        return self._once(key, lambda: self._class_member(owner, name))

    def _class_member(self, owner: Defined | Instance, name: str) -> Entity | None:
        for class_ in self.classes.lineage(Defined(owner.path, owner.number)):
            own = self.program.own(class_.path, class_.number, name)
            if own:
                entity = self._of_bindings(own, class_.path, class_.number)
                if isinstance(owner, Instance) and isinstance(entity, Defined) and self._is_property(entity):
                    return self.result(entity)
                if entity is not None:
                    return entity
            for assignment in self.program.instance_assignments(class_.path, class_.number, name):
                entity = self._assigned(assignment, class_.path)
                if entity is not None:
                    return entity
        return None

    def _is_property(self, method: Defined) -> bool:
        decorators = self.program.definition(method).decorators
        return any(
            isinstance(d, Name | Attribute) and d.name in self.program.words.properties for d in decorators
        )

    def result(self, called: Entity) -> Entity | None:
        """What calling an entity gives."""
        match called:
            case Defined():
                if self.program.is_class(called):
                    return Instance(called.path, called.number)
                return self._once(("result", called.path, called.number), lambda: self._returned(called))
            case Instance():
                method = self.member(called, self.program.words.calling)
                return self.result(method) if isinstance(method, Defined) else None
            case External(dotted):
                return ExternalInstance(dotted)
            case _:
                return None

    def _returned(self, function: Defined) -> Entity | None:
        definition = self.program.definition(function)
        if definition.returns is not None:
            outside = function.number if self.program.words.class_scope else definition.parent
            return self.annotations.read(definition.returns, function.path, outside)
        values = [
            self.of(item.value, function.path, function.number) for item in self.program.returns(function)
        ]
        return agreed(values)

    def _super(self, path: str, scope: int) -> Entity | None:
        owner = self.program.enclosing_class(path, scope)
        if owner is None:
            return None
        later = self.classes.lineage(Defined(path, owner))[1:]
        return Instance(later[0].path, later[0].number) if later else None

    _READERS: ClassVar[Mapping[type[object], Callable[["Types", Any, str, int], Entity | None]]] = {
        Name: _name,
        Inline: _inline,
        Attribute: _attribute,
        Call: _call,
        Choice: _choice,
        Subscript: _subscript,
        Each: _each,
        Pairs: _pairs,
    }
    """By the kind of expression: this is asked a million times in a large repository."""


_NOT_ASKED: Entity = External("not asked yet")
_OPEN: Entity = External("being worked out: whoever asks for it again gets unknown")
_LATER = frozenset({"update", "outer", "member"})
"""Modes of assignments that say nothing of a variable's type."""


_SUPER = Name("super")
