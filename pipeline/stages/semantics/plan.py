"""A plan to compare and show: places by their ids, effects on what users see, and the decisions that the ticket leaves open."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from pipeline.contract.clarification import AskedOf
from pipeline.contract.ticket import CodePlace, PlannedChange
from pipeline.contract.wire import Location
from pipeline.domain.printable import printable_line
from pipeline.stages.stage import StageValue

GuardRuleOf = Callable[[str], str | None]
"""Says for a path which rule keeps an agent from editing it without an approval; None for a path that is free."""


class PointKind(StrEnum):
    """What a decision is about, in the order in which it is asked: what nobody can guess first, then by what a wrong guess costs."""

    CONTRADICTION = "contradiction"
    VALUE = "value"
    DEFAULT_FOR_EXISTING = "default_for_existing"
    PUBLIC_NAME = "public_name"
    STORED_DATA = "stored_data"
    COMPATIBILITY = "compatibility"
    SECURITY = "security"
    INTERFACE = "interface"
    EDGE_CASE = "edge_case"
    SCOPE = "scope"


class EffectKind(StrEnum):
    """Who sees an effect."""

    REQUEST = "request"
    RESPONSE = "response"
    SETTING = "setting"
    COMMAND = "command"
    STORED = "stored"
    INTERFACE = "interface"
    MESSAGE = "message"


LASTING_POINTS = frozenset(
    {PointKind.DEFAULT_FOR_EXISTING, PointKind.PUBLIC_NAME, PointKind.STORED_DATA, PointKind.COMPATIBILITY}
)
"""Decisions about something public or stored."""

HARMFUL_POINTS = frozenset(
    {
        PointKind.DEFAULT_FOR_EXISTING,
        PointKind.STORED_DATA,
        PointKind.COMPATIBILITY,
        PointKind.SECURITY,
    }
)
"""Decisions by which somebody may lose an access, data, or what their program relies on."""

ONE_WAY_POINTS = frozenset({PointKind.STORED_DATA, PointKind.SECURITY})
"""Decisions that cannot be taken back once they are built and in use."""


Line = Annotated[str, AfterValidator(printable_line)]
"""What a model wrote, as one line that can be read."""


class _Value(StageValue):
    # A run without a model has no plans: their types need not be built when the process starts.
    model_config = ConfigDict(defer_build=True)


class PointOption(_Value):
    """One way to decide an open point, and what a user would see of it."""

    label: Line
    effect: Line


class OpenPoint(_Value):
    """A decision that the ticket leaves open.

    Attributes:
        id: number of the plan and of the point in it, such as `1.2`.
        taken: index of the option that the plan builds.
        plainest: index of the option with the fewest moving parts.
        quotes: the sentences of the ticket that it is about; of a contradiction the two that clash.
        words: words of the ticket, unchanged, that are said to decide it.
        why: why the plan takes its option.
        safest: index of the option that hurts no one, where another may.
        takes_away: whether the option that the plan takes takes something away from somebody.
        asked_of: whom the decision concerns, where the explorer says it.
        would_ask: whether the explorer would put it to a person before it builds.
    """

    id: str
    kind: PointKind
    question: str
    options: tuple[PointOption, ...]
    taken: int = Field(ge=0)
    plainest: int = Field(ge=0)
    quotes: tuple[str, ...] = ()
    words: str | None = None
    why: str | None = None
    safest: int | None = Field(default=None, ge=0)
    takes_away: bool = False
    asked_of: AskedOf | None = None
    would_ask: bool = False


class PlannedEffect(_Value):
    """What somebody sees afterwards, and where, as users know it: `POST /orders`, `new in POST /orders`, `page Settings`."""

    surface: str
    kind: EffectKind
    what: Line


class PlannedWish(_Value):
    """One thing that the ticket asks for, and whether the plan builds it."""

    text: str
    planned: bool


class Plan(_Value):
    """One explorer's plan, bound to the code.

    `targets` are the places of its changes, without tests. `reaches` says what of it cannot be taken back: stored data, a
    decision about data or access, a guarded file; or is None. `left_out` says, a line each, what the code does not have. `dollars` is what it cost,
    None where the price is unknown.
    """

    number: int
    summary: str
    changes: tuple[PlannedChange, ...]
    targets: tuple[CodePlace, ...]
    effects: tuple[PlannedEffect, ...] = ()
    points: tuple[OpenPoint, ...] = ()
    wishes: tuple[PlannedWish, ...] = ()
    acceptance: tuple[str, ...] = ()
    reaches: str | None = None
    left_out: tuple[str, ...] = ()
    dollars: float | None = None

    @property
    def paths(self) -> frozenset[str]:
        """The files of its targets."""
        return frozenset(target.path for target in self.targets)


class NoPlan(_Value):
    """Why an explorer found nothing to plan: `exists` (all of it is there), or `premise` (the ticket rests on what is not so).

    `places` are the lines that show it.
    """

    kind: Literal["exists", "premise"]
    why: Line
    places: tuple[Location, ...] = ()


class DroppedPlan(_Value):
    """A plan that an explorer did not finish, and why; `no_plan` where it found that there is nothing to plan."""

    number: int
    why: str
    no_plan: NoPlan | None = None
