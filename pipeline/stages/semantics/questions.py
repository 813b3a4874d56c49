"""The questions about plans: one open point, one of two places, which wish comes first, or the whole plan.

Options say what each would do.
"""

import hashlib
import json
from collections.abc import Sequence

from pydantic import JsonValue

from pipeline.contract.answers import PLAN_ANEW
from pipeline.contract.clarification import AskedOf, Candidate, Option, Probe, QuestionPoint
from pipeline.contract.point_reply import LETTERS
from pipeline.contract.ticket import TicketPlan
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask
from pipeline.stages.plans.plan import Plan, PointKind
from pipeline.stages.plans.policy import OpenDecision, Policy
from pipeline.stages.plans.stage import PLAN, POINT, TARGET, WISH
from pipeline.stages.plans.stage import STAGE as PLANS_STAGE

STAGE = "semantics"

_WHY = {
    PointKind.DEFAULT_FOR_EXISTING: "The ticket does not say what holds for what exists already.",
    PointKind.PUBLIC_NAME: "The ticket leaves a public name or shape open, and others will depend on it.",
    PointKind.STORED_DATA: "The ticket does not say what is stored, and stored data stays.",
    PointKind.COMPATIBILITY: "The ticket does not say what today's callers get.",
    PointKind.SECURITY: "The ticket does not say who may do it.",
    PointKind.SCOPE: "The ticket does not say how much is to be built.",
    PointKind.INTERFACE: "The ticket does not say what people shall see.",
    PointKind.EDGE_CASE: "The ticket does not say what happens in this case.",
}
_OF_AUTHOR = frozenset({PointKind.INTERFACE, PointKind.EDGE_CASE})
"""What the author saw or meant. Everything else is what the product should be."""

AS_PLANNED = "as planned"
_LONGEST_QUOTE = 160
_LONGEST_TEXT = 200
_LONGEST_LABEL = 100
"""Characters of a point and its options: signs that cannot be seen are written out, and a person sees the whole plan."""


def about_point(decision: OpenDecision, plans: Sequence[Plan], document: IssueDocument) -> Ask:
    """The question about one open decision of one or two plans, with the first of them, which it belongs to.

    The plainer option is the default: wrong guesses were the more elaborate ones.
    """
    point = decision.point
    options = [
        Option(id=f"option-{number}", label=option.label, effect=option.effect)
        for number, option in enumerate(decision.options, start=1)
    ]
    labels: list[JsonValue] = [option.label for option in decision.options]
    plainest = options[point.plainest]
    options.sort(key=lambda option: option.id != plainest.id)
    return Ask(
        stage=STAGE,
        slot=POINT,
        reason=_why(decision),
        text=point.question,
        suggestion="Say it in the ticket, and it is not asked.",
        options=tuple(options),
        quotes=(point.words,) if point.words else _title(document),
        default=plainest.id,
        default_reason=f"It is the plainest to build. {_plan_sentence(decision, len(plans))}",
        subject={"kind": decision.kind.value, "question": point.question, "options": labels},
        asked_of=AskedOf.AUTHOR if decision.kind in _OF_AUTHOR else AskedOf.MAINTAINER,
        plan=ticket_plan(plans[0]),
    )


def _plan_sentence(decision: OpenDecision, plans: int) -> str:
    """What would be built without an answer, by each plan that says it."""
    labels = [f"“{decision.options[option_number].label}”" for option_number in decision.taken_by.values()]
    if len(decision.taken_by) < plans:
        return f"One of two plans has this point, and would build {labels[0]}."
    if decision.differ:
        return f"One plan would build {labels[0]}, the other one {labels[1]}."
    subject = "The plan" if plans == 1 else "Both plans"
    if decision.point.taken == decision.point.plainest:
        return f"{subject} {'builds' if plans == 1 else 'build'} it, too."
    return f"{subject} would build {labels[0]}."


def _why(decision: OpenDecision) -> str:
    """Why the ticket leaves it open. Words that fit several options are no silence."""
    words = decision.point.words
    return (
        _WHY[decision.kind]
        if words is None
        else f"The ticket says “{words}”, and more than one option fits it."
    )


