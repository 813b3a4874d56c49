"""Put strings together from the code: what a path, a prefix or a name may be, as far as it is known."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    CallSite,
    Choice,
    Constant,
    Each,
    Expression,
    Items,
    Joined,
    Name,
    Splat,
    Subscript,
    Text,
    plain,
)
from pipeline.code_registry.linking.calls import CallSites
from pipeline.code_registry.linking.program import Defined, Entity, External, Program
from pipeline.code_registry.linking.sources import Sources
from pipeline.code_registry.linking.traced import Scope, Traced
from pipeline.code_registry.linking.types import Types


class Written(NamedTuple):
    """A string put together from the code. `dynamic`: something before or inside it is not known."""

    text: str
    dynamic: bool


class Tracer(Sources):
    """Follows values, and reads the strings among them."""

    def __init__(self, program: Program, types: Types, calls: CallSites) -> None:
        super().__init__(program, types, calls)
        self._joining: list[Traced] = []

    def texts(self, traced: Traced, depth: int = 0) -> list[Written]:
        """The strings a value may be. What is not known becomes a parameter, and makes the string dynamic."""
        if self._spent(depth):
            return []
        expression, scope = traced
        match expression:
            case Text(value):
                return [Written(value, False)]
            case Joined():
                return self._joined(traced, expression, depth)
            case Splat(inner):
                return self.texts(Traced(inner, scope), depth + 1)
            case Items(items):
                return [text for item in items for text in self.texts(Traced(item, scope), depth + 1)]
            case Each(element, variable, source):
                return self._each(element, variable, Traced(source, scope), depth)
            case Call(Attribute(base, word), (Text(edge),)) if word in _STRIPS:
                found = self.texts(Traced(base, scope), depth + 1)
                return [Written(_STRIPS[word](text.text, edge), text.dynamic) for text in found]
            case Call(function):
                called = self.types.of(function, scope.path, scope.number)
                return self._called(called, expression, scope, depth)
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                return _distinct(text for s in self._filled(name, scope) for text in self.texts(s, depth + 1))
            case Name() | Attribute() | Choice() | Subscript():
                if (constant := self._constant(expression, scope)) is not None:
                    return [Written(constant, False)]
                further = [source for source in self.sources(traced, depth + 1) if source != traced]
                return self._of_sources(further, depth)
            case _:
                return []

    def _of_sources(self, sources: list[Traced], depth: int) -> list[Written]:
        """The strings of a value with several sources; if one of them cannot be read, none of the others is sure."""
        texts = [(source, self.texts(source, depth + 1)) for source in sources]
        is_sure = all(found or isinstance(source.expression, Constant) for source, found in texts)
        return _distinct(
            Written(text.text, text.dynamic or not is_sure) for _, found in texts for text in found
        )

    def _constant(self, expression: Expression, scope: Scope) -> str | None:
        """A constant of an outside package that the language knows."""
        if not self.program.words.texts or not isinstance(expression, Attribute):
            return None
        entity = self.types.of(expression, scope.path, scope.number)
        return self.program.words.texts.get(entity.dotted) if isinstance(entity, External) else None

    def _parts(self, parts: tuple[Expression, ...], scope: Scope, depth: int) -> list[Written]:
        """Parts of a path with one slash between them."""
        with_slashes = [piece for part in parts for piece in (Text("/"), part)]
        found = self._join(tuple(with_slashes), scope, depth)
        return [Written(_SLASHES.sub("/", text.text).rstrip("/") or "/", text.dynamic) for text in found]

    def _called(self, called: Entity | None, call: Call, scope: Scope, depth: int) -> list[Written]:
        """A function's strings. Where it may return several, the shortest stands, and a prefix is not known."""
        if isinstance(called, External) and called.dotted in self.program.words.joins:
            return self._parts(call.arguments, scope, depth)
        if not isinstance(called, Defined):
            return self._called_value(call, scope, depth)
        return (
            [] if self.program.is_class(called) else self._returned_texts(called, call, scope, scope, depth)
        )

    def _called_value(self, call: Call, scope: Scope, depth: int) -> list[Written]:
        """The strings of a function that a variable holds, such as one that another function has made."""
        for source in self.sources(Traced(call.function, scope), depth + 1):
            entity = self.types.of(source.expression, source.scope.path, source.scope.number)
            if isinstance(entity, Defined) and not self.program.is_class(entity):
                return self._returned_texts(entity, call, scope, source.scope, depth)
        return []

    def _returned_texts(
        self, called: Defined, call: Call, scope: Scope, made_in: Scope, depth: int
    ) -> list[Written]:
        """What a function returns; one that was made in another function sees what that one was handed."""
        own = self.bound(called, scope.path, CallSite(scope.number, call), scope)
        outer = made_in.arguments if made_in.path == called.path and made_in is not scope else None
        inner = Scope(called.path, called.number, {**(outer or {}), **own})
        found = _distinct(
            text
            for returned in self.program.returns(called)
            for text in self.texts(Traced(returned.value, inner), depth + 1)
        )
        if len(found) < 2:
            return found
        shortest = min(found, key=lambda written: (len(written.text), written.text))
        return [Written(shortest.text, True)]

    def _each(self, element: Expression, variable: str, source: Traced, depth: int) -> list[Written]:
        scope = source.scope
        found: list[Written] = []
        for value in self.elements(source, depth):
            arguments = {**(scope.arguments or {}), variable: (value,)}
            inner = scope._replace(arguments=arguments, rebinding=scope.rebinding | {variable})
            found += self.texts(Traced(element, inner), depth + 1)
        return found

    def _joined(self, traced: Traced, joined: Joined, depth: int) -> list[Written]:
        """Its strings; none of one that is made longer by itself, such as `root = "/" + root`."""
        if traced in self._joining:
            return []
        self._joining.append(traced)
        found = self._join(joined.parts, traced.scope, depth)
        self._joining.pop()
        return found

    def _join(self, parts: tuple[Expression, ...], scope: Scope, depth: int) -> list[Written]:
        results = [Written("", False)]
        for position, part in enumerate(parts):
            texts = self.texts(Traced(part, scope), depth + 1)
            if not texts:
                name = part.name if isinstance(part, Name | Attribute) else ""
                texts = [Written("" if position == 0 else f"{{{plain(name)}}}", True)]
            results = [
                Written(left.text + right.text, left.dynamic or right.dynamic)
                for left in results
                for right in texts
            ][:16]
        return results


def _distinct(texts: Iterable[Written]) -> list[Written]:
    return list(dict.fromkeys(texts))


_SLASHES = re.compile("/+")
_STRIPS: dict[str, Callable[[str, str], str]] = {
    "strip": str.strip,
    "rstrip": str.rstrip,
    "lstrip": str.lstrip,
}
