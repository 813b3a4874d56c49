"""The graph of a run: the stages in the order of their definition, and what each of them does in this run.

The order means something: where two stages stop at once, the first of them asks the question. The engine trusts the graph:
`pipeline.definition` has checked that every need exists and that no stages wait for each other.

A `Repeat` runs an inner graph again and again, until a condition over its outputs holds, at most so many times. It
needs stages and is needed like one stage; its inner stages are needed under their own ids, and what they hand to later
stages is what they returned in the last round. So the outer graph stays free of cycles, which is what makes it possible
to draw it, to check it, and to promise that it ends.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel

from pipeline.domain.models import FrozenModel

Inputs = Mapping[str, BaseModel]
"""The outputs of the stages that a stage needs, by their ids. Without those that were skipped, where that is allowed.

Outputs of the round before stand under `previous_id` of their stage; in the first round there are none.
"""


@dataclass(frozen=True)
class Condition:
    """Whether something holds about the outputs of stages. `text` is as the definition has it, for the reason of a skip."""

    text: str
    holds: Callable[[Inputs], bool] = field(repr=False, compare=False)


@dataclass(frozen=True)
class Stage:
    """The declaration of one stage.

    `optional` are those of `needs` that may be skipped without this stage being skipped too; the others may not.
    `previous` are stages of the same repeat whose outputs of the round before this stage is given, if there are any.
    `timeout` is in seconds and for all attempts together. `retries` are attempts after the first one, for errors of any
    kind; a stop is no error.
    """

    id: str
    needs: tuple[str, ...] = ()
    when: Condition | None = None
    retries: int = 0
    timeout: float | None = None
    previous: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()


StageT_co = TypeVar("StageT_co", bound=Stage, covariant=True)


@dataclass(frozen=True)
class Repeat(Generic[StageT_co]):
    """Stages that run round after round, as one graph, until `until` holds over their outputs or `max` rounds are done.

    Inner stages need each other and those that the repeat needs, nothing else. The condition is given the outputs of a
    round, without those of stages that were skipped in it. The repeat is skipped, with all its stages, if `when` does not
    hold, or if one of its needs was skipped that is not `optional`.
    """

    id: str
    needs: tuple[str, ...]
    stages: tuple[StageT_co, ...]
    until: Condition
    max: int
    when: Condition | None = None
    optional: frozenset[str] = frozenset()


class RepeatResult(FrozenModel):
    """What a repeat itself returns, under its own id.

    `exhausted` says that the condition did not hold after the last round that was allowed: a later stage reads it, and
    decides what that means (to stop, or to go on with what there is). The outputs stand under the ids of the stages.
    """

    rounds: int
    exhausted: bool


@dataclass(frozen=True)
class StageBody:
    """What a stage does in this run.

    `key` is the digest of its declaration, its code's version and the run's inputs that it declares; equal keys promise
    equal results. None means that the stage looks at something undeclared, such as the working tree: it always runs,
    and the stages that need it are judged by what it returned. `skipped` says why the stage cannot run in this run,
    whatever its condition; None where it can.
    """

    run: Callable[[Inputs], BaseModel]
    output: type[BaseModel]
    key: str | None
    skipped: str | None = None


@dataclass(frozen=True)
class Graph:
    """Stages and repeats in the order of their definition, and the body of every stage by its id."""

    stages: tuple[Stage | Repeat[Stage], ...]
    bodies: Mapping[str, StageBody]

    @property
    def steps(self) -> tuple[Stage | Repeat[Stage], ...]:
        """All of them in one row: each repeat, and then its stages."""
        steps: list[Stage | Repeat[Stage]] = []
        for stage in self.stages:
            steps += [stage, *stage.stages] if isinstance(stage, Repeat) else [stage]
        return tuple(steps)


def previous_id(stage: str) -> str:
    """Name under which the output of a stage's round before is handed on."""
    return f"previous-{stage}"
