"""`ticket.json`: what `gate` produces, and what a coder, ours or another, starts from."""

from typing import Literal

from pipeline.contract.answers import Answer
from pipeline.contract.wire import Location, NonEmpty, RunIdentity, WireModel


class CodePlace(WireModel):
    """Something in the code, by its registry id."""

    id: NonEmpty
    label: NonEmpty
    location: Location | None = None


class Finding(WireModel):
    """One point that the ticket asks for, and whether the code has it already."""

    asked: NonEmpty
    found: str | None
    location: Location | None = None
    covered_by: Location | None = None


class Ticket(WireModel):
    """A ticket that names its targets, or says that it does not know them.

    `ready` is true only when the targets are known: a coder starts from nothing less, and only such an issue is
    labelled `askfirst:ready`.
    """

    version: Literal[1] = 1
    kind: Literal["Ticket"] = "Ticket"
    run: RunIdentity
    title: NonEmpty
    body: str
    operation: NonEmpty
    targets: Literal["unknown"] | tuple[CodePlace, ...]
    ready: bool
    selected_because: str
    chain: tuple[CodePlace, ...] = ()
    tests: tuple[CodePlace, ...] = ()
    existing: tuple[Finding, ...] = ()
    answers: tuple[Answer, ...] = ()
    decisions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
