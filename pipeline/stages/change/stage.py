"""The stage's declaration. It imports little, because every run imports it."""

from pipeline.stages.change.draft import STAGE, ChangeDraft, ChangeInput
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind


def _run(inputs: ChangeInput, context: StageContext) -> ChangeDraft:
    from pipeline.stages.change.decide import make_change

    return make_change(inputs, context)


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
