"""Whether a definition can keep what `plan: ask` promises: a person sees the plan before anything is built."""

from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.engine.graph import Condition, Repeat
from pipeline.stages.context import RunInput
from pipeline.stages.semantics.exploring import PlansOptions
from pipeline.stages.semantics.policy import Policy
from pipeline.stages.work import CoderOutput


def explores(stage: StageDeclaration) -> bool:
    """Whether a stage explores the code, if there is a model."""
    options = stage.options
    is_off = isinstance(options, PlansOptions) and options.policy is Policy.OFF
    return RunInput.EXPLORER in stage.kind.reads and not is_off


def refuse_unplanned(definition: Definition) -> None:
    """Refuse a definition that may build something of which no person has seen a plan.

    Raises:
        DefinitionInvalid: it has a coder that does not wait for a stage that plans, or for one that puts the plan to a
            person, or these run under a condition only.
    """
    coders = [stage for stage in definition.every_stage if stage.kind.output is CoderOutput]
    reason = next((reason for coder in coders if (reason := _way_around(coder, definition))), None)
    if reason is not None:
        raise DefinitionInvalid(
            f"`plan: ask` in .github/askfirst/config.yml and the definition `{definition.name}` do not fit together.",
            why=f"A person must see the plan before anything is built, and {reason}",
            what_to_do="Give the definition the stages `plans` (with a policy other than `off`) and `semantics`, as "
            "`build` has them, without a `when`, or set `plan: go`.",
        )


def _way_around(coder: StageDeclaration, definition: Definition) -> str | None:
    """How a coder may work without a plan that a person has seen, as the end of a sentence; None if it cannot."""
    stages = [stage for stage in definition.every_stage if stage.id in _all_needs(coder, definition)]
    conditions = {
        stage.id: condition.text
        for stage in stages
        if (condition := _condition(stage, definition)) is not None
    }
    for is_there, missing in (
        (explores, "no stage explores the code before"),
        (_reviews_plan, "no stage puts the plan to a person before"),
    ):
        able_stages = [stage for stage in stages if is_there(stage)]
        if not able_stages:
            return f"{missing} `{coder.id}` works."
        if all(stage.id in conditions for stage in able_stages):
            stage_id = able_stages[0].id
            return f"the stage `{stage_id}` runs only if `{conditions[stage_id]}`."
    return None


def _reviews_plan(stage: StageDeclaration) -> bool:
    return RunInput.PLAN_REVIEW in stage.kind.reads


def _all_needs(stage: StageDeclaration, definition: Definition) -> frozenset[str]:
    """The ids of all stages that a stage waits for, over any number of needs; of a repeat, all that stand in it."""
    needs_of: dict[str, set[str]] = {}
    for declaration in definition.stages:
        if isinstance(declaration, StageDeclaration):
            needs_of[declaration.id] = set(declaration.needs)
            continue
        needs_of[declaration.id] = {*declaration.needs, *(inner.id for inner in declaration.stages)}
        for inner in declaration.stages:
            needs_of[inner.id] = {*inner.needs, *declaration.needs}
    ids: set[str] = set()
    waiting = [stage.id]
    while waiting:
        new_ids = needs_of[waiting.pop()] - ids
        ids |= new_ids
        waiting += new_ids
    return frozenset(ids)


def _condition(stage: StageDeclaration, definition: Definition) -> Condition | None:
    """The `when` of a stage, or of the repeat around it."""
    around = next(
        (
            declaration.when
            for declaration in definition.stages
            if isinstance(declaration, Repeat) and stage in declaration.stages
        ),
        None,
    )
    return stage.when or around
