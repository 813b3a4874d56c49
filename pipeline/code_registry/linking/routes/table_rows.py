"""What the reader of tables of routes gives."""

from typing import NamedTuple

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.facts import Call
from pipeline.code_registry.framework import RouteMethod
from pipeline.code_registry.linking.routers.mounting import RouterNode
from pipeline.code_registry.linking.values.traced import Scope
from pipeline.code_registry.linking.values.tracing import TextValue


class TableRow(NamedTuple):
    """A row that leads to a view: what it is registered at, and the paths it may have there."""

    node: RouterNode
    method: RouteMethod
    call: Call
    scope: Scope
    paths: tuple[TextValue, ...]


class IncludedTable(NamedTuple):
    """What a row hangs below its path: the routers that stand for it, none for something outside of the repository."""

    nodes: tuple[RouterNode, ...]
    text: str
    at: SourceRange


class ReadTables(NamedTuple):
    """The rows of tables that lead to views, and what other rows include."""

    rows: list[TableRow]
    included_tables: list[IncludedTable]
