"""A small code base as the registry knows it: a route, a table, a setting, an option, a secret, symbols near and far."""

from pipeline.code_registry.entries import (
    BuildReport,
    CallEdge,
    CommandLineOption,
    Confidence,
    EdgeKind,
    Entries,
    Field,
    FieldKind,
    Route,
    Setting,
    SourceRange,
    Symbol,
    SymbolKind,
)
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.rows import sections_of

ROUTE = "route:POST /actions"


def symbol(path: str, name: str, kind: SymbolKind = SymbolKind.FUNCTION, *, is_test: bool = False) -> Symbol:
    last = name.rpartition(".")[2]
    return Symbol(
        f"symbol:{path}::{name}", last, name, kind, SourceRange(path, 1, 9), None, (), is_test=is_test
    )


def field(name: str, kind: FieldKind, owner: str, path: str, annotation: str | None = None) -> Field:
    id_ = f"field:{owner.partition(':')[2]}.{name}"
    return Field(id_, name, kind, owner, SourceRange(path, 3, 3), annotation, required=None)


def call_of(caller: Symbol, callee: Symbol) -> CallEdge:
    return CallEdge(caller.id, callee.id, 5, callee.name, EdgeKind.CALL)


HANDLER = symbol("api/actions.py", "create_action")
ORDER = symbol("shop/models.py", "OldOrder", SymbolKind.CLASS)
REPORT = symbol("shop/report.py", "render_report")
LINE = symbol("shop/report.py", "render_line")
UNUSED = symbol("shop/report.py", "render_page")
PRIVATE = symbol("shop/report.py", "_pad_line")
ROWS = symbol("shop/report.py", "MAX_ROWS", SymbolKind.CONSTANT)
CONFIG = symbol("shop/config.py", "Config", SymbolKind.CLASS)
TEST = symbol("tests/test_report.py", "test_a_report", is_test=True)

_PLACE = SourceRange("api/actions.py", 2, 2)
_ENTRIES = Entries(
    symbols=(HANDLER, ORDER, REPORT, LINE, UNUSED, PRIVATE, ROWS, CONFIG, TEST),
    routes=(
        Route(
            ROUTE, "POST", "/actions", HANDLER.id, "create_action", HANDLER.place, _PLACE, (), ".", False,
            Confidence.MOUNTED, (), (), ("dry_run",), is_test=False,
        ),
    ),
    fields=(
        field("dry_run", FieldKind.BODY, ROUTE, "api/actions.py"),
        field("total", FieldKind.TABLE, ORDER.id, "shop/models.py"),
        field("api_key", FieldKind.MODEL, CONFIG.id, "shop/config.py", "SecretStr"),
        field("width", FieldKind.MODEL, CONFIG.id, "shop/config.py", "int"),
    ),
    settings=(Setting("setting:page_size", "page_size", (SourceRange("shop/config.py", 4, 4),)),),
    options=(CommandLineOption("option:--force", "--force", None, SourceRange("shop/cli.py", 4, 4)),),
    edges=(
        call_of(HANDLER, REPORT), call_of(REPORT, LINE), call_of(LINE, PRIVATE), call_of(LINE, ROWS),
    ),
)  # fmt: skip


def registry_of(entries: Entries) -> Registry:
    sections = sections_of(entries)
    return Registry(lambda kind: sections.get(kind, ()), BuildReport(1, 0, (), 0.0))


def in_the_code() -> Registry:
    """This code base."""
    return registry_of(_ENTRIES)
