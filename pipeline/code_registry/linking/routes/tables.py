"""Read routes that stand in lists: rows with a path and a view, or with a path and further rows below."""

from collections.abc import Collection, Iterator, Sequence

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import (
    Alternatives,
    Argument,
    Assignment,
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expression,
    Import,
    Items,
    JoinedText,
    Name,
    Splat,
    StringLiteral,
    source_text,
)
from pipeline.code_registry.failures import FailureLog
from pipeline.code_registry.framework import Framework, Joining, RouteMethod, RouterClass, RouteTables
from pipeline.code_registry.linking.names.program import Binding, DefinitionRef, External, Module
from pipeline.code_registry.linking.routers.mounting import Mount, RouterFacts, RouterNode
from pipeline.code_registry.linking.routers.routers import RouterGraph
from pipeline.code_registry.linking.routes.found_route import (
    IncludedTable,
    TableRow,
    plain_pattern,
)
from pipeline.code_registry.linking.values.call_arguments import Scope, ScopedValue, argument
from pipeline.code_registry.linking.values.tracing import TextValue, Tracer
from pipeline.domain.testing_paths import is_test_path

DEEPEST = 24
MOST_ROWS = 20_000
_ADDING = frozenset({"append", "extend", "insert"})


def read_tables(
    graph: RouterGraph, tracer: Tracer, framework: Framework, among: Collection[str], failures: FailureLog
) -> tuple[list[TableRow], list[IncludedTable]]:
    """The rows that lead to views, and what other rows include. What hangs below another table or router is mounted in the graph."""
    if framework.tables is None:
        return [], []
    reader = _TableReader(graph, tracer, framework, framework.tables)
    reader.read(among, failures)
    return reader.rows, reader.included


