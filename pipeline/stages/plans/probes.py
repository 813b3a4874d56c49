"""Probes: what settles a difference between plans without a person. Deterministic, and each says what it did."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import IssueDocument
from pipeline.domain.operation import Operation
from pipeline.domain.words import name_parts, same_name
from pipeline.stages.plans.compare import Group, highest_difference
from pipeline.stages.plans.entities import words_of
from pipeline.stages.plans.plan import Aspect, Effect, Level
from pipeline.stages.selection.evidence import discriminate
from pipeline.stages.selection.terms import terms_of

_GIVEN = frozenset({Aspect.FIELD, Aspect.PARAMETER, Aspect.HEADER})


@dataclass(frozen=True)
class Probed:
    """The readings that stand after all probes, and what the probes that fired say."""

    groups: tuple[Group, ...]
    fired: tuple[str, ...]


def probe(groups: Sequence[Group], document: IssueDocument, registry: Registry) -> Probed:
    """Remove every difference that a probe settles."""
    fired: list[str] = []
    standing = _without_satisfied(groups, registry, fired)
    while (level := highest_difference(standing)) is not None:
        kept = _selected_by_ticket(level, standing, document, registry)
        if kept is None:
            break
        standing, said = kept
        fired.append(said)
    return Probed(tuple(standing), tuple(fired))


def _without_satisfied(groups: Sequence[Group], registry: Registry, fired: list[str]) -> tuple[Group, ...]:
    """Without readings that the repository satisfies already, if one is left."""
    left = tuple(group for group in groups if not _is_satisfied(group, registry))
    if not left or len(left) == len(groups):
        return tuple(groups)
    gone = next(group for group in groups if group not in left)
    fired.append(f"{gone.first.effects[0].in_words}: that is there already")
    return left


def _is_satisfied(group: Group, registry: Registry) -> bool:
    plan = group.first
    if plan.operation is not Operation.ADD or not plan.effects:
        return False
    return all(_is_there(effect, registry) for effect in plan.effects)


def _is_there(effect: Effect, registry: Registry) -> bool:
    if effect.aspect not in _GIVEN or effect.name is None or effect.after is None:
        return False
    name = effect.name
    owners = {effect.surface, *(route.id for route in registry.routes if route.handler == effect.surface)}
    return any(same_name(field.name, name) for owner in sorted(owners) for field in registry.fields_of(owner))


def _selected_by_ticket(
    level: Level, groups: Sequence[Group], document: IssueDocument, registry: Registry
) -> tuple[tuple[Group, ...], str] | None:
    """The readings that the ticket's own words select at a level, and in which words; None where they select none."""
    match level:
        case Level.TARGET:
            selected = _target_in_ticket(groups, document, registry)
        case Level.EFFECTS:
            selected = _values_in_ticket(groups, document)
        case Level.OPERATION | Level.CHECKS:
            selected = None
    if selected is None:
        return None
    value, words = selected
    kept = tuple(group for group in groups if group.value(level) == value)
    what = "behaviour" if level is Level.EFFECTS else level.value
    return kept, f"“{words}” in the ticket fits one {what} and no other"


def _target_in_ticket(
    groups: Sequence[Group], document: IssueDocument, registry: Registry
) -> tuple[str, str] | None:
    entities = list(dict.fromkeys(group.value(Level.TARGET) for group in groups))
    vocabularies = [words_of(entity.removeprefix("new:"), registry) for entity in entities]
    terms = terms_of(document)
    held = discriminate(terms.stems, vocabularies, excluded=terms.excluded)
    if held.chosen is None or not held.only[held.chosen]:
        return None
    return entities[held.chosen], ", ".join(terms.quote(held.only[held.chosen]))


def _values_in_ticket(groups: Sequence[Group], document: IssueDocument) -> tuple[str, str] | None:
    """The values and names in which one reading differs from all others, where the ticket writes one of them."""
    prose = document.prose
    selected: dict[str, str] = {}
    for group in groups:
        others = {literal for other in groups if other is not group for literal in _literals(other)}
        own = [literal for literal in _literals(group) if literal not in others]
        written = [literal for literal in own if _is_written(literal, prose)]
        if written:
            selected.setdefault(group.value(Level.EFFECTS), ", ".join(written))
    return next(iter(selected.items())) if len(selected) == 1 else None


def _literals(group: Group) -> tuple[str, ...]:
    """Names and values of the effects, those that say something: a number of two digits, or a word."""
    told = [
        str(part)
        for effect in group.first.effects
        for part in (effect.name, effect.after)
        if part is not None
    ]
    return tuple(dict.fromkeys(one for one in told if len(one) > 1 and one not in {"True", "False"}))


def _is_written(literal: str, prose: str) -> bool:
    if re.search(rf"(?<![\w.]){re.escape(literal)}(?![\w.]?\w)", prose):
        return True
    parts = name_parts(literal)
    return len(parts) > 1 and any(name_parts(word.strip("`.,:;!?()\"'")) == parts for word in prose.split())
