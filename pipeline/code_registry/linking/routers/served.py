"""Before routes are read: which functions are handed a router, and which routers are served."""

from pipeline.code_registry.facts import Attribute, Call
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.linking.names.program import DefinitionRef, External, ExternalInstance
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.values.call_arguments import argument
from pipeline.code_registry.linking.values.traced import Scope, ScopedValue
from pipeline.code_registry.linking.values.tracing import Tracer


class ServedReader:
    """Notes both in a graph of routers."""

    def __init__(self, graph: RouterGraph, tracer: Tracer) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._blocks = {
            name: [method.block for _, method in methods if method.block is not None]
            for name, methods in graph.words.subrouters.items()
        }
        self._serving = {dotted_name.rpartition(".")[2] for dotted_name in graph.words.serves}
        self._served_at = {
            (dotted_name, at.keyword)
            for dotted_name, at in graph.words.serves.items()
            if at.keyword is not None
        }

    def read(self, failures: FailureLog) -> None:
        """Read all files: a router may be handed on in any of them."""
        if not self._blocks and not self._serving:
            return
        for path in self._program.files:
            with failures.reading(path):
                self._find_blocks(path)
        for path in self._program.files:
            with failures.reading(path):
                self._find_served(path)

    def _find_blocks(self, path: str) -> None:
        """`router.Route("/orders", func(r chi.Router) { … })`"""
        for site in self._program.files[path].calls:
            function = site.call.function
            word = function.name if isinstance(function, Attribute) else ""
            for at in self._blocks.get(word, ()):
                block = argument(site.call, at)
                entity = None if block is None else self._tracer.types.of(block, path, site.scope)
                if isinstance(entity, DefinitionRef) and not self._program.is_class(entity):
                    call = ScopedValue(site.call, Scope(path, site.scope))
                    self._graph.blocks.setdefault(entity, []).append(call)

    def _find_served(self, path: str) -> None:
        """`http.ListenAndServe(address, router)`, `http.Server{Handler: router}` and `server.Handler = router`."""
        facts = self._program.files[path]
        for site in facts.calls:
            if isinstance(site.call.function, Attribute) and site.call.function.name in self._serving:
                self._by_call(site.call, Scope(path, site.scope))
        for assignment in facts.assignments:
            if assignment.mode != "member" or assignment.annotation is None or assignment.value is None:
                continue
            owner = self._tracer.types.of(assignment.annotation, path, assignment.scope)
            if (
                isinstance(owner, ExternalInstance)
                and (owner.dotted_name, assignment.target) in self._served_at
            ):
                self._graph.serve(ScopedValue(assignment.value, Scope(path, assignment.scope)))

    def _by_call(self, call: Call, scope: Scope) -> None:
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        at = self._graph.words.serves.get(entity.dotted_name) if isinstance(entity, External) else None
        handler = argument(call, at)
        if handler is not None:
            self._graph.serve(ScopedValue(handler, scope))
