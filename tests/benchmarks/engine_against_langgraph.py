"""What the engine costs for each stage, beside LangGraph on the same graph.

Eight stages that do nothing, in two diamonds: a -> (b, c) -> d -> (e, f) -> g -> h. Ours writes its journal to the disk,
in one case its memo too; LangGraph keeps everything in memory and checkpoints nothing. The rounds take turns, so that a
busy machine slows all of them down alike.
"""

import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from pydantic import BaseModel, ConfigDict

from pipeline.contract.run import Outcome
from pipeline.engine.executor import execute
from pipeline.engine.graph import Graph, Stage, StageBody
from pipeline.engine.memo import Memo
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import RunDirectory

NEEDS: dict[str, tuple[str, ...]] = {
    "a": (),
    "b": ("a",),
    "c": ("a",),
    "d": ("b", "c"),
    "e": ("d",),
    "f": ("d",),
    "g": ("e", "f"),
    "h": ("g",),
}

# As many secrets as a job of GitHub Actions has, in their real lengths: the journal looks for all of them.
SECRETS = ("ghs_" + "Xy9" * 170, "sk-ant-api03-" + "q7Z" * 32, "marker-key-" + "0f" * 16)


class Output(BaseModel):
    """What each of our stages returns."""

    model_config = ConfigDict(frozen=True)

    text: str


class State(TypedDict, total=False):
    """What LangGraph's stages share."""

    a: str
    b: str
    c: str
    d: str
    e: str
    f: str
    g: str
    h: str


@dataclass(frozen=True)
class Overhead:
    """Median milliseconds for each stage."""

    journal: float
    journal_and_memo: float
    langgraph: float


def measure(rounds: int = 40) -> Overhead:
    """Run all three in turns and take the medians, after a few rounds to warm up."""
    langgraph = _langgraph()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        took: dict[str, list[float]] = {"journal": [], "memo": [], "langgraph": []}
        for number in range(rounds + 5):
            took["journal"].append(_milliseconds(_ours(root / f"{number}-journal", remembers=False)))
            took["memo"].append(_milliseconds(_ours(root / f"{number}-memo", remembers=True)))
            took["langgraph"].append(_milliseconds(langgraph))
    medians = {name: statistics.median(values[5:]) / len(NEEDS) for name, values in took.items()}
    return Overhead(medians["journal"], medians["memo"], medians["langgraph"])


def _milliseconds(run: Callable[[], None]) -> float:
    gc.collect()  # or each would clean up after the one before it
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def _ours(path: Path, *, remembers: bool) -> Callable[[], None]:
    redactor = Redactor(SECRETS)
    graph = Graph(
        tuple(Stage(stage, needs) for stage, needs in NEEDS.items()),
        {stage: StageBody(lambda _: Output(text="x"), Output, stage) for stage in NEEDS},
    )

    def run() -> None:
        directory = RunDirectory.create(path, redactor)
        with Journal(directory.journal_path, redactor) as journal:
            result = execute(graph, journal, memo=Memo(directory) if remembers else None)
        assert result.outcome is Outcome.DONE, result

    return run


def _langgraph() -> Callable[[], None]:
    from langgraph.graph import START, StateGraph

    def stage(name: str) -> Callable[[State], Any]:
        return lambda _state: {name: "x"}

    builder = StateGraph(State)
    for name, needs in NEEDS.items():
        builder.add_node(f"stage_{name}", stage(name))
        builder.add_edge([f"stage_{need}" for need in needs] if needs else START, f"stage_{name}")
    compiled = builder.compile()

    def run() -> None:
        result = compiled.invoke({})
        assert set(result) == set(NEEDS), result

    return run
