"""Stage `ticket`: put together what a coder starts from. The product of `gate`."""

from typing import Self

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import (
    CodePlace,
    Conclusion,
    TargetConfidence,
    Ticket,
    TicketContent,
    TicketFact,
)
from pipeline.contract.wire import RunIdentity
from pipeline.domain.issue import IssueDocument, Reader, operation_of
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.hidden_text import remove_hidden
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places import Places
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.decide import Semantics
from pipeline.stages.semantics.exploring import SLOTS as PLANS_SLOTS
from pipeline.stages.semantics.exploring import SLOTS_BEFORE_WORK
from pipeline.stages.semantics.questions import AS_PLANNED
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.ticket_notes import gaps_that_matter, notes_on

_MAY_EXIST = "If that is not what the issue asks for, say in it what is missing, and set the label again."


class TicketInput(StageValue):
    """Everything that was found out. Without a model no plans are compared."""

    snapshot: Snapshot
    registry: RegistryReady
    reading: IssueDocument
    places: Places
    existing: Existing
    decomposition: Decomposition
    semantics: Semantics | None = None

    @property
    def compared(self) -> Semantics:
        """The result of comparing plans; empty where there were none."""
        return self.semantics or Semantics(because="")


class TicketDraft(TicketContent):
    """A ticket without the run's identity, so that a later run can reuse it."""

    targets: tuple[CodePlace, ...]

    @classmethod
    def of(cls, ticket: Ticket) -> Self:
        """The draft of a ticket that was prepared elsewhere."""
        return cls(**dict(ticket) | {"targets": () if isinstance(ticket.targets, str) else ticket.targets})

    @classmethod
    def without_targets(cls, ticket: IncomingTicket, because: str, answers: tuple[Answer, ...]) -> Self:
        """The draft at the end of a run that looked for no targets: its agents say something about the issue, or it is done."""
        return cls(
            title=ticket.title,
            body=ticket.body,
            operation="unknown",
            targets=(),
            selected_because=because,
            answers=answers,
        )

    def ticket(
        self,
        run: RunIdentity,
        conclusions: tuple[Conclusion, ...] = (),
        *,
        self_answered: tuple[str, ...] = (),
        facts: tuple[TicketFact, ...] = (),
    ) -> Ticket:
        """The document that leaves the pipeline. Ready means: the targets are known.

        `self_answered` says what agents asked each other on the way and no person answered; `facts` are those of all stages.
        """
        values = {
            "ready": bool(self.targets),
            "targets": self.targets or "unknown",
            "assumptions": (*self.assumptions, *self_answered),
            "facts": tuple(dict.fromkeys((*self.facts, *facts))),
        }
        return Ticket(run=run, conclusions=conclusions, **dict(self) | values)


def _run(inputs: TicketInput, context: StageContext) -> TicketDraft:
    """Put the ticket together, of what people read in the issue: its hidden parts are not wishes."""
    ticket, decision, answers = inputs.snapshot.ticket, inputs.decomposition, context.answers.answers
    hints = tuple(hint for hint in (inputs.existing.hint, decision.hint) if hint)
    targets, because, confidence = _targets(inputs)
    if hints and inputs.compared.plan is None and not answers:
        targets, because, confidence = (), _MAY_EXIST, TargetConfidence.LIKELY
    gaps = gaps_that_matter(
        inputs.registry.gaps, inputs.reading, inputs.places.ranking, confidence, context.registry
    )
    return TicketDraft(
        title=remove_hidden(ticket.title),
        body=remove_hidden(ticket.body),
        operation=operation_of(inputs.reading.kind).value,
        targets=targets,
        selected_because=because,
        confidence=confidence,
        places=inputs.places.places,
        notes=notes_on(inputs.reading, gaps, inputs.places, hints, confidence, because),
        chain=decision.chain,
        tests=decision.tests,
        existing=inputs.existing.findings,
        answers=answers,
        decisions=decision.decisions,
        assumptions=_assumptions(inputs, answers),
        acceptance_criteria=_criteria(inputs, answers),
        plan=inputs.compared.plan,
        facts=context.facts,
    )


