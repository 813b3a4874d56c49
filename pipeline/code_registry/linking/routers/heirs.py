"""Whose code is it: routers and registrations that a class inherits from another class of the repository."""

from collections.abc import Iterator, Sequence

from pipeline.code_registry.facts import Attribute, Call, CallSite, Expression, Name
from pipeline.code_registry.linking.names.program import DefinitionRef, Entity, Instance
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.values.call_arguments import computed_method
from pipeline.code_registry.linking.values.loops import names_in
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer

# `class Controller { constructor() { this.app = Router() } get(path, f) { this.app.get(path, f) } }` is one piece of code, and
# each class that inherits from it has a router of its own. So a scope remembers the class of the instance (`Scope.owner`),
# the router is a node for each such class, and `this.get("/", …)` in `Orders` registers at the router of `Orders`.

_SUPER = Name("super")


class Heirs:
    """Tells for which classes inherited code runs."""

    def __init__(self, graph: RouterGraph, tracer: Tracer) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._classes = tracer.types.classes

    def scopes(self, call: Call, scope: Scope) -> Iterator[Scope]:
        """The scopes of a statement that speaks of its instance's router: one for each class that inherits the code.

        The class itself has one if somebody makes an instance of it, or nobody inherits from it.
        """
        number = self._program.enclosing_class(scope.path, scope.number)
        receivers = self._program.words.receivers
        if number is None or scope.owner is not None or not any(name in receivers for name in names_in(call)):
            yield scope
            return
        class_ = DefinitionRef(scope.path, number)
        heirs = self._heirs_at_router(class_, ScopedValue(base, scope)) if (base := _receiver(call)) else ()
        if not heirs or self._is_made(class_):
            yield scope
        for heir in heirs:
            yield scope._replace(owner=heir)

    def _heirs_at_router(self, class_: DefinitionRef, base: ScopedValue) -> Sequence[DefinitionRef]:
        # Most classes have no heirs, and to look them up costs far less than to follow a value to its router.
        heirs = self._classes.heirs.get(class_, ())
        return heirs if heirs and self._graph.routers(base) else ()

    def owner(self, function: DefinitionRef, site: CallSite, outer: Scope) -> DefinitionRef | None:
        """The class of the instance that a method is called for, if that class inherits the method."""
        class_ = DefinitionRef(function.path, self._program.definition(function).parent)
        if class_.number <= 0 or not self._program.is_class(class_):
            return None
        function_name = site.call.function
        base = function_name.base if isinstance(function_name, Attribute) else function_name
        is_receiver = isinstance(base, Name) and base.name in self._program.words.receivers
        entity: Entity | None
        if is_receiver or base == _SUPER or (isinstance(base, Call) and base.function == _SUPER):
            number = self._program.enclosing_class(outer.path, site.scope)
            entity = outer.owner or (None if number is None else DefinitionRef(outer.path, number))
        else:
            entity = self._tracer.types.of(base, outer.path, site.scope)
        if isinstance(entity, Instance):
            entity = DefinitionRef(entity.path, entity.number)
        if not isinstance(entity, DefinitionRef) or not self._program.is_class(entity):
            return None
        return entity if class_ in self._classes.lineage(entity)[1:] else None

    def _is_made(self, class_: DefinitionRef) -> bool:
        """Whether an instance of exactly this class is made."""
        return any(
            self._tracer.types.of(site.call.function, path, site.scope) == class_
            for path, site in self._tracer.calls.of(class_)
        )


def _receiver(call: Call) -> Expression | None:
    """What a method is called on."""
    method = computed_method(call)
    return method[0] if method else call.function.base if isinstance(call.function, Attribute) else None
