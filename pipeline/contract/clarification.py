"""`clarification.json`: one question to a person, with candidates computed from the code. Written only with exit code 2."""

from enum import StrEnum
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, JsonValue, model_validator

from pipeline.contract.ticket import LikelyPlace, TicketPlan
from pipeline.contract.wire import Location, NonEmpty, RunIdentity, WireModel, question_id


class StopKind(StrEnum):
    """Why a person is asked."""

    CLARIFICATION_NEEDED = "ClarificationNeeded"
    ALREADY_IMPLEMENTED = "AlreadyImplemented"
    CONFIRMATION_NEEDED = "ConfirmationNeeded"
    BLOCKED = "Blocked"
    WORK_UNDER_WAY = "WorkUnderWay"


class Candidate(WireModel):
    """One thing in the code that the ticket may mean.

    `handler_symbol` and `body_field_count` are the original wire format and keep their meaning for ever: the id in
    angle brackets, and the number of request body fields or null where that is unknown or means nothing.
    """

    handler_symbol: NonEmpty
    body_field_count: int | None
    id: NonEmpty
    label: NonEmpty
    location: Location | None = None
    facts: dict[str, JsonValue] = Field(default_factory=dict)


class AskedOf(StrEnum):
    """Whom a question concerns; both may answer it.

    `AUTHOR`: what the author of the issue saw or meant. `MAINTAINER`: what the product should be; the person who set the
    label is addressed.
    """

    AUTHOR = "author"
    MAINTAINER = "maintainer"


class Option(WireModel):
    """An answer that is not one of the candidates, such as `stop` or `build_anyway`.

    `effect` says what a user of the software would see if this one is chosen; null where the label says it.
    """

    id: NonEmpty
    label: NonEmpty
    effect: str | None = None
    needs_text: bool = False
    """The option means nothing without a sentence: a bare choice is answered by asking for `/answer`."""


_ChoicesT = TypeVar("_ChoicesT", tuple[Candidate, ...], tuple[Option, ...])


def _told_apart(choices: _ChoicesT) -> _ChoicesT:
    """Refuse a list that offers no choice."""
    for name in ("id", "label"):
        if len({getattr(choice, name) for choice in choices}) < len(choices):
            raise ValueError(f"two of what is offered have the same {name}")
    return choices


Candidates = Annotated[tuple[Candidate, ...], AfterValidator(_told_apart)]
Options = Annotated[tuple[Option, ...], AfterValidator(_told_apart)]
"""No two have the same id or the same label."""


class QuestionPoint(WireModel):
    """One of several decisions that a person is asked for in one comment.

    Its letter in a reply is its place among `Question.every_point`, from `a`; the number of an option is its place, from 1.
    `taken` is the id of the option that `go` takes, and `reason` says why it is the default. `quotes` are the sentences of the
    ticket that the point is about. `asked_of` says whom it concerns.
    """

    id: NonEmpty
    kind: NonEmpty
    text: NonEmpty
    options: Annotated[Options, Field(min_length=2, max_length=8)]
    taken: NonEmpty
    quotes: tuple[str, ...] = ()
    reason: str | None = None
    asked_of: AskedOf | None = None

    @model_validator(mode="after")
    def _takes_an_option(self) -> Self:
        if self.taken not in {option.id for option in self.options}:
            raise ValueError("`taken` is the id of an option")
        return self


def _distinct_points(points: tuple[QuestionPoint, ...]) -> tuple[QuestionPoint, ...]:
    if len({point.id for point in points}) < len(points):
        raise ValueError("two points have the same id")
    return points


QuestionPoints = Annotated[tuple[QuestionPoint, ...], Field(max_length=20), AfterValidator(_distinct_points)]


class Probe(WireModel):
    """How a question between readings was found: `k` plans were compared, and `groups` holds the numbers of those that agree.

    `slots` are the slots in which the readings differ, the highest first; `fired` says, a line each, which differences
    were settled without a person.
    """

    policy: NonEmpty
    k: int = Field(ge=1)
    groups: tuple[tuple[int, ...], ...]
    slots: tuple[str, ...]
    fired: tuple[str, ...] = ()


class NamedElsewhere(WireModel):
    """A thing of the code that is no candidate, and that an answer may name: "neither, it should be GET /reports".

    Each of `names` (method and path, a symbol, a file) means this thing and no other one in the code, in any case of
    letters. `id` is then the answer's `choice`.
    """

    id: NonEmpty
    label: NonEmpty
    names: tuple[NonEmpty, ...]


