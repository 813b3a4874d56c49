"""The stage's declaration. It imports little, because every run imports it."""

from pipeline.stages.change.draft import STAGE, ChangeDraft, ChangeInput
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind
from pipeline.stages.work import workbench_of


def _run(inputs: ChangeInput, context: StageContext) -> ChangeDraft:
    from pipeline.agents.questions import budgets_granted
    from pipeline.stages.change.decide import make_change

    bench = workbench_of(context)
    return make_change(
        inputs,
        context.identity,
        answers=context.answers,
        wanted_changes=context.wanted_changes,
        rounds_granted=budgets_granted("work", context.answers),
        decisions=bench.gate_lines.read(),
        gate=bench.decision_on,
        before=bench.before,
        subjects=bench.recent_subjects(),
        holds_secret=context.holds_secret,
        last_word=lambda **task: bench.last_word(context.agent_of("coder"), **task),
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
