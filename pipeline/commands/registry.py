"""`askfirst registry`: show what the code already has."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.options import existing_folder, repository_option

if TYPE_CHECKING:
    from pipeline.code_registry.entries import Coverage, Entry, Route, Value
    from pipeline.code_registry.registry import Registry


@click.command("registry", epilog="Example: askfirst registry --find pay_invoice")
@repository_option("The folder to read.", existing_folder)
@click.option("--symbols", is_flag=True, help="List functions, methods, classes and constants.")
@click.option(
    "--coverage",
    is_flag=True,
    help="For each web framework, show the registrations that were read and those that were not.",
)
@click.option("--find", metavar="WORD", help="Entries named WORD, or most like it.")
@click.option(
    "--callers", metavar="ID", help="The callers of a symbol, and the routes and tests that reach it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    *,
    repository: Path,
    symbols: bool,
    coverage: bool,
    find: str | None,
    callers: str | None,
    as_json: bool,
) -> ExitCode:
    """Show the registry of a checkout: its routes, or its symbols, fields and calls."""
    if sum((symbols, coverage, find is not None, callers is not None)) > 1:
        raise click.UsageError("Name one of --symbols, --coverage, --find and --callers.")
    from pipeline.code_registry.builder import build_registry
    from pipeline.code_registry.store import default_store

    document: dict[str, object]
    lines: Iterable[str]
    registry = build_registry(repository, cache=default_store())
    _report(registry)
    if coverage:
        document = {
            "frameworks": [
                {**_fields(item), "sentence": item.sentence} for item in registry.coverage.frameworks
            ]
        }
        lines = _coverage_lines(registry.coverage)
    elif symbols:
        document = {"symbols": [_fields(symbol) for symbol in registry.symbols]}
        lines = (
            f"{symbol.kind.value:<9} {symbol.qualified_name}  {symbol.place}" for symbol in registry.symbols
        )
    elif find is not None:
        entries = _entries_named(registry, find)
        document = {"entries": [_fields(entry) for entry in entries]}
        lines = (f"{entry.id}  {_place(entry)}" for entry in entries)
    elif callers is not None:
        document, lines = _callers(registry, callers)
    else:
        document = {"routes": [_fields(route) for route in registry.routes]}
        lines = (_route_line(route) for route in registry.routes)
    if as_json:
        import orjson

        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        text = "\n".join(lines)
        click.echo(text or "Nothing of this kind was found.", err=not text)
    return ExitCode.DONE


def _report(registry: "Registry") -> None:
    report = registry.report
    click.echo(
        f"{report.files_indexed} files, {report.files_reused} unchanged, {len(report.skipped)} skipped,"
        f" {report.seconds:.2f} s",
        err=True,
    )
    for note in report.notes:
        click.echo(f"note: {note}", err=True)
    for skip in report.skipped:
        click.echo(f"skipped {skip.path}: {skip.reason}", err=True)
    for sentence in registry.coverage.sentences:
        click.echo(f"note: {sentence} askfirst registry --coverage lists them.", err=True)
    for failure in registry.failures:
        click.echo(f"askfirst failed to read {failure.path}: {failure.error}", err=True)
        for frame in failure.traceback:
            click.echo(f"  {frame}", err=True)


def _coverage_lines(coverage: "Coverage") -> Iterator[str]:
    for item in coverage.frameworks:
        state = "" if item.is_read else "  (not read)"
        yield (
            f"{item.framework:<24} {len(item.files)} files import it, {item.routes} registrations read,"
            f" {len(item.unread)} not{state}"
        )
        for missing in item.unread:
            yield f"  {missing.place}  {missing.text}: {missing.reason}"
    yield from coverage.conclusions


def _route_line(route: "Route") -> str:
    count = route.body_field_count
    body = "body unknown" if count is None else f"{count} body {'field' if count == 1 else 'fields'}"
    is_whole = route.confidence.value == "mounted" and not route.dynamic_prefix
    doubt = "" if is_whole else "  (the path may have a longer prefix)"
    return f"{route.label}  {route.handler_name}  {route.place}  {body}{doubt}"


def _entries_named(registry: "Registry", word: str) -> "list[Entry]":
    entries: list[Entry] = [*registry.symbols_named(word), *registry.fields_named(word)]
    if "/" in word:
        entries += registry.routes_by_tail(None, word)
    else:
        entries += [route for route in registry.routes if word in route.path.split("/")]
    return entries or list(registry.near(word))


def _place(entry: "Entry") -> str:
    place = getattr(entry, "place", None)
    return str(place) if place is not None else ", ".join(str(item) for item in getattr(entry, "places", ()))


def _callers(registry: "Registry", id_: str) -> tuple[dict[str, object], list[str]]:
    if registry.symbol(id_) is None:
        raise click.UsageError(f"No symbol has the id {id_}. To list ids: askfirst registry --find NAME")
    edges = registry.callers(id_)
    entries = registry.entry_routes(id_)
    tests = registry.tests_reaching(id_)
    document: dict[str, object] = {
        "callers": [_fields(edge) for edge in edges],
        "entry_routes": [{"route": entry.route.id, "chain": list(entry.chain)} for entry in entries],
        "tests": list(tests),
        "hub": registry.is_hub(id_),
    }
    lines = [f"called by {edge.caller} (line {edge.line})" for edge in edges]
    lines += [f"reached by {entry.route.label}: {' -> '.join(entry.chain)}" for entry in entries]
    lines += [f"tested by {test}" for test in tests]
    return document, lines


def _fields(entry: "Value") -> dict[str, object]:
    """An entry as plain data for JSON, by the names of its fields."""
    from msgspec.structs import asdict

    return {name: _plain(part) for name, part in asdict(entry).items()}


def _plain(value: object) -> object:
    from enum import Enum

    from pipeline.code_registry.entries import Value

    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return _fields(value) if isinstance(value, Value) else value.value if isinstance(value, Enum) else value
