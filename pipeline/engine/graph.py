"""The graph of a run: what each stage needs, when it runs, and what it returns.

A `StageNode` says everything about one stage that the executor has to know; a `Graph` is a list of nodes that was checked.
The order of the nodes means something: where two stages stop at once, the first of them asks the question.

A `Repeat` does an inner graph again and again, until a condition over its outputs holds, at most so many times. It
needs stages and is needed like one stage; its inner stages are needed under their own ids, and what they hand to later
stages is what they returned in the last round. So the outer graph stays free of cycles, which is what makes it possible
to draw it, to check it, and to promise that it ends.
"""

import graphlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from pipeline.domain.errors import DefinitionInvalid
from pipeline.domain.models import FrozenModel

Inputs = Mapping[str, BaseModel]
"""The outputs of the stages that a stage needs, by their ids. Without those that were skipped, where that is allowed.

Outputs of the round before stand under `previous_id` of their stage; in the first round there are none.
"""

Condition = Callable[[Inputs], bool]

_PREVIOUS = re.compile(r"previous[-_]", re.IGNORECASE)

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class StageNode:
    """One stage, declared.

    `key` is the digest of its declaration, its code's version and the run's inputs that it declares; equal keys promise
    equal results. None means that the stage looks at something undeclared, such as the working tree: it always runs,
    and the stages that need it are judged by what it returned.

    `optional` are those of `needs` that may be skipped without this stage being skipped too; the others may not.
    `previous` are stages of the same repeat whose outputs of the round before this stage is given, if there are any.
    `timeout` is in seconds and for all attempts together. `retries` are attempts after the first one, for errors of any
    kind; a stop is no error. `when_text` is the condition as the definition has it, for the reason of a skip. `skipped`
    says why the stage cannot run in this run, whatever its condition; None where it can.
    """

    id: str
    needs: tuple[str, ...]
    run: Callable[[Inputs], BaseModel]
    output: type[BaseModel]
    key: str | None
    when: Condition | None = None
    when_text: str | None = None
    retries: int = 0
    timeout: float | None = None
    optional: frozenset[str] = frozenset()
    previous: tuple[str, ...] = ()
    skipped: str | None = None


class RepeatResult(FrozenModel):
    """What a repeat itself returns, under its own id.

    `exhausted` says that the condition did not hold after the last round that was allowed: a later stage reads it, and
    decides what that means (to stop, or to go on with what there is). The outputs stand under the ids of the stages.
    """

    rounds: int
    exhausted: bool


@dataclass(frozen=True)
class Repeat:
    """Stages that run round after round, as one graph, until `until` holds over their outputs or `max` rounds are done.

    Inner stages need each other and those that the repeat needs, nothing else. The condition is given the outputs of a
    round, without those of stages that were skipped in it. The repeat is skipped, with all its stages, if `when` does not
    hold, or if one of its needs was skipped that is not `optional`.
    """

    id: str
    needs: tuple[str, ...]
    nodes: tuple[StageNode, ...]
    until: Condition
    until_text: str
    max: int
    when: Condition | None = None
    when_text: str | None = None
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Graph:
    """Nodes and repeats in the order of their definition, checked.

    Raises:
        DefinitionInvalid: with every mistake there is: an id that is no plain name or is used twice, a need that no
            node fulfils, an output type that a later stage could change, a circle, a repeat without end.
    """

    nodes: tuple[StageNode | Repeat, ...]

    @property
    def steps(self) -> tuple[StageNode | Repeat, ...]:
        """All of them in one row: each repeat, and then its stages."""
        return tuple(step for node in self.nodes for step in _row(node))

    def __post_init__(self) -> None:
        mistakes = [*_mistakes_of_ids(self.steps), *_mistakes_of_needs(self.nodes), *_circles(self.nodes)]
        if mistakes:
            raise DefinitionInvalid(
                "the stages do not make a graph that can run",
                why="\n".join(mistakes),
                what_to_do="Correct the definition, then check and draw it: askfirst plan --definition FILE.yml",
            )


def previous_id(stage: str) -> str:
    """Name under which the output of a stage's round before is handed on."""
    return f"previous-{stage}"


def _mistakes_of_ids(steps: tuple[StageNode | Repeat, ...]) -> Iterator[str]:
    ids: set[str] = set()
    for step in steps:
        if not _ID.fullmatch(step.id):
            yield f"'{step.id}' is not a stage id: letters, digits, _ and -, a letter first"
        if _PREVIOUS.match(step.id):
            yield f"'{step.id}' is not a stage id: `previous-` in front means the round before"
        if step.id in ids:
            yield f"two stages are named '{step.id}'"
        ids.add(step.id)
        if isinstance(step, Repeat):
            if step.max < 1 or not step.nodes:
                yield f"'{step.id}' repeats nothing"
        elif not step.output.model_config.get("frozen"):
            yield f"'{step.id}' returns {step.output.__name__}, which is not frozen: a later stage could change it"


def _mistakes_of_needs(nodes: tuple[StageNode | Repeat, ...]) -> Iterator[str]:
    for node in nodes:
        known_ids = {
            step.id
            for sibling in nodes
            if sibling is not node or isinstance(node, StageNode)
            for step in _row(sibling)
        }
        yield from _mistakes_of_step(node, known_ids)
        if isinstance(node, Repeat):
            inner = {step.id for step in node.nodes}
            for step in node.nodes:
                yield from _mistakes_of_step(step, inner | set(node.needs))
                yield from (
                    f"'{step.id}' is given '{stage}' of the round before, which is no stage of '{node.id}'"
                    for stage in step.previous
                    if stage not in inner
                )
        elif node.previous:
            yield f"'{node.id}' is given results of a round before, and is in no repeat"


def _row(node: StageNode | Repeat) -> tuple[StageNode | Repeat, ...]:
    return (node, *node.nodes) if isinstance(node, Repeat) else (node,)


def _mistakes_of_step(step: StageNode | Repeat, known_ids: set[str]) -> Iterator[str]:
    yield from (
        f"'{step.id}' needs '{need}', which does not exist; there are: {', '.join(sorted(known_ids))}"
        for need in step.needs
        if need not in known_ids
    )
    yield from (
        f"'{step.id}' can do without '{need}', but does not need it"
        for need in sorted(step.optional - set(step.needs))
    )


def _circles(nodes: tuple[StageNode | Repeat, ...]) -> list[str]:
    """Circles between nodes, a repeat being one of them, and those inside of repeats."""
    stands_for = {step.id: node.id for node in nodes for step in _row(node)}
    needs = {node.id: [stands_for[need] for need in node.needs if need in stands_for] for node in nodes}
    inner = [_circles(node.nodes) for node in nodes if isinstance(node, Repeat)]
    sorter = graphlib.TopologicalSorter(needs)
    circles_ = [circle for circles in inner for circle in circles]
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        # graphlib names each stage before the one that needs it.
        return [f"the stages need each other in a circle: {' -> '.join(error.args[1])}", *circles_]
    return circles_
