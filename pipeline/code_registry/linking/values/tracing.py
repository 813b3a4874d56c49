"""Put strings together from the code: the known values of a path, a prefix or a name."""

import re
from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Alternatives,
    Assignment,
    Attribute,
    Call,
    CallSite,
    Comprehension,
    Constant,
    Expression,
    Items,
    JoinedText,
    Name,
    Splat,
    StringLiteral,
    Subscript,
    last_word,
    plain,
)
from pipeline.code_registry.linking.names.calls import Calls
from pipeline.code_registry.linking.names.program import DefinitionRef, Entity, External, SourceProgram
from pipeline.code_registry.linking.names.types import Types
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue
from pipeline.code_registry.linking.values.sources import ValueSources

# How a path is put together, by the example `router.get(PREFIX + "/" + kind + "/{id}")`. Every part is read by itself, and each
# reading of one part is combined with each of the next (`_join`):
#
#   PREFIX   "/v1" or "/v2", if an `if` assigns the one and its `else` the other
#   "/"      itself
#   kind     no code calls the function whose parameter it is, so its text is unknown: "{kind}" stands for it
#   "/{id}"  itself
#
# That makes "/v1/{kind}/{id}" and "/v2/{kind}/{id}", both *dynamic*: not every letter of them is in the code. An unknown first
# part leaves nothing in its place, so that the path is right by its tail ("/orders" and not "{prefix}/orders").


class TextValue(NamedTuple):
    """A string put together from the code. `dynamic`: something before or inside it is not known."""

    text: str
    dynamic: bool


