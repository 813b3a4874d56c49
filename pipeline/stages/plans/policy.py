"""Which open points are put to a person. Pure.

The rules are those that did best on 50 decisions of 14 issues whose fixes were known, and on 15 more that were asked about:
a quote says something only if it excludes the other options; costly wrong guesses were defaults for what exists already, and
names and shapes of what is public, and they were the more elaborate option; and nobody answers gladly what no explorer would
have asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.stages.plans.check import PointCheck
from pipeline.stages.plans.plan import OpenPoint, Plan, PointKind

_BALANCED_KINDS = frozenset({PointKind.DEFAULT_FOR_EXISTING, PointKind.PUBLIC_NAME})
_EAGER_KINDS = _BALANCED_KINDS | {PointKind.STORED_DATA, PointKind.COMPATIBILITY}
_COSTS = {kind: cost for cost, kind in enumerate(PointKind)}


class Policy(StrEnum):
    """How readily a ticket is asked about, once a model has explored the code.

    `quiet`: a decision that both explorers would put to somebody; nothing where one explorer suffices. `balanced`: also
    one that either would, and a default for what exists already or a public name that the ticket's words leave open, where
    the plans decide it differently or a plan takes more than the plainest option. `eager`: all of these kinds, also stored data and compatibility that they leave open, and whatever two explorers decided differently. All
    three ask where two plans have no place in common. `off`: nobody explores.
    """

    OFF = "off"
    QUIET = "quiet"
    BALANCED = "balanced"
    EAGER = "eager"


@dataclass(frozen=True)
class OpenDecision:
    """One open decision: a point of a plan, and the same one of the other plan where it has it.

    `is_settled`: the ticket's words exclude every other option. `differ`: the two plans decide differently.
    """

    point: OpenPoint
    counterpart: OpenPoint | None = None
    is_settled: bool = False
    differ: bool = False

    @property
    def kind(self) -> PointKind:
        """The costlier kind of the two."""
        return min((point.kind for point in self._points), key=_COSTS.__getitem__)

    @property
    def would_ask(self) -> int:
        """How many explorers would put it to a person."""
        return sum(point.would_ask for point in self._points)

    @property
    def is_elaborate(self) -> bool:
        """Whether a plan takes more than the plainest option."""
        return any(point.taken != point.plainest for point in self._points)

    @property
    def _points(self) -> tuple[OpenPoint, ...]:
        return (self.point,) if self.counterpart is None else (self.point, self.counterpart)


def decisions_of(plans: Sequence[Plan], check: PointCheck | None) -> tuple[OpenDecision, ...]:
    """The open decisions of one or two plans; what both have stands once, as the first has it.

    First what most explorers would ask, then what they decide differently, then the costliest kind.
    """
    point_check = check or PointCheck()
    second = {point.id: point for plan in plans[1:] for point in plan.points}
    pairs = {pair.first: pair for pair in point_check.pairs if pair.second in second}
    decisions = []
    for point in plans[0].points if plans else ():
        pair = pairs.get(point.id)
        counterpart = None if pair is None else second.pop(pair.second)
        is_settled = bool(point_check.settled & {point.id, counterpart.id if counterpart else point.id})
        decisions.append(OpenDecision(point, counterpart, is_settled, pair is not None and pair.differ))
    decisions += [OpenDecision(point, None, id_ in point_check.settled) for id_, point in second.items()]
    return tuple(sorted(decisions, key=_urgency))


def _urgency(decision: OpenDecision) -> tuple[int, bool, int]:
    return -decision.would_ask, not decision.differ, _COSTS[decision.kind]


def is_asked(policy: Policy, decision: OpenDecision) -> bool:
    """Whether a decision is put to a person. What the ticket's words settle never is."""
    if decision.is_settled or policy is Policy.OFF:
        return False
    if policy is Policy.QUIET:
        return decision.would_ask > 1
    if decision.would_ask > 0:
        return True
    if policy is Policy.EAGER:
        return decision.differ or decision.kind in _EAGER_KINDS
    return decision.kind in _BALANCED_KINDS and (decision.differ or decision.is_elaborate)