class _TableReader:
    """Reads the tables of one framework, each once."""

    def __init__(self, graph: RouterGraph, tracer: Tracer, framework: Framework, tables: RouteTables) -> None:
        self._graph = graph
        self._tracer = tracer
        self._program = tracer.program
        self._framework = framework
        self._tables = tables
        self._rows_by_name = {row.name: row for row in tables.rows}
        self._kinds = {kind.name: kind for kind in framework.routers if kind.table is not None}
        self._methods = dict(tables.methods)
        self._open: set[tuple[str, int, str, RouterNode]] = set()
        self._roots: frozenset[str] = frozenset()
        self.rows: list[TableRow] = []
        self.included: list[IncludedTable] = []

    def read(self, among: Collection[str], failures: FailureLog) -> None:
        """Every table of a file, and every table that a router is handed."""
        roots: set[str] = set()
        for path in among:
            with failures.reading(path):
                roots.update(self._root_files(path))
        self._roots = frozenset(roots)
        variable = self._tables.variable
        for path in among:
            with failures.reading(path):
                if variable is not None and self._has_table(path, variable):
                    self._of_file(path)
                for site in self._program.files[path].calls:
                    self._read_call(site.call, Scope(path, site.scope))

    def _has_table(self, path: str, variable: str) -> bool:
        """Whether a file makes a table, or shows another's as its own because an application looks for it there."""
        bindings = self._program.bindings_in(path, 0, variable)
        is_own = any(isinstance(binding, Assignment) for binding in bindings)
        return is_own or (bool(bindings) and path in self._roots)

    def _root_files(self, path: str) -> Iterator[str]:
        """Files that the setting names as an application's."""
        for assignment in self._program.files[path].assignments:
            if assignment.target == self._tables.root and assignment.value is not None:
                for text in self._tracer.texts(ScopedValue(assignment.value, Scope(path, assignment.scope))):
                    module_path = None if text.dynamic else self._program.find_module(path, text.text, 0)
                    if module_path is not None:
                        yield module_path

    def _read_call(self, call: Call, scope: Scope) -> None:
        """A table that the constructor or a method of a router takes."""
        function = call.function
        if isinstance(function, Attribute) and function.name in self._methods:
            value = argument(call, self._methods[function.name])
            nodes = self._graph.routers(ScopedValue(function.base, scope)) if value is not None else []
            for node in nodes:
                if value is not None and self._graph.speaks(self._framework, node):
                    self._read(ScopedValue(value, scope), node, 0)
        elif self._kinds and isinstance(function, Name | Attribute):
            kind = self._graph.node_kind(call, scope)
            value = argument(call, kind.table) if kind is not None else None
            if value is not None and kind is not None and self._kinds.get(kind.name) == kind:
                for node in self._graph.routers(ScopedValue(call, scope)):
                    self._read(ScopedValue(value, scope), node, 0)

    def _of_file(self, path: str) -> RouterNode:
        """The router that a file's own table is."""
        name = self._tables.variable or ""
        node = RouterNode(path, 0, 0, name)
        kind = self._tables.application if path in self._roots else self._tables.part
        return self._table_node(node, kind, ScopedValue(Name(name), Scope(path, 0)))

    def _table_node(self, node: RouterNode, kind: RouterClass | None, table: ScopedValue) -> RouterNode:
        if node not in self._graph.nodes:
            self._graph.nodes[node] = RouterFacts(kind, (), is_assumed=False)
            self._read(table, node, 0)
        return node

    def _inline(self, table: ScopedValue, line: int) -> RouterNode:
        """The router that a table is which stands where it is used."""
        node = RouterNode(table.scope.path, table.scope.number, line, source_text(table.expression) or "")
        return self._table_node(node, self._tables.part, table)

    def _read(self, table: ScopedValue, node: RouterNode, depth: int) -> None:
        """Note the rows of a table at a router."""
        if depth > DEEPEST or len(self.rows) > MOST_ROWS:
            return
        expression, scope = table
        match expression:
            case Items(parts) | JoinedText(parts) | Alternatives(parts):
                for part in parts:
                    self._read(ScopedValue(part, scope), node, depth + 1)
            case Splat(inner):
                self._read(ScopedValue(inner, scope), node, depth + 1)
            case Comprehension():
                self._read_comprehension(expression, scope, node, depth)
            case Name() | Attribute() if (path := self._other_file(table)) is not None:
                self._hang(node, self._of_file(path), None, scope, 0)
            case Name(name):
                self._read_variable(name, scope, node, depth)
            case Attribute():
                self._attribute(table, node, depth)
            case Call():
                self._call(expression, scope, node, depth)

    def _read_comprehension(
        self, comprehension: Comprehension, scope: Scope, node: RouterNode, depth: int
    ) -> None:
        """The rows of a comprehension."""
        for value in self._tracer.elements(ScopedValue(comprehension.source, scope)):
            arguments = {**(scope.arguments or {}), comprehension.variable: (value,)}
            inner = scope._replace(arguments=arguments)
            self._read(ScopedValue(comprehension.element, inner), node, depth + 1)

    def _attribute(self, table: ScopedValue, node: RouterNode, depth: int) -> None:
        """The list of a router, or a variable of another file or of a class."""
        children = self._routers_of_list(table)
        for child in children:
            self._hang(node, child, None, table.scope, 0)
        for value in () if children else self._tracer.sources(table):
            if value != table:
                self._read(value, node, depth + 1)

    def _other_file(self, table: ScopedValue) -> str | None:
        """The file whose own table a value is."""
        scope, variable = table.scope, self._tables.variable
        match table.expression:
            case Attribute(base, name) if name == variable:
                entity = self._tracer.types.of(base, scope.path, scope.number)
                return entity.path if isinstance(entity, Module) else None
            case Name(name):
                for binding in self._program.bindings(scope.path, scope.number, name)[1]:
                    if isinstance(binding, Import) and binding.name == variable is not None:
                        return self._program.find_module(scope.path, binding.module, binding.level)
        return None

    def _routers_of_list(self, value: ScopedValue) -> list[RouterNode]:
        """The routers whose own list a value is: `router.urls`."""
        match value.expression:
            case Attribute(base, name) if name == self._tables.list_attribute:
                return self._graph.routers(ScopedValue(base, value.scope))
            case _:
                return []

    def _read_variable(self, name: str, scope: Scope, node: RouterNode, depth: int) -> None:
        """A variable: all that it is given, and all that is added to it."""
        if scope.arguments is not None and name in scope.arguments:
            for value in scope.arguments[name]:
                self._read(value, node, depth + 1)
            return
        at, bindings = self._program.bindings(scope.path, scope.number, name)
        if at < 0:
            for module in self._program.star_modules(scope.path, 0):
                if self._program.bindings_in(module, 0, name):
                    self._read_variable(name, Scope(module, 0), node, depth + 1)
            return
        key = (scope.path, at, name, node)
        if key in self._open:
            return
        self._open.add(key)
        for value in [*self._assigned_values(bindings, name, at, scope), *self._additions(name, at, scope)]:
            self._read(value, node, depth + 1)
        self._open.discard(key)

    def _assigned_values(
        self, bindings: Sequence[Binding], name: str, at: int, scope: Scope
    ) -> Iterator[ScopedValue]:
        for binding in bindings:
            match binding:
                case Assignment(value=value, mode="assign") if value is not None:
                    inner = scope if binding.scope == scope.number else Scope(scope.path, binding.scope)
                    yield ScopedValue(value, inner)
                case Import():
                    module_path = self._program.find_module(scope.path, binding.module, binding.level)
                    if module_path is not None and binding.name is not None:
                        yield ScopedValue(Name(binding.name), Scope(module_path, 0))
                case Argument():
                    for source in self._tracer.parameter(DefinitionRef(scope.path, at), binding):
                        if source.expression != Name(name):
                            yield source

    def _additions(self, name: str, at: int, scope: Scope) -> Iterator[ScopedValue]:
        facts = self._program.files[scope.path]
        for addition in facts.additions:
            if addition.target == name and addition.value is not None and addition.scope == at:
                yield ScopedValue(addition.value, Scope(scope.path, addition.scope))
        for site in facts.calls:
            match site.call:
                case Call(Attribute(Name(base), word), (*_, value)) if base == name and word in _ADDING:
                    if self._program.bindings(scope.path, site.scope, name)[0] == at:
                        yield ScopedValue(value, Scope(scope.path, site.scope))

    def _call(self, call: Call, scope: Scope, node: RouterNode, depth: int) -> None:
        """A row, a table within the table, or a function of the repository that gives one of them."""
        entity = self._tracer.types.of(call.function, scope.path, scope.number)
        if isinstance(entity, DefinitionRef):
            for step in self._tracer.steps(ScopedValue(call, scope)):
                self._read(step, node, depth + 1)
            return
        word = self._outside_word(call.function, scope)
        row = self._rows_by_name.get(word)
        if row is not None:
            self._row(row, call, scope, node)
        elif word in self._tables.includes:
            for child in self._included_nodes(call, scope):
                self._hang(node, child, None, scope, call.line)
        elif word in self._tables.identity_functions:
            for value in call.arguments[:1]:
                self._read(ScopedValue(value, scope), node, depth + 1)
        elif call.arguments:
            child = self._inline(ScopedValue(Items(call.arguments), scope), call.line)
            self._hang(node, child, (TextValue("", True),), scope, call.line)

    def _outside_word(self, function: Expression, scope: Scope) -> str:
        """The name of a function of the framework; empty for anything else."""
        return self._tracer.outside_word(function, scope, self._tables.packages)

    def _row(self, row: RouteMethod, call: Call, scope: Scope, node: RouterNode) -> None:
        target, below = argument(call, row.handler), argument(call, row.below)
        children = self._leads_to(ScopedValue(target, scope), call.line) if target is not None else None
        if below is not None:
            children = [*(children or ()), self._inline(ScopedValue(below, scope), call.line)]
        paths = self._paths(row, call, scope)
        prefixes = _with_certainty(paths) or (TextValue("", True),)
        if self._tables.part is not None and self._tables.part.joining is not Joining.CONCATENATE:
            prefixes = tuple(TextValue(prefix.text.rstrip("/"), prefix.dynamic) for prefix in prefixes)
        for child in children or ():
            self._hang(node, child, prefixes, scope, call.line)
        if not (children is None or target is None or self._is_frameworks(ScopedValue(target, scope))):
            at = SourceRange(scope.path, call.line, call.line)
            self.included.append(IncludedTable(tuple(children), source_text(target) or "", at))
        if children is None and target is not None:
            self.rows.append(TableRow(node, row, call, scope, _whole(paths)))

    def _is_frameworks(self, target: ScopedValue) -> bool:
        """Whether a framework includes something of its own, such as the pages of its administration."""
        value, scope = target
        inner = value.arguments[0] if isinstance(value, Call) and value.arguments else value
        if isinstance(inner, StringLiteral):
            return inner.value.partition(".")[0] in self._tables.packages
        return bool(self._outside_word(inner, scope))

    def _leads_to(self, value: ScopedValue, line: int) -> list[RouterNode] | None:
        """The tables and routers that stand in the place of a view; None if it is a view."""
        expression, scope = value
        match expression:
            case Call(function) if self._tables.includes:
                if self._outside_word(function, scope) in self._tables.includes:
                    return self._included_nodes(expression, scope)
                entity = self._tracer.types.of(function, scope.path, scope.number)
                if isinstance(entity, DefinitionRef) and not self._program.is_class(entity):
                    steps = [self._leads_to(step, line) for step in self._tracer.steps(value)]
                    tables = [children for children in steps if children is not None]
                    return [child for children in tables for child in children] if tables else None
                return None
            case Items(items) if self._tables.includes:
                return self._table(ScopedValue(items[0], scope), line) if items else []
            case Attribute(_, name) if name == self._tables.list_attribute:
                return self._routers_of_list(value)
            case Name() | Attribute() | Call() if not self._tables.includes:
                return self._graph.routers(value) or None
            case _:
                return None

    def _included_nodes(self, call: Call, scope: Scope) -> list[RouterNode]:
        """What a call of `include` stands for; nothing where that is outside of the repository."""
        value = call.arguments[0] if call.arguments else next((value for _, value in call.keywords), None)
        if value is None or isinstance(value, Splat):
            return []
        return self._table(ScopedValue(value, scope), call.line)

    def _table(self, value: ScopedValue, line: int) -> list[RouterNode]:
        expression, scope = value
        if isinstance(expression, Items) and len(expression.items) > 1 and self._is_label(value):
            return self._table(ScopedValue(expression.items[0], scope), line)
        nodes = self._routers_of_list(value)
        if nodes:
            return nodes
        if isinstance(expression, Name | Attribute):
            path = self._other_file(value)
            if path is not None:
                return [self._of_file(path)]
            entity = self._tracer.types.of(expression, scope.path, scope.number)
            if isinstance(entity, Module):
                return [self._of_file(entity.path)]
            if isinstance(entity, External):
                return []
        texts = [] if isinstance(expression, Items) else self._tracer.texts(value)
        if texts:
            module_paths = [self._program.find_module(scope.path, t.text, 0) for t in texts if not t.dynamic]
            return [self._of_file(path) for path in module_paths if path is not None]
        return [self._inline(value, line)]

    def _is_label(self, pair: ScopedValue) -> bool:
        """Whether the last of several items is a name for the first: a constant or a string."""
        last = pair.expression.items[-1] if isinstance(pair.expression, Items) else None
        if isinstance(last, Name):
            return bool(self._tracer.texts(ScopedValue(last, pair.scope)))
        return isinstance(last, StringLiteral | Constant)

    def _hang(
        self,
        node: RouterNode,
        child: RouterNode,
        prefixes: tuple[TextValue, ...] | None,
        scope: Scope,
        line: int,
    ) -> None:
        """Mount a router. What tests mount of the product is not how the product mounts it."""
        if is_test_path(node.path) and not is_test_path(child.path):
            return
        self._graph.hang(Mount(node, child, prefixes, False, SourceRange(scope.path, line, line)))

    def _paths(self, row: RouteMethod, call: Call, scope: Scope) -> tuple[TextValue, ...]:
        """The paths that a row may have."""
        value = argument(call, row.path)
        if value is None:
            return (TextValue("", False),)
        plain_text = self._plain_path(value, scope)
        return tuple(
            TextValue(
                plain_pattern(text.text) if row.regex else text.text, text.dynamic or plain_text is not None
            )
            for text in self._tracer.texts(ScopedValue(plain_text or value, scope))
        )

    def _plain_path(self, value: Expression, scope: Scope) -> Expression | None:
        """The path in the language of the code, of one that is translated for each visitor."""
        match value:
            case Call(function, (StringLiteral() as text,)):
                return text if self._outside_word(function, scope) else None
            case _:
                return None


def _with_certainty(paths: tuple[TextValue, ...]) -> tuple[TextValue, ...]:
    """Of several prefixes those that can be read; they are not sure if there are others."""
    sure = tuple(path for path in paths if not path.dynamic)
    return tuple(TextValue(path.text, True) for path in sure) if 0 < len(sure) < len(paths) else paths


def _whole(paths: tuple[TextValue, ...]) -> tuple[TextValue, ...]:
    """Paths that can be read to their end. Where one may have more behind it, nothing is known."""
    sure = [path.text for path in paths if not path.dynamic]
    if not sure or len(sure) == len(paths):
        return paths
    ends = all(any(text and path.text.endswith(text) for text in sure) for path in paths)
    return _with_certainty(paths) if ends else ()
