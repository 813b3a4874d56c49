"""A definition that has been checked: every stage exists, every type fits, and there is no cycle."""

from dataclasses import dataclass
from graphlib import TopologicalSorter

from pydantic import BaseModel

from pipeline.contract.wire import Sha256
from pipeline.definition.conditions import Condition
from pipeline.stages.stage import StageKind


@dataclass(frozen=True)
class StageDeclaration:
    """One stage as declared. `options` is an instance of `kind.options`; `timeout` is in seconds."""

    id: str
    uses: str
    kind: StageKind
    needs: tuple[str, ...]
    when: Condition | None
    options: BaseModel
    retries: int
    timeout: float | None


@dataclass(frozen=True)
class Definition:
    """A pipeline that can run. Stages stand in the order of the file; `sha256` is the hash of the file's bytes."""

    name: str
    description: str
    stages: tuple[StageDeclaration, ...]
    sha256: Sha256

    def levels(self) -> tuple[tuple[StageDeclaration, ...], ...]:
        """The stages in steps: those of one step wait for nothing but earlier steps. Order of the file within each."""
        sorter = TopologicalSorter({stage.id: stage.needs for stage in self.stages})
        sorter.prepare()
        levels = []
        while sorter.is_active():
            ready = set(sorter.get_ready())
            levels.append(tuple(stage for stage in self.stages if stage.id in ready))
            sorter.done(*ready)
        return tuple(levels)
