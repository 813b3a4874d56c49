"""Stage `semantics`: plans lead to one question with every open point, or to targets, with assumptions for the other points."""

from collections.abc import Iterator, Sequence

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import CodePlace, TicketPlan
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.existing.stage import STOP, nothing_to_build
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.answered_points import (
    AnsweredPoint,
    answered_points_of,
    criterion_of,
    decided_earlier,
    point_decision_of,
    points_of_plan_answer,
)
from pipeline.stages.semantics.exploring import PLAN, RUNS_IF, SLOTS, SLOTS_BEFORE_WORK, TARGET, Plans
from pipeline.stages.semantics.plan import Plan
from pipeline.stages.semantics.policy import OpenDecision, Policy, asked_decisions, decisions_of
from pipeline.stages.semantics.questions import (
    about_no_plan,
    about_place,
    about_plan,
    about_point,
    about_wishes,
    ticket_plan,
)
from pipeline.stages.stage import StageKind, StageValue

_MOST_POINTS = 5
"""In one comment."""

_MOST_QUESTIONS = 3
"""Of one ticket: after so many no plan is put to a person again."""


class Semantics(StageValue):
    """What the plans came to.

    `targets` are what they agree on, or what a person chose. `open` says that they part, and that a person's answer
    selects none of them, or that there is no plan where a person must see one: then the targets are unknown.
    `overrides` are what a person decided, by the sentences of the ticket that each decision is about.
    """

    because: str
    targets: tuple[CodePlace, ...] = ()
    plan: TicketPlan | None = None
    open: bool = False
    assumptions: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()

    def as_decided(self, criterion: str) -> str:
        """A criterion of the ticket with what a person decided since about its very words, which goes before them."""
        decisions = [decision for sentence, decision in self.overrides if _is_part(sentence, criterion)]
        return " ".join([criterion, *(f"This goes before it: {text}" for text in dict.fromkeys(decisions))])


def _is_part(first: str, second: str) -> bool:
    """Whether one of two texts stands in the other, but for blanks and case."""
    one, other = (" ".join(text.casefold().split()).rstrip(".") for text in (first, second))
    return bool(one and other) and (one in other or other in one)


def compare_plans(
    result: Plans, document: IssueDocument, all_answers: Sequence[Answer], *, puts_plan: bool = False
) -> Semantics:
    """The decision about the plans. An answer to one question is not followed by a second one about the same plan.

    `all_answers` are those to every question before the code is written; `puts_plan`: a person sees the plan first.

    Raises:
        ClarificationNeeded: they part, or leave something open that the policy puts to a person, or the ticket's premise is wrong.
        AlreadyImplemented: an explorer found all that the ticket asks for in the code.
        NothingToBuild: a person has said that there is nothing to build.
        AnswersInvalid: an answer to the plan names what the plan does not have.
    """
    if not result.plans:
        return _without_plan(result, document, all_answers, puts_plan=puts_plan)
    answers = [answer for answer in all_answers if answer.slot in SLOTS]
    plans, chosen_by = _standing(result, answers)
    if not plans:
        if any(answer.text for answer in answers):
            because = "Two plans have no place in common, also with what was answered."
            return Semantics(because=because, open=True)
        raise ClarificationNeeded(about_place(result.plans, result.policy, document))
    plans = _best_fitting_first(plans, decisions_of(plans, result.check))
    decisions = decisions_of(plans, result.check)
    if puts_plan:
        return _plan_review(plans, decisions, chosen_by, all_answers, result)
    answered_points = answered_points_of(decisions, plans, document, answers)
    is_over = any(answer.text or answer.slot in (PLAN, TARGET) for answer in answers)
    question = _question(plans, decisions, result.policy, document, answers)
    if not answered_points and not is_over and question is not None:
        raise ClarificationNeeded(question)
    answered_points = (*decided_earlier(decisions, answers), *answered_points)
    plans = _best_fitting_first(plans, decisions, answered_points)
    answered_ids = {point.id for point_answer in answered_points for point in point_answer.decision.points}
    open_decisions = [
        decision
        for decision in decisions_of(plans, result.check)
        if not decision.is_decided and decision.point.id not in answered_ids
    ]
    misses = any(decision.is_decided and decision.decided_option is None for decision in decisions)
    return _agreement(plans, open_decisions, chosen_by, result, answered_points, misses_decision=misses)


