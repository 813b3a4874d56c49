"""A run in a temporary directory, and short ways to declare stages."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.engine.executor import RunResult, execute
from pipeline.engine.graph import Condition, Graph, Inputs, Repeat, Stage, StageBody
from pipeline.engine.memo import Memo
from pipeline.run_record.events import Event
from pipeline.run_record.journal import Journal, read_journal
from pipeline.run_record.redaction import Redactor
from pipeline.run_record.run_directory import RunDirectory


class Text(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str


def stop(stage: str) -> ClarificationNeeded:
    return ClarificationNeeded(
        Ask(
            stage=stage,
            slot=stage,
            reason=f"{stage} is not clear",
            text=f"Which {stage}?",
            suggestion="Say it.",
        )
    )


@dataclass
class Stages:
    """Declares stages that note when they run. A stage's output is its id with the outputs that it got."""

    declared: list[Stage | Repeat[Stage]] = field(default_factory=list)
    bodies: dict[str, StageBody] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(
        self,
        stage: str,
        *needs: str,
        does: Callable[[Inputs], BaseModel] | None = None,
        raises: BaseException | None = None,
        seconds: float = 0.0,
        key: str | None = "1",
        output: type[BaseModel] = Text,
        when: Callable[[Inputs], bool] | None = None,
        when_text: str = "when",
        retries: int = 0,
        timeout: float | None = None,
        optional: frozenset[str] = frozenset(),
        skipped: str | None = None,
    ) -> "Stages":
        def run(inputs: Inputs) -> BaseModel:
            time.sleep(seconds)
            with self.lock:
                self.ran.append(stage)
            if raises is not None:
                raise raises
            return does(inputs) if does else Text(text=f"{stage}({', '.join(texts(inputs))})")

        self.declared.append(
            Stage(
                stage,
                needs,
                Condition(when_text, when) if when else None,
                retries,
                timeout,
                optional=optional,
            )
        )
        self.bodies[stage] = StageBody(run, output, None if key is None else f"{stage} {key}", skipped)
        return self

    @property
    def graph(self) -> Graph:
        return Graph(tuple(self.declared), self.bodies)

    def repeated(self, stage: str, holds: Callable[[Inputs], bool], most: int) -> "Stages":
        """A graph of one repeat with these stages."""
        stages = tuple(inner for inner in self.declared if isinstance(inner, Stage))
        return Stages([Repeat(stage, (), stages, Condition("until", holds), most)], self.bodies)


def texts(inputs: Mapping[str, BaseModel]) -> list[str]:
    return [value.text for value in inputs.values() if isinstance(value, Text)]


@dataclass
class RunIn:
    """A run directory with its journal."""

    path: Path
    secrets: tuple[str, ...] = ()

    def run(self, stages: Stages, *, memo_from: tuple[Path, ...] | None = None) -> RunResult:
        """Run without a memo, or with one that reads from these directories."""
        directory = RunDirectory.create(self.path, Redactor(self.secrets), resume=self.path.exists())
        with Journal(directory.journal_path, directory.redactor) as journal:
            memo = None if memo_from is None else Memo(directory, memo_from)
            return execute(stages.graph, journal, memo=memo)

    def events(self) -> list[Event]:
        return [entry.event for entry in read_journal(self.path / "journal.jsonl").entries]

    def journal(self) -> list[str]:
        """The journal in short: event and stage."""
        return [f"{event.event} {getattr(event, 'stage', '')}".strip() for event in self.events()]
