"""Whether a definition can keep what `plan: ask` promises: a person sees the plan before anything is built."""

from pipeline.definition.definition import Definition, StageDeclaration
from pipeline.domain.errors import DefinitionInvalid
from pipeline.stages.context import RunInput
from pipeline.stages.plans.policy import Policy
from pipeline.stages.plans.stage import PlansOptions


def explores(stage: StageDeclaration) -> bool:
    """Whether a stage explores the code, if there is a model."""
    options = stage.options
    is_off = isinstance(options, PlansOptions) and options.policy is Policy.OFF
    return RunInput.EXPLORER in stage.kind.reads and not is_off


def refuse_unplanned(definition: Definition) -> None:
    """Refuse a definition that builds something of which no person sees a plan.

    Raises:
        DefinitionInvalid: it has a coder, and no stage that plans, or none that puts the plan to a person.
    """
    stages = definition.every_stage
    builds = any(RunInput.WORKBENCH in stage.kind.reads for stage in stages)
    is_planned = any(map(explores, stages))
    is_put = any(RunInput.PLAN_REVIEW in stage.kind.reads for stage in stages)
    if builds and not (is_planned and is_put):
        raise DefinitionInvalid(
            f"`plan: ask` in .github/askfirst/config.yml and the definition `{definition.name}` do not fit together.",
            why="A person shall see the plan before anything is built, and "
            + ("no stage explores the code." if not is_planned else "no stage puts the plan to a person."),
            what_to_do="Give the definition the stages `plans` (with a policy other than `off`) and `semantics`, as "
            "`build` has them, or set `plan: go`.",
        )