def _without_plan(
    result: Plans, document: IssueDocument, answers: Sequence[Answer], *, puts_plan: bool
) -> Semantics:
    no_plan = next((plan.no_plan for plan in result.dropped if plan.no_plan is not None), None)
    if no_plan is not None:
        stop = about_no_plan(no_plan, document)
        answer = next(
            (answer for answer in reversed(answers) if answer.question_id == stop.question_id), None
        )
        if answer is None:
            raise stop
        if answer.choice == STOP:
            raise nothing_to_build()
    reasons = "; ".join(plan.why for plan in result.dropped)
    because = f"There is no plan: {result.failure or reasons}."
    if puts_plan:
        because = f"{because} Nothing is built without one that a person has seen (`plan: ask`)."
    return Semantics(because=because, open=puts_plan, assumptions=(because,))


def _question(
    plans: tuple[Plan, ...],
    decisions: Sequence[OpenDecision],
    policy: Policy,
    document: IssueDocument,
    answers: Sequence[Answer],
) -> Ask | None:
    """What plans that agree leave to a person, all of it in one question: the sharpest point, and the others below it."""
    wishes = about_wishes(plans[0], document)
    leaves_wish = any(not wish.planned for wish in plans[0].wishes[1:])
    asks_of_wishes = policy in (Policy.BALANCED, Policy.EAGER) and leaves_wish
    below = () if not asks_of_wishes or _decides(answers, wishes) else (wishes,)
    first, *rest = asked_decisions(policy, decisions, _MOST_POINTS - len(below)) or (None,)
    if first is None:
        return next(iter(below), None)
    further = [about_point(decision, plans, document) for decision in rest]
    return about_point(first, plans, document, (*further, *below))


def _decides(answers: Sequence[Answer], ask: Ask) -> bool:
    """Whether a person has decided what a question is about, or which of several wishes comes first."""
    id_ = ClarificationNeeded(ask).question_id
    return any(answer.slot == ask.slot or id_ in (answer.points or {}) for answer in answers)


def _agreement(
    plans: tuple[Plan, ...],
    open_decisions: Sequence[OpenDecision],
    chosen_by: str | None,
    result: Plans,
    answered_points: tuple[AnsweredPoint, ...] = (),
    *,
    is_unseen: bool = False,
    misses_decision: bool = False,
) -> Semantics:
    """The first plan stands; `chosen_by` is the person who chose it among two without a place in common.

    `open_decisions` are those that were not asked, `answered_points` those that a person took. `is_unseen`: it
    was made again after a person's words, and it was not seen since. `misses_decision`: a person decided earlier what is
    no option of the plan.
    """
    plan = plans[0]
    overruled_points = [point for point in answered_points if point.overrules(plan)]
    by_words = any(decision.excludes(plan) for decision in open_decisions)
    # Where a person or the ticket's words decide otherwise, the plan does not say what results.
    is_overruled = bool(overruled_points) or misses_decision or by_words
    shown_plan = ticket_plan(plan)
    return Semantics(
        because=_because(plans, open_decisions, chosen_by),
        targets=_common_targets(plans),
        plan=shown_plan.model_copy(
            update={
                "effects": () if is_overruled else shown_plan.effects,
                "read": result.read,
                "decisions": tuple(point_decision_of(point, plan, result.plans) for point in answered_points),
            }
        ),
        assumptions=tuple(_assumptions(plan, open_decisions, overruled_points, is_unseen=is_unseen)),
        acceptance=(*map(criterion_of, answered_points), *(() if is_overruled else plan.acceptance)),
        overrides=tuple(
            (quote, criterion_of(answer))
            for answer in answered_points
            for quote in answer.decision.point.quotes
        ),
    )


def _because(plans: tuple[Plan, ...], open_decisions: Sequence[OpenDecision], chosen_by: str | None) -> str:
    """Why the targets are these, and where two plans do not agree."""
    plan = plans[0]
    if chosen_by is not None:
        return f"{chosen_by} chose this plan: {plan.summary}"
    if len(plans) == 1:
        return plan.summary
    differing = [decision.point.question for decision in open_decisions if decision.differ]
    differ = f" Decided otherwise by the other: {' '.join(differing)}" if differing else ""
    return f"{plan.summary} Two plans, each made alone, have these files in common.{differ}"


def _best_fitting_first(
    plans: tuple[Plan, ...], decisions: Sequence[OpenDecision], answered_points: Sequence[AnsweredPoint] = ()
) -> tuple[Plan, ...]:
    """The plan first that takes what a person chose, then what the ticket's words leave; where none does, the first made.

    For example a person is asked about two options of which each plan takes another one, and chooses that of the second.
    """

    def misfits(plan: Plan) -> tuple[int, int, int]:
        by_answers = sum(
            answer.decision.taken_by.get(plan.number) != answer.option for answer in answered_points
        )
        by_words = sum(decision.excludes(plan) for decision in decisions)
        return by_answers, by_words, plan.number

    return tuple(sorted(plans, key=misfits))


