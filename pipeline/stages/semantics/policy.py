"""Which open points are put to a person. Pure.

The rules are those that did best on 50 decisions of 14 issues whose fixes were known, and on 15 more that were asked about:
a quote says something only if it excludes the other options; costly wrong guesses were defaults for what exists already, and
names and shapes of what is public, and they were the more elaborate option; and people dislike a question that
no explorer would have asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pipeline.stages.semantics.check import DecidedPoint, PointCheck, PointPair
from pipeline.stages.semantics.plan import (
    HARMFUL_POINTS,
    LASTING_POINTS,
    OpenPoint,
    Plan,
    PointKind,
    PointOption,
)

_BALANCED_KINDS = frozenset({PointKind.DEFAULT_FOR_EXISTING, PointKind.PUBLIC_NAME})
_COSTS = {kind: cost for cost, kind in enumerate(PointKind)}


class Policy(StrEnum):
    """How readily a ticket is asked about, once a model has explored the code.

    `quiet`: what contradicts itself, and a decision that two explorers would put to somebody. `balanced`: also one that either
    would, one by which somebody loses something, and a default for what exists already or a public name that the ticket's words
    leave open, where the plans decide it differently or a plan takes more than the plainest option. `eager`: all of these kinds,
    also stored data and compatibility that they leave open, and whatever two explorers decided differently. All three ask
    where two plans have no place in common. `off`: no agent explores.
    """

    OFF = "off"
    QUIET = "quiet"
    BALANCED = "balanced"
    EAGER = "eager"


@dataclass(frozen=True)
class OpenDecision:
    """One open decision: a point of a plan, and the same one of the other plan where it has it.

    Attributes:
        options: those of the point, and what the other plan takes where that is none of them.
        taken_by: the index of the option that a plan takes, by the plan's number. A plan that does not have the point is not there.
        differ: the two plans decide differently.
        settled_option: the one that the ticket's words leave, because they exclude every other; `settled_words` are these.
        is_decided: a person decided it when they saw an earlier plan, for `decided_option`; None is none of the options.
    """

    point: OpenPoint
    options: tuple[PointOption, ...]
    taken_by: Mapping[int, int]
    counterpart: OpenPoint | None = None
    differ: bool = False
    settled_option: int | None = None
    settled_words: str | None = None
    is_decided: bool = False
    decided_option: int | None = None

    @property
    def kind(self) -> PointKind:
        """The costlier kind of the two."""
        return min((point.kind for point in self.points), key=_COSTS.__getitem__)

    @property
    def would_ask(self) -> int:
        """How many explorers would put it to a person."""
        return sum(point.would_ask for point in self.points)

    @property
    def takes_away(self) -> bool:
        """Whether somebody loses something by what a plan takes."""
        return self.kind in HARMFUL_POINTS and any(point.takes_away for point in self.points)

    def default_for(self, plan: Plan) -> int:
        """The likeliest option: what the first plan takes; where some option may hurt people, the one that does not."""
        is_safe_known = self.kind in HARMFUL_POINTS and self.point.safest is not None
        return self.point.safest if is_safe_known and self.point.safest is not None else self.option_of(plan)

    @property
    def is_elaborate(self) -> bool:
        """Whether a plan takes more than the plainest option."""
        return any(point.taken != point.plainest for point in self.points)

    @property
    def is_settled(self) -> bool:
        """Whether the ticket's words leave one option."""
        return self.settled_option is not None

    def option_of(self, plan: Plan) -> int:
        """The option that a plan takes. A plan without the point is as the other one says."""
        return self.taken_by.get(plan.number, self.point.taken)

    def excludes(self, plan: Plan) -> bool:
        """Whether the ticket's words exclude what a plan takes."""
        return self.is_settled and self.taken_by.get(plan.number, self.settled_option) != self.settled_option

    @property
    def points(self) -> tuple[OpenPoint, ...]:
        """The point as each plan has it that has it."""
        return (self.point,) if self.counterpart is None else (self.point, self.counterpart)