class QuestionContent(WireModel):
    """What a stage writes of a question. `Question` says what each field means."""

    slot: NonEmpty
    text: NonEmpty
    quotes: tuple[str, ...] = ()
    default: str | None = None
    default_reason: str | None = None
    options: Options | None = None
    subject: dict[str, JsonValue] | None = None
    probe: Probe | None = None
    elsewhere: tuple[NamedElsewhere, ...] = ()
    wish: str | None = None
    multiple: bool = False
    asked_of: AskedOf | None = None
    plan: TicketPlan | None = None
    points: QuestionPoints = ()

    @property
    def is_about_plan(self) -> bool:
        """Whether a whole plan is put to a person."""
        return self.plan is not None and not self.options

    @property
    def has_points(self) -> bool:
        """Whether an answer decides points: of a plan, or of a question with further ones."""
        return self.is_about_plan or bool(self.points)

    @model_validator(mode="after")
    def _answers_every_point(self) -> Self:
        if self.points and not self.is_about_plan and (self.default is None or not self.options):
            raise ValueError("a question with further `points` needs `options` and a `default`")
        return self


class Question(QuestionContent):
    """One decidable question.

    Option *n* of a reply is `options[n-1]` where options are given, else `candidates[n-1]`. `default` is the id that
    `go` takes; without one, `go` is not an answer. `answer_schema` is a JSON Schema for an answer's `choice`, in the
    flat shape that MCP elicitation accepts. `probe` is there where readings of several plans are compared. `elsewhere`
    lists what an answer may choose besides; it is not offered. `wish` is the kind of wish (`add`, `change`, `fix`), for
    which alone a decision from the answer holds. `multiple` says that an answer may choose several: the same is wished of
    each. `asked_of` says whom it concerns, null for the author.

    Beside options, `plan` is what the point that they decide belongs to, and `points` are further points of the same comment,
    called `b`, `c` and so on, each with the id of a question of its own: `go` takes every default, `2` is an option of the
    question itself and `2b` one of point `b`.
    Where a plan is put to a person (slot `plan`), `plan` is what would be changed and `points` what it leaves open. There
    are no options then: `go` takes the plan as it stands, `2b` another option of a point, a number alone means nothing.
    With points, `answer_schema` is one for an answer's `points`.
    """

    id: NonEmpty
    answer_schema: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def every_point(self) -> tuple[QuestionPoint, ...]:
        """What the letters of a reply mean: the points of a plan; else the question itself and its further points."""
        if not self.points or self.is_about_plan or self.default is None:
            return self.points
        kind = str((self.subject or {}).get("kind", self.slot))
        first_point = QuestionPoint(
            id=self.id, kind=kind, text=self.text, options=self.options or (), taken=self.default
        )
        return (first_point, *self.points)


class _StageStop(WireModel):
    """Why a stage asks, and between which things of the code."""

    kind: StopKind
    stage: NonEmpty
    reason: NonEmpty
    candidates: Candidates = ()


class AlsoAsked(_StageStop):
    """A question of a parallel stage that waits: it is asked when the first one is answered, if it still stands."""

    question: Question


class Clarification(_StageStop):
    """The whole payload. The first five keys are the original wire format; `places` are as in `ticket.json`."""

    suggestion: str
    version: Literal[1] = 1
    question: Question
    run: RunIdentity
    round: int = Field(default=1, ge=1)
    also: tuple[AlsoAsked, ...] = ()
    places: tuple[LikelyPlace, ...] = ()

    @model_validator(mode="after")
    def _puts_a_plan_or_a_choice(self) -> Self:
        question = self.question
        is_choice = self.kind is not StopKind.CLARIFICATION_NEEDED or self.candidates or question.options
        if question.is_about_plan and is_choice:
            raise ValueError(
                "a `plan` to agree to stands in a ClarificationNeeded without candidates and options"
            )
        if question.points and (self.kind is not StopKind.CLARIFICATION_NEEDED or self.candidates):
            raise ValueError("`points` stand in a ClarificationNeeded without candidates")
        return self

    def has_its_own_id(self) -> bool:
        """Whether the question's id is the hash of what is asked; the App refuses a payload where it is not."""
        ids, question = (candidate.id for candidate in self.candidates), self.question
        return question.id == question_id(self.kind.value, question.slot, ids, question.subject)
