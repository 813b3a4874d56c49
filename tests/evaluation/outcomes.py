"""Tickets whose right outcome is known, and whether what the pipeline came to is it."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BeforeValidator

from pipeline.contract.clarification import Candidate
from pipeline.domain.models import FrozenModel


class ExpectedPlace(FrozenModel):
    """A candidate, target or existing thing as a ticket's author describes it; what is None is not compared."""

    method: str | None = None
    path: str | None = None
    model: str | None = None
    field: str | None = None
    symbol: str | None = None
    file: str | None = None
    line: int | None = None


def _none_is_empty(value: object) -> object:
    return () if value is None else value


_Places = Annotated[tuple[ExpectedPlace, ...], BeforeValidator(_none_is_empty)]


class ExpectedOutcome(FrozenModel):
    """The right outcome of a ticket."""

    exit_code: int
    kind: str | None = None
    stage: str | None = None
    candidates: _Places = ()
    existing: _Places = ()
    selected: ExpectedPlace | None = None
    default: str | None = None
    needs_model: bool = False


class EvaluatedTicket(FrozenModel):
    """A ticket over a repository at a commit. `held_out`: nobody who writes the rules has read it."""

    id: str
    language: str = ""
    repo_dir: str
    commit: str | None = None
    category: str = ""
    title: str
    body: str = ""
    held_out: bool = False
    expected: ExpectedOutcome


class TicketSet(FrozenModel):
    """The file that `--tickets` names."""

    tickets: tuple[EvaluatedTicket, ...]


class ActualOutcome(FrozenModel):
    """What the pipeline came to. `hint` is the sentence on what may exist already, which stops nothing."""

    exit_code: int
    kind: str | None
    stage: str | None
    candidates: tuple[str, ...]
    default: str | None
    targets: tuple[str, ...]
    message: str
    hint: str | None = None


class EvaluationRow(FrozenModel):
    """One ticket's result. `candidates_right` and `default_right` are None where they do not apply.

    `runs` is how often the ticket was run, and `agreeing` in how many of these it came to this same result.
    """

    id: str
    language: str
    category: str
    expected: ExpectedOutcome
    got: ActualOutcome
    right: bool
    needs_model: bool
    candidates_right: bool | None
    default_right: bool | None
    commit_matches: bool | None
    seconds: float
    held_out: bool = False
    runs: int = 1
    agreeing: int = 1


def is_right(outcome: ExpectedOutcome, got: ActualOutcome, sets_right: bool | None) -> bool:
    """Without a model, a ticket that needs one is right if it goes on and says that its targets are unknown."""
    if outcome.needs_model:
        return got.exit_code == 0 and not got.targets
    if got.exit_code != outcome.exit_code or got.kind != outcome.kind:
        return False
    if outcome.kind is not None and outcome.stage is not None and got.stage != outcome.stage:
        return False
    return sets_right is not False


def sets_right_for(
    outcome: ExpectedOutcome, candidates: Sequence[Candidate], targets: Sequence[Candidate]
) -> bool | None:
    """Whether exactly the expected things were offered (as a set), found or selected; None where none are expected."""
    if outcome.needs_model:
        return None
    if outcome.existing:
        return all(
            any(_is_place_of(place, candidate) for candidate in candidates) for place in outcome.existing
        )
    if outcome.candidates:
        return len(outcome.candidates) == len(candidates) and all(
            any(_is_place_of(place, candidate) for candidate in candidates) for place in outcome.candidates
        )
    if outcome.selected is not None:
        return len(targets) == 1 and _is_place_of(outcome.selected, targets[0])
    return None


def is_hinted(outcome: ExpectedOutcome, got: ActualOutcome) -> bool:
    """Whether what exists is named without a stop: with its place, where the ticket's author says which it is."""
    places = [f"({place.file}:{place.line})" for place in outcome.existing if place.line is not None]
    return got.hint is not None and all(place in got.hint for place in places)


def _is_place_of(place: ExpectedPlace, candidate: Candidate) -> bool:
    """By file and line where the place has them: names are spelt in more than one way, lines are not."""
    location = candidate.location
    if place.file is not None and place.line is None and place.method is None and location is not None:
        return location.path == place.file
    if place.file is not None and place.line is not None and location is not None:
        return location.path == place.file and location.start_line <= place.line <= max(
            location.end_line, location.start_line
        )
    if place.method is not None and place.path is not None:
        method, _, path = candidate.label.partition(" ")
        return method == place.method and path.rstrip("/") == place.path.rstrip("/")
    if place.model is not None:
        return candidate.label == f"{place.model}.{place.field}"
    return place.symbol is not None and candidate.label.startswith(place.symbol)


def default_right(
    outcome: ExpectedOutcome, got: ActualOutcome, candidates: Sequence[Candidate]
) -> bool | None:
    """Whether `go` would have taken what is expected; None where nothing is expected or nothing was asked."""
    if outcome.default is None or not candidates:
        return None
    return got.default is not None and (
        got.default == outcome.default or got.default.startswith(f"{outcome.default}.")
    )