def about_place(plans: Sequence[Plan], policy: Policy, document: IssueDocument) -> Ask:
    """The question between two plans that have no place in common. The one that changes less is the default."""
    order = sorted(plans, key=lambda plan: (len(plan.changes) + len(plan.effects), plan.number))
    return Ask(
        stage=STAGE,
        slot=TARGET,
        reason="Two plans were made from the same text, each alone, and they work in different places.",
        text="Which of these is meant?",
        suggestion="Name the file, route or function in the ticket.",
        candidates=tuple(_as_candidate(plan) for plan in order),
        quotes=_title(document),
        default=order[0].targets[0].id,
        default_reason="It changes less.",
        probe=Probe(
            policy=policy.value, k=len(plans), groups=tuple((plan.number,) for plan in plans), slots=(TARGET,)
        ),
        asked_of=AskedOf.AUTHOR,
    )


def about_wishes(plan: Plan, document: IssueDocument) -> Ask:
    """The question whether what a plan leaves out shall stay out. The id of another wish holds it: it is planned anew."""
    left_out = [wish.text for wish in plan.wishes if not wish.planned]
    return Ask(
        stage=STAGE,
        slot=WISH,
        reason="The ticket asks for more than one change, and the plan makes only a part of it.",
        text=f"The plan leaves out: {'; '.join(left_out)}. Shall that wait?",
        suggestion="Make an issue of its own for each change.",
        options=(
            Option(id=AS_PLANNED, label="Build it as planned", effect=plan.summary),
            *(Option(id=f"{PLAN_ANEW}{text}", label=f"Build this first: {text}") for text in left_out),
        ),
        quotes=_title(document),
        default=AS_PLANNED,
        default_reason="What is left out can be an issue of its own.",
        subject={"wishes": [wish.text for wish in plan.wishes]},
        asked_of=AskedOf.MAINTAINER,
    )


def about_plan(plan: Plan, decisions: Sequence[OpenDecision]) -> Ask:
    """The question about a whole plan, with every decision that it leaves open, in their order."""
    shown_plan = ticket_plan(plan)
    points = tuple(
        _as_point(letter, decision, plan) for letter, decision in zip(LETTERS, decisions, strict=False)
    )
    shown = {"id", "kind", "text", "options", "taken"}
    content = [
        shown_plan.model_dump(mode="json"),
        [point.model_dump(mode="json", include=shown) for point in points],
    ]
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return Ask(
        stage=PLANS_STAGE,
        slot=PLAN,
        reason="A person sees each plan before anything is built: `plan: ask` in .github/askfirst/config.yml.",
        text="Is this the right plan?",
        suggestion="With `plan: go` only single points of a plan are asked about.",
        subject={"plan_sha256": digest},
        asked_of=AskedOf.MAINTAINER,
        plan=shown_plan,
        points=points,
    )


def ticket_plan(plan: Plan) -> TicketPlan:
    """A plan as a person and a coder see it."""
    return TicketPlan(
        summary=plan.summary,
        changes=plan.changes,
        effects=tuple(f"{effect.surface}: {effect.what}" for effect in plan.effects),
        left_out=tuple(wish.text for wish in plan.wishes if not wish.planned),
    )


def _as_point(letter: str, decision: OpenDecision, plan: Plan) -> QuestionPoint:
    """A point of the question. One that the plan does not have is shown as the other plan has it, which is said."""
    point = decision.point
    labels = [_short(option.label, _LONGEST_LABEL) for option in decision.options]
    if len(set(labels)) < len(labels):
        labels = [f"{number}: {label}" for number, label in enumerate(labels, start=1)]
    options = tuple(
        Option(id=str(number), label=label, effect=_short(option.effect, _LONGEST_TEXT))
        for number, (label, option) in enumerate(zip(labels, decision.options, strict=True), start=1)
    )
    text = _short(point.question, _LONGEST_TEXT)
    return QuestionPoint(
        id=letter,
        kind=point.kind.value,
        text=text if plan.number in decision.taken_by else f"{text} (Only a second plan names this.)",
        options=options,
        taken=options[decision.option_of(plan)].id,
    )


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _as_candidate(plan: Plan) -> Candidate:
    target = plan.targets[0]
    facts: dict[str, JsonValue] = {"would do": plan.summary}
    if len(plan.targets) > 1:
        facts["also changes"] = ", ".join(place.label for place in plan.targets[1:])
    return Candidate(
        handler_symbol=f"<{target.id}>",
        body_field_count=None,
        id=target.id,
        label=target.label,
        location=target.location,
        facts=facts,
    )


def _title(document: IssueDocument) -> tuple[str, ...]:
    """The words that left it open: the issue's title."""
    title = document.title.strip()
    return (_short(title, _LONGEST_QUOTE),) if title else ()
