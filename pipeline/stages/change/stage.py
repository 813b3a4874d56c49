"""The stage's declaration. It imports little, because every run imports it."""

from pipeline.stages.change.draft import STAGE, ChangeDraft, ChangeInput
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind


def _run(inputs: ChangeInput, context: StageContext) -> ChangeDraft:
    from pipeline.agents.questions import budgets_granted
    from pipeline.stages.change.decide import make_change
    from pipeline.workbench.workbench import Workbench

    bench = context.tool(RunInput.WORKBENCH, Workbench)
    return make_change(
        inputs,
        context.identity,
        answers=context.answers,
        wanted_changes=context.wanted_changes,
        rounds_granted=budgets_granted("work", context.answers),
        decisions=bench.decisions(),
        gate=bench.decision_on,
        before=bench.before,
        holds_secret=context.holds_secret,
        last_word=lambda stuck_coder: bench.last_word(
            context.agent_of("coder"),
            f"coder/{stuck_coder.round_}",
            task=stuck_coder.task,
            steps=stuck_coder.steps,
            last_words=stuck_coder.summary,
            why=stuck_coder.why,
        ),
    )


KIND = StageKind(
    name=STAGE,
    input=ChangeInput,
    output=ChangeDraft,
    run=_run,
    reads=frozenset(
        {
            RunInput.TICKET,
            RunInput.CHECKOUT,
            RunInput.WANTED_CHANGES,
            RunInput.ANSWERS,
            RunInput.WORKBENCH,
            RunInput.SECRETS,
        }
    ),
    slots=frozenset({"budget", "confirmation"}),
)
