"""A checked definition becomes a graph whose stages can run."""

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import NO_COMMIT
from pipeline.definition.definition import Declaration, Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.engine.code_versions import CodeVersions
from pipeline.engine.graph import Graph, Inputs, Repeat, StageNode
from pipeline.stages.context import RunContext, RunInput, StageContext
from pipeline.stages.stage import facts_of, input_field

_VERSIONS = CodeVersions(Path(__file__).parents[1])


def build_graph(definition: Definition, run: RunContext, ticket: Ticket | None = None) -> Graph:
    """The definition as a graph that can run. With a `ticket` that was prepared elsewhere, nothing looks for one.

    Raises:
        DefinitionInvalid: a stage works on a change, and no stage makes one.
    """
    nodes = {stage.id: _node(stage, run, ticket) for stage in definition.every_stage}
    return Graph(tuple(_step(stage, nodes, run) for stage in definition.stages))


def context_of(stage: StageDeclaration, run: RunContext) -> StageContext:
    """The part of a run that a stage may use."""
    return StageContext(
        stage=stage.id,
        kind=stage.uses,
        reads=stage.kind.reads,
        slots=stage.kind.slots,
        stage_options=stage.options,
        output=stage.kind.output,
        seconds=stage.timeout,
        _run=run,
    )


def _step(stage: Declaration, nodes: Mapping[str, StageNode], run: RunContext) -> StageNode | Repeat:
    if isinstance(stage, StageDeclaration):
        return nodes[stage.id]
    from pipeline.agents.questions import budgets_granted  # a definition without rounds must not pay for it

    return Repeat(
        id=stage.id,
        needs=stage.needs,
        nodes=tuple(nodes[inner.id] for inner in stage.stages),
        until=stage.until,
        until_text=stage.until.text,
        max=stage.max * budgets_granted(stage.id, run.answers),
        when=stage.when,
        when_text=stage.when.text if stage.when else None,
        optional=stage.optional,
    )


def _node(stage: StageDeclaration, run: RunContext, ticket: Ticket | None) -> StageNode:
    kind = stage.kind
    if ticket is not None and (kind.finds_ticket or kind.from_ticket is not None):
        return _node_with_ticket(stage, ticket)
    if RunInput.WORKBENCH in kind.reads and RunInput.WORKBENCH not in run.tools:
        raise _no_change(stage)
    context = context_of(stage, run)

    def call(inputs: Inputs) -> BaseModel:
        needed_outputs = kind.input(**{input_field(need): inputs[need] for need in inputs})
        output: BaseModel = kind.run(needed_outputs, replace(context, facts=facts_of(inputs.values())))
        return output

    return StageNode(
        id=stage.id,
        needs=stage.needs,
        run=call,
        output=kind.output,
        key=_key(stage, context, run),
        when=stage.when,
        when_text=stage.when.text if stage.when else None,
        retries=stage.retries,
        timeout=stage.timeout,
        optional=stage.optional | frozenset(need for need in stage.needs if kind.can_do_without(need)),
        previous=stage.previous,
        skipped=kind.why_skipped(context),
    )


def _node_with_ticket(stage: StageDeclaration, ticket: Ticket) -> StageNode:
    """A stage that would look for the ticket: it makes its output of the one that is there, or does not run."""
    from_ticket = stage.kind.from_ticket

    def hand_on(_: Inputs) -> BaseModel:
        if from_ticket is None:
            raise AssertionError("a stage that would look for the ticket does not run")
        output: BaseModel = from_ticket(ticket)
        return output

    return StageNode(
        id=stage.id,
        needs=stage.needs,
        run=hand_on,
        output=stage.kind.output,
        key=hashlib.sha256(ticket.model_dump_json().encode()).hexdigest(),
        skipped="a ticket was given" if from_ticket is None else None,
        optional=frozenset(stage.needs),
    )


def _key(stage: StageDeclaration, context: StageContext, run: RunContext) -> str | None:
    """Digest of everything that decides the stage's result besides the results that it needs.

    None, so that the stage runs again, where it reads a tree that no commit names.
    """
    kind = stage.kind
    read_trees = {RunInput.TREE: run.tree, RunInput.INDEX: run.tree, RunInput.CHECKOUT: run.checkout}
    for run_input, tree in read_trees.items():
        if run_input in kind.reads and (tree.commit == NO_COMMIT or tree.changed_files):
            return None
    key_parts = {
        "id": stage.id,
        "uses": stage.uses,
        "with": stage.options.model_dump(mode="json"),
        "when": stage.when.text if stage.when else None,
        "code": _code_version(stage, run),
        "reads": context.digest(),
    }
    return hashlib.sha256(json.dumps(key_parts, sort_keys=True).encode()).hexdigest()


def _code_version(stage: StageDeclaration, run: RunContext) -> str:
    """The version of the code that the stage runs: its body, and the indexes of the tree where it reads them.

    The port of the indexes hides their code from the imports of a body. Other ports do not: a body imports what it gets
    from `StageContext.tool`, and what a model replies is no function of our code.
    """
    modules = [stage.kind.run.__module__]
    if RunInput.INDEX in stage.kind.reads:
        modules.append(type(run.indexes).__module__)
    return _VERSIONS.of(Path(str(sys.modules[module].__file__)) for module in modules)


def _no_change(stage: StageDeclaration) -> DefinitionInvalid:
    return DefinitionInvalid(
        f"Stage `{stage.id}` uses `{stage.uses}`, and no stage asks an agent.",
        why="There is no change to work on.",
        what_to_do="Add a stage that `uses: coder` to the definition.",
    )
