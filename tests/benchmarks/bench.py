"""Measure against peers and limits: a table for people, JSON for machines. Ends with 1 if a gate does not hold.

`make bench`, or `.venv/bin/python tests/benchmarks/bench.py --output FILE.json`. Not a unit test: the numbers depend on
the machine, and so each is a ratio to something measured in the same run, or a limit that a person would feel.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "sample_repositories" / "orders_fastapi"
SCRIPT = Path(sys.executable).with_name("askfirst")
TICKET = """# Add a dry_run flag to the bulk action

The bulk action should accept a `dry_run` flag. With it, nothing is processed and the response says what would happen.
"""

CORPUS = ROOT / ".venv" / "bench-corpus"
ENGINE_GATE, ENGINE_GOAL = 1.0, 0.3
PROCESS_GATE, PROCESS_GOAL = 0.6, 0.3
INDEX_GATE, INDEX_GOAL = 1.5, 1.0
UNCHANGED_GATE, BY_TREE_GATE = 0.3, 0.02
CHANGED_GOAL = 0.5
MEMORY_GATE = 400.0
TEXT_GATE, TEXT_GOAL = 0.8, 0.4
RANKED_GATE, RANKED_GOAL = 0.1, 0.02
DOOR_GATES, DOOR_GOAL = {"SQLite": 0.35, "Postgres": 0.2}, 0.6
"""Smallest shares of what the same handler takes without a store."""
LATENCY_GATE = 50.0
GATED_RATE = {"SQLite": 20, "Postgres": 60}
PARTS = ("engine", "process", "app", "registry", "text-index")


@dataclass(frozen=True)
class Measurement:
    """One line of the table. `value` is None where it could not be measured; `note` then says why."""

    what: str
    unit: str
    value: float | None
    peer: str
    peer_value: float | None
    gated: float | None
    gate: float | None
    goal: float | None
    note: str = ""
    gate_unit: str = "x"

    @property
    def holds(self) -> bool:
        """Whether the gate holds; what could not be measured does not hold."""
        return self.gate is None or (self.gated is not None and self.gated <= self.gate)


@click.command()
@click.option("--output", type=click.Path(path_type=Path), help="Write the measurements as JSON.")
@click.option("--only", type=click.Choice(PARTS), multiple=True, help="Measure only this part; repeatable.")
def bench(output: Path | None, only: tuple[str, ...]) -> None:
    """Measure everything and say which gates hold."""
    parts = {
        "engine": engine,
        "process": lambda: [whole_process()],
        "app": app_under_load,
        "registry": registry,
        "text-index": text_index,
    }
    measurements = [measurement for name in only or parts for measurement in parts[name]()]
    show(measurements)
    if output is not None:
        told = [{**asdict(measurement), "holds": measurement.holds} for measurement in measurements]
        output.write_bytes(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.exit(0 if all(measurement.holds for measurement in measurements) else 1)


def engine() -> Iterator[Measurement]:
    """What a stage costs beyond its own work."""
    from tests.benchmarks.engine_against_langgraph import measure

    took = measure()
    for what, value, gate in (
        ("engine, each stage, journal written", took.journal, ENGINE_GATE),
        ("engine, each stage, journal and memo written", took.journal_and_memo, None),
    ):
        ratio = value / took.langgraph
        yield Measurement(what, "ms", value, "LangGraph, in memory", took.langgraph, ratio, gate, ENGINE_GOAL)


def whole_process() -> Measurement:
    """From the call of `askfirst run` to its question, on a small repository and without a model."""
    from pipeline.contract.artifact import NotAnEnding, read_ending
    from pipeline.contract.exit_codes import ExitCode

    what, peer = "askfirst run, small repository, whole process", "python -c pass"
    empty = _median(lambda: _run([sys.executable, "-c", "pass"]))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "ticket.md").write_text(TICKET, encoding="utf-8")
        directories = (root / f"run-{number}" for number in range(1000))

        def ask() -> int:
            place = ["--repository", str(SAMPLE), "--issue", str(root / "ticket.md")]
            return _run([str(SCRIPT), "run", *place, "--run-directory", str(next(directories))])

        code = ask()
        try:
            ending = read_ending(root / "run-0", code)
            measurable = code in {ExitCode.DONE, ExitCode.PERSON_ASKED}
            note = f"{type(ending).__name__}, exit code {code}"
        except NotAnEnding:
            measurable, note = False, f"exit code {code} without a result"
        if not measurable:
            return Measurement(
                what, "s", None, peer, empty, None, PROCESS_GATE, PROCESS_GOAL, f"not measurable yet: {note}"
            )
        took = _median(ask)
    return Measurement(what, "s", took, peer, empty, took, PROCESS_GATE, PROCESS_GOAL, note, "s")


def registry() -> Iterator[Measurement]:
    """Indexing a repository of 8,800 files, with an empty cache and with one that knows it."""
    from tests.benchmarks.registry_against_parse import measure

    took = measure(CORPUS)
    peer, what = "tree-sitter parse, 1 process", f"registry of {took.files} files"
    ctags = "ctags is not installed" if took.ctags is None else f"ctags {took.ctags:.2f} s"
    cold = took.cold / took.parse
    note = f"processor time {took.cold_work:.1f} s, parse {took.parse_work:.1f} s; {ctags}"
    yield Measurement(f"{what}, cold", "s", took.cold, peer, took.parse, cold, INDEX_GATE, INDEX_GOAL, note)
    for how, seconds, gate, goal in (
        ("nothing changed, listed by git", took.unchanged, UNCHANGED_GATE, None),
        ("nothing changed, the tree is listed", took.by_tree, BY_TREE_GATE, None),
        ("one file changed", took.changed, None, CHANGED_GOAL),
    ):
        yield Measurement(f"{what}, {how}", "s", seconds, peer, took.parse, seconds, gate, goal, "", "s")
    for who, megabytes in (("parent", took.parent), ("largest child", took.largest_child)):
        yield Measurement(
            f"{what}, cold, peak of the {who}",
            "MB",
            megabytes,
            "",
            None,
            megabytes,
            MEMORY_GATE,
            None,
            "",
            "MB",
        )


def app_under_load() -> Iterator[Measurement]:
    """What the App's door takes on each store, and what that costs."""
    from tests.benchmarks.app_under_load import measure

    for took in measure():
        share, gate = took.without_store / took.acknowledged, 1 / DOOR_GATES[took.store]
        where = f"App on {took.store}"
        yield Measurement(
            f"{where}, acknowledged when stored", "/s", took.acknowledged, "same handler, no store", took.without_store,
            share, gate, 1 / DOOR_GOAL, "gate and goal: how many times as fast it is without a store",
        )  # fmt: skip
        for loop in took.open_loops:
            is_gated = loop.rate == GATED_RATE[took.store]
            yield Measurement(
                f"{where}, {loop.rate} per second, p99", "ms", loop.p99, "p50", loop.p50, loop.p99,
                LATENCY_GATE if is_gated else None, None, f"{loop.failed} not acknowledged", "ms",
            )  # fmt: skip
        yield _ungated(f"{where}, worker drains", "/s", took.drained, "labels that wait at its start")
        yield _ungated(
            f"{where}, database for each delivery", "bytes", took.bytes_per_delivery, f"of {took.stored}"
        )
        note = f"{took.memory_before:.0f} MB after the first second"
        yield _ungated(f"{where}, web server after {took.stored} deliveries", "MB", took.memory_after, note)


