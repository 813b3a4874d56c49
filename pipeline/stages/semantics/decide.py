"""What plans come to: one question at most, or a plan with its targets, and an assumption for all that was not asked. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.plans.plan import Plan, path_of
from pipeline.stages.plans.policy import OpenDecision, Policy, decisions_of, is_asked
from pipeline.stages.plans.stage import POINT, TARGET, WISH, Plans
from pipeline.stages.semantics.questions import about_place, about_point, about_wishes


@dataclass(frozen=True)
class AnsweredPoint:
    """An open decision that a person took: the index of an option of its point."""

    decision: OpenDecision
    option: int
    answer: Answer


@dataclass(frozen=True)
class Agreement:
    """One plan stands. `plan` speaks for it; `targets` are what the plans have in common.

    `left` are the open decisions that nobody was asked about, `answered_point` the one that a person took.
    """

    plan: Plan
    targets: tuple[CodePlace, ...]
    because: str
    left: tuple[OpenDecision, ...]
    answered_point: AnsweredPoint | None = None

    @property
    def is_overruled(self) -> bool:
        """Whether a person decided otherwise than the plan: what it says of the result holds no longer."""
        return (
            self.answered_point is not None
            and self.answered_point.option != self.answered_point.decision.point.taken
        )


@dataclass(frozen=True)
class Disagreement:
    """Two plans have no place in common, and what a person said about it selects none of them."""

    because: str


Outcome = Agreement | Disagreement | Ask


def decide(result: Plans, document: IssueDocument, answers: Sequence[Answer]) -> Outcome:
    """What one or two plans come to. An answer to one question is not followed by a second one about the same plan."""
    first, words = result.plans[0], [answer for answer in answers if answer.text]
    wishes = first.wishes
    may_ask = result.policy in (Policy.BALANCED, Policy.EAGER)
    if may_ask and any(not wish.planned for wish in wishes[1:]) and not _is_answered(WISH, answers):
        return about_wishes(wishes, document)
    plans, because = _standing(result, answers)
    if not plans:
        if words:
            return Disagreement("Two plans have no place in common, also with what was answered.")
        return about_place(result.plans, result.policy, document)
    decisions = decisions_of(plans, result.check)
    answered_point = _answered_point(decisions, document, answers)
    is_over = bool(words) or answered_point is not None or _is_answered(TARGET, answers)
    to_ask = () if is_over else (decision for decision in decisions if is_asked(result.policy, decision))
    open_decision = next(iter(to_ask), None)
    if open_decision is not None:
        return about_point(open_decision, document)
    return Agreement(
        plan=plans[0],
        targets=_common_targets(plans),
        because=because,
        left=tuple(
            decision
            for decision in decisions
            if answered_point is None or decision is not answered_point.decision
        ),
        answered_point=answered_point,
    )


def _standing(result: Plans, answers: Sequence[Answer]) -> tuple[tuple[Plan, ...], str]:
    """The plans that agree, or the one that a person chose, and why; none where they have no place in common."""
    if len(result.plans) == 1:
        return result.plans, f"One plan, made by reading the code: {result.plans[0].summary}"
    if _common_targets(result.plans):
        return (
            result.plans,
            f"Two plans, each made alone by reading the code, agree: {result.plans[0].summary}",
        )
    for answer in reversed(answers):
        for plan in result.plans:
            if answer.slot == TARGET and answer.choice == plan.targets[0].id:
                return (plan,), f"{answer.answered_by or 'An answer'} chose this plan: {plan.summary}"
    return (), ""


def _common_targets(plans: Sequence[Plan]) -> tuple[CodePlace, ...]:
    """The first plan's targets in files that every plan works on."""
    paths = frozenset.intersection(*(plan.paths for plan in plans))
    return tuple(target for target in plans[0].targets if path_of(target) in paths)


def _answered_point(
    decisions: Sequence[OpenDecision], document: IssueDocument, answers: Sequence[Answer]
) -> AnsweredPoint | None:
    """The decision whose very question a person has answered with an option."""
    by_question = {answer.question_id: answer for answer in answers if answer.slot == POINT and answer.choice}
    for decision in decisions:
        ask = about_point(decision, document)
        answer = by_question.get(ClarificationNeeded(ask).question_id)
        if answer is not None and answer.choice in {option.id for option in ask.options or ()}:
            return AnsweredPoint(decision, int(answer.choice.removeprefix("option-")) - 1, answer)
    return None


def _is_answered(slot: str, answers: Sequence[Answer]) -> bool:
    return any(answer.slot == slot for answer in answers)


def assumptions_of(agreement: Agreement) -> Iterator[str]:
    """What was decided without a person, each with what was not taken, and which wishes are left for later."""
    if agreement.is_overruled and agreement.answered_point is not None:
        point = agreement.answered_point.decision.point
        yield f"The plan was made for “{point.options[point.taken].label}”, and a person chose otherwise."
    for decision in agreement.left:
        yield _assumption(decision)
    yield from (f"Not part of this change: {wish.text}" for wish in agreement.plan.wishes if not wish.planned)


def _assumption(decision: OpenDecision) -> str:
    point, counterpart = decision.point, decision.counterpart
    taken_option = point.options[point.taken]
    alternatives = [option.label for option in point.options if option is not taken_option]
    sentence = f"{point.question} {taken_option.label}, instead of: {'; '.join(alternatives)}."
    if decision.differ and counterpart is not None:
        sentence += f" The second plan takes: {counterpart.options[counterpart.taken].label}."
    return sentence if point.words is None else f"{sentence} The ticket says “{point.words}”."


def criteria_of(agreement: Agreement) -> Iterator[str]:
    """How one sees that it is done: what a person decided, then what the plan says itself."""
    if agreement.answered_point is not None:
        point = agreement.answered_point.decision.point
        option = point.options[agreement.answered_point.option]
        yield f"{point.question} {option.label}: {option.effect}"
    yield from () if agreement.is_overruled else agreement.plan.acceptance
