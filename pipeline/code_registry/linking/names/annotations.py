"""What a type annotation describes, and what a name for a type stands for."""

from collections.abc import Callable

from pipeline.code_registry.facts import (
    Alternatives,
    Assignment,
    Attribute,
    Constant,
    Expression,
    Import,
    Inline,
    Items,
    Name,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    External,
    ExternalInstance,
    Instance,
    Module,
    SourceProgram,
)
from pipeline.code_registry.linking.names.words import TypeWords

DEEPEST = 40


class Annotations:
    """Reads type expressions; `of` says what a name in them is."""

    def __init__(self, program: SourceProgram, of: Callable[[Expression, str, int], Entity | None]) -> None:
        self._program = program
        self._of = of
        self._depth = 0
        self._aliases: dict[tuple[str, int, str], tuple[Expression, str, int] | None] = {}

    def read(self, annotation: Expression, path: str, scope: int) -> Entity | None:
        """The value that a type annotation describes; unknown where aliases lead on and on."""
        if self._depth > DEEPEST:
            return None
        self._depth += 1
        try:
            return self._read_form(annotation, path, scope)
        finally:
            self._depth -= 1

    def _read_form(self, annotation: Expression, path: str, scope: int) -> Entity | None:
        words = self._program.words
        match annotation:
            case Alternatives(options):
                types = [option for option in options if not is_nothing(option, words)]
                return self.read(types[0], path, scope) if len(types) == 1 else None
            case Inline(number):
                return Instance(path, number)
            case StringLiteral(value):
                return self.read(_dotted_expression(value), path, scope) if _is_dotted(value) else None
            case Subscript(base, index):
                return self._generic(base, index, path, scope)
            case Name() | Attribute():
                return self._read_name(annotation, path, scope)
            case _:
                return None

    def _read_name(self, annotation: Name | Attribute, path: str, scope: int) -> Entity | None:
        alias = self.alias(annotation, path, scope)
        if alias is not None:
            return self.read(alias[0], alias[1], alias[2])
        entity = self._of(annotation, path, scope)
        if (
            isinstance(entity, External)
            and entity.dotted_name.rpartition(".")[2] in self._program.words.class_of
        ):
            return None
        return _instance(entity)

    def _generic(self, base: Expression, index: Expression, path: str, scope: int) -> Entity | None:
        words = self._program.words
        word = last_word(base)
        parts = index.items if isinstance(index, Items) else (index,)
        if not parts:
            return None
        if word in words.transparent:
            return self.read(parts[0], path, scope)
        if word in words.class_of:
            inner = self.read(parts[0], path, scope)
            return _class(inner)
        if word in words.collections or word in words.mappings:
            part = parts[-1] if word in words.mappings else parts[0]
            inner = self.read(part, path, scope)
            return None if inner is None else Collection(inner)
        return _instance(self._of(base, path, scope))

    def alias(self, annotation: Expression, path: str, scope: int) -> tuple[Expression, str, int] | None:
        """The type expression that a name stands for (`Alias = Annotated[…]`), with the scope to read it in."""
        if not isinstance(annotation, Name):
            return self._alias(annotation, path, scope)
        at, bindings = self._program.bindings(path, scope, annotation.name)
        if len(bindings) == 1 and isinstance(bindings[0], int):
            return None
        key = (path, at, annotation.name)
        if key not in self._aliases:
            self._aliases[key] = self._alias(annotation, path, scope)
        return self._aliases[key]

    def _alias(self, annotation: Expression, path: str, scope: int) -> tuple[Expression, str, int] | None:
        binding = self.assignment_of(annotation, path, scope)
        if binding is None or not isinstance(binding[0].value, Subscript | Alternatives):
            return None
        assignment, binding_path = binding
        return (assignment.value, binding_path, assignment.scope) if assignment.value is not None else None

    def assignment_of(self, expression: Expression, path: str, scope: int) -> tuple[Assignment, str] | None:
        """The single assignment a name leads to, through imports, with its file."""
        for _ in range(DEEPEST):
            match expression:
                case Name(name):
                    _, bindings = self._program.bindings(path, scope, name)
                    if not bindings:
                        stars = [
                            m
                            for m in self._program.star_modules(path, 0)
                            if self._program.bindings_in(m, 0, name)
                        ]
                        if not stars:
                            return None
                        path, scope = stars[0], 0
                        continue
                case Attribute(base, name):
                    owner = self._of(base, path, scope)
                    if not isinstance(owner, Module):
                        return None
                    path, scope, expression = owner.path, 0, Name(name)
                    continue
                case _:
                    return None
            binding = bindings[-1]
            if isinstance(binding, Assignment):
                return binding, path
            if not isinstance(binding, Import) or binding.name is None:
                return None
            module_path = self._program.find_module(path, binding.module, binding.level)
            if module_path is None or (module_path == path and binding.name == name):
                return None
            path, scope, expression = module_path, 0, Name(binding.name)
        return None


def is_nothing(expression: Expression, words: TypeWords) -> bool:
    """Whether an expression is the language's nothing: `None` in `X | None`."""
    return isinstance(expression, Constant) and expression.text in words.none_names


def _instance(entity: Entity | None) -> Entity | None:
    match entity:
        case DefinitionRef(path, index):
            return Instance(path, index)
        case External(dotted_name):
            return ExternalInstance(dotted_name)
        case _:
            return None


def _class(instance: Entity | None) -> Entity | None:
    match instance:
        case Instance(path, index):
            return DefinitionRef(path, index)
        case ExternalInstance(dotted_name):
            return External(dotted_name)
        case _:
            return None


def _is_dotted(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _dotted_expression(text: str) -> Expression:
    first, *rest = text.split(".")
    expression: Expression = Name(first)
    for name in rest:
        expression = Attribute(expression, name)
    return expression
