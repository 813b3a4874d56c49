"""The handlers of requests: functions behind wrappers, classes by their methods, and the methods that they test for."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Comparison,
    Expression,
    Inline,
    Items,
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
    last_word,
)
from pipeline.code_registry.framework import ViewStyle
from pipeline.code_registry.linking.names.program import (
    Collection,
    DefinitionRef,
    Entity,
    External,
    Instance,
    Module,
)
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer

_DEEPEST = 8
INLINE = "inline function"
"""What a handler is called that has no name of its own."""


class Handler(NamedTuple):
    """A handler, if it is in the repository, and its name for a person."""

    ref: DefinitionRef | None
    name: str


class HandlerFinder:
    """Finds handlers. The handler is the function passed to a wrapper, not the wrapper's own."""

    def __init__(self, tracer: Tracer, factories: Iterable[str | None]) -> None:
        self._tracer = tracer
        self._factories = frozenset(factories) - {None}

    def find(self, scoped_value: ScopedValue) -> Handler:
        """The function or class that answers for a value."""
        ref = self._find(scoped_value, 0)
        if ref is None:
            return Handler(None, (last_word(scoped_value.expression, Call) or "?"))
        *outer, own_name = self._tracer.program.qualified_name(ref).split(".")
        if own_name.startswith("<"):
            return Handler(ref, INLINE)
        return Handler(ref, ".".join([*(part for part in outer if not part.startswith("<")), own_name]))

    def _find(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        if depth > _DEEPEST:
            return None
        expression, scope = scoped_value
        match expression:
            case Call():
                return self._find_in_call(expression, scoped_value, depth)
            case Items(items):
                return self._find(ScopedValue(items[-1], scope), depth + 1) if items else None
            case Pairs(items):
                inner = next((value for key, value in items if key == StringLiteral("handler")), None)
                return None if inner is None else self._find(ScopedValue(inner, scope), depth + 1)
            case Attribute(base, name) if (heir := self._tracer.owner(base, scope)) is not None:
                method = self._tracer.types.member(Instance(heir.path, heir.number), name)
                return method if isinstance(method, DefinitionRef) else None
            case Name() | Attribute() | Subscript():
                for source in self._tracer.sources(scoped_value, into_calls=False):
                    if source != scoped_value:
                        ref = self._find(source, depth + 1)
                        if ref is not None:
                            return ref
                entity = self._tracer.types.of(expression, scope.path, scope.number)
                if entity is None and isinstance(expression, Attribute):
                    entity = self._method(expression, scoped_value)
                return entity if isinstance(entity, DefinitionRef) and self._answers(entity) else None
            case _:
                return None

    def _method(self, expression: Attribute, scoped_value: ScopedValue) -> Entity | None:
        """A method of a value that is followed first: of the object that a parameter is handed."""
        for source in self._tracer.sources(ScopedValue(expression.base, scoped_value.scope)):
            owner = self._tracer.types.of(source.expression, source.scope.path, source.scope.number)
            if isinstance(owner, Instance):
                return self._tracer.types.member(owner, expression.name)
        return None

    def _find_in_call(self, call: Call, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        function, scope = call.function, scoped_value.scope
        if isinstance(function, Attribute) and function.name in self._factories:
            return self._find(ScopedValue(function.base, scope), depth + 1)
        for inner in call.arguments:
            ref = self._find(ScopedValue(inner, scope), depth + 1)
            if ref is not None:
                return ref
        if isinstance(function, Attribute) and function.name == "bind":
            return self._find(ScopedValue(function.base, scope), depth + 1)
        for source in self._tracer.sources(scoped_value):
            if source != scoped_value and not isinstance(source.expression, Call):
                ref = self._find(source, depth + 1)
                if ref is not None:
                    return ref
        return None

    def _answers(self, ref: DefinitionRef) -> bool:
        return self._tracer.program.definition(ref).kind != "object"


DEEPEST = 8
DEPTH_BEHIND_VARIABLE = 4
"""What following a variable costs of that depth."""
_HANDLERS = frozenset({"HandlerFunc", "Handler", "func"})
"""Last words of the types that handlers have."""


class AnswerFinder:
    """Sees through wrappers: `allow(withId(orders.show), "read")` is answered by `orders.show`."""

    def __init__(self, tracer: Tracer, contexts: frozenset[str], answering: frozenset[str]) -> None:
        self._tracer = tracer
        self._program = tracer.program
        self._contexts = contexts
        self._answering = answering

    def find(self, scoped_value: ScopedValue) -> DefinitionRef | None:
        """The handler as written where it is registered, or behind variables."""
        answer = self._find_direct(scoped_value, 0)
        if answer is not None:
            return answer
        for source in self._tracer.sources(scoped_value):
            expression, scope = source
            if source == scoped_value:
                continue
            if isinstance(expression, Inline):
                return self._maker(scope, expression.number, scoped_value.scope)
            answer = self._find_direct(source, 0)
            if answer is not None:
                return answer
        return None

    def _find_direct(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        expression, scope = scoped_value
        if depth > DEEPEST:
            return None
        if isinstance(expression, Inline):
            return DefinitionRef(scope.path, expression.number)
        if isinstance(expression, Splat):
            return None
        if isinstance(expression, Call):
            return self._find_in_call(expression, scope, depth)
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        match entity:
            case DefinitionRef() if not self._program.is_class(entity):
                return entity
            case Instance():
                return self._method(entity)
            case _:
                return None

    def _find_in_call(self, call: Call, scope: Scope, depth: int) -> DefinitionRef | None:
        """What a call gives: the handler that it is handed; failing that, the function that makes one."""
        for inner in call.arguments:
            answer = self._find_argument(ScopedValue(inner, scope), depth + 1)
            if answer is not None:
                return answer
        callee = self._tracer.types.of(call.function, scope.path, scope.number)
        if isinstance(callee, DefinitionRef):
            result = self._tracer.types.result(callee)
            method = self._method(result) if isinstance(result, Instance) else None
            if method is not None:
                return method
            return None if self._program.is_class(callee) else callee
        return None

    def _find_argument(self, scoped_value: ScopedValue, depth: int) -> DefinitionRef | None:
        """A handler among the arguments of a wrapper; other functions are not taken for one."""
        answer = self._find_direct(scoped_value, depth)
        if answer is not None and self._answers(answer):
            return answer
        expression, scope = scoped_value
        entity = self._tracer.types.of(expression, scope.path, scope.number)
        if not isinstance(expression, Name) or isinstance(entity, Instance | Collection | Module):
            return None
        for source in self._tracer.sources(scoped_value):
            answer = (
                None if source == scoped_value else self._find_direct(source, depth + DEPTH_BEHIND_VARIABLE)
            )
            if answer is not None and self._answers(answer):
                return answer
        return None

    def _answers(self, function: DefinitionRef) -> bool:
        definition = self._program.definition(function)
        types = {last_word(argument.annotation, Subscript) for argument in definition.arguments}
        return bool(types & self._contexts) or last_word(definition.returns, Subscript) in _HANDLERS

    def _method(self, instance: Instance) -> DefinitionRef | None:
        for word in self._answering:
            method = self._tracer.types.member(instance, word)
            if isinstance(method, DefinitionRef):
                return method
        return None

    def _maker(self, scope: Scope, number: int, asked_from: Scope) -> DefinitionRef:
        """The named function that returns a function written inside it; people know it by that name."""
        parent = self._program.files[scope.path].definitions[number].parent
        if parent > 0 and (scope.path, parent) != (asked_from.path, asked_from.number):
            return DefinitionRef(scope.path, parent)
        return DefinitionRef(scope.path, number)


_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
"""Methods that make an endpoint: HEAD and OPTIONS are answered on the way."""


def tested_methods(tracer: Tracer, handler: DefinitionRef, *, is_only_place: bool) -> tuple[str, ...]:
    """The methods that a handler answers by its own tests; none where the tests do not settle that.

    A switch, a refusal (`if r.Method != "POST"`) and tests for two methods settle it. A single `==` does so where the
    handler is the only place to tell methods apart (`is_only_place`); elsewhere the code after it may serve all others.
    """
    tests = list(_tests(tracer, handler))
    methods: list[str] = []
    for test in tests:
        for text in tracer.texts(ScopedValue(test.value, Scope(handler.path, test.scope))):
            method = text.text.upper()
            if not text.dynamic and method in _METHODS and method not in methods:
                methods.append(method)
    is_settled = is_only_place or len(methods) > 1 or any(test.excludes or test.is_case for test in tests)
    return tuple(methods) if is_settled else ()


def _tests(tracer: Tracer, handler: DefinitionRef) -> Iterator[Comparison]:
    """The tests in the code of a function, functions inside of it included."""
    definitions = tracer.program.definitions_of(handler.path)
    for test in tracer.program.files[handler.path].comparisons:
        at = test.scope
        while at > 0 and at != handler.number:
            at = definitions[at].parent
        if at == handler.number:
            yield test


ANY = "ANY"
VIEW_METHODS = ("get", "post", "put", "patch", "delete", "head", "options")


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
            word = self._tracer.outside_word(function_, scope, self._style.packages)
            if word not in self._style.decorators:
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
