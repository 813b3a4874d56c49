"""What people answered about open points: which option or words each of them got, and how a ticket says it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.contract.answers import Answer
from pipeline.contract.ticket import PointDecision
from pipeline.domain.errors import AnswersInvalid
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.semantics.plan import Plan, PointOption
from pipeline.stages.semantics.policy import OpenDecision
from pipeline.stages.semantics.questions import about_point, as_sentence


@dataclass(frozen=True)
class AnsweredPoint:
    """An open decision that a person took: the index of one of its options, words of their own, or both."""

    decision: OpenDecision
    option: int | None
    answer: Answer
    words: str | None = None

    @property
    def chosen(self) -> PointOption:
        """What the person took. The effect of free words is unknown."""
        if self.option is None:
            return PointOption(label=self.words or "", effect="")
        option = self.decision.options[self.option]
        return option if self.words is None else PointOption(label=f"{option.label}: {self.words}", effect="")

    @property
    def person(self) -> str:
        """Who took it, for the beginning of a sentence."""
        return self.answer.answered_by or "A person"

    def overrules(self, plan: Plan) -> bool:
        """Whether the person decided otherwise than a plan."""
        return self.words is not None or self.option != self.decision.option_of(plan)


def answered_points_of(
    decisions: Sequence[OpenDecision],
    plans: Sequence[Plan],
    document: IssueDocument,
    answers: Sequence[Answer],
) -> tuple[AnsweredPoint, ...]:
    """The decisions whose very questions a person has answered, with options or in words of their own."""
    answered_points = []
    for decision in decisions:
        ask = about_point(decision, plans, document)
        id_ = ClarificationNeeded(ask).question_id
        options = {option.id for option in ask.options or ()}
        for answer in reversed(answers):
            choice = (answer.points or {}).get(id_, answer.choice if answer.question_id == id_ else None)
            words = (answer.words or {}).get(id_)
            option = int(choice.removeprefix("option-")) - 1 if choice in options and choice else None
            if option is not None or words is not None:
                answered_points.append(AnsweredPoint(decision, option, answer, words))
                break
    return tuple(answered_points)


def points_of_plan_answer(
    ask: Ask, decisions: Sequence[OpenDecision], answer: Answer
) -> tuple[AnsweredPoint, ...]:
    """Every open decision as an answer to the plan decides it. The points of the question stand in the same order."""
    options = {point.id: [option.id for option in point.options] for point in ask.points}
    choices = answer.points
    plan_has = "; ".join(f"{point}: {', '.join(ids)}" for point, ids in options.items())
    if choices is None or any(choice not in options.get(point, ()) for point, choice in choices.items()):
        raise AnswersInvalid(
            f"The answer to the plan ({answer.question_id}) names no options of it.",
            why=f"It says {answer.model_dump_json(include={'choice', 'choices', 'points'}, exclude_none=True)}, and the "
            f"plan has {plan_has or 'no open points'}.",
            what_to_do='To take it as it stands: {…, "points": {}}\nTo change points: {…, "points": {"b": "2"}}',
        )
    words = answer.words or {}
    return tuple(
        AnsweredPoint(
            decision,
            None
            if point.id in words and point.id not in choices
            else options[point.id].index(choices.get(point.id, point.taken)),
            answer,
            words.get(point.id),
        )
        for point, decision in zip(ask.points, decisions, strict=True)
    )


def decided_earlier(
    decisions: Sequence[OpenDecision], answers: Sequence[Answer]
) -> tuple[AnsweredPoint, ...]:
    """What a person decided when they saw an earlier plan: it holds for the plan that was made anew."""
    answer = next((answer for answer in reversed(answers) if answer.decision), None)
    return tuple(
        AnsweredPoint(decision, decision.decided_option, answer)
        for decision in decisions
        if decision.decided_option is not None and answer is not None
    )


def criterion_of(point_answer: AnsweredPoint) -> str:
    """What a person decided, as one sees that it is done."""
    option, question = point_answer.chosen, point_answer.decision.point.question
    effect = f" {as_sentence(option.effect)}" if option.effect else ""
    return f"{point_answer.person} decided: {as_sentence(option.label)}{effect} (The question: {question})"


def point_decision_of(point_answer: AnsweredPoint, plan: Plan, plans: Sequence[Plan]) -> PointDecision:
    """What a person decided; where the plan was made for another option, with the changes of one that was made for it."""
    decision, option = point_answer.decision, point_answer.chosen
    overrules = point_answer.overrules(plan)
    fitting_plans = (
        alternative.changes
        for alternative in plans
        if point_answer.option is not None
        and decision.taken_by.get(alternative.number) == point_answer.option
    )
    return PointDecision(
        text=decision.point.question,
        label=option.label,
        effect=option.effect or None,
        instead_of=tuple(alternative.label for alternative in decision.options if alternative is not option),
        decided_by=point_answer.answer.answered_by,
        overrules_plan=overrules,
        changes=next(fitting_plans, ()) if overrules else (),
    )