def decisions_of(plans: Sequence[Plan], check: PointCheck | None) -> tuple[OpenDecision, ...]:
    """The open decisions of one or two plans; what both have stands once, as the first of them has it.

    First what most explorers would ask, then what they decide differently, then in the order of the kinds.
    """
    point_check = check or PointCheck()
    points = {point.id: (plan.number, point) for plan in plans for point in plan.points}
    pairs = {id_: pair for pair in point_check.pairs for id_ in (pair.first, pair.second)}
    decisions = []
    while points:
        number, point = points.pop(next(iter(points)))
        pair = pairs.get(point.id)
        partner_id = None if pair is None else pair.second if point.id == pair.first else pair.first
        partner = points.pop(partner_id, None) if partner_id is not None else None
        decision = OpenDecision(point, point.options, {number: point.taken})
        if pair is not None and partner is not None:
            decision = _with_counterpart(decision, *partner, pair)
        decisions.append(
            _with_earlier_decision(_with_settling_words(decision, point_check.settled), point_check.decided)
        )
    return tuple(
        sorted(decisions, key=lambda point: (-point.would_ask, not point.differ, _COSTS[point.kind]))
    )


def asked_decisions(policy: Policy, decisions: Sequence[OpenDecision], room: int) -> tuple[OpenDecision, ...]:
    """What is put to a person in one comment, the sharpest first; of more than there is `room` for, what explorers would ask."""
    decisions_to_ask = [decision for decision in decisions if is_asked(policy, decision)]
    return tuple(sorted(decisions_to_ask[:room], key=lambda decision: _COSTS[decision.kind]))


def _with_counterpart(
    decision: OpenDecision, number: int, counterpart: OpenPoint, pair: PointPair
) -> OpenDecision:
    """The decision with the same point of another plan, whose option stands among the options, too."""
    point, options = decision.point, decision.options
    option_number = point.taken
    if pair.differ:
        taken_option = counterpart.options[counterpart.taken]
        named_alike = (
            at
            for at, option in enumerate(options)
            if at != point.taken and option.label.casefold() == taken_option.label.casefold()
        )
        same_option = pair.option if point.id == pair.first else None
        option_number = next(named_alike, len(options)) if same_option is None else same_option
        options = options if option_number < len(options) else (*options, taken_option)
    return replace(
        decision,
        options=options,
        taken_by={**decision.taken_by, number: option_number},
        counterpart=counterpart,
        differ=pair.differ,
    )


def _with_settling_words(decision: OpenDecision, settled_ids: frozenset[str]) -> OpenDecision:
    """The decision with the words that settle it. Words that are said to settle it both ways settle nothing."""
    words_by_option = {
        option: point.words
        for point, option in zip(decision.points, decision.taken_by.values(), strict=True)
        if point.id in settled_ids
    }
    if len(words_by_option) != 1:
        return decision
    ((option, words),) = words_by_option.items()
    return replace(decision, settled_option=option, settled_words=words)


def _with_earlier_decision(decision: OpenDecision, decided_points: Sequence[DecidedPoint]) -> OpenDecision:
    """The decision with what a person decided of it earlier, about either plan's point."""
    by_point = {point.point: point.option for point in decided_points}
    for point, option_number in zip(decision.points, decision.taken_by.values(), strict=True):
        if point.id in by_point:
            option = by_point[point.id]
            # Of the other plan's options, only the one that it takes is known to be one of the decision's.
            if point is decision.counterpart:
                option = option_number if option == point.taken else None
            return replace(decision, is_decided=True, decided_option=option)
    return decision


def is_asked(policy: Policy, decision: OpenDecision) -> bool:
    """Whether a decision is put to a person. What a person decided, or the ticket's words settle, never is; what contradicts itself, words cannot settle."""
    if decision.is_decided or policy is Policy.OFF:
        return False
    if decision.kind is PointKind.CONTRADICTION:
        return True
    if decision.is_settled:
        return False
    if policy is Policy.QUIET:
        return decision.would_ask > 1
    if decision.would_ask > 0 or decision.takes_away:
        return True
    if policy is Policy.EAGER:
        return decision.differ or decision.kind in LASTING_POINTS
    return decision.kind in _BALANCED_KINDS and (decision.differ or decision.is_elaborate)
