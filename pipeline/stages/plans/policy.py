"""When differing plans are a question: how many plans are made, and which differences ask. Pure."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.stages.plans.compare import Group

MOST = 3
"""Plans of one ticket."""


class Policy(StrEnum):
    """How readily a ticket is asked about whose plans differ.

    `quiet`: two plans, a third where they differ, and a question where all three do. `balanced`: the same plans, and a
    question where the first two differ; the third one only tells which reading most plans have. Both look at tickets
    alone whose plan reaches a public surface, stored data, or a file whose edit waits for an approval. `eager`: three
    plans of every ticket, and a question unless they agree. `off`: no plans.
    """

    OFF = "off"
    QUIET = "quiet"
    BALANCED = "balanced"
    EAGER = "eager"


def plans_wanted(policy: Policy, *, made: int, compared: int, groups: Sequence["Group"]) -> int:
    """How many more plans are to be made. `made` counts all, `compared` those that could be compared.

    The first one is made alone: it writes the prompt cache that the others read, and says whether there is anything to
    compare for.
    """
    if policy is Policy.OFF or made >= MOST:
        return 0
    if made == 0:
        return 1
    if policy is Policy.EAGER:
        return MOST - made
    return 1 if compared < 2 or len(groups) > 1 else 0


def is_in_scope(policy: Policy, reaches: str | None) -> bool:
    """Whether a ticket with such a first plan is worth more plans."""
    return policy is Policy.EAGER or reaches is not None


def asks(policy: Policy, groups: Sequence["Group"]) -> bool:
    """Whether readings that stand after all probes are put to a person."""
    match policy:
        case Policy.OFF:
            return False
        case Policy.QUIET:
            return len(groups) >= MOST
        case Policy.BALANCED | Policy.EAGER:
            return len(groups) > 1


def default_of(groups: Sequence["Group"]) -> "tuple[Group, str]":
    """The reading that `go` takes, and why: most plans; else the smallest public effect; else the first."""
    most = max(len(group.plans) for group in groups)
    leading = [group for group in groups if len(group.plans) == most]
    total = sum(len(group.plans) for group in groups)
    if len(leading) == 1:
        return leading[0], f"{most} of {total} plans read it so."
    fewest = min(len(group.effects) for group in leading)
    smallest = [group for group in leading if len(group.effects) == fewest]
    if len(smallest) < len(leading):
        return smallest[
            0
        ], "As many plans read it otherwise; this changes least of what callers and data see."
    return smallest[0], "As many plans read it otherwise; it is simply the first one."
