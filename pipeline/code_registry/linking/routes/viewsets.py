"""Routes of classes that are registered under a prefix and answer by convention."""

from collections.abc import Iterator

from pipeline.code_registry.facts import (
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Pairs,
    StringLiteral,
    Subscript,
)
from pipeline.code_registry.framework import ViewsetStyle
from pipeline.code_registry.linking.handlers import (
    ViewAnswer,
    allowed_methods,
    answer_of,
    class_value,
    verbs_in,
)
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.found_route import plain_pattern
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer


class ViewsetReader:
    """Reads registered classes in the style of one framework."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, style: ViewsetStyle) -> None:
        self._graph = graph
        self._tracer = tracer
        self._style = style

    def answers(
        self, node: RouterNode, class_: DefinitionRef, prefixes: list[TextValue]
    ) -> Iterator[ViewAnswer]:
        """Every route of a class that is registered at a router under one of the prefixes."""
        slash = self._slash(node)
        key = f"<{self._key(class_)}>"
        limit = allowed_methods(self._tracer, class_, self._style.limits)
        collection_methods = (*self._style.collection_methods, *self._added_methods(node))
        for prefix in prefixes:
            base = plain_pattern(prefix.text).strip("/")
            for verb, tail, handler, name in self._routes(class_, key, collection_methods):
                if limit is None or verb in limit:
                    path = "/".join(part for part in (base, tail) if part)
                    path = path + slash if path else ""
                    yield ViewAnswer(verb, handler, name, TextValue(path, prefix.dynamic))

    def roots(self, node: RouterNode) -> Iterator[ViewAnswer]:
        """What a router answers at its own prefix: a list of what is registered at it."""
        kind = self._graph.nodes[node].kind
        if kind is not None and kind.name in self._style.root_routers:
            yield ViewAnswer("GET", None, f"{kind.name} root", TextValue("", False))

    def _added_methods(self, node: RouterNode) -> Iterator[tuple[str, str]]:
        """Methods that the class of a router adds to its list: `routes[0].mapping.update({"put": "bulk_update"})`."""
        call, scope = self._graph.constructions.get(node, (None, None))
        if call is None or scope is None:
            return
        class_ = self._tracer.types.of(call.function, scope.path, scope.number)
        for at in self._tracer.types.classes.lineage(class_) if isinstance(class_, DefinitionRef) else ():
            for site in self._tracer.program.calls(at):
                match site.call:
                    case Call(
                        Attribute(Attribute(Subscript(_, Constant("0")), self._style.mapping), "update"),
                        (Pairs(items),),
                    ):
                        for verb, word in items:
                            if isinstance(verb, StringLiteral) and isinstance(word, StringLiteral):
                                yield word.value, verb.value.upper()

    def _routes(
        self, class_: DefinitionRef, key: str, collection_methods: tuple[tuple[str, str], ...]
    ) -> Iterator[tuple[str, str, DefinitionRef | None, str]]:
        """HTTP method, path below the prefix, what answers, and its name."""
        inherited_methods = {
            word
            for base in self._tracer.types.classes.external_bases(class_)
            for word in self._style.inherited_methods.get(base.rpartition(".")[2], ())
        }
        for tail, methods in (("", collection_methods), (key, self._style.item_methods)):
            for word, verb in methods:
                if word in inherited_methods or isinstance(
                    self._tracer.types.member(class_, word), DefinitionRef
                ):
                    answer = answer_of(self._tracer, verb, class_, word)
                    yield verb, tail, answer.handler, answer.name
        method_names: set[str] = set()
        for method, definition in self._tracer.types.classes.methods(class_):
            if definition.name not in method_names:
                yield from self._action(method, definition.decorators, key)
            if not any(self._is_mapping(decorator) for decorator in definition.decorators):
                method_names.add(definition.name)

    def _action(
        self, method: DefinitionRef, decorators: tuple[Expression, ...], key: str
    ) -> Iterator[tuple[str, str, DefinitionRef | None, str]]:
        """The routes of a decorated method; `@other.mapping.delete` answers at the path of the other method."""
        program = self._tracer.program
        scope = Scope(method.path, program.definition(method).parent)
        name = program.qualified_name(method)
        for decorator in decorators:
            if self._is_mapping(decorator) and isinstance(decorator, Attribute):
                mapped_method = self._mapping_target(decorator, scope)
                if mapped_method is not None:
                    for _, tail, _, _ in self._action(
                        mapped_method, program.definition(mapped_method).decorators, key
                    ):
                        yield decorator.name.upper(), tail, method, name
                        break
                continue
            call = decorator if isinstance(decorator, Call) else None
            if call is None:
                continue
            word = self._tracer.outside_word(call.function, scope, self._style.packages)
            if word not in self._style.actions:
                continue
            single = self._style.actions[word]
            if single is None:
                single = argument(call, self._style.single_at) == Constant("True")
            path_value = argument(call, self._style.path_at)
            texts = self._tracer.texts(ScopedValue(path_value, scope)) if path_value is not None else []
            below = plain_pattern(texts[0].text).strip("/") if texts else program.definition(method).name
            tail = f"{key}/{below}" if single else below
            for verb in verbs_in(self._tracer, argument(call, self._style.verbs_at), scope) or ("GET",):
                yield verb, tail, method, name

    def _is_mapping(self, decorator: Expression) -> bool:
        match decorator:
            case Attribute(Attribute(Name(), word), _):
                return word == self._style.mapping
            case _:
                return False

    def _mapping_target(self, decorator: Attribute, scope: Scope) -> DefinitionRef | None:
        """The method to whose path a decorator adds a further HTTP method."""
        method_name = decorator.base.base if isinstance(decorator.base, Attribute) else None
        entity = (
            self._tracer.types.of(method_name, scope.path, scope.number) if method_name is not None else None
        )
        return entity if isinstance(entity, DefinitionRef) else None

    def _key(self, class_: DefinitionRef) -> str:
        """The name of the key in the path of a single one."""
        for name in self._style.key:
            value = class_value(self._tracer, class_, name)
            texts = self._tracer.texts(value) if value is not None else []
            if texts:
                return texts[0].text
        return self._style.default_key

    def _slash(self, node: RouterNode) -> str:
        construction = self._graph.constructions.get(node)
        value = argument(construction[0], self._style.slash) if construction is not None else None
        return "" if value == Constant("False") else "/"
