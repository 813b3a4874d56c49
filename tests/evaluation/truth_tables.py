"""Compare the registry with a truth table: how many routes or calls it found, and which it invented.

    python -m tests.evaluation.truth_tables REPOSITORY TRUTH.json

It prints one JSON document. The exit code is 1 if a path without an unknown prefix is wrong.
"""

import gzip
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from pipeline.code_registry.builder import build_registry
from pipeline.code_registry.entries import EdgeKind, Route
from pipeline.code_registry.paths import PARAMETER, pattern, segments
from pipeline.code_registry.registry import Registry
from pipeline.code_registry.store import default_store
from pipeline.domain.errors import RepositoryUnreadable

_FUNCTIONS = frozenset({"function", "class", "func", "method", "FunctionDeclaration", "MethodDeclaration"})
_OUTSIDE = "ext"


class CheckResult(NamedTuple):
    """How the two differ. `fields` and `handlers` are (right, all) where the table knows them."""

    recall: float
    tail_recall: float
    precision: float
    wrong_absolute: int
    missed: tuple[str, ...]
    extra: tuple[str, ...]
    fields: tuple[int, int] | None = None
    fields_wrong: tuple[str, ...] = ()
    handlers: tuple[int, int] | None = None

    def as_json(self) -> dict[str, object]:
        """The keys that machines read."""
        result: dict[str, object] = {
            "recall": self.recall,
            "tail_recall": self.tail_recall,
            "precision": self.precision,
            "wrong_absolute": self.wrong_absolute,
            "missed": list(self.missed),
            "extra": list(self.extra),
        }
        if self.fields is not None:
            right, of = self.fields
            result["body_fields"] = {"right": right, "of": of, "wrong": list(self.fields_wrong)}
        if self.handlers is not None:
            result["handlers"] = {"resolved": self.handlers[0], "of": self.handlers[1]}
        return result


