"""Stage `ticket`: put together what a coder starts from. The product of `gate`."""

from typing import Self

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace, Conclusion, Finding, Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.domain.intent import Intent, Source
from pipeline.domain.ticket import IncomingTicket
from pipeline.stages.decomposition.questions import SLOTS as DECOMPOSITION_SLOTS
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import SLOT as EXISTING_SLOT
from pipeline.stages.existing.stage import Existing
from pipeline.stages.intent.hidden_text import remove_hidden
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.stage import SLOTS as SEMANTICS_SLOTS
from pipeline.stages.semantics.stage import Semantics
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue


class TicketInput(StageValue):
    """Everything that was found out. Without a model no plans are compared."""

    snapshot: Snapshot
    registry: RegistryReady
    intent: Intent
    existing: Existing
    decomposition: Decomposition
    semantics: Semantics | None = None


class TicketDraft(StageValue):
    """A ticket without the run's identity, so that a later run can reuse it."""

    title: str
    body: str
    operation: str
    targets: tuple[CodePlace, ...]
    selected_because: str
    chain: tuple[CodePlace, ...]
    tests: tuple[CodePlace, ...]
    existing: tuple[Finding, ...]
    answers: tuple[Answer, ...]
    decisions: tuple[str, ...]
    assumptions: tuple[str, ...]
    acceptance_criteria: tuple[str, ...]

    @classmethod
    def of(cls, ticket: Ticket) -> Self:
        """The draft of a ticket that was prepared elsewhere."""
        told = {name: getattr(ticket, name) for name in cls.model_fields}
        return cls(**told | {"targets": () if isinstance(ticket.targets, str) else ticket.targets})

    @classmethod
    def untargeted(cls, ticket: IncomingTicket, definition: str, answers: tuple[Answer, ...]) -> Self:
        """The draft at the end of a definition that looks for no targets, and has agents say something about the issue."""
        return cls(
            title=ticket.title,
            body=ticket.body,
            operation="unknown",
            targets=(),
            selected_because=f"No stage of `{definition}` looks for targets: it ends with what its agents say.",
            chain=(),
            tests=(),
            existing=(),
            answers=answers,
            decisions=(),
            assumptions=(),
            acceptance_criteria=(),
        )

    def ticket(
        self,
        run: RunIdentity,
        conclusions: tuple[Conclusion, ...] = (),
        *,
        self_answered: tuple[str, ...] = (),
    ) -> Ticket:
        """The document that leaves the pipeline. Ready means: the targets are known.

        `self_answered` says what agents asked each other on the way and no person answered.
        """
        return Ticket(
            run=run,
            title=self.title,
            body=self.body,
            operation=self.operation,
            targets=self.targets or "unknown",
            ready=bool(self.targets),
            selected_because=self.selected_because,
            chain=self.chain,
            tests=self.tests,
            existing=self.existing,
            answers=self.answers,
            decisions=self.decisions,
            assumptions=(*self.assumptions, *self_answered),
            acceptance_criteria=self.acceptance_criteria,
            conclusions=conclusions,
        )


KIND = StageKind(
    name="ticket",
    input=TicketInput,
    output=TicketDraft,
    version="2",
    reads=frozenset({RunInput.ANSWERS}),
    # What was asked later, about the work, is no part of the ticket: the work would begin anew with every answer.
    slots=DECOMPOSITION_SLOTS | SEMANTICS_SLOTS | {EXISTING_SLOT},
)


def write_ticket(needed: TicketInput, answers: tuple[Answer, ...]) -> TicketDraft:
    """Put the ticket together, of what people read in the issue: its hidden parts are nobody's wish."""
    ticket, found = needed.snapshot.ticket, needed.decomposition
    body, _ = remove_hidden(ticket.body)
    targets, because = _targets(needed)
    return TicketDraft(
        title=remove_hidden(ticket.title)[0],
        body=body,
        operation=needed.intent.operation.value,
        targets=targets,
        selected_because=because,
        chain=found.chain,
        tests=found.tests,
        existing=needed.existing.findings,
        answers=answers,
        decisions=found.decisions,
        assumptions=_assumptions(needed, answers),
        acceptance_criteria=_criteria(needed, targets),
    )


def _targets(needed: TicketInput) -> tuple[tuple[CodePlace, ...], str]:
    """What is worked on, and why: what the words selected, or the reading that a person chose among plans.

    Plans that agree are no reason of their own. Where no word selects anything they make no target, and a person who
    answered beside the readings leaves none.
    """
    found, read = needed.decomposition, needed.semantics
    if read is not None and read.open:
        return (), read.because
    if read is not None and read.target is not None:
        return (read.target,), read.because
    return found.targets, found.selected_because


def _assumptions(needed: TicketInput, answers: tuple[Answer, ...]) -> tuple[str, ...]:
    assumed = []
    if needed.intent.by_rule_because is not None:
        assumed.append(f"The ticket was read by rule, because of {needed.intent.by_rule_because}")
    elif needed.intent.source is Source.LEXICAL:
        assumed.append("The ticket was read by rule, without a model: only what is written was understood.")
    if needed.intent.hidden_removed:
        assumed.append(
            f"Hidden parts of the ticket (comments, invisible characters) were read by nobody: {needed.intent.hidden_removed}."
        )
    if needed.intent.source is Source.MODEL:
        assumed += [f"It holds under a condition: “{said.quote}”" for said in needed.intent.conditions]
    assumed += [f"A person said: “{answer.text}”" for answer in answers if answer.text]
    if needed.existing.said:
        assumed.append(needed.existing.said)
    missing = [finding.asked for finding in needed.existing.findings if finding.found is None]
    present = [finding.found for finding in needed.existing.findings if finding.found is not None]
    if present and missing:
        assumed.append(f"There already: {', '.join(present)}. Missing: {', '.join(missing)}.")
    if needed.semantics is not None:
        assumed += needed.semantics.assumptions
    return tuple(assumed)


def _criteria(needed: TicketInput, targets: tuple[CodePlace, ...]) -> tuple[str, ...]:
    """What the ticket says itself; then one line for each new name, and that today's tests go on passing."""
    written = [said.text for said in needed.intent.acceptance]
    places = ", ".join(target.label for target in targets)
    named = [
        f"`{new.text}` does what the ticket says, at {places}." for new in needed.intent.new_names if places
    ]
    written += needed.semantics.acceptance if needed.semantics is not None else ()
    kept = ["The tests that pass today still pass."]
    return (*written, *named, *kept)
