"""Hold plans of one ticket against each other: slots, never words. Pure, and the same for recorded plans and fresh ones.

Two plans are one reading if they agree on operation, target and effects and no example of theirs contradicts another.
What differs after that is first given to deterministic probes, and only what they leave is a difference.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.domain.operation import Operation
from pipeline.stages.plans.plan import LEVELS, Level, Plan, Scalar

_BUILDS = frozenset({Operation.ADD, Operation.CHANGE, Operation.FIX})
"""Three words for one thing to do: whether a missing check is added or a fault is fixed, the same is built."""


@dataclass(frozen=True)
class Group:
    """The plans that are one reading, in their order; the first one speaks for them."""

    plans: tuple[Plan, ...]

    @property
    def first(self) -> Plan:
        """The plan that is shown for the group."""
        return self.plans[0]

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of its plans."""
        return tuple(plan.number for plan in self.plans)

    @property
    def effects(self) -> frozenset[tuple[str, str, str, str]]:
        """What callers, operators and data would see."""
        return frozenset(effect.slot for effect in self.first.effects)

    @property
    def checks(self) -> Mapping[str, Scalar]:
        """The examples of all its plans."""
        return {check.given: check.expected for plan in reversed(self.plans) for check in plan.checks}

    def value(self, level: Level) -> str:
        """What the group says at a level, as an id: equal for equal readings, whoever worded them."""
        match level:
            case Level.OPERATION:
                return operation_id(self.first.operation)
            case Level.TARGET:
                return self.first.entity
            case Level.EFFECTS:
                return f"effects:{_digest(sorted(self.effects))}"
            case Level.CHECKS:
                typed = {given: f"{type(out).__name__}:{out}" for given, out in self.checks.items()}
                return f"checks:{_digest(sorted(typed.items()))}"


def operation_id(operation: Operation) -> str:
    """An operation as it is compared."""
    return f"operation:{'build' if operation in _BUILDS else operation.value}"


def grouped(plans: Sequence[Plan]) -> tuple[Group, ...]:
    """The readings of some plans, in the order in which they first occur."""
    groups: list[Group] = []
    for plan in plans:
        alone = Group((plan,))
        at = next((index for index, group in enumerate(groups) if _is_one(group, alone)), None)
        if at is None:
            groups.append(alone)
        else:
            groups[at] = Group((*groups[at].plans, plan))
    return tuple(groups)


def highest_difference(groups: Sequence[Group]) -> Level | None:
    """The first level at which some readings differ; None where they do not."""
    return next((level for level in LEVELS if len({group.value(level) for group in groups}) > 1), None)


def conflicts(left: Group, right: Group) -> tuple[str, ...]:
    """The inputs for which two readings expect different results."""
    mine, theirs = left.checks, right.checks
    return tuple(
        given
        for given in mine
        if given in theirs and (type(mine[given]), mine[given]) != (type(theirs[given]), theirs[given])
    )


def _is_one(left: Group, right: Group) -> bool:
    upper = (Level.OPERATION, Level.TARGET, Level.EFFECTS)
    return all(left.value(level) == right.value(level) for level in upper) and not conflicts(left, right)


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:12]
