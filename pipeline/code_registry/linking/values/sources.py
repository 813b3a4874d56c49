"""Follow a value back to where it is made: through names, imports, parameters, attributes and returns."""

from collections.abc import Iterator

from pipeline.code_registry.facts import (
    OPAQUE,
    RESULT,
    Alternatives,
    Argument,
    Assignment,
    Attribute,
    Call,
    CallSite,
    Constant,
    Expression,
    Import,
    Items,
    JoinedText,
    Name,
    Pairs,
    Splat,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.linking.names.calls import Calls
from pipeline.code_registry.linking.names.program import (
    Binding,
    DefinitionRef,
    Instance,
    Module,
    SourceProgram,
)
from pipeline.code_registry.linking.names.types import Types
from pipeline.code_registry.linking.values.call_arguments import (
    Scope,
    ScopedValue,
    bound_arguments,
    is_handed_in,
    result_part,
)

# A value is followed from the place that uses it to the expressions that may have made it. In the body of
# `def mount(app, prefix="/v1")` the name `prefix` leads to the parameter, and that to every call of `mount` in the
# repository: for `mount(api, "/v2")` its source is the literal "/v2". Without a call the default "/v1" is the source; a parameter without both is a source itself, which
# means unknown. A call of a function of the repository leads to what that returns, read in a scope that remembers
# the arguments of exactly this call (`Scope.arguments`), so that two calls of one helper are not mixed up.

DEEPEST = 24
MOST_STEPS = 20_000
MOST_SITES = 200


class ValueSources:
    """Follows values. Every walk is bounded in depth, and a value that leads to itself ends there."""

    def __init__(self, program: SourceProgram, types: Types, calls: Calls) -> None:
        self.program = program
        self.types = types
        self.calls = calls
        self._steps = 0
        self._into_calls = True
        self._parameters: dict[tuple[DefinitionRef, str, bool], list[ScopedValue]] = {}
        """The values of the present question's parameters; empty while one is followed, which ends a circle."""

    def _is_exhausted(self, depth: int) -> bool:
        """Whether a question has taken too many steps; each question that is asked from outside starts anew."""
        if not depth:
            self._steps = 0
            self._parameters.clear()
        self._steps += 1
        return depth > DEEPEST or self._steps > MOST_STEPS

    def sources(self, value: ScopedValue, depth: int = 0, *, into_calls: bool = True) -> list[ScopedValue]:
        """The expressions a value may come from: calls of outside things, literals, parameters that no call fills.

        Without `into_calls` a call of a function of the repository is a source, too.
        """
        if self._is_exhausted(depth):
            return []
        if not into_calls:
            outside, self._into_calls = self._into_calls, False
            try:
                return self.sources(value, depth)
            finally:
                self._into_calls = outside
        expression, scope = value
        match expression:
            case Name(name):
                return self._name(name, scope, depth)
            case Attribute(base, name):
                members = self._attribute(base, name, scope, depth)
                return members if members is not None else [value]
            case Call(function, _, _, _):
                callee = self.types.of(function, scope.path, scope.number)
                if (
                    self._into_calls
                    and isinstance(callee, DefinitionRef)
                    and not self.program.is_class(callee)
                ):
                    inner = self._return_values(callee, expression, scope, depth)
                    return inner or [value]
                return [value]
            case Subscript(Call(function) as call, Constant(number)) if number.startswith(RESULT):
                callee = self.types.of(function, scope.path, scope.number)
                if isinstance(callee, DefinitionRef) and not self.program.is_class(callee):
                    result_number = int(number.removeprefix(RESULT))
                    return self._return_values(callee, call, scope, depth, result_number) or [value]
                return [ScopedValue(call, scope)] if number == f"{RESULT}0" else [value]
            case Subscript(base, Constant(number)) if number.startswith(RESULT):
                part = int(number.removeprefix(RESULT))
                return self._part(ScopedValue(base, scope), part, depth) or [value]
            case Subscript(base, StringLiteral(key)):
                return self._of_value(base, key, scope, depth) or [value]
            case Alternatives(options):
                return [s for option in options for s in self.sources(ScopedValue(option, scope), depth + 1)]
            case _:
                return [value]

    def _name(self, name: str, scope: Scope, depth: int) -> list[ScopedValue]:
        if scope.arguments is not None and name in scope.arguments:
            return [s for value in self._argument_values(name, scope) for s in self.sources(value, depth + 1)]
        at, bindings = self.program.bindings(scope.path, scope.number, name)
        if at < 0:
            for module in self.program.star_modules(scope.path, 0):
                if self.program.bindings_in(module, 0, name):
                    return self.sources(ScopedValue(Name(name), Scope(module, 0)), depth + 1)
            return [ScopedValue(Name(name), scope)]
        sources: list[ScopedValue] = []
        for binding in bindings:
            home = binding.scope if isinstance(binding, Assignment) else at
            here = scope if at == home == scope.number else Scope(scope.path, home)
            match binding:
                case Assignment(value=value) if value is not None and value != Name(name):
                    sources += self._from_assignment(ScopedValue(value, here), binding, depth)
                case Import():
                    sources += self._from_import(binding, scope.path, name, depth)
                case Argument():
                    sources += self.parameter(DefinitionRef(scope.path, at), binding, depth)
        return sources or [ScopedValue(Name(name), scope)]

    def _argument_values(self, name: str, scope: Scope) -> tuple[ScopedValue, ...]:
        """What a parameter holds: what was handed in, or what the function makes of it (`path = path.strip("/")`)."""
        if scope.arguments is None:
            return ()
        if name not in scope.rebinding:
            inner = scope._replace(rebinding=scope.rebinding | {name})
            rebound = tuple(
                ScopedValue(binding.value, inner)
                for binding in self.program.bindings_in(scope.path, scope.number, name)
                if isinstance(binding, Assignment) and binding.value is not None and binding.mode == "assign"
            )
            if rebound:
                return rebound
        return scope.arguments[name]

    def _from_assignment(self, value: ScopedValue, binding: Assignment, depth: int) -> list[ScopedValue]:
        match binding.mode:
            case "each":
                items = self.elements(value, depth + 1)
            case "key":
                items = [key for key, _ in self.pairs(value, depth + 1)]
            case _:
                return self.sources(value, depth + 1)
        return [source for item in items for source in self.sources(item, depth + 1)]

    def _part(self, whole: ScopedValue, number: int, depth: int) -> list[ScopedValue]:
        """The part of that number of a tuple, or of a value made with so many arguments."""
        sources_of_part: list[ScopedValue] = []
        for source in self.sources(whole, depth + 1):
            match source.expression:
                case Items(parts) | Call(_, parts) if number < len(parts):
                    sources_of_part += self.sources(ScopedValue(parts[number], source.scope), depth + 1)
        return sources_of_part

    def _from_import(self, import_: Import, path: str, name: str, depth: int) -> list[ScopedValue]:
        module_path = self.program.find_module(path, import_.module, import_.level)
        if module_path is None or import_.name is None or (module_path == path and import_.name == name):
            return [ScopedValue(Name(name), Scope(path, import_.scope))]
        default = self.program.words.default
        member: Expression = Name(import_.name)
        if default is not None and import_.name != default and not self._has(module_path, import_.name):
            member = Attribute(Name(default), import_.name)
        return self.sources(ScopedValue(member, Scope(module_path, 0)), depth + 1)

    def _has(self, path: str, name: str) -> bool:
        return bool(self.program.bindings_in(path, 0, name)) or any(self.program.star_modules(path, 0))

    def parameter(self, function: DefinitionRef, argument: Argument, depth: int = 0) -> list[ScopedValue]:
        """What callers in the repository pass for a parameter; its default if there is no caller."""
        key = function, argument.name, self._into_calls
        if depth and key in self._parameters:
            return self._parameters[key]
        self._parameters[key] = []
        inside = Scope(function.path, function.number)
        sources: list[ScopedValue] = []
        for path, site in self.calls.of(function, MOST_SITES):
            values = self.bound(function, path, site).get(argument.name, ())
            sources += [s for value in values for s in self.sources(value, depth + 1)]
        if not sources and argument.default is not None:
            sources = self.sources(ScopedValue(argument.default, inside), depth + 1)
        self._parameters[key] = sources or [ScopedValue(Name(argument.name), inside)]
        return self._parameters[key]

    def bound(
        self, function: DefinitionRef, path: str, site: CallSite, outer: Scope | None = None
    ) -> dict[str, tuple[ScopedValue, ...]]:
        """The values that a call gives to the parameters of a function; the receiver is the first."""
        scope = outer if outer is not None else Scope(path, site.scope)
        return bound_arguments(self.program, function, site.call, scope)

    def owner(self, base: Expression, scope: Scope) -> DefinitionRef | None:
        """The class of an instance that inherits the code of a scope, where an expression stands for the instance."""
        is_receiver = isinstance(base, Name) and base.name in self.program.words.receivers
        return scope.owner if is_receiver else None

    def _attribute(self, base: Expression, name: str, scope: Scope, depth: int) -> list[ScopedValue] | None:
        heir = self.owner(base, scope)
        if heir is not None:
            return self._of_class(heir, name, depth)
        if is_handed_in(base, scope):
            values = self._of_value(base, name, scope, depth)
            if values is not None:
                return values
        owner = self.types.of(base, scope.path, scope.number)
        match owner:
            case Module(path):
                if self._has(path, name):
                    return self.sources(ScopedValue(Name(name), Scope(path, 0)), depth + 1)
                return None
            case Instance(path, index) | DefinitionRef(path, index) if self.program.is_class(
                class_ := DefinitionRef(path, index)
            ):
                return self._of_class(class_, name, depth)
            case _:
                return self._of_value(base, name, scope, depth)

    def _of_value(self, base: Expression, name: str, scope: Scope, depth: int) -> list[ScopedValue] | None:
        """A member of a value that is followed first: a key of a mapping, an attribute of an instance."""
        members: list[ScopedValue] = []
        for source in self.sources(ScopedValue(base, scope), depth + 1):
            value, value_scope = source
            if isinstance(value, Pairs):
                for key, inner in value.items:
                    if key == StringLiteral(name):
                        members += self.sources(ScopedValue(inner, value_scope), depth + 1)
            elif isinstance(value, Call) and (inside := self._made_with(source, name)) is not None:
                members += self.sources(inside, depth + 1)
            elif value != base:
                owner = self.types.of(value, value_scope.path, value_scope.number)
                if isinstance(owner, Instance):
                    members += self._of_class(DefinitionRef(owner.path, owner.number), name, depth) or ()
        return members or None

    def _made_with(self, construction: ScopedValue, name: str) -> ScopedValue | None:
        """What a value was made with: `Route{"GET", "/orders"}` or `Route(path="/orders")` for one of its fields."""
        call, scope = construction
        if not isinstance(call, Call):
            return None
        for key, value in call.keywords:
            if key == name:
                return ScopedValue(value, scope)
        class_ = self.types.of(call.function, scope.path, scope.number)
        if not isinstance(class_, DefinitionRef) or not self.program.is_class(class_):
            return None
        order = [item.target for item in self.program.assignments_in(class_, "field")]
        at = order.index(name) if name in order else len(call.arguments)
        return ScopedValue(call.arguments[at], scope) if at < len(call.arguments) else None

    def _of_class(self, owner: DefinitionRef, name: str, depth: int) -> list[ScopedValue] | None:
        for class_ in self.types.classes.lineage(owner):
            heir = owner if class_ != owner else None
            class_bindings = self.program.bindings_in(class_.path, class_.number, name)
            inside = [b for b in class_bindings if isinstance(b, Assignment)]
            inside += self.program.instance_assignments(class_.path, class_.number, name)
            values: list[ScopedValue] = []
            for item in inside:  # what a class holds itself is one for all that inherit from it
                if item.value is not None:
                    of_instance = item.on_self or item.mode == "field"
                    within = Scope(class_.path, item.scope, owner=heir if of_instance else None)
                    values.append(ScopedValue(item.value, within))
            for binding in class_bindings:
                values += self._of_property(class_.path, binding, heir)
            if not values and any(item.mode == "field" for item in inside):
                values = list(self._field_values(class_, name))
            sources = [source for value in values for source in self.sources(value, depth + 1)]
            if sources:
                return sources
        return None

    def _of_property(self, path: str, binding: Binding, heir: DefinitionRef | None) -> Iterator[ScopedValue]:
        """What a method returns that reads like an attribute."""
        method = DefinitionRef(path, binding) if isinstance(binding, int) else None
        if method is not None and self.types.is_property(method):
            for result in self.program.returns(method):
                yield ScopedValue(result.value, Scope(path, method.number, owner=heir))

    def _field_values(self, class_: DefinitionRef, name: str) -> Iterator[ScopedValue]:
        """The values put into a declared field: where values of the class are made, and from outside."""
        for path, site in self.calls.of(class_, MOST_SITES):
            for key, value in site.call.keywords:
                if key == name:
                    yield ScopedValue(value, Scope(path, site.scope))
        for path, assignment in self.types.classes.member_values(class_, name)[:MOST_SITES]:
            if assignment.value is not None:
                yield ScopedValue(assignment.value, Scope(path, assignment.scope))

    def _return_values(
        self, callee: DefinitionRef, call: Call, scope: Scope, depth: int, result_number: int | None = None
    ) -> list[ScopedValue]:
        """What a function returns; `result_number` of the values where it returns several."""
        arguments = self.bound(callee, scope.path, CallSite(scope.number, call), scope)
        inner = Scope(callee.path, callee.number, arguments)
        return [
            source
            for result in self.program.returns(callee)
            for source in self.sources(
                ScopedValue(result_part(result.value, result_number), inner), depth + 1
            )
        ]

    def elements(self, source: ScopedValue, depth: int = 0) -> list[ScopedValue]:
        """The single values that a loop over a value goes through; a name that is a parameter means what was handed in."""
        if depth > DEEPEST:
            return []
        expression, scope = source
        match expression:
            case Name(name) if scope.arguments is not None and name in scope.arguments:
                values = scope.arguments[name]
                inside = self.elements(values[0], depth + 1) if len(values) == 1 else []
                return inside or list(values)
            case Items(items) | JoinedText(items):
                return [
                    element
                    for item in items
                    for element in self._spread(ScopedValue(item, scope), expression, depth)
                ]
            case Pairs(pairs):
                loop_values = (value if self.program.words.static_types else key for key, value in pairs)
                return [ScopedValue(value, scope) for value in loop_values]
            case Call(Attribute(base, "items"), ()) | Call(Attribute(Name("Object"), "entries"), (base,)):
                entries = self.pairs(ScopedValue(base, scope), depth + 1)
                return [
                    ScopedValue(Items((key.expression, value.expression)), key.scope)
                    for key, value in entries
                ]
            case Call(Name("enumerate"), (inner, *_)):
                sources = self.elements(ScopedValue(inner, scope), depth + 1)
                return [ScopedValue(Items((OPAQUE, item.expression)), item.scope) for item in sources]
        sources = [s for s in self.sources(source, depth + 1) if s != source]
        return [element for s in sources for element in self.elements(s, depth + 1)]

    def _spread(self, item: ScopedValue, within: Expression, depth: int) -> list[ScopedValue]:
        """One item of a list, or the elements of a list that is put into it: `[*FIRST, second]`, `FIRST + SECOND`."""
        if isinstance(item.expression, Splat):
            return self.elements(ScopedValue(item.expression.value, item.scope), depth + 1)
        return self.elements(item, depth + 1) if isinstance(within, JoinedText) else [item]

    def pairs(self, source: ScopedValue, depth: int = 0) -> list[tuple[ScopedValue, ScopedValue]]:
        """Keys and values of a mapping."""
        expression, scope = source
        if isinstance(expression, Pairs):
            return [(ScopedValue(key, scope), ScopedValue(value, scope)) for key, value in expression.items]
        if depth > DEEPEST:
            return []
        sources = [s for s in self.sources(source, depth + 1) if s != source]
        return [pair for s in sources for pair in self.pairs(s, depth + 1)]
