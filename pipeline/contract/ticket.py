"""`ticket.json`: what `gate` produces, and what a coder, ours or another, starts from."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from pipeline.contract.answers import Answer
from pipeline.contract.wire import Location, NonEmpty, RunIdentity, WireModel


class CodePlace(WireModel):
    """Something in the code, by its registry id."""

    id: NonEmpty
    label: NonEmpty
    location: Location | None = None

    @property
    def path(self) -> str:
        """Its file. A place without lines is a whole file."""
        return self.location.path if self.location is not None else self.id.removeprefix("file:")

    @property
    def in_words(self) -> str:
        """Its id, and where it is."""
        place = self.location
        return self.id if place is None else f"{self.id} at {place.path}:{place.start_line}"


class TargetConfidence(StrEnum):
    """How sure the pipeline is of where the work is.

    `NAMED`: a citation of the issue leads to exactly these things, or their calibrated probability is at least .9.
    `PLANNED`: a model's plans agree on them. `LIKELY`: there is evidence for places, and no target. `UNKNOWN`: the issue
    shares nothing with the code.
    """

    NAMED = "named"
    PLANNED = "planned"
    LIKELY = "likely"
    UNKNOWN = "unknown"


class LikelyPlace(WireModel):
    """A file that the issue is probably about, any language.

    `probability` is calibrated, 0 to 1. `entries` are things in it that the issue's words fit, `because` the reasons in
    sentences, the strongest first.
    """

    path: NonEmpty
    probability: float = Field(ge=0, le=1)
    entries: tuple[CodePlace, ...] = ()
    because: tuple[NonEmpty, ...] = ()


class Finding(WireModel):
    """One point that the ticket asks for, and whether the code has it already: `found` is what has it, or may have it."""

    asked: NonEmpty
    found: str | None
    location: Location | None = None
    covered_by: Location | None = None


class PlannedChange(WireModel):
    """One place that a plan changes. `entry` is a registry id in the file, `is_new` says that the file is to be made."""

    path: NonEmpty
    what: NonEmpty
    entry: str | None = None
    is_new: bool = False


class PointDecision(WireModel):
    """An open point of a plan as a person decided it: the option and what it does, and the labels of the other options.

    `decided_by` is the person's login, null where nobody said it (a reply on a terminal). `overrules_plan`: the plan was
    made for another option; `changes` are then those of a plan that was made for this one, where there is such a plan.
    """

    text: NonEmpty
    label: NonEmpty
    effect: str | None = None
    instead_of: tuple[NonEmpty, ...] = ()
    decided_by: str | None = None
    overrules_plan: bool = False
    changes: tuple[PlannedChange, ...] = ()


class TicketPlan(WireModel):
    """How the ticket would be built, by a model that read the code. Its words are data, and bind nobody.

    `effects` are what callers, users or stored data would see. `left_out` are wishes of the ticket that it does not build.
    `read` are the lines on which the plan rests: whoever builds it need not search for them again. `decisions` are what a
    person decided about its open points; these do bind.
    """

    summary: NonEmpty
    changes: tuple[PlannedChange, ...]
    effects: tuple[NonEmpty, ...] = ()
    left_out: tuple[NonEmpty, ...] = ()
    read: tuple[Location, ...] = ()
    decisions: tuple[PointDecision, ...] = ()


def one_line(text: str) -> str:
    """A text on one line of printable characters."""
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())


class TicketFact(WireModel):
    """Something that a stage found out and every reader of the ticket may see, such as `Code owners: @octocat`.

    Terminal, summary, App and prompts show it without knowing the stage. Both texts are data, and brought onto one line.
    """

    name: Annotated[str, AfterValidator(one_line), StringConstraints(min_length=1, max_length=80)]
    value: Annotated[str, AfterValidator(one_line), StringConstraints(min_length=1, max_length=1000)]


class Conclusion(WireModel):
    """What an agent of the definition completed with, or a command printed, in the shape that is declared for it.

    `replies` says whether a model thought of it in this run; `recorded` and `scripted` replies come from a file, and a
    `command` asks no model. `agent` is the name of the agent, or the command.
    """

    stage: NonEmpty
    agent: NonEmpty
    replies: Literal["model", "recorded", "scripted", "command"]
    output: dict[str, JsonValue]

    def in_words(self) -> Iterator[tuple[str, str]]:
        """Field and value of everything that is not empty, for a person. Both are words of a model: data, to be escaped."""
        for name, value in self.output.items():
            words = _in_words(value)
            if words:
                yield name.replace("_", " "), words


class TicketContent(WireModel):
    """What the stage `ticket` hands on, without its targets. `Ticket` says what each field means."""

    title: NonEmpty
    body: str
    operation: NonEmpty
    selected_because: str
    confidence: TargetConfidence = TargetConfidence.UNKNOWN
    places: tuple[LikelyPlace, ...] = ()
    notes: tuple[str, ...] = ()
    chain: tuple[CodePlace, ...] = ()
    tests: tuple[CodePlace, ...] = ()
    existing: tuple[Finding, ...] = ()
    answers: tuple[Answer, ...] = ()
    decisions: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    acceptance_criteria: tuple[str, ...] = ()
    plan: TicketPlan | None = None
    facts: tuple[TicketFact, ...] = ()


class Ticket(TicketContent):
    """A ticket that names its targets, or says that it does not know them.

    A definition may have agents say what they think of the issue (`conclusions`, in the order of its stages). One that
    looks for no targets, such as `triage`, ends with them alone: `operation` and `targets` are `unknown` then.

    `ready` is true only when the targets are known (`confidence` is `named` or `planned`): a coder starts from nothing
    less, and only such an issue is labelled `askfirst:ready`. A target that is a file has the id `file:<path>`.
    `places` are the files worth a look, the most probable first, and `notes` what a reader should know of the search:
    why the ticket is not ready, what of the repository could not be read, and the next step. `plan` is there where a
    model explored the code. `facts` are those of any stages, in the order of the definition.
    """

    version: Literal[1] = 1
    kind: Literal["Ticket"] = "Ticket"
    run: RunIdentity
    targets: Literal["unknown"] | tuple[CodePlace, ...]
    ready: bool
    conclusions: tuple[Conclusion, ...] = ()


def _in_words(value: JsonValue) -> str:
    """A value on one line of printable characters: `; ` between the items of a list, `name: value` for fields."""
    match value:
        case bool():
            return "yes" if value else "no"
        case Mapping():
            words_by_name = [(name.replace("_", " "), _in_words(inner)) for name, inner in value.items()]
            return ", ".join(f"{name}: {words}" for name, words in words_by_name if words)
        case list():
            return "; ".join(words for words in map(_in_words, value) if words)
        case None:
            return ""
        case _:
            return one_line(str(value))
