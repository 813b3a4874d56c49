"""The stage's declaration: one reading goes into the ticket, several stop the run."""

from typing import TYPE_CHECKING, assert_never

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.plans.plan import LEVELS, Level
from pipeline.stages.plans.stage import RUNS_IF, Plans
from pipeline.stages.registry import RegistryReady
from pipeline.stages.stage import RunInput, StageKind, StageValue

if TYPE_CHECKING:
    from pipeline.stages.semantics.decide import Read

SLOTS = frozenset(level.value for level in LEVELS)


class SemanticsInput(StageValue):
    """The plans, and the ticket and code that they are of."""

    registry: RegistryReady
    reading: IssueDocument
    plans: Plans


class Semantics(StageValue):
    """What the plans came to.

    `target` is set where a person chose it. `open` says that a person answered in words that select no reading: then
    the targets are unknown.
    """

    reading: tuple[str, ...] = ()
    because: str
    target: CodePlace | None = None
    open: bool = False
    assumptions: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()


KIND = StageKind(
    name="semantics",
    input=SemanticsInput,
    output=Semantics,
    version="2",
    reads=frozenset({RunInput.ANSWERS}),
    slots=SLOTS,
    runs_if=RUNS_IF,
)


def compare_plans(needed: SemanticsInput, registry: Registry, answers: tuple[Answer, ...]) -> Semantics:
    """Compare the plans.

    Raises:
        ClarificationNeeded: they read the ticket in different ways, and the policy asks.
    """
    from pipeline.stages.semantics.decide import Open, Read, Said, decide
    from pipeline.stages.semantics.questions import question

    made = needed.plans
    if len(made.plans) < 2:
        return _not_compared(made)
    verdict = decide(made.policy, made.plans, needed.reading, registry, answers, made=made.made)
    match verdict:
        case Open(level, groups, probe):
            raise ClarificationNeeded(question(level, groups, needed.reading, probe))
        case Said(text):
            because = f"The answer in free words selects none of the readings: “{text}”"
            return Semantics(because=because, open=True)
        case Read():
            return _read(verdict, made)
        case _:
            assert_never(verdict)


def _not_compared(made: Plans) -> Semantics:
    dropped = "; ".join(f"plan {one.number} was dropped: {one.why}" for one in made.dropped)
    because = f"Readings were not compared: {made.failure or made.ended_because or dropped}."
    # Where there was nothing to compare for, a reader of the ticket misses nothing.
    return Semantics(because=because, assumptions=() if made.ended_because else (because,))


def _read(read: "Read", made: Plans) -> Semantics:
    from pipeline.stages.semantics.decide import levels_in_words

    first, levels = read.group.first, {level for level, _ in read.answered}
    reading = levels_in_words(read.group)
    assumed = [f"Of {made.made} plans by a model: {'; '.join(reading)}. {read.because}"]
    if first.also_touches:
        also = ", ".join(place.label for place in first.also_touches)
        assumed.append(f"To be touched as well, by that plan: {also}.")
    new = first.entity.startswith("new:")
    target = first.target if Level.TARGET in levels else None
    if target is not None and new:
        target = target.model_copy(update={"label": f"new, in {target.label}"})
    return Semantics(
        reading=reading,
        because=read.because,
        target=target,
        assumptions=tuple(assumed),
        acceptance=tuple(f"{given} gives {expected}" for given, expected in read.group.checks.items())
        if levels
        else (),
        probes=read.fired,
    )