def check(registry: Registry, table: Path) -> CheckResult:
    """Compare with a table of routes, or with a packed list of calls.

    Raises:
        RepositoryUnreadable: the table is not there or does not hold a table.
    """
    try:
        data = table.read_bytes()
        truth = orjson.loads(gzip.decompress(data) if table.suffix == ".gz" else data)
        if isinstance(truth, list):
            return _check_calls(registry, truth)
        return _check_routes(registry, truth["routes"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RepositoryUnreadable(
            f"{table} is not a truth table.",
            why=str(error),
            what_to_do='It is JSON with {"routes": [{"method", "path"}]}, or a packed list of calls (.json.gz).',
        ) from error


def _check_routes(registry: Registry, rows: Sequence[dict[str, Any]]) -> CheckResult:
    truth = sorted({(str(row["method"]).upper(), pattern(_after_unknown(row["path"]))) for row in rows})
    rows_there = {path for _, path in truth}
    routes = [(route, _known_part(route, rows_there)) for route in registry.routes]
    registry_rows = {(route.method, path) for route, path in routes}
    missed_rows = [row for row in truth if not any(_is_same_row(row, have) for have in registry_rows)]
    extra = [
        (route, path)
        for route, path in routes
        if not any(_is_same_row((route.method, path), row) for row in truth)
    ]
    tails = [
        row
        for row in missed_rows
        if any(_is_same_method(row[0], method) and _tail(row[1], path) for method, path in registry_rows)
    ]
    wrong = [
        route
        for route, path in extra
        if not route.dynamic_prefix
        and any(_is_same_method(route.method, m) and _tail(p, path) for m, p in missed_rows)
    ]
    fields, fields_wrong = _fields(registry, rows)
    count = len(truth) or 1
    return CheckResult(
        recall=round(1 - len(missed_rows) / count, 4),
        tail_recall=round(1 - (len(missed_rows) - len(tails)) / count, 4),
        precision=round(1 - len({(r.method, p) for r, p in extra}) / (len(registry_rows) or 1), 4),
        wrong_absolute=len({route.id for route in wrong}),
        missed=tuple(f"{method} {path}" for method, path in missed_rows),
        extra=tuple(f"{route.label} ({route.registered_at})" for route, _ in extra),
        fields=fields,
        fields_wrong=fields_wrong,
        handlers=(sum(route.handler is not None for route, _ in routes), len(routes)),
    )


def _known_part(route: Route, rows: Collection[str]) -> str:
    """A route's path, without the leading part that the registry itself calls unknown, unless the table has it whole."""
    whole = pattern(route.path)
    first, _, rest = whole.lstrip("/").partition("/")
    return whole if whole in rows or not route.dynamic_prefix or first != PARAMETER else f"/{rest}"


def _after_unknown(path: str) -> str:
    """A path without the leading part that a table marks as unknown (`?` or `…`)."""
    for mark in ("?/", "…/", "*/"):
        if path.lstrip("/").startswith(mark):
            return "/" + path.lstrip("/")[len(mark) :]
    return path


def _is_same_method(method: str, other_method: str) -> bool:
    return method == other_method or "ANY" in {method, other_method}


def _is_same_row(row: tuple[str, str], other_row: tuple[str, str]) -> bool:
    return _is_same_method(row[0], other_row[0]) and row[1] == other_row[1]


def _tail(whole: str, tail: str) -> bool:
    """Whether one path ends in the other, word for word; neither the root nor parameters alone are a tail."""
    long, short = segments(whole), segments(tail)
    if len(long) < len(short):
        long, short = short, long
    return any(part != PARAMETER for part in short) and long[-len(short) :] == short


def _fields(
    registry: Registry, rows: Sequence[dict[str, Any]]
) -> tuple[tuple[int, int] | None, tuple[str, ...]]:
    """Routes whose set of body fields is exactly the table's, of those for which the table has some."""
    with_fields = [row for row in rows if row.get("fields")]
    if not with_fields:
        return None, ()
    by_label: dict[tuple[str, str], Route] = {(r.method, pattern(r.path)): r for r in registry.routes}
    wrong: list[str] = []
    for row in with_fields:
        route = by_label.get((row["method"], pattern(row["path"])))
        have = set(route.body_fields) if route is not None and route.body_fields is not None else None
        if have != set(row["fields"]):
            difference = "?" if have is None else ", ".join(sorted(have ^ set(row["fields"])))
            wrong.append(f"{row['method']} {row['path']}: {difference}")
    return (len(with_fields) - len(wrong), len(with_fields)), tuple(wrong)


def _check_calls(registry: Registry, rows: Iterable[dict[str, Any]]) -> CheckResult:
    """A call is right if an edge at its line and name leads to the definition that the table names.

    Only calls of functions, methods and classes of the repository count for recall; an edge for a call that the table
    places outside is wrong. Calls that the table could not resolve count for nothing.
    """
    callees_by_site: dict[tuple[str, int, str], set[tuple[str, int]]] = {}
    places = {symbol.id: symbol.place for symbol in registry.symbols}
    for edge in registry.edges:
        place = places.get(edge.callee)
        if edge.kind is EdgeKind.CALL and place is not None:
            path = edge.caller.removeprefix("symbol:").partition("::")[0]
            callees_by_site.setdefault((path, edge.line, edge.name), set()).add(
                (place.path, place.start_line)
            )
    right, call_count = 0, 0
    missed_calls: list[str] = []
    extra: list[str] = []
    for row in rows:
        have = callees_by_site.get((row["f"], row["l"], row["t"].rpartition(".")[2]), set())
        place_text = f"{row['f']}:{row['l']} {row['t']}"
        if row["k"] in _FUNCTIONS and "df" in row:
            call_count += 1
            if (row["df"], row["dl"]) in have:
                right += 1
            else:
                missed_calls.append(f"{place_text} -> {row['df']}:{row['dl']}")
                if have:
                    extra.append(f"{place_text} -> {sorted(have)}")
        elif have and row["k"] == _OUTSIDE:
            extra.append(f"{place_text} -> {sorted(have)}")
    recall = round(right / (call_count or 1), 4)
    precision = round(right / ((right + len(extra)) or 1), 4)
    return CheckResult(recall, recall, precision, 0, tuple(missed_calls), tuple(extra))


def main(repository: str, table: str) -> int:
    """Print how a repository and its table differ."""
    result = check(build_registry(Path(repository), cache=default_store()), Path(table))
    print(orjson.dumps(result.as_json(), option=orjson.OPT_INDENT_2).decode())
    return 1 if result.wrong_absolute else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
