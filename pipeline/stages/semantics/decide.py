"""What plans come to: one question at most, or a plan with its targets, and an assumption for all that was not asked. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace, PointDecision, TicketPlan
from pipeline.domain.errors import AnswersInvalid
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.plans.plan import Plan, path_of
from pipeline.stages.plans.policy import OpenDecision, Policy, decisions_of, is_asked
from pipeline.stages.plans.stage import PLAN, POINT, SLOTS, TARGET, WISH, Plans
from pipeline.stages.semantics.questions import (
    about_place,
    about_plan,
    about_point,
    about_wishes,
    ticket_plan,
)

_MOST_QUESTIONS = 3
"""Of one ticket: after so many no plan is put to a person again."""


@dataclass(frozen=True)
class AnsweredPoint:
    """An open decision that a person took: the index of an option of its point."""

    decision: OpenDecision
    option: int
    answer: Answer


@dataclass(frozen=True)
class Agreement:
    """One plan stands. `plan` speaks for it; `targets` are what the plans have in common.

    `left` are the open decisions that nobody was asked about, `answered_points` those that a person took. `is_unseen`: it
    was made again after a person's words, and nobody has seen it since.
    """

    plan: Plan
    targets: tuple[CodePlace, ...]
    because: str
    left: tuple[OpenDecision, ...]
    answered_points: tuple[AnsweredPoint, ...] = ()
    is_unseen: bool = False

    @property
    def overruled_points(self) -> tuple[AnsweredPoint, ...]:
        """Where a person decided otherwise than the plan: what it says of the result holds no longer."""
        return tuple(
            point_answer
            for point_answer in self.answered_points
            if point_answer.option != point_answer.decision.point.taken
        )


@dataclass(frozen=True)
class Disagreement:
    """Two plans have no place in common, and what a person said about it selects none of them."""

    because: str


Outcome = Agreement | Disagreement | Ask


def decide(
    result: Plans, document: IssueDocument, all_answers: Sequence[Answer], *, puts_plan: bool = False
) -> Outcome:
    """What one or two plans come to. An answer to one question is not followed by a second one about the same plan.

    `all_answers` are those to every question before the code is written; `puts_plan`: a person sees the plan first.

    Raises:
        AnswersInvalid: an answer to the plan names what the plan does not have.
    """
    answers = [answer for answer in all_answers if answer.slot in SLOTS]
    words = [answer for answer in answers if answer.text]
    # A plan that is put to a person says itself which wishes and points it leaves open.
    is_reviewed = puts_plan or _is_answered(PLAN, answers)
    may_ask = result.policy in (Policy.BALANCED, Policy.EAGER) and not is_reviewed
    plans, because = _standing(result, answers)
    if not plans:
        if words:
            return Disagreement("Two plans have no place in common, also with what was answered.")
        return about_place(result.plans, result.policy, document)
    decisions = decisions_of(plans, result.check)
    if puts_plan:
        return _reviewed(plans, decisions, because, all_answers)
    answered_point = _answered_point(decisions, document, answers)
    is_over = bool(words) or is_reviewed or answered_point is not None or _is_answered(TARGET, answers)
    to_ask = () if is_over else (decision for decision in decisions if is_asked(result.policy, decision))
    open_decision = next(iter(to_ask), None)
    # What an explorer would ask is about the wish itself, and comes before whatever the plan leaves for later.
    is_wanted = open_decision is not None and open_decision.would_ask > 0
    leaves_wish = any(not wish.planned for wish in plans[0].wishes[1:]) and not _is_answered(WISH, answers)
    if may_ask and leaves_wish and not is_wanted and not is_over:
        return about_wishes(plans[0], document)
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
        answered_points=() if answered_point is None else (answered_point,),
    )


def _reviewed(
    plans: tuple[Plan, ...], decisions: tuple[OpenDecision, ...], because: str, answers: Sequence[Answer]
) -> Agreement | Ask:
    """The question about the whole plan, or the plan as a person has answered it."""
    ask = about_plan(plans[0], decisions)
    question_id = ClarificationNeeded(ask).question_id
    answer = next((answer for answer in reversed(answers) if answer.question_id == question_id), None)
    if answer is None and _may_be_put(answers):
        return ask
    is_agreed = answer is not None and not answer.text
    return Agreement(
        plan=plans[0],
        targets=_common_targets(plans),
        because=because,
        left=() if is_agreed else decisions,
        answered_points=_points_in(ask, decisions, answer) if answer is not None and is_agreed else (),
        is_unseen=not is_agreed,
    )


def _may_be_put(answers: Sequence[Answer]) -> bool:
    """Whether a plan is put to a person: always once, and once more where nothing else was asked.

    A plan that is made again after a person's words is put to them again. It ends, because a conversation has few
    questions, and the last one is left for the work. Only for a plan that became another one without their words, as on a
    newer commit, the last one is used: who has agreed to a plan has not agreed to that one.
    """
    plan_answers = [answer for answer in answers if answer.slot == PLAN]
    questions = len({answer.question_id for answer in answers})
    return (
        not plan_answers or questions == 1 or (plan_answers[-1].text is None and questions < _MOST_QUESTIONS)
    )


def _points_in(ask: Ask, decisions: Sequence[OpenDecision], answer: Answer) -> tuple[AnsweredPoint, ...]:
    """Every open decision as an answer to the plan decides it. The points of the question stand in the same order."""
    options = {point.id: [option.id for option in point.options] for point in ask.points}
    choices = answer.points
    plan_has = "; ".join(f"{point}: {', '.join(ids)}" for point, ids in options.items())
    if choices is None or any(choice not in options.get(point, ()) for point, choice in choices.items()):
        raise AnswersInvalid(
            f"The answer to the plan ({answer.question_id}) names no options of it.",
            why=f"It says {answer.model_dump_json(include={'choice', 'choices', 'points'}, exclude_none=True)}, and the "
            f"plan has {plan_has or 'no open points'}.",
            what_to_do='To take it as it stands: {…, "points": {}}\nTo change points: {…, "points": {"2": "b"}}',
        )
    return tuple(
        AnsweredPoint(decision, options[point.id].index(choices.get(point.id, point.taken)), answer)
        for point, decision in zip(ask.points, decisions, strict=True)
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
    if agreement.is_unseen:
        yield "The plan was made again after a person had answered, and nobody has seen it since."
    for point_answer in agreement.overruled_points:
        point = point_answer.decision.point
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
    return f"{sentence} The ticket says “{point.words}”." if decision.is_settled else sentence


def criteria_of(agreement: Agreement) -> Iterator[str]:
    """How one sees that it is done: what a person decided, then what the plan says itself."""
    for point_answer in agreement.answered_points:
        point = point_answer.decision.point
        option = point.options[point_answer.option]
        yield f"{point.question} {option.label}: {option.effect}"
    yield from () if agreement.overruled_points else agreement.plan.acceptance


def plan_of(agreement: Agreement, result: Plans) -> TicketPlan:
    """The plan as the ticket holds it: with the lines that were read, and what a person decided."""
    plan = ticket_plan(agreement.plan)
    return plan.model_copy(
        update={
            "effects": () if agreement.overruled_points else plan.effects,
            "read": result.read,
            "decisions": tuple(map(_decision_of, agreement.answered_points)),
        }
    )


def _decision_of(point_answer: AnsweredPoint) -> PointDecision:
    point = point_answer.decision.point
    option = point.options[point_answer.option]
    return PointDecision(
        text=point.question,
        label=option.label,
        effect=option.effect,
        instead_of=tuple(other.label for other in point.options if other is not option),
        decided_by=point_answer.answer.answered_by,
    )
