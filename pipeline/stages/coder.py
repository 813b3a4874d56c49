"""Stage `coder`: an agent makes the change in the worktree, or corrects it after red tests or a review."""

from typing import TYPE_CHECKING

from pipeline.agents.agent import Agent
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import (
    AgentChoice,
    Baseline,
    Coded,
    Reviewed,
    Tested,
    Told,
    house_rules_as_prompt,
    ticket_as_prompt,
    wanted_as_prompt,
)

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


class CoderInput(StageValue):
    """The ticket; from the second round on, what became of the round before."""

    snapshot: Snapshot
    ticket: TicketDraft
    baseline: Baseline | None = None
    previous_coder: Coded | None = None
    previous_tests: Tested | None = None
    previous_reviewer: Reviewed | None = None


KIND = StageKind(
    name="coder",
    input=CoderInput,
    output=Coded,
    version="3",
    options=AgentChoice,
    reads=frozenset({RunInput.CHECKOUT, RunInput.WANTED, RunInput.AGENT, RunInput.GUIDANCE}),
)


def write_code(
    needed: CoderInput,
    bench: "Workbench",
    agent: Agent,
    guidance: tuple[str, ...],
    wanted: WantedChanges | None,
) -> Coded:
    """Have the agent work one round. `guidance` is what people said when it was stuck, `wanted` what a reviewer asks for.

    Raises:
        Stop: a call waits for approval, the agent asks, or its budget is spent.
        AgentGaveUp: the agent says that it cannot be done.
        ChangeRefused: the change holds something that may not leave the worktree.
        PreconditionFailed: nobody knows which command runs the tests.
    """
    before = needed.previous_coder
    round_ = 1 if before is None else before.round + 1
    notes = bench.notes_of_people(round_)
    if notes:
        bench.note(
            KIND.name, f"Round {round_} was told {len(notes)} of the notes that people wrote meanwhile."
        )
    ending = bench.run_agent(
        agent,
        KIND.name,
        round_,
        _prompt(needed, bench, guidance, wanted, notes),
        before.files if before else (),
        targets=tuple(target.id for target in needed.ticket.targets),
    )
    told = ending.output.model_dump()
    return Coded(
        round=round_,
        summary=told["summary"],
        assumptions=tuple(told["assumptions"] or ()),
        files=bench.changed_files(),
        history=(*before.history, _became_of(needed)) if before else (),
        told=Told(
            model=agent.model or bench.rules.model, replies=ending.origin.value, dollars=ending.spent.dollars
        ),
        dollars_before=_cost_before(needed),
        self_answered=(*_self_answered_before(needed), *ending.assumptions),
    )


def _prompt(
    needed: CoderInput,
    bench: "Workbench",
    guidance: tuple[str, ...],
    wanted: WantedChanges | None,
    notes: tuple[str, ...],
) -> str:
    files = [target.location.path for target in needed.ticket.targets if target.location is not None]
    parts = [
        ticket_as_prompt(needed.ticket),
        *house_rules_as_prompt(needed.snapshot.house_rules, files),
        _how_tests_run(bench),
    ]
    if needed.baseline is not None and needed.baseline.failing:
        named = "\n".join(needed.baseline.failing)
        parts.append(material("tests that were red before you began; leave them as they are", named))
    if wanted is not None:
        parts.append(wanted_as_prompt(wanted, bench.diff_since(wanted.base_commit)))
    parts += [material("what a person said when you were stuck", said) for said in guidance]
    parts += [material("a note of a person with write access, about this change", note) for note in notes]
    if needed.previous_coder is not None:
        paths = "\n".join(file.path for file in needed.previous_coder.files) or "(none)"
        parts.append(
            f"This is round {needed.previous_coder.round + 1}. Your change of the round before is in the tree:\n{paths}"
        )
    if needed.previous_tests is not None and not needed.previous_tests.green:
        tests = needed.previous_tests
        parts.append(material("red tests", f"{tests.in_words}\n{tests.output}"))
    if needed.previous_reviewer is not None:
        review = needed.previous_reviewer
        remarks = [f"remark: {one.in_words}" for one in review.findings if one.severity == "remark"]
        findings = "\n".join(f"- {said}" for said in (*review.objections, *remarks))
        parts.append(material("findings of the review", findings or "- (no reason was given)"))
    return "\n\n".join(parts)


def _how_tests_run(bench: "Workbench") -> str:
    return (
        f"`run_tests` runs: {' '.join(bench.tests.words)}; with `scope: reach`, the default, those tests of it that reach "
        "the targets and what was edited."
    )


def _cost_before(needed: CoderInput) -> float | None:
    before, review = needed.previous_coder, needed.previous_reviewer
    if before is None:
        return 0.0
    costs = [before.dollars_before, before.told.dollars, review.told.dollars if review else 0.0]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _self_answered_before(needed: CoderInput) -> tuple[str, ...]:
    before, review = needed.previous_coder, needed.previous_reviewer
    return (*(before.self_answered if before else ()), *(review.self_answered if review else ()))


def _became_of(needed: CoderInput) -> str:
    """One line about the round before."""
    before, tests, review = needed.previous_coder, needed.previous_tests, needed.previous_reviewer
    number = before.round if before else 0
    if tests is not None and not tests.green:
        return f"round {number}: {tests.in_words}"
    if review is not None:
        said = "; ".join(review.objections) or "no reason was given"
        return f"round {number}: the review asked for changes: {said}"
    return f"round {number}: it was not approved"
