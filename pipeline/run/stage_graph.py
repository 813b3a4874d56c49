"""A checked definition becomes a graph whose stages can run."""

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel

from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import NO_COMMIT
from pipeline.definition.definition import Declaration, Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.engine.code_versions import CodeVersions
from pipeline.engine.graph import Graph, Inputs, StageBody
from pipeline.stages.context import RunContext, RunInput, StageContext
from pipeline.stages.stage import facts_of, input_field

_VERSIONS = CodeVersions(Path(__file__).parents[1])


def build_graph(definition: Definition, run: RunContext, ticket: Ticket | None = None) -> Graph:
    """The definition as a graph that can run. With a `ticket` that was prepared elsewhere, nothing looks for one.

    Raises:
        DefinitionInvalid: a stage works on a change, and no stage makes one.
    """
    return Graph(
        tuple(_as_scheduled(stage, run, ticket) for stage in definition.stages),
        {stage.id: _body(stage, run, ticket) for stage in definition.every_stage},
    )


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


def _as_scheduled(stage: Declaration, run: RunContext, ticket: Ticket | None) -> Declaration:
    """The stage as this run has it: it may do without more outputs than it declares, and a repeat may have more rounds."""
    if isinstance(stage, StageDeclaration):
        if _comes_from_ticket(stage, ticket):
            return replace(stage, optional=frozenset(stage.needs), when=None)
        needs_with_default = frozenset(need for need in stage.needs if stage.kind.can_do_without(need))
        return replace(stage, optional=stage.optional | needs_with_default)
    from pipeline.agents.questions import budgets_granted  # a definition without rounds must not pay for it

    scheduled_stages = (_as_scheduled(inner_stage, run, ticket) for inner_stage in stage.stages)
    return replace(
        stage,
        stages=tuple(inner for inner in scheduled_stages if isinstance(inner, StageDeclaration)),
        max=stage.max * budgets_granted(stage.id, run.answers),
    )


def _comes_from_ticket(stage: StageDeclaration, ticket: Ticket | None) -> bool:
    """Whether a stage has nothing to look for, because its ticket is there already."""
    return ticket is not None and (stage.kind.finds_ticket or stage.kind.from_ticket is not None)


def _body(stage: StageDeclaration, run: RunContext, ticket: Ticket | None) -> StageBody:
    kind = stage.kind
    if ticket is not None and _comes_from_ticket(stage, ticket):
        return _body_with_ticket(stage, ticket)
    if RunInput.WORKBENCH in kind.reads and RunInput.WORKBENCH not in run.tools:
        raise _no_change(stage)
    context = context_of(stage, run)

    def call(inputs: Inputs) -> BaseModel:
        needed_outputs = kind.input(**{input_field(need): inputs[need] for need in inputs})
        output: BaseModel = kind.run(needed_outputs, replace(context, facts=facts_of(inputs.values())))
        return output

    return StageBody(call, kind.output, _key(stage, context, run), kind.why_skipped(context))


def _body_with_ticket(stage: StageDeclaration, ticket: Ticket) -> StageBody:
    """A stage that would look for the ticket: it makes its output of the one that is there, or does not run."""
    from_ticket = stage.kind.from_ticket

    def hand_on(_: Inputs) -> BaseModel:
        if from_ticket is None:
            raise AssertionError("a stage that would look for the ticket does not run")
        output: BaseModel = from_ticket(ticket)
        return output

    return StageBody(
        hand_on,
        stage.kind.output,
        key=hashlib.sha256(ticket.model_dump_json().encode()).hexdigest(),
        skipped="a ticket was given" if from_ticket is None else None,
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
