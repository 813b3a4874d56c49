"""From a filled-in form to a plan: ids that the code does not have, and sentences where values belong, are left out."""

from collections.abc import Sequence

from pipeline.code_registry.registry import Registry
from pipeline.domain.printable import printable
from pipeline.domain.words import name_parts
from pipeline.stages.plans.entities import entity_of, place_of, public_surface
from pipeline.stages.plans.form import CheckForm, EffectForm, PlanForm
from pipeline.stages.plans.plan import Check, DroppedPlan, Effect, Guarded, Plan, literal

_MOST = 20
_SUMMARY = 200


def bind(
    number: int, form: PlanForm, allowed: Sequence[str], registry: Registry, guarded: Guarded
) -> Plan | DroppedPlan:
    """The plan of a form. `allowed` are the targets that were offered: what is decided already is not planned anew."""
    target, entity = place_of(form.target, registry), entity_of(form.target, registry)
    if target is None or entity is None:
        return DroppedPlan(
            number=number, why=f"it names “{_shown(form.target)}”, which the code does not have"
        )
    if form.target not in allowed and entity not in {entity_of(one, registry) for one in allowed}:
        return DroppedPlan(
            number=number, why=f"it names “{_shown(form.target)}”, which was not to choose from"
        )
    left_out: list[str] = []
    effects = dict.fromkeys(_effect(effect, registry, left_out) for effect in form.effects[:_MOST])
    touched = [
        place_of(id_, registry) for id_ in dict.fromkeys(form.also_touches[:_MOST]) if id_ != form.target
    ]
    checks = (_check(check, left_out) for check in form.checks[:_MOST])
    plan = Plan(
        number=number,
        operation=form.operation,
        target=target,
        entity=f"new:{entity}" if form.creates_inside else entity,
        effects=tuple(effect for effect in effects if effect is not None),
        also_touches=tuple(place for place in touched if place is not None),
        checks=tuple(check for check in checks if check is not None),
        summary=printable(" ".join(form.summary.split()))[:_SUMMARY],
        left_out=tuple(left_out),
    )
    return plan.model_copy(update={"reaches": _reaches(plan, registry, guarded)})


def _effect(form: EffectForm, registry: Registry, left_out: list[str]) -> Effect | None:
    label, surface = public_surface(form.surface, registry), entity_of(form.surface, registry)
    is_literal, after = literal(form.after)
    if label is None or surface is None:
        left_out.append(f"effect on “{_shown(form.surface)}”, which is no public surface of the code")
        return None
    if not is_literal:
        left_out.append(f"effect on {label}: “{_shown(form.after)}” is no value")
        return None
    was_literal, before = literal(form.before)
    return Effect(
        surface=surface,
        label=label,
        aspect=form.aspect,
        name="_".join(name_parts(form.name)) or None if form.name else None,
        before=before if was_literal else None,
        after=after,
    )


def _check(form: CheckForm, left_out: list[str]) -> Check | None:
    is_literal, expected = literal(form.expected)
    given = " ".join(form.given.split())[:_SUMMARY]
    if is_literal and given:
        return Check(given=given, expected=expected)
    left_out.append(f"example “{_shown(given)}”: “{_shown(form.expected)}” is no value")
    return None


def _reaches(plan: Plan, registry: Registry, guarded: Guarded) -> str | None:
    if plan.effects:
        return plan.effects[0].label
    if (label := public_surface(plan.target.id, registry)) is not None:
        return label
    for place in (plan.target, *plan.also_touches):
        if place.location is not None and (rule := guarded(place.location.path)) is not None:
            return f"{place.location.path} ({rule})"
    return None


def _shown(value: object) -> str:
    """What a model wrote, as one short line that can be read."""
    return printable(" ".join(str(value).split()))[:120]
