"""A definition that has been checked: every stage exists, every type fits, and there is no cycle."""

from collections.abc import Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.contract.wire import Sha256
from pipeline.engine.graph import Repeat, Stage
from pipeline.stages.stage import AnyStageKind


@dataclass(frozen=True, kw_only=True)
class StageDeclaration(Stage):
    """One stage as declared, with what it does. `options` is an instance of `kind.options`.

    `agent` is the one that a stage of the kind `agent` runs.
    """

    uses: str
    kind: AnyStageKind
    options: BaseModel
    agent: Agent | None = None


Declaration = StageDeclaration | Repeat[StageDeclaration]


@dataclass(frozen=True)
class Definition:
    """A pipeline that can run. Stages stand in the order of the file; `sha256` is the hash of the file's bytes."""

    name: str
    description: str
    stages: tuple[Declaration, ...]
    sha256: Sha256

    @property
    def every_stage(self) -> tuple[StageDeclaration, ...]:
        """All stages in the order of the file, those inside of repeats too."""
        rows = (
            (declaration,) if isinstance(declaration, StageDeclaration) else declaration.stages
            for declaration in self.stages
        )
        return tuple(stage for row in rows for stage in row)

    @property
    def stands_for(self) -> Mapping[str, str]:
        """What to wait for when a stage needs an id: of a stage inside of a repeat, the whole repeat."""
        inner = {
            stage.id: repeat.id
            for repeat in self.stages
            if isinstance(repeat, Repeat)
            for stage in repeat.stages
        }
        return inner | {stage.id: stage.id for stage in self.stages}

    def levels(self) -> tuple[tuple[Declaration, ...], ...]:
        """The stages in steps: those of one step wait for nothing but earlier steps. Order of the file within each."""
        names = self.stands_for
        sorter = TopologicalSorter({stage.id: {names[need] for need in stage.needs} for stage in self.stages})
        sorter.prepare()
        levels = []
        while sorter.is_active():
            ready = set(sorter.get_ready())
            levels.append(tuple(stage for stage in self.stages if stage.id in ready))
            sorter.done(*ready)
        return tuple(levels)
