"""A plan as it is compared and shown: places by their ids, effects on what users see, and the decisions that the ticket leaves open."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from pipeline.contract.ticket import CodePlace, PlannedChange
from pipeline.domain.printable import printable_line
from pipeline.stages.stage import StageValue

GuardRuleOf = Callable[[str], str | None]
"""Says for a path which rule keeps an agent from editing it without an approval; None for a path that is free."""


class PointKind(StrEnum):
    """What a decision is about, the costliest kind first: where a wrong guess is most often sent back."""

    DEFAULT_FOR_EXISTING = "default_for_existing"
    PUBLIC_NAME = "public_name"
    STORED_DATA = "stored_data"
    COMPATIBILITY = "compatibility"
    SECURITY = "security"
    SCOPE = "scope"
    INTERFACE = "interface"
    EDGE_CASE = "edge_case"


class EffectKind(StrEnum):
    """Who sees an effect."""

    REQUEST = "request"
    RESPONSE = "response"
    SETTING = "setting"
    COMMAND = "command"
    STORED = "stored"
    INTERFACE = "interface"
    MESSAGE = "message"


LASTING_EFFECTS = {
    EffectKind.REQUEST: "a request",
    EffectKind.RESPONSE: "a response",
    EffectKind.SETTING: "a setting",
    EffectKind.COMMAND: "a command",
    EffectKind.STORED: "stored data",
}
"""Effects on something public or stored, in words: programs and data depend on them, so they cannot be taken back quietly."""

LASTING_POINTS = frozenset(
    {PointKind.DEFAULT_FOR_EXISTING, PointKind.PUBLIC_NAME, PointKind.STORED_DATA, PointKind.COMPATIBILITY}
)
"""Decisions about something public or stored."""


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
        words: words of the ticket, as they stand there, that are said to decide it.
        would_ask: whether the explorer would put it to a person before it builds.
    """

    id: str
    kind: PointKind
    question: str
    options: tuple[PointOption, ...]
    taken: int = Field(ge=0)
    plainest: int = Field(ge=0)
    words: str | None = None
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

    `targets` are the places of its changes, without tests. `reaches` says which public surface, stored data or guarded
    file it touches, or is None. `left_out` says, a line each, what the code does not have. `dollars` is what it cost,
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


class DroppedPlan(_Value):
    """A plan that an explorer did not finish, and why."""

    number: int
    why: str
