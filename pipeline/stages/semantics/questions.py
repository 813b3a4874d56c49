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
from pipeline.contract.wire import Location
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import AlreadyImplemented, Ask, ClarificationNeeded
from pipeline.stages.existing.stage import OPTIONS as EXISTING_OPTIONS
from pipeline.stages.existing.stage import SLOT as EXISTING_SLOT
from pipeline.stages.existing.stage import STOP
from pipeline.stages.semantics.exploring import PLAN, POINT, PREMISE, TARGET, WISH
from pipeline.stages.semantics.exploring import STAGE as PLANS_STAGE
from pipeline.stages.semantics.plan import NoPlan, Plan, PointKind
from pipeline.stages.semantics.policy import OpenDecision, Policy

STAGE = "semantics"

_WHY = {
    PointKind.CONTRADICTION: "The ticket says two things that do not go together.",
    PointKind.VALUE: "The ticket needs a value and does not give it.",
    PointKind.DEFAULT_FOR_EXISTING: "The ticket does not say what holds for what exists already.",
    PointKind.PUBLIC_NAME: "The ticket leaves a public name or shape open, and others will depend on it.",
    PointKind.STORED_DATA: "The ticket does not say what is stored, and stored data stays.",
    PointKind.COMPATIBILITY: "The ticket does not say what today's callers get.",
    PointKind.SECURITY: "The ticket does not say who may do it.",
    PointKind.SCOPE: "The ticket does not say how much is to be built.",
    PointKind.INTERFACE: "The ticket does not say what people shall see.",
    PointKind.EDGE_CASE: "The ticket does not say what happens in this case.",
}
_OF_AUTHOR = frozenset({PointKind.CONTRADICTION, PointKind.INTERFACE, PointKind.EDGE_CASE})
"""What the author saw or meant. Everything else is what the product should be."""

AS_PLANNED = "as planned"
_LONGEST_QUOTE = 160
_LONGEST_TEXT = 200
_LONGEST_LABEL = 100
"""Characters of a point and its options: signs that cannot be seen are written out, and a person sees the whole plan."""


def about_point(
    decision: OpenDecision, plans: Sequence[Plan], document: IssueDocument, further: Sequence[Ask] = ()
) -> Ask:
    """The question about one open decision of one or two plans, with the first of them, which it belongs to.

    The likeliest option is the default and stands first. `further` are questions that the same comment puts.
    """
    point = decision.point
    options = [
        Option(id=f"option-{number}", label=option.label, effect=option.effect)
        for number, option in enumerate(decision.options, start=1)
    ]
    labels: list[JsonValue] = [option.label for option in decision.options]
    default = options[decision.default_for(plans[0])]
    options.sort(key=lambda option: option.id != default.id)
    of_kind = AskedOf.AUTHOR if decision.kind in _OF_AUTHOR else AskedOf.MAINTAINER
    return Ask(
        stage=STAGE,
        slot=POINT,
        reason=_why(decision),
        text=point.question,
        suggestion="Say it in the ticket, and it is not asked.",
        options=tuple(options),
        quotes=point.quotes or ((point.words,) if point.words else _title(document)),
        default=default.id,
        default_reason=_why_default(decision, plans),
        subject={"kind": decision.kind.value, "question": point.question, "options": labels},
        asked_of=point.asked_of or of_kind,
        plan=ticket_plan(plans[0]),
        points=tuple(_as_further_point(ask, document) for ask in further),
    )


def _as_further_point(ask: Ask, document: IssueDocument) -> QuestionPoint:
    """A question as a point below another one, with the id that it has by itself."""
    return QuestionPoint(
        id=ClarificationNeeded(ask).question_id,
        kind=str((ask.subject or {}).get("kind", ask.slot)),
        text=ask.text,
        options=ask.options or (),
        taken=ask.default or "",
        quotes=() if ask.quotes == _title(document) else ask.quotes,
        reason=ask.default_reason,
        asked_of=ask.asked_of,
    )


def _why_default(decision: OpenDecision, plans: Sequence[Plan]) -> str:
    """Why the default is one: the reason of the plan that takes it, and what each plan would build."""
    default, taken = decision.default_for(plans[0]), decision.option_of(plans[0])
    if default != taken:
        return f"Nobody is hurt by it. {_plan_sentence(decision, len(plans))}"
    why = decision.point.why if decision.point.taken == default else None
    return " ".join(filter(None, (why and as_sentence(why), _plan_sentence(decision, len(plans)))))


def as_sentence(text: str) -> str:
    """A text of a model with the stop that it may lack."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _plan_sentence(decision: OpenDecision, plans: int) -> str:
    """What would be built without an answer, by each plan that says it."""
    labels = [f"“{decision.options[option_number].label}”" for option_number in decision.taken_by.values()]
    if len(decision.taken_by) < plans:
        return f"One of two plans has this point, and would build {labels[0]}."
    if decision.differ:
        return f"One plan would build {labels[0]}, the other one {labels[1]}."
    return f"{'The plan' if plans == 1 else 'Both plans'} would build {labels[0]}."


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


def about_no_plan(no_plan: NoPlan, document: IssueDocument) -> AlreadyImplemented | ClarificationNeeded:
    """The stop of a ticket for which there is nothing to plan: all of it exists, or it rests on what is not so."""
    candidates = tuple(map(_as_place, dict.fromkeys(no_plan.places)))
    if no_plan.kind == "exists":
        return AlreadyImplemented(
            Ask(
                stage=STAGE,
                slot=EXISTING_SLOT,
                reason=f"A model that read the code found what the ticket asks for: {no_plan.why}",
                text="This seems to exist already. Is it what you wanted?",
                suggestion="Say in the ticket what the existing code does not do.",
                candidates=candidates,
                quotes=_title(document),
                default=STOP,
                default_reason=no_plan.why,
                options=EXISTING_OPTIONS,
                subject=None if candidates else {"why": no_plan.why},
            )
        )
    return ClarificationNeeded(
        Ask(
            stage=STAGE,
            slot=PREMISE,
            reason=no_plan.why,
            text="The code does not do what this ticket takes for granted. Is there anything to build?",
            suggestion="Say in the ticket what the code should do instead.",
            candidates=candidates,
            quotes=_title(document),
            default=STOP,
            default_reason="Nothing is built on what is not so.",
            options=(
                Option(id=STOP, label="No, nothing to build."),
                Option(id=f"{PLAN_ANEW}{document.title}", label="Yes, build it as the ticket says."),
            ),
            subject={"why": no_plan.why},
            asked_of=AskedOf.AUTHOR,
        )
    )


def _as_place(place: Location) -> Candidate:
    label = f"{place.path}:{place.start_line}"
    id_ = f"lines:{label}-{place.end_line}"
    return Candidate(handler_symbol=f"<{id_}>", body_field_count=None, id=id_, label=label, location=place)


def about_wishes(plan: Plan, document: IssueDocument) -> Ask:
    """The question whether what a plan leaves out may wait. The id of another wish holds it: it is planned anew."""
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
    shown_fields = {"id", "kind", "text", "options", "taken"}
    content = [
        shown_plan.model_dump(mode="json"),
        [point.model_dump(mode="json", include=shown_fields) for point in points],
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