KIND = StageKind(
    name="ticket",
    is_ending=True,
    input=TicketInput,
    output=TicketDraft,
    run=_run,
    reads=frozenset({RunInput.INDEX, RunInput.ANSWERS}),
    # What was asked later, about the work, is no part of the ticket: the work would begin anew with every answer.
    slots=SLOTS_BEFORE_WORK,
    from_ticket=TicketDraft.of,
)


def _targets(inputs: TicketInput) -> tuple[tuple[CodePlace, ...], str, TargetConfidence]:
    """What is worked on, and why: what the issue names or a person chose, then what plans agree on besides.

    Plans that part leave no target, whatever the issue names.
    """
    decision, plans = inputs.decomposition, inputs.compared
    if plans.open:
        return (), plans.because, TargetConfidence.LIKELY
    if not decision.targets and plans.targets:
        return plans.targets, plans.because, TargetConfidence.PLANNED
    target_ids = {target.id for target in decision.targets}
    more_targets = tuple(target for target in plans.targets if target.id not in target_ids)
    because = f"{decision.selected_because} {plans.because}" if more_targets else decision.selected_because
    return (*decision.targets, *more_targets), because, decision.confidence


def _assumptions(inputs: TicketInput, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    document, assumptions = inputs.reading, []
    if document.model_failure is not None:
        assumptions.append(f"No model read the issue, so rules did: {document.model_failure}.")
    elif document.reader is Reader.RULES:
        assumptions.append("The issue was read without a model: only what is written was understood.")
    if document.hidden_pieces:
        assumptions.append(
            f"Hidden parts of the issue (comments, invisible characters) were not read: {document.hidden_pieces}."
        )
    if inputs.compared.plan is None:  # who planned has read the conditions
        assumptions += [
            f"It holds under a condition: “{condition.quote}”" for condition in document.conditions
        ]
    assumptions += [f"A person answered: “{answer.text}”" for answer in answers if answer.text]
    if inputs.existing.answer:
        assumptions.append(inputs.existing.answer)
    missing = [finding.asked for finding in inputs.existing.findings if finding.found is None]
    present = [finding.found for finding in inputs.existing.findings if finding.found is not None]
    if present and missing:
        assumptions.append(f"There already: {', '.join(present)}. Missing: {', '.join(missing)}.")
    return (*assumptions, *inputs.compared.assumptions)


def _criteria(inputs: TicketInput, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    """What the issue says itself, what a person chose among plans, and that today's tests pass; of a bare wish, the whole."""
    criteria = [inputs.compared.as_decided(criterion.text) for criterion in inputs.reading.acceptance]
    criteria += (*inputs.compared.acceptance, *_decided_of_earlier_plan(inputs, answers))
    whole_wish = "The change does what the issue asks for."
    return (*(criteria or [whole_wish]), "The tests that pass today still pass.")


def _decided_points(answer: Answer) -> int:
    """How many points of a plan an answer decides; that nothing is planned anew is no point."""
    if answer.points is None:
        return 1
    return len(
        {id_ for id_, choice in answer.points.items() if choice != AS_PLANNED} | set(answer.words or {})
    )


def _decided_of_earlier_plan(inputs: TicketInput, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    """What a person decided about a plan that was made anew since, as when a pull request is changed again.

    Where the plan that stands has all of it as its decisions, these say it better.
    """
    plan = inputs.compared.plan
    decisive_answers = {
        answer.slot: answer for answer in answers if answer.slot in PLANS_SLOTS and answer.decision
    }
    points = sum(map(_decided_points, decisive_answers.values()))
    if plan is not None and len(plan.decisions) >= points:
        return ()
    return tuple(
        f"What {answer.answered_by or 'a person'} decided about the plan before this one holds: {answer.label}"
        for answer in decisive_answers.values()
    )
