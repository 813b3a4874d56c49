"""The graph of a run: what each stage needs, when it runs, and what it returns.

A `Node` says everything about one stage that the executor has to know; a `Graph` is a list of nodes that was checked.
The order of the nodes means something: where two stages stop at once, the first of them asks the question.

A bounded `repeat` (do these stages until a condition holds, at most so many times) will be a node as well: its `run`
executes an inner graph again and again, hands the outputs of one round to the next, and returns the last one's. The
outer graph stays free of cycles, which is what makes it possible to draw it, to check it, and to promise that it ends.
"""

import graphlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from pipeline.domain.errors import DefinitionInvalid

Inputs = Mapping[str, BaseModel]
"""The outputs of the stages that a stage needs, by their ids. Without those that were skipped, where that is allowed."""

_ID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Node:
    """One stage, declared.

    `key` is the digest of its declaration, its code's version and the run's inputs that it declares; equal keys promise
    equal results. None means that the stage looks at something undeclared, such as the working tree: it always runs,
    and the stages that need it are judged by what it returned.

    `optional` are those of `needs` that may be skipped without this stage being skipped too; the others may not.
    `timeout` is in seconds and for all attempts together. `retries` are attempts after the first one, for errors of any
    kind; a stop is no error. `when_text` is the condition as the definition has it, for the reason of a skip.
    """

    id: str
    needs: tuple[str, ...]
    run: Callable[[Inputs], BaseModel]
    output: type[BaseModel]
    key: str | None
    when: Callable[[Inputs], bool] | None = None
    when_text: str | None = None
    retries: int = 0
    timeout: float | None = None
    optional: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of their definition, checked.

    Raises:
        DefinitionInvalid: with every mistake there is: an id that is no plain name or is used twice, a need that no
            node fulfils, an output type that a later stage could change, a circle.
    """

    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        mistakes = [*_mistakes_of_nodes(self.nodes), *_circles(self.nodes)]
        if mistakes:
            raise DefinitionInvalid(
                "the stages do not make a graph that can run",
                why="\n".join(mistakes),
                what_to_do="Correct the definition, then check and draw it: askfirst plan --definition FILE.yml",
            )


def _mistakes_of_nodes(nodes: tuple[Node, ...]) -> list[str]:
    mistakes: list[str] = []
    known = {node.id for node in nodes}
    seen: set[str] = set()
    for node in nodes:
        if not _ID.fullmatch(node.id):
            mistakes.append(f"'{node.id}' is not a stage id: letters, digits, _ and -, a letter first")
        if node.id in seen:
            mistakes.append(f"two stages are named '{node.id}'")
        seen.add(node.id)
        mistakes += [
            f"'{node.id}' needs '{need}', which does not exist; there are: {', '.join(sorted(known))}"
            for need in node.needs
            if need not in known
        ]
        mistakes += [
            f"'{node.id}' can do without '{need}', but does not need it"
            for need in sorted(node.optional - set(node.needs))
        ]
        if not node.output.model_config.get("frozen"):
            mistakes.append(
                f"'{node.id}' returns {node.output.__name__}, which is not frozen: a later stage could change it"
            )
    return mistakes


def _circles(nodes: tuple[Node, ...]) -> list[str]:
    known = {node.id for node in nodes}
    sorter = graphlib.TopologicalSorter({node.id: [n for n in node.needs if n in known] for node in nodes})
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        # graphlib names each stage before the one that needs it.
        return [f"the stages need each other in a circle: {' -> '.join(error.args[1])}"]
    return []
