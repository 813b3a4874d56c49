"""What an expression is: followed through imports, annotations and constructors, never guessed from a name."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, assert_never

from pipeline.code_registry.facts import (
    RESULT,
    Alternatives,
    Argument,
    Assignment,
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expression,
    Import,
    Inline,
    Items,
    Name,
    Pairs,
    Subscript,
)
from pipeline.code_registry.linking.names.annotations import DEEPEST, Annotations, is_nothing
from pipeline.code_registry.linking.names.classes import Classes
from pipeline.code_registry.linking.names.program import (
    Binding,
    Collection,
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
    SourceProgram,
    agreement,
)
from pipeline.code_registry.linking.names.words import without_version

# How a type is inferred, by the example `service.repo.save` in a function with the parameter `service: Orders`:
#
# 1. A name is looked up in its scope, then outwards: `service` is a parameter, and its annotation names a class.
# 2. A member is looked up in the class and its bases: `repo` is assigned in `Orders.__init__`, to `Repo()`.
# 3. A call gives an instance of a class, or what the function returns by its annotation, else by all its `return`s.
#
# Two bindings of one name must agree, else the answer is unknown. A name whose answer is being worked out is unknown to
# everybody who asks meanwhile (`_OPEN`): `a = b; b = a` ends, and neither has a type. Wrong is worse than unknown.


class Types:
    """Answers what expressions are. Unknown is None; two different answers are unknown, too."""

    def __init__(self, program: SourceProgram) -> None:
        self.program = program
        self.annotations = Annotations(program, self.of)
        self.classes = Classes(program, self.of, self.of_name)
        self._memo: dict[Hashable, Entity | None] = {}
        self._names: dict[tuple[str, int, str], Entity | None] = {}
        """Names seen from a scope: most are asked for again from the same one."""
        self._depth = 0

    def of(self, expression: Expression, path: str, scope: int) -> Entity | None:
        """The entity of an expression that stands in a scope of a file."""
        if self._depth > DEEPEST:
            return None
        if isinstance(expression, Name):
            entity = self._names.get((path, scope, expression.name), _NOT_ASKED)
            if entity is not _NOT_ASKED:
                return None if entity is _OPEN else entity
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
        return DefinitionRef(path, expression.number)

    def _attribute(self, expression: Attribute, path: str, scope: int) -> Entity | None:
        base, name = expression.base, expression.name
        if isinstance(base, Alternatives):
            return agreement([self.of(Attribute(option, name), path, scope) for option in base.options])
        owner = self.of(base, path, scope)
        return None if owner is None else self.member(owner, name)

    def _call(self, expression: Call, path: str, scope: int) -> Entity | None:
        if expression.function == _SUPER and not expression.arguments:
            return self._super(path, scope)
        callee = self.of(expression.function, path, scope)
        return None if callee is None else self.result(callee)

    def _choice(self, expression: Alternatives, path: str, scope: int) -> Entity | None:
        options = [o for o in expression.options if not is_nothing(o, self.program.words)]
        return agreement([self.of(option, path, scope) for option in options])

    def _subscript(self, expression: Subscript, path: str, scope: int) -> Entity | None:
        """An element of a collection; a generic definition with its parameters is the definition."""
        match expression:
            case Subscript(Call(function), Constant(number)) if number.startswith(RESULT):
                callee = self.of(function, path, scope)
                return self._one_result(callee, int(number.removeprefix(RESULT)))
        owner = self.of(expression.base, path, scope)
        return owner if isinstance(owner, DefinitionRef) else self._element(owner)

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

    def _one_result(self, callee: Entity | None, number: int) -> Entity | None:
        """One of several values that a function returns."""
        if isinstance(callee, DefinitionRef) and not self.program.is_class(callee):
            definition = self.program.definition(callee)
            if isinstance(definition.returns, Items) and number < len(definition.returns.items):
                return self.annotations.read(definition.returns.items[number], callee.path, definition.parent)
        if isinstance(callee, External):
            return ExternalInstance(callee.dotted_name) if number == 0 else None
        return None

    def _comprehension(self, expression: Comprehension, path: str, scope: int) -> Entity | None:
        if expression.element == Name(expression.variable):
            return self.of(expression.source, path, scope)
        inner = self.of(expression.element, path, scope)
        return None if inner is None else Collection(inner)

    def of_name(self, name: str, path: str, scope: int) -> Entity | None:
        """The entity a bare name stands for."""
        key = (path, scope, name)
        entity = self._names.get(key, _NOT_ASKED)
        if entity is not _NOT_ASKED:
            return None if entity is _OPEN else entity
        at, bindings = self.program.bindings(path, scope, name)
        if at < 0:
            answer = self._from_star(name, path)
            if self._memo.get(("star", path, name)) is _OPEN:
                return None
            self._names[key] = answer
            return answer
        # Asked from many scopes, worked out in the one that binds the name: the answer is kept for both.
        home_key = key if at == scope else (path, at, name)
        answer = self._names.get(home_key, _NOT_ASKED)
        if answer is _OPEN:
            return None
        if answer is _NOT_ASKED:
            self._names[home_key] = _OPEN
            answer = self._names[home_key] = self._of_bindings(bindings, path, at)
        self._names[key] = answer
        return answer

    def _from_star(self, name: str, path: str) -> Entity | None:
        if not self.program.bindings_in(path, 0, "*"):
            return None

        def look() -> Entity | None:
            members = (self.module_member(module, name) for module in self.program.star_modules(path, 0))
            return next((member for member in members if member is not None), None)

        return self._once(("star", path, name), look)

    def _once(self, key: Hashable, compute: Callable[[], Entity | None]) -> Entity | None:
        """Compute once; while a key is being computed, another request for it gets unknown."""
        answer = self._memo.get(key, _NOT_ASKED)
        if answer is not _NOT_ASKED:
            return None if answer is _OPEN else answer
        self._memo[key] = _OPEN
        result = self._memo[key] = compute()
        return result

    def _of_bindings(self, bindings: Sequence[Binding], path: str, scope: int) -> Entity | None:
        if len(bindings) == 1:
            only = bindings[0]
            is_later = isinstance(only, Assignment) and only.mode in _LATER
            return None if is_later else self._of_binding(only, path, scope)
        first = [b for b in bindings if not (isinstance(b, Assignment) and b.mode in _LATER)]
        return agreement([self._of_binding(binding, path, scope) for binding in first])

    def _of_binding(self, binding: Binding, path: str, scope: int) -> Entity | None:
        match binding:
            case int():
                return self.program.refs_in(path)[binding]
            case Import():
                return self._from_import(binding, path)
            case Assignment():
                return self._from_assignment(binding, path)
            case Argument():
                return self._argument(binding, path, scope)
            case _ as never:
                assert_never(never)

    def _from_import(self, import_: Import, path: str) -> Entity | None:
        module_path = self.program.find_module(path, import_.module, import_.level)
        outside = without_version(import_.module) if self.program.words.versioned_paths else import_.module
        if import_.name is None:
            return Module(module_path) if module_path is not None else External(outside)
        if module_path is not None:
            name = import_.name
            member = self.module_member(module_path, name) or self._of_default(module_path, name)
            if member is not None:
                return member
        # `from app import db`: no name in app/__init__.py, so it may be the file app/db.py, else a package from outside.
        inner = f"{import_.module}.{import_.name}" if import_.module else import_.name
        submodule = self.program.find_module(path, inner, import_.level)
        if submodule is not None:
            return Module(submodule)
        return External(inner) if module_path is None and import_.level == 0 else None

    def _of_default(self, path: str, name: str) -> Entity | None:
        """A name that a module has only as a member of the one value it exports; the module, if that is asked for."""
        default = self.program.words.default
        if default is None:
            return None
        if name == default:
            return Module(path)
        value = self.module_member(path, default)
        return None if value is None else self.member(value, name)

    def _from_assignment(self, assignment: Assignment, path: str) -> Entity | None:
        if assignment.annotation is not None:
            entity = self.annotations.read(assignment.annotation, path, assignment.scope)
            if entity is not None:
                return entity
        if assignment.value is None:
            return None
        value = self.of(assignment.value, path, assignment.scope)
        match assignment.mode:
            case "enter":
                return self._enter(value)
            case "part" | "key":
                return None
            case "each":
                return self._element(value)
            case _:
                return value

    def _enter(self, value: Entity | None) -> Entity | None:
        match value:
            case Collection(element):
                return element
            case Instance():
                for name in self.program.words.entering:
                    method = self.member(value, name)
                    if isinstance(method, DefinitionRef):
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
            return DefinitionRef(path, above) if argument.name == "cls" else Instance(path, above)
        if argument.annotation is not None:
            outside = scope if self.program.words.class_scope else definition.parent
            entity = self.annotations.read(argument.annotation, path, outside)
            return entity if argument.kind == "plain" or entity is None else Collection(entity)
        match argument.default:
            case Call(_, (dependency, *_), _, _) as call:
                entity_of_default = self._dependency(dependency, path, scope)
                return entity_of_default if entity_of_default is not None else self.of(call, path, scope)
            case Call() as call:
                return self.of(call, path, scope)
            case _:
                return None

    def _dependency(self, dependency: Expression, path: str, scope: int) -> Entity | None:
        """What a default such as `Depends(function)` hands in: the result of the function."""
        callee = self.of(dependency, path, scope)
        if not isinstance(callee, DefinitionRef):
            return None
        result = self.result(callee)
        return result.element if isinstance(result, Collection) else result

    def module_member(self, path: str, name: str) -> Entity | None:
        """What a name means at the top of a file, its star imports included."""
        bindings = self.program.bindings_in(path, 0, name)
        if bindings:
            return self.of_name(name, path, 0)
        return self._from_star(name, path)

    def member(self, owner: Entity, name: str) -> Entity | None:
        """The attribute `name` of an entity."""
        if isinstance(owner, Instance):
            return self._once_member(owner, name)
        if isinstance(owner, External):
            return External(f"{owner.dotted_name}.{name}")
        match owner:
            case Module(path):
                module_entity = self.module_member(path, name) or self._of_default(path, name)
                if module_entity is not None:
                    return module_entity
                inner = self.program.find_module(path, name, 1) if path.endswith("__init__.py") else None
                return Module(inner) if inner is not None else None
            case ExternalInstance(dotted_name):
                return External(f"{dotted_name}().{name}")
            case DefinitionRef() if not self.program.is_class(owner):
                return None
            case DefinitionRef():
                return self._once_member(owner, name)
            case Collection():
                return None
            case _ as never:
                assert_never(never)

    def _once_member(self, owner: DefinitionRef | Instance, name: str) -> Entity | None:
        key = (type(owner), owner.path, owner.number, name)
        return self._once(key, lambda: self._class_member(owner, name))

    def _class_member(self, owner: DefinitionRef | Instance, name: str) -> Entity | None:
        for class_ in self.classes.lineage(DefinitionRef(owner.path, owner.number)):
            class_bindings = self.program.bindings_in(class_.path, class_.number, name)
            if class_bindings:
                entity = self._of_bindings(class_bindings, class_.path, class_.number)
                of_instance = isinstance(owner, Instance)
                if of_instance and isinstance(entity, DefinitionRef) and self.is_property(entity):
                    return self.result(entity)
                if entity is not None:
                    return entity
            for assignment in self.program.instance_assignments(class_.path, class_.number, name):
                entity = self._from_assignment(assignment, class_.path)
                if entity is not None:
                    return entity
        return None

    def is_property(self, method: DefinitionRef) -> bool:
        """Whether a method reads like an attribute."""
        decorators = self.program.definition(method).decorators
        words = self.program.words.properties
        return any(isinstance(d, Name | Attribute) and d.name in words for d in decorators)

    def result(self, callee: Entity) -> Entity | None:
        """What calling an entity gives."""
        match callee:
            case DefinitionRef():
                if self.program.is_class(callee):
                    return Instance(callee.path, callee.number)
                return self._once(("result", callee.path, callee.number), lambda: self._return_type(callee))
            case Instance():
                method = self.member(callee, self.program.words.calling)
                return self.result(method) if isinstance(method, DefinitionRef) else None
            case External(dotted_name):
                return ExternalInstance(dotted_name)
            case _:
                return None

    def _return_type(self, function: DefinitionRef) -> Entity | None:
        definition = self.program.definition(function)
        if definition.returns is not None:
            outside = function.number if self.program.words.class_scope else definition.parent
            return self.annotations.read(definition.returns, function.path, outside)
        results = [item.value for item in self.program.returns(function)]
        return agreement([self.of(value, function.path, function.number) for value in results])

    def _super(self, path: str, scope: int) -> Entity | None:
        owner = self.program.enclosing_class(path, scope)
        if owner is None:
            return None
        later = self.classes.lineage(DefinitionRef(path, owner))[1:]
        return Instance(later[0].path, later[0].number) if later else None

    _READERS: ClassVar[Mapping[type[object], Callable[["Types", Any, str, int], Entity | None]]] = {
        Name: _name,
        Inline: _inline,
        Attribute: _attribute,
        Call: _call,
        Alternatives: _choice,
        Subscript: _subscript,
        Comprehension: _comprehension,
        Pairs: _pairs,
    }
    """By the kind of expression: this is asked a million times in a large repository."""


_NOT_ASKED: Entity = External("not asked yet")
_OPEN: Entity = External("being worked out: whoever asks for it again gets unknown")
_LATER = frozenset({"update", "outer", "member"})  # modes of assignments that say nothing of a type
_SUPER = Name("super")