def _plan_review(
    plans: tuple[Plan, ...],
    decisions: tuple[OpenDecision, ...],
    chosen_by: str | None,
    answers: Sequence[Answer],
    result: Plans,
) -> Semantics:
    """Ask about the whole plan, or take it as a person has answered it."""
    ask = about_plan(plans[0], decisions)
    stop = ClarificationNeeded(ask)
    answer = next((answer for answer in reversed(answers) if answer.question_id == stop.question_id), None)
    if answer is None and _may_be_put(answers):
        raise stop
    if answer is None or answer.text:
        return _agreement(plans, decisions, chosen_by, result, is_unseen=True)
    return _agreement(plans, (), chosen_by, result, points_of_plan_answer(ask, decisions, answer))


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


def _standing(result: Plans, answers: Sequence[Answer]) -> tuple[tuple[Plan, ...], str | None]:
    """The plans that have a place in common, or the one that a person chose, and who did; none where they have no such place."""
    if len(result.plans) == 1 or _common_targets(result.plans):
        return result.plans, None
    for answer in reversed(answers):
        for plan in result.plans:
            if answer.slot == TARGET and answer.choice == plan.targets[0].id:
                return (plan,), answer.answered_by or "An answer"
    return (), None


def _common_targets(plans: Sequence[Plan]) -> tuple[CodePlace, ...]:
    """The first plan's targets in files that every plan works on."""
    paths = frozenset.intersection(*(plan.paths for plan in plans))
    return tuple(target for target in plans[0].targets if target.path in paths)


def _assumptions(
    plan: Plan,
    open_decisions: Sequence[OpenDecision],
    overruled_points: Sequence[AnsweredPoint],
    *,
    is_unseen: bool,
) -> Iterator[str]:
    """What was decided without a person, each with what was not taken, and which wishes are left for later."""
    if is_unseen:
        yield "The plan was made again after a person had answered, and nobody has seen it since."
    for point_answer in overruled_points:
        decision = point_answer.decision
        planned_option = decision.options[decision.option_of(plan)]
        yield (
            f"{point_answer.person} decided “{point_answer.chosen.label}” and the plan was made for “{planned_option.label}”:"
            " the decision goes before the plan."
        )
    # Points that the ticket's own words settle come last: they were not decided for the author.
    in_order = sorted(open_decisions, key=lambda decision: decision.is_settled)
    yield from (_assumption(decision, plan) for decision in in_order)
    yield from (f"Not part of this change: {wish.text}" for wish in plan.wishes if not wish.planned)


def _assumption(decision: OpenDecision, plan: Plan) -> str:
    """What holds for a decision, and what does not: the option that the ticket's words leave, else what the plan takes."""
    holds = decision.option_of(plan) if decision.settled_option is None else decision.settled_option
    option = decision.options[holds]
    alternatives = [alternative.label for alternative in decision.options if alternative is not option]
    sentence = f"{decision.point.question} {option.label}, instead of: {'; '.join(alternatives)}."
    if decision.is_settled:
        return f"{sentence} The ticket says “{decision.settled_words}”."
    if plan.number not in decision.taken_by:
        return f"{sentence} Only a second plan names this."
    other_options = [
        option_number for number, option_number in decision.taken_by.items() if number != plan.number
    ]
    if decision.differ and other_options:
        sentence += f" A second plan takes “{decision.options[other_options[0]].label}”."
    return sentence


class SemanticsInput(StageValue):
    """The plans, and the ticket and code that they are of."""

    registry: RegistryReady
    reading: IssueDocument
    plans: Plans


def _run(inputs: SemanticsInput, context: StageContext) -> Semantics:
    answers, puts_plan = context.answers.answers, context.puts_plan
    return compare_plans(inputs.plans, inputs.reading, answers, puts_plan=puts_plan)


KIND = StageKind(
    name="semantics",
    input=SemanticsInput,
    output=Semantics,
    run=_run,
    reads=frozenset({RunInput.ANSWERS, RunInput.PLAN_REVIEW}),
    # How many questions were answered before says whether a plan is put to a person again.
    slots=SLOTS_BEFORE_WORK,
    runs_if=RUNS_IF,
    finds_ticket=True,
)
