"""What answers at a row of a table of routes: functions with decorators, and classes by their methods."""

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.code_registry.facts import Attribute, Call, Expression, Items, Name, Pairs
from pipeline.code_registry.framework import ViewStyle
from pipeline.code_registry.linking.handlers.handlers import HandlerFinder
from pipeline.code_registry.linking.names.program import DefinitionRef, External, Instance
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer

ANY = "ANY"
VIEW_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")
_DEEPEST = 8


class ViewAnswer(NamedTuple):
    """An HTTP method, what answers it, its name for a person, and the path below the router; None: that of the row."""

    verb: str
    handler: DefinitionRef | None
    name: str
    path: TextValue | None = None


def class_value(tracer: Tracer, class_: DefinitionRef, name: str) -> ScopedValue | None:
    """What an attribute of a class is given in its body, or in that of the nearest base."""
    for at in tracer.types.classes.lineage(class_):
        for binding in reversed(tracer.program.bindings_in(at.path, at.number, name)):
            value = getattr(binding, "value", None)
            if value is not None:
                return ScopedValue(value, Scope(at.path, at.number))
    return None


def allowed_methods(tracer: Tracer, class_: DefinitionRef, attribute: str) -> frozenset[str] | None:
    """The HTTP methods that a class limits itself to; None where it does not."""
    value = class_value(tracer, class_, attribute)
    texts = tracer.texts(value) if value is not None and isinstance(value.expression, Items) else []
    return frozenset(text.text.upper() for text in texts) or None


def verbs_in(tracer: Tracer, value: Expression | None, scope: Scope) -> tuple[str, ...]:
    """HTTP methods in a list: strings, or members of an enumeration of such."""
    if value is None:
        return ()
    verbs: list[str] = []
    for source in tracer.sources(ScopedValue(value, scope)):
        items = source.expression.items if isinstance(source.expression, Items) else (source.expression,)
        for item in items:
            texts = tracer.texts(ScopedValue(item, source.scope))
            verbs += [text.text.upper() for text in texts if not text.dynamic]
            if not texts and isinstance(item, Attribute) and item.name.isupper():
                verbs.append(item.name)
    return tuple(dict.fromkeys(verbs))


class ViewReader:
    """Reads what answers, in the style of one framework."""

    def __init__(self, tracer: Tracer, handlers: HandlerFinder, style: ViewStyle) -> None:
        self._tracer = tracer
        self._handlers = handlers
        self._style = style

    def answers(self, view: ScopedValue) -> list[ViewAnswer]:
        """Each HTTP method and what answers it."""
        factory_call = self._factory(view, 0)
        if factory_call is not None:
            return self._of_class(factory_call)
        entity = self._tracer.types.of(view.expression, view.scope.path, view.scope.number)
        if isinstance(entity, Instance):
            class_ = DefinitionRef(entity.path, entity.number)
            method = self._tracer.types.member(entity, self._tracer.program.words.calling)
            target = method if isinstance(method, DefinitionRef) else class_
            return [ViewAnswer(ANY, target, self._tracer.program.qualified_name(target))]
        handler = self._handlers.find(view)
        verbs = self._decorator_verbs(handler.ref) if handler.ref is not None else ()
        return [ViewAnswer(verb, handler.ref, handler.name) for verb in verbs or (ANY,)]

    def _factory(self, view: ScopedValue, depth: int) -> ScopedValue | None:
        """The call of the factory that makes the view, seen through names and wrappers."""
        if depth > _DEEPEST:
            return None
        expression, scope = view
        match expression:
            case Call(Attribute(_, word)) if word == self._style.factory:
                return view
            case Call(_, arguments):
                inner = [ScopedValue(value, scope) for value in arguments]
            case Name() | Attribute():
                inner = [s for s in self._tracer.sources(view, into_calls=False) if s != view]
            case _:
                return None
        return next(
            (factory_call for value in inner if (factory_call := self._factory(value, depth + 1))), None
        )

    def _of_class(self, factory_call: ScopedValue) -> list[ViewAnswer]:
        call, scope = factory_call
        if not isinstance(call, Call) or not isinstance(call.function, Attribute):
            return []
        entity = self._tracer.types.of(call.function.base, scope.path, scope.number)
        if not isinstance(entity, DefinitionRef):
            name = entity.dotted_name.rpartition(".")[2] if isinstance(entity, External) else ""
            name = name or getattr(call.function.base, "name", "?")
            return [ViewAnswer(verb, None, name) for verb in self._style.inherited_verbs.get(name) or (ANY,)]
        actions = next((value for value in call.arguments if isinstance(value, Pairs)), None)
        answers = list(
            self._from_actions(entity, actions, scope) if actions is not None else self._methods(entity)
        )
        limit = allowed_methods(self._tracer, entity, self._style.limits)
        allowed_answers = [answer for answer in answers if limit is None or answer.verb in limit]
        return allowed_answers or [ViewAnswer(ANY, entity, self._tracer.program.qualified_name(entity))]

    def _from_actions(self, class_: DefinitionRef, actions: Pairs, scope: Scope) -> Iterator[ViewAnswer]:
        """`as_view({"get": "list"})`: the methods of the class that are named for each HTTP method."""
        for key, value in actions.items:
            for verb in self._tracer.texts(ScopedValue(key, scope)):
                for name in self._tracer.texts(ScopedValue(value, scope)):
                    yield answer_of(self._tracer, verb.text.upper(), class_, name.text)

    def _methods(self, class_: DefinitionRef) -> Iterator[ViewAnswer]:
        """Methods named like HTTP methods, those of the class and those it inherits from outside."""
        inherited_verbs = {
            verb
            for base in self._tracer.types.classes.external_bases(class_)
            for verb in self._style.inherited_verbs.get(base.rpartition(".")[2], ())
        }
        for word in VIEW_METHODS:
            is_own = isinstance(self._tracer.types.member(class_, word), DefinitionRef)
            if is_own or word.upper() in inherited_verbs:
                yield answer_of(self._tracer, word.upper(), class_, word)

    def _decorator_verbs(self, function: DefinitionRef) -> tuple[str, ...]:
        """The HTTP methods that a function's decorators name."""
        definition = self._tracer.program.definition(function)
        scope = Scope(function.path, definition.parent)
        for decorator in definition.decorators:
            function_ = decorator.function if isinstance(decorator, Call) else decorator
            entity = self._tracer.types.of(function_, scope.path, scope.number)
            if not isinstance(entity, External):
                continue
            package, _, word = entity.dotted_name.partition(".")[0], "", entity.dotted_name.rpartition(".")[2]
            if word not in self._style.decorators or package not in self._style.packages:
                continue
            verbs: tuple[str, ...] = ()
            if isinstance(decorator, Call):
                values = [*decorator.arguments, *(value for _, value in decorator.keywords)]
                verbs = verbs_in(self._tracer, values[0] if values else None, scope)
            return self._style.decorators[word] or verbs or (self._style.default,)
        return ()


def answer_of(tracer: Tracer, verb: str, class_: DefinitionRef, name: str) -> ViewAnswer:
    """The method of a class that answers; the class, where it inherits the method from outside."""
    member = tracer.types.member(class_, name)
    if isinstance(member, DefinitionRef):
        return ViewAnswer(verb, member, tracer.program.qualified_name(member))
    return ViewAnswer(verb, class_, f"{tracer.program.qualified_name(class_)}.{name}")
