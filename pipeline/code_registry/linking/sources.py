"""Follow a value back to where it is made: through names, imports, parameters, attributes and returns."""

from collections.abc import Iterator

from pipeline.code_registry.facts import (
    OPAQUE,
    RESULT,
    Argument,
    Assignment,
    Attribute,
    Call,
    CallSite,
    Choice,
    Constant,
    Expression,
    Import,
    Items,
    Joined,
    Name,
    Pairs,
    Splat,
    Subscript,
    Text,
)
from pipeline.code_registry.linking.calls import CallSites
from pipeline.code_registry.linking.program import Collection, Defined, Instance, Module, Program
from pipeline.code_registry.linking.traced import Scope, Traced, is_handed_in
from pipeline.code_registry.linking.types import Types

DEEPEST = 24
MOST_STEPS = 20_000
MOST_SITES = 200


class Sources:
    """Follows values. Every walk is bounded in depth, and a value that leads to itself ends there."""

    def __init__(self, program: Program, types: Types, calls: CallSites) -> None:
        self.program = program
        self.types = types
        self.calls = calls
        self._steps = 0
        self._into_calls = True
        self._literal_types: dict[tuple[str, Call], Defined] = {}
        """The classes of literals that do not name their type themselves."""

    def _spent(self, depth: int) -> bool:
        """Whether a question has taken too many steps; each question that is asked from outside starts anew."""
        self._steps = self._steps + 1 if depth else 0
        return depth > DEEPEST or self._steps > MOST_STEPS

    def sources(self, traced: Traced, depth: int = 0, *, into_calls: bool = True) -> list[Traced]:
        """The expressions a value may come from: calls of outside things, literals, parameters nobody fills.

        Without `into_calls` a call of a function of the repository is a source, too.
        """
        if self._spent(depth):
            return []
        if not into_calls:
            outside, self._into_calls = self._into_calls, False
            try:
                return self.sources(traced, depth)
            finally:
                self._into_calls = outside
        expression, scope = traced
        match expression:
            case Name(name):
                return self._name(name, scope, depth)
            case Attribute(base, name):
                found = self._attribute(base, name, scope, depth)
                return found if found is not None else [traced]
            case Call(function, _, _, _):
                called = self.types.of(function, scope.path, scope.number)
                if self._into_calls and isinstance(called, Defined) and not self.program.is_class(called):
                    inner = self._returned(called, expression, scope, depth)
                    return inner or [traced]
                return [traced]
            case Subscript(Call(function) as call, Constant(number)) if number.startswith(RESULT):
                called = self.types.of(function, scope.path, scope.number)
                if isinstance(called, Defined) and not self.program.is_class(called):
                    which = int(number.removeprefix(RESULT))
                    return self._returned(called, call, scope, depth, which) or [traced]
                return [Traced(call, scope)] if number == f"{RESULT}0" else [traced]
            case Subscript(base, Constant(number)) if number.startswith(RESULT):
                return self._part(Traced(base, scope), int(number.removeprefix(RESULT)), depth) or [traced]
            case Subscript(base, Text(key)):
                return self._of_value(base, key, scope, depth) or [traced]
            case Choice(options):
                return [s for option in options for s in self.sources(Traced(option, scope), depth + 1)]
            case _:
                return [traced]

    def steps(self, traced: Traced) -> list[Traced]:
        """The expressions one step behind a value: what a variable is given, what a function returns."""
        expression, scope = traced
        match expression:
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                return list(scope.arguments[name])
            case Name(name):
                _, bindings = self.program.bindings(scope.path, scope.number, name)
                given = [b for b in bindings if isinstance(b, Assignment) and b.value is not None]
                inner = {
                    b.scope: scope if b.scope == scope.number else Scope(scope.path, b.scope) for b in given
                }
                return [Traced(b.value, inner[b.scope]) for b in given if b.value is not None]
            case Call(function):
                called = self.types.of(function, scope.path, scope.number)
                if not isinstance(called, Defined) or self.program.is_class(called):
                    return []
                bound = self.bound(called, scope.path, CallSite(scope.number, expression), scope)
                within = Scope(called.path, called.number, bound)
                return [Traced(returned.value, within) for returned in self.program.returns(called)]
            case _:
                return []

    def _name(self, name: str, scope: Scope, depth: int) -> list[Traced]:
        if scope.arguments is not None and name in scope.arguments:
            return [s for value in self._filled(name, scope) for s in self.sources(value, depth + 1)]
        at, bindings = self.program.bindings(scope.path, scope.number, name)
        if at < 0:
            for module in self.program.star_modules(scope.path, 0):
                if self.program.own(module, 0, name):
                    return self.sources(Traced(Name(name), Scope(module, 0)), depth + 1)
            return [Traced(Name(name), scope)]
        found: list[Traced] = []
        for binding in bindings:
            at_home = at == scope.number and not (isinstance(binding, Assignment) and binding.scope != at)
            here = (
                scope
                if at_home
                else Scope(scope.path, binding.scope if isinstance(binding, Assignment) else at)
            )
            match binding:
                case Assignment(value=value) if value is not None and value != Name(name):
                    found += self._assigned(Traced(value, here), binding, depth)
                case Import():
                    found += self._imported(binding, scope.path, name, depth)
                case Argument():
                    found += self.parameter(Defined(scope.path, at), binding, depth)
        return found or [Traced(Name(name), scope)]

    def _filled(self, name: str, scope: Scope) -> tuple[Traced, ...]:
        """What a parameter holds: what was handed in, or what the function makes of it (`path = path.strip("/")`)."""
        if scope.arguments is None:
            return ()
        if name not in scope.rebinding:
            inner = scope._replace(rebinding=scope.rebinding | {name})
            rebound = tuple(
                Traced(binding.value, inner)
                for binding in self.program.own(scope.path, scope.number, name)
                if isinstance(binding, Assignment) and binding.value is not None and binding.mode == "assign"
            )
            if rebound:
                return rebound
        return scope.arguments[name]

    def _assigned(self, value: Traced, binding: Assignment, depth: int) -> list[Traced]:
        match binding.mode:
            case "each":
                items = self.elements(value, depth + 1)
            case "key":
                items = [key for key, _ in self.pairs(value, depth + 1)]
            case _:
                return self.sources(value, depth + 1)
        return [source for item in items for source in self.sources(item, depth + 1)]

    def _part(self, whole: Traced, number: int, depth: int) -> list[Traced]:
        """The part of that number of a tuple, or of a value made with so many arguments."""
        found: list[Traced] = []
        for source in self.sources(whole, depth + 1):
            match source.expression:
                case Items(parts) | Call(_, parts) if number < len(parts):
                    found += self.sources(Traced(parts[number], source.scope), depth + 1)
        return found

    def _imported(self, imported: Import, path: str, name: str, depth: int) -> list[Traced]:
        found = self.program.find_module(path, imported.module, imported.level)
        if found is None or imported.name is None or (found == path and imported.name == name):
            return [Traced(Name(name), Scope(path, imported.scope))]
        default = self.program.words.default
        wanted: Expression = Name(imported.name)
        if default is not None and imported.name != default and not self._has(found, imported.name):
            wanted = Attribute(Name(default), imported.name)
        return self.sources(Traced(wanted, Scope(found, 0)), depth + 1)

    def _has(self, path: str, name: str) -> bool:
        return bool(self.program.own(path, 0, name)) or any(self.program.star_modules(path, 0))

    def parameter(self, function: Defined, argument: Argument, depth: int = 0) -> list[Traced]:
        """What callers in the repository hand in for a parameter; its default if nobody calls."""
        found: list[Traced] = []
        for path, site in self.calls.of(function, MOST_SITES):
            values = self.bound(function, path, site).get(argument.name, ())
            found += [s for value in values for s in self.sources(value, depth + 1)]
        if not found and argument.default is not None:
            found = self.sources(Traced(argument.default, Scope(function.path, function.number)), depth + 1)
        return found or [Traced(Name(argument.name), Scope(function.path, function.number))]

    def bound(
        self, function: Defined, path: str, site: CallSite, outer: Scope | None = None
    ) -> dict[str, tuple[Traced, ...]]:
        """The values that a call gives to the parameters of a function; the receiver is the first."""
        scope = outer if outer is not None else Scope(path, site.scope)
        arguments = list(self.program.definition(function).arguments)
        bound: dict[str, tuple[Traced, ...]] = {}
        outside = self.program.files[function.path].definitions[self.program.definition(function).parent].kind
        called = site.call.function
        is_receiver = bool(arguments) and arguments[0].name in self.program.words.receivers
        if (outside == "class" and is_receiver) or (outside == "extension" and arguments):
            receiver = arguments.pop(0)
            if isinstance(called, Attribute):
                bound[receiver.name] = (Traced(called.base, scope),)
        values = [Traced(value, scope) for value in site.call.arguments]
        for argument in arguments:
            if argument.kind == "list":
                bound[argument.name], values = tuple(values), []
            elif argument.kind == "plain" and values and not isinstance(values[0].expression, Splat):
                bound[argument.name] = (values.pop(0),)
        names = {argument.name for argument in arguments}
        bound |= {key: (Traced(value, scope),) for key, value in site.call.keywords if key in names}
        for argument in arguments:
            if argument.name not in bound and argument.default is not None:
                bound[argument.name] = (Traced(argument.default, Scope(function.path, function.number)),)
        return bound

    def _attribute(self, base: Expression, name: str, scope: Scope, depth: int) -> list[Traced] | None:
        if is_handed_in(base, scope):
            found = self._of_value(base, name, scope, depth)
            if found is not None:
                return found
        owner = self.types.of(base, scope.path, scope.number)
        match owner:
            case Module(path):
                if self._has(path, name):
                    return self.sources(Traced(Name(name), Scope(path, 0)), depth + 1)
                return None
            case Instance(path, index) | Defined(path, index) if self.program.is_class(Defined(path, index)):
                return self._of_class(Defined(path, index), name, depth)
            case _:
                return self._of_value(base, name, scope, depth)

    def _of_value(self, base: Expression, name: str, scope: Scope, depth: int) -> list[Traced] | None:
        """A member of a value that is followed first: a key of a mapping, an attribute of an instance."""
        found: list[Traced] = []
        for source in self.sources(Traced(base, scope), depth + 1):
            value, where = source
            if isinstance(value, Pairs):
                for key, inner in value.items:
                    if key == Text(name):
                        found += self.sources(Traced(inner, where), depth + 1)
            elif isinstance(value, Call) and (inside := self._made_with(source, name)) is not None:
                found += self.sources(inside, depth + 1)
            elif value != base:
                owner = self.types.of(value, where.path, where.number)
                if isinstance(owner, Instance):
                    found += self._of_class(Defined(owner.path, owner.number), name, depth) or ()
        return found or None

    def _made_with(self, made: Traced, name: str) -> Traced | None:
        """What a value was made with: `Route{"GET", "/orders"}` or `Route(path="/orders")` for one of its fields."""
        call, scope = made
        if not isinstance(call, Call):
            return None
        for key, value in call.keywords:
            if key == name:
                return Traced(value, scope)
        class_ = self._literal_types.get((scope.path, call))
        if class_ is None:
            entity = self.types.of(call.function, scope.path, scope.number)
            class_ = entity if isinstance(entity, Defined) and self.program.is_class(entity) else None
        if class_ is None or not call.arguments:
            return None
        fields = [
            item
            for names in self.program.own_names(class_.path, class_.number).values()
            for item in names
            if isinstance(item, Assignment) and item.mode == "field"
        ]
        order = [item.target for item in sorted(fields, key=lambda item: item.line)]
        at = order.index(name) if name in order else len(call.arguments)
        return Traced(call.arguments[at], scope) if at < len(call.arguments) else None

    def _of_class(self, owner: Defined, name: str, depth: int) -> list[Traced] | None:
        for class_ in self.types.classes.lineage(owner):
            own = self.program.own(class_.path, class_.number, name)
            inside = [b for b in own if isinstance(b, Assignment)]
            inside += self.program.instance_assignments(class_.path, class_.number, name)
            values = [Traced(a.value, Scope(class_.path, a.scope)) for a in inside if a.value is not None]
            if not values and any(binding.mode == "field" for binding in inside):
                values = list(self._given(class_, name))
            found = [source for value in values for source in self.sources(value, depth + 1)]
            if found:
                return found
        return None

    def _given(self, class_: Defined, name: str) -> Iterator[Traced]:
        """What is put into a declared field: where values of the class are made, and from outside."""
        for path, site in self.calls.of(class_, MOST_SITES):
            for key, value in site.call.keywords:
                if key == name:
                    yield Traced(value, Scope(path, site.scope))
        for path, assignment in self.types.classes.member_values(class_, name)[:MOST_SITES]:
            if assignment.value is not None:
                yield Traced(assignment.value, Scope(path, assignment.scope))

    def _returned(
        self, called: Defined, call: Call, scope: Scope, depth: int, which: int | None = None
    ) -> list[Traced]:
        """What a function returns; `which` of the values where it returns several."""
        arguments = self.bound(called, scope.path, CallSite(scope.number, call), scope)
        inner = Scope(called.path, called.number, arguments)
        return [
            source
            for returned in self.program.returns(called)
            for source in self.sources(Traced(_one_of(returned.value, which), inner), depth + 1)
        ]

    def elements(self, source: Traced, depth: int = 0) -> list[Traced]:
        """The single values that a loop over a value goes through; a name that is a parameter means what was handed in."""
        if depth > DEEPEST:
            return []
        expression, scope = source
        match expression:
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                values = scope.arguments[name]
                inside = self.elements(values[0], depth + 1) if len(values) == 1 else []
                return inside or list(values)
            case Items(items) | Joined(items):
                return [
                    element
                    for item in items
                    for element in self._spread(Traced(item, scope), expression, depth)
                ]
            case Pairs(pairs):
                looped = (value if self.program.words.static_types else key for key, value in pairs)
                return [Traced(value, scope) for value in looped]
            case Call(Attribute(base, "items"), ()) | Call(Attribute(Name("Object"), "entries"), (base,)):
                entries = self.pairs(Traced(base, scope), depth + 1)
                return [
                    Traced(Items((key.expression, value.expression)), key.scope) for key, value in entries
                ]
            case Call(Name("enumerate"), (inner, *_)):
                found = self.elements(Traced(inner, scope), depth + 1)
                return [Traced(Items((OPAQUE, element.expression)), element.scope) for element in found]
            case Call(_, arguments) if arguments and (class_ := self._class_of_slice(source)) is not None:
                return self._literals_in(class_, source)
        found = [s for s in self.sources(source, depth + 1) if s != source]
        return [element for s in found for element in self.elements(s, depth + 1)]

    def _spread(self, item: Traced, within: Expression, depth: int) -> list[Traced]:
        """One item of a list, or the elements of a list that is put into it: `[*FIRST, second]`, `FIRST + SECOND`."""
        if isinstance(item.expression, Splat):
            return self.elements(Traced(item.expression.value, item.scope), depth + 1)
        return self.elements(item, depth + 1) if isinstance(within, Joined) else [item]

    def pairs(self, source: Traced, depth: int = 0) -> list[tuple[Traced, Traced]]:
        """Keys and values of a mapping."""
        expression, scope = source
        if isinstance(expression, Pairs):
            return [(Traced(key, scope), Traced(value, scope)) for key, value in expression.items]
        if depth > DEEPEST:
            return []
        found = [s for s in self.sources(source, depth + 1) if s != source]
        return [pair for s in found for pair in self.pairs(s, depth + 1)]

    def _class_of_slice(self, source: Traced) -> Defined | None:
        """The class of a literal whose type is declared as a list: `type Routes []Route`."""
        call, scope = source
        if not isinstance(call, Call) or not self.program.words.static_types:
            return None
        entity = self.types.of(call.function, scope.path, scope.number)
        if not isinstance(entity, Defined) or not self.program.is_class(entity):
            return None
        bases = self.program.definition(entity).bases
        is_list = len(bases) == 1 and isinstance(bases[0], Subscript)
        return entity if is_list else None

    def _literals_in(self, class_: Defined, source: Traced) -> list[Traced]:
        """The elements of such a literal. Those that name no type are of the type that the list is declared with."""
        call, scope = source
        definition = self.program.definition(class_)
        base = definition.bases[0]
        element = self.types.annotations.read(base, class_.path, definition.parent)
        inner = element.element if isinstance(element, Collection) else None
        values = call.arguments if isinstance(call, Call) else ()
        for value in values:
            if isinstance(value, Call) and value.function == OPAQUE and isinstance(inner, Instance):
                self._literal_types[scope.path, value] = Defined(inner.path, inner.number)
        return [Traced(value, scope) for value in values]


def _one_of(value: Expression, which: int | None) -> Expression:
    """One of several values that are returned together."""
    if which is None or not isinstance(value, Items):
        return value
    return value.items[which] if which < len(value.items) else OPAQUE