class Tracer(ValueSources):
    """Follows values, and reads the strings among them."""

    def __init__(self, program: SourceProgram, types: Types, calls: Calls) -> None:
        super().__init__(program, types, calls)
        self._joining: list[ScopedValue] = []

    def outside_word(self, expression: Expression, scope: Scope, packages: Container[str]) -> str:
        """The name of what comes from one of some outside packages; empty for anything else."""
        entity = self.types.of(expression, scope.path, scope.number)
        if isinstance(entity, External) and entity.dotted_name.partition(".")[0] in packages:
            return entity.dotted_name.rpartition(".")[2]
        return ""

    def texts(self, scoped_value: ScopedValue, depth: int = 0) -> list[TextValue]:
        """The strings a value may be. An unknown part becomes a parameter, and makes the string dynamic."""
        if self._is_exhausted(depth):
            return []
        expression, scope = scoped_value
        match expression:
            case StringLiteral(value):
                return [TextValue(value, False)]
            case JoinedText():
                return self._joined_texts(scoped_value, expression, depth)
            case Splat(inner):
                return self.texts(ScopedValue(inner, scope), depth + 1)
            case Items(items):
                return [text for item in items for text in self.texts(ScopedValue(item, scope), depth + 1)]
            case Comprehension(element, variable, source):
                return self._comprehension_texts(element, variable, ScopedValue(source, scope), depth)
            case Call(Attribute(base, word), (StringLiteral(edge),)) if word in _STRIPS:
                texts_of_base = self.texts(ScopedValue(base, scope), depth + 1)
                return [TextValue(_STRIPS[word](text.text, edge), text.dynamic) for text in texts_of_base]
            case Call(function):
                callee = self.types.of(function, scope.path, scope.number)
                return self._call_texts(callee, expression, scope, depth)
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                return _distinct(
                    text for s in self._argument_values(name, scope) for text in self.texts(s, depth + 1)
                )
            case Name() | Attribute() | Alternatives() | Subscript():
                if (constant := self._constant(expression, scope)) is not None:
                    return [TextValue(constant, False)]
                further = [
                    source for source in self.sources(scoped_value, depth + 1) if source != scoped_value
                ]
                return self._of_sources(further, depth)
            case _:
                return []

    def steps(self, value: ScopedValue) -> list[ScopedValue]:
        """The expressions one step behind a value: what a variable is given, what a function returns."""
        expression, scope = value
        match expression:
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                return list(scope.arguments[name])
            case Name(name):
                _, bindings = self.program.bindings(scope.path, scope.number, name)
                assignments = [b for b in bindings if isinstance(b, Assignment) and b.value is not None]
                inner = {
                    b.scope: scope if b.scope == scope.number else Scope(scope.path, b.scope)
                    for b in assignments
                }
                return [ScopedValue(b.value, inner[b.scope]) for b in assignments if b.value is not None]
            case Call(function):
                callee = self.types.of(function, scope.path, scope.number)
                if not isinstance(callee, DefinitionRef) or self.program.is_class(callee):
                    return []
                bound = self.bound(callee, scope.path, CallSite(scope.number, expression), scope)
                within = Scope(callee.path, callee.number, bound)
                return [ScopedValue(result.value, within) for result in self.program.returns(callee)]
            case _:
                return []

    def _of_sources(self, sources: list[ScopedValue], depth: int) -> list[TextValue]:
        """The strings of a value with several sources; if one of them cannot be read, none of the others is sure."""
        texts = [(source, self.texts(source, depth + 1)) for source in sources]
        is_sure = all(
            source_texts or isinstance(source.expression, Constant) for source, source_texts in texts
        )
        return _distinct(
            TextValue(text.text, text.dynamic or not is_sure)
            for _, source_texts in texts
            for text in source_texts
        )

    def _constant(self, expression: Expression, scope: Scope) -> str | None:
        """A constant of an outside package that the language knows."""
        if not self.program.words.texts or not isinstance(expression, Attribute):
            return None
        entity = self.types.of(expression, scope.path, scope.number)
        return self.program.words.texts.get(entity.dotted_name) if isinstance(entity, External) else None

    def _parts(self, parts: tuple[Expression, ...], scope: Scope, depth: int) -> list[TextValue]:
        """Parts of a path with one slash between them."""
        with_slashes = [piece for part in parts for piece in (StringLiteral("/"), part)]
        texts = self._join(tuple(with_slashes), scope, depth)
        return [TextValue(_SLASHES.sub("/", text.text).rstrip("/") or "/", text.dynamic) for text in texts]

    def _call_texts(self, callee: Entity | None, call: Call, scope: Scope, depth: int) -> list[TextValue]:
        """A function's strings. Where it may return several, the shortest stands, and a prefix is not known."""
        if isinstance(callee, External) and callee.dotted_name in self.program.words.joins:
            return self._parts(call.arguments, scope, depth)
        if not isinstance(callee, DefinitionRef):
            return self._called_value(call, scope, depth)
        return (
            [] if self.program.is_class(callee) else self._returned_texts(callee, call, scope, scope, depth)
        )

    def _called_value(self, call: Call, scope: Scope, depth: int) -> list[TextValue]:
        """The strings of a function that a variable holds, such as one that another function has made."""
        for source in self.sources(ScopedValue(call.function, scope), depth + 1):
            entity = self.types.of(source.expression, source.scope.path, source.scope.number)
            if isinstance(entity, DefinitionRef) and not self.program.is_class(entity):
                return self._returned_texts(entity, call, scope, source.scope, depth)
        return []

    def _returned_texts(
        self, callee: DefinitionRef, call: Call, scope: Scope, made_in: Scope, depth: int
    ) -> list[TextValue]:
        """What a function returns; one that was made in another function sees what that one was handed."""
        arguments = self.bound(callee, scope.path, CallSite(scope.number, call), scope)
        outer = made_in.arguments if made_in.path == callee.path and made_in is not scope else None
        inner = Scope(callee.path, callee.number, {**(outer or {}), **arguments})
        texts = _distinct(
            text
            for result in self.program.returns(callee)
            for text in self.texts(ScopedValue(result.value, inner), depth + 1)
        )
        if len(texts) < 2:
            return texts
        shortest = min(texts, key=lambda text_value: (len(text_value.text), text_value.text))
        return [TextValue(shortest.text, True)]

    def _comprehension_texts(
        self, element: Expression, variable: str, source: ScopedValue, depth: int
    ) -> list[TextValue]:
        scope = source.scope
        texts: list[TextValue] = []
        for value in self.elements(source, depth):
            arguments = {**(scope.arguments or {}), variable: (value,)}
            inner = scope._replace(arguments=arguments, rebinding=scope.rebinding | {variable})
            texts += self.texts(ScopedValue(element, inner), depth + 1)
        return texts

    def _joined_texts(self, value: ScopedValue, joined_text: JoinedText, depth: int) -> list[TextValue]:
        """Its strings; none of one that is made longer by itself, such as `root = "/" + root`."""
        if value in self._joining:
            return []
        self._joining.append(value)
        texts = self._join(joined_text.parts, value.scope, depth)
        self._joining.pop()
        return texts

    def _join(self, parts: tuple[Expression, ...], scope: Scope, depth: int) -> list[TextValue]:
        results = [TextValue("", False)]
        for position, part in enumerate(parts):
            texts = self.texts(ScopedValue(part, scope), depth + 1)
            if not texts:
                name = last_word(part)
                texts = [TextValue("" if position == 0 else f"{{{plain(name)}}}", True)]
            results = [
                TextValue(left.text + right.text, left.dynamic or right.dynamic)
                for left in results
                for right in texts
            ][:16]
        return results


def _distinct(texts: Iterable[TextValue]) -> list[TextValue]:
    return list(dict.fromkeys(texts))


_SLASHES = re.compile("/+")
_STRIPS: dict[str, Callable[[str, str], str]] = {
    "strip": str.strip,
    "rstrip": str.rstrip,
    "lstrip": str.lstrip,
}
