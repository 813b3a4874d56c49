"""How well the pipeline asks: outcomes held against what is known to be right. Pure; `askfirst evaluate` runs it."""

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from pipeline.contract.clarification import Candidate
from pipeline.contract.exit_codes import ExitCode


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ExpectedPlace(_Data):
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


class Expected(_Data):
    """The right outcome of a ticket."""

    exit_code: int
    kind: str | None = None
    stage: str | None = None
    candidates: _Places = ()
    existing: _Places = ()
    selected: ExpectedPlace | None = None
    default: str | None = None
    needs_model: bool = False


class EvaluatedTicket(_Data):
    """A ticket over a repository at a commit."""

    id: str
    language: str = ""
    repo_dir: str
    commit: str | None = None
    category: str = ""
    title: str
    body: str = ""
    expected: Expected


class TicketSet(_Data):
    """The file that `--tickets` names."""

    tickets: tuple[EvaluatedTicket, ...]


class Got(_Data):
    """What the pipeline came to."""

    exit_code: int
    kind: str | None
    stage: str | None
    candidates: tuple[str, ...]
    default: str | None
    targets: tuple[str, ...]
    message: str


class Row(_Data):
    """One ticket's result. `candidates_right` and `default_right` are None where they do not apply."""

    id: str
    language: str
    category: str
    expected: Expected
    got: Got
    right: bool
    needs_model: bool
    candidates_right: bool | None
    default_right: bool | None
    commit_matches: bool | None
    seconds: float


def is_right(expected: Expected, got: Got, sets_right: bool | None) -> bool:
    """Without a model, a ticket that needs one is right if it goes on and says that its targets are unknown."""
    if expected.needs_model:
        return got.exit_code == 0 and not got.targets
    if got.exit_code != expected.exit_code or got.kind != expected.kind:
        return False
    if expected.kind is not None and expected.stage is not None and got.stage != expected.stage:
        return False
    return sets_right is not False


def sets_right_for(
    expected: Expected, candidates: Sequence[Candidate], targets: Sequence[Candidate]
) -> bool | None:
    """Whether exactly the expected things were offered (as a set), found or selected; None where none are expected."""
    if expected.needs_model:
        return None
    if expected.existing:
        return all(any(_same(place, one) for one in candidates) for place in expected.existing)
    if expected.candidates:
        return len(expected.candidates) == len(candidates) and all(
            any(_same(place, one) for one in candidates) for place in expected.candidates
        )
    if expected.selected is not None:
        return len(targets) == 1 and _same(expected.selected, targets[0])
    return None


def _same(place: ExpectedPlace, candidate: Candidate) -> bool:
    """By file and line where the place has them: names are spelt in more than one way, lines are not."""
    location = candidate.location
    if place.file is not None and place.line is None and place.method is None and location is not None:
        return location.path == place.file
    if place.file is not None and place.line is not None and location is not None:
        return location.path == place.file and location.start_line <= place.line <= max(
            location.end_line, location.start_line
        )
    if place.method is not None and place.path is not None:
        return candidate.label == f"{place.method} {place.path}"
    if place.model is not None:
        return candidate.label == f"{place.model}.{place.field}"
    return place.symbol is not None and candidate.label.startswith(place.symbol)


def default_right(expected: Expected, got: Got, candidates: Sequence[Candidate]) -> bool | None:
    """Whether `go` would have taken what is expected; None where nothing is expected or nothing was asked."""
    if expected.default is None or not candidates:
        return None
    return got.default is not None and (
        got.default == expected.default or got.default.startswith(f"{expected.default}.")
    )


class Share(_Data):
    """A part of a whole, and between which shares the true one lies with 95 % (Wilson); None where the whole is nothing."""

    part: int
    whole: int
    share: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.share is None:
            return "-"
        return f"{self.share:.2f} ({self.low:.2f}-{self.high:.2f}, {self.part} of {self.whole})"


class Quality(_Data):
    """How well a group of tickets was asked about; tickets that need a model stand apart, in `vague_right`."""

    tickets: int
    right: Share
    precision: Share
    recall: Share
    false_asks: Share
    sets_right: Share
    defaults_right: Share
    vague_right: Share


def share(part: int, whole: int) -> Share:
    """A share with its Wilson interval: honest about small wholes, where a plain share pretends to know."""
    if not whole:
        return Share(part=part, whole=whole, share=None, low=None, high=None)
    z = 1.96
    at = part / whole
    middle = (at + z * z / (2 * whole)) / (1 + z * z / whole)
    reach = z * sqrt(at * (1 - at) / whole + z * z / (4 * whole * whole)) / (1 + z * z / whole)
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return Share(part=part, whole=whole, share=round(at, 4), low=round(low, 4), high=round(high, 4))


def quality(rows: Sequence[Row]) -> Quality:
    """Quality of asking, structural: of the tickets that need no model, who was asked and who should have been."""
    scored = [row for row in rows if not row.needs_model]
    asked = [row for row in scored if row.got.exit_code == ExitCode.PERSON_ASKED]
    should = [row for row in scored if row.expected.exit_code == ExitCode.PERSON_ASKED]
    silent = [row for row in scored if row.expected.exit_code == 0]
    rightly = [row for row in asked if row in should and row.got.kind == row.expected.kind]
    with_sets = [row for row in scored if row.candidates_right is not None]
    with_defaults = [row for row in scored if row.default_right is not None]
    vague = [row for row in rows if row.needs_model]
    return Quality(
        tickets=len(rows),
        right=share(sum(row.right for row in scored), len(scored)),
        precision=share(len(rightly), len(asked)),
        recall=share(len(rightly), len(should)),
        false_asks=share(sum(row in asked for row in silent), len(silent)),
        sets_right=share(sum(row.candidates_right is True for row in with_sets), len(with_sets)),
        defaults_right=share(sum(row.default_right is True for row in with_defaults), len(with_defaults)),
        vague_right=share(sum(row.right for row in vague), len(vague)),
    )


def qualities(rows: Sequence[Row]) -> Mapping[str, Quality]:
    """Quality over all tickets, then for each language and each category that occurs, in that order."""
    groups: dict[str, Sequence[Row]] = {"all": rows}
    for language in sorted({row.language for row in rows if row.language}):
        groups[language] = [row for row in rows if row.language == language]
    for category in sorted({row.category for row in rows if row.category}):
        groups[category] = [row for row in rows if row.category == category]
    return {name: quality(group) for name, group in groups.items()}


def summarise(rows: Sequence[Row]) -> Mapping[str, object]:
    """The figures over all tickets as plain numbers, and `groups` with the intervals of each language and category."""
    found = qualities(rows)
    overall = found["all"]
    return {
        "tickets": len(rows),
        "right": sum(row.right for row in rows),
        "precision": overall.precision.share,
        "recall": overall.recall.share,
        "false_asks": overall.false_asks.share,
        "candidates_right": overall.sets_right.share,
        "defaults_right": overall.defaults_right.share,
        "needs_model": overall.vague_right.whole,
        "needs_model_right": overall.vague_right.part,
        "seconds": round(sum(row.seconds for row in rows), 3),
        "groups": {name: one.model_dump(mode="json") for name, one in found.items()},
    }