def _ungated(subject: str, unit: str, value: float, note: str) -> Measurement:
    return Measurement(subject, unit, value, "", None, None, None, None, note)


def text_index() -> Iterator[Measurement]:
    """The index of text over the same files, and an issue ranked with it."""
    from tests.benchmarks.text_index_against_parse import measure

    took = measure(CORPUS)
    peer, what = "tree-sitter parse, 1 process", f"text index of {took.files} files, an issue ranked"
    work = f"processor time {took.cold_work:.1f} s, parse {took.parse_work:.1f} s"
    for how, seconds, gate, goal, note in (
        ("cold", took.cold, TEXT_GATE, TEXT_GOAL, work),
        ("known", took.warm, RANKED_GATE, RANKED_GOAL, ""),
        ("one file changed", took.changed, None, None, ""),
    ):
        ratio = seconds / took.parse
        yield Measurement(f"{what}, {how}", "s", seconds, peer, took.parse, ratio, gate, goal, note)
    yield Measurement(
        f"{what}, cold, peak", "MB", took.megabytes, "", None, took.megabytes, MEMORY_GATE, None, "", "MB"
    )


def show(measurements: list[Measurement]) -> None:
    """Print the table."""
    table = Table(title="measured against peers and limits, medians")
    for column in ("what", "ours", "peer", "ratio", "gate", "goal", "holds", "note"):
        table.add_column(column, justify="left" if column in {"what", "peer", "note"} else "right")
    for measurement in measurements:
        ratio = (
            measurement.value / measurement.peer_value
            if measurement.value is not None and measurement.peer_value
            else None
        )
        table.add_row(
            measurement.what,
            _number(measurement.value, measurement.unit),
            f"{measurement.peer} {_number(measurement.peer_value, measurement.unit)}".strip(),
            _number(ratio, "x"),
            _number(measurement.gate, measurement.gate_unit),
            _number(measurement.goal, measurement.gate_unit),
            "" if measurement.gate is None else ("yes" if measurement.holds else "no"),
            measurement.note,
        )
    Console(width=160).print(table)


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.2f} {unit}"


def _median(run: Callable[[], int], times: int = 7) -> float:
    def once() -> float:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started

    return statistics.median(once() for _ in range(times))


def _run(command: list[str]) -> int:
    return subprocess.run(command, capture_output=True, check=False).returncode


if __name__ == "__main__":
    bench()
