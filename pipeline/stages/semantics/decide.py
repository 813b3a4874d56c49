"""The decision over plans: one reading, or the question on the highest level on which they differ. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Probe
from pipeline.domain.issue import IssueDocument
from pipeline.domain.words import prose_stems
from pipeline.stages.plans.compare import Group, grouped, highest_difference
from pipeline.stages.plans.entities import words_of
from pipeline.stages.plans.plan import LEVELS, Level, Plan
from pipeline.stages.plans.policy import Policy, asks, default_of
from pipeline.stages.plans.probes import probe
from pipeline.stages.selection.evidence import discriminate
from pipeline.stages.semantics.questions import in_words, probe_of


@dataclass(frozen=True)
class Read:
    """One reading stands. `answered` are the levels at which a person chose it, and who did."""

    group: Group
    because: str
    fired: tuple[str, ...]
    answered: tuple[tuple[Level, str], ...] = ()


@dataclass(frozen=True)
class Open:
    """Several readings stand, and the policy puts them to a person."""

    level: Level
    groups: tuple[Group, ...]
    probe: Probe


@dataclass(frozen=True)
class Said:
    """A person answered in words that select no reading."""

    text: str


Verdict = Read | Open | Said


def decide(
    policy: Policy,
    plans: Sequence[Plan],
    document: IssueDocument,
    registry: Registry,
    answers: Sequence[Answer] = (),
    *,
    made: int | None = None,
) -> Verdict:
    """What two or more plans of one ticket come to. `made` counts those too that could not be compared."""
    probed = probe(grouped(plans), document, registry)
    groups, answered = probed.groups, []
    if not asks(policy, groups):
        group, why = default_of(groups)
        total = sum(len(one.plans) for one in groups)
        because = why if len(groups) > 1 else f"{len(group.plans)} of {total} plans agree."
        return Read(group, because, probed.fired)
    told = probe_of(policy, groups, made or len(plans), probed.fired)
    while (level := highest_difference(groups)) is not None:
        answer = next((one for one in reversed(answers) if one.slot == level.value), None)
        chosen = None if answer is None else _chosen(level, groups, answer, registry)
        if answer is not None and chosen is None and answer.text:
            return Said(answer.text)
        if answer is None or chosen is None:
            return Open(level, groups, told)
        groups = tuple(group for group in groups if group.value(level) == chosen)
        answered.append((level, answer.answered_by or "An answer"))
    group, _ = default_of(groups)
    who = answered[-1][1] if answered else "An answer"
    return Read(group, f"{who} chose this reading.", probed.fired, tuple(answered))


def _chosen(level: Level, groups: Sequence[Group], answer: Answer, registry: Registry) -> str | None:
    """The value that an answer selects; None where its choice stands no longer, or its words select none."""
    values = list(dict.fromkeys(group.value(level) for group in groups))
    if answer.choice is not None:
        return answer.choice if answer.choice in values else None
    text = answer.text or ""
    of_value = {value: next(group for group in groups if group.value(level) == value) for value in values}
    named = [value for value in values if in_words(level, of_value[value]) in text or value in text]
    if len(named) == 1:
        return named[0]
    if level is not Level.TARGET:
        return None
    vocabularies = [words_of(value.removeprefix("new:"), registry) for value in values]
    held = discriminate(prose_stems(text), vocabularies)
    return values[held.chosen] if held.chosen is not None and held.only[held.chosen] else None


def levels_in_words(group: Group) -> tuple[str, ...]:
    """A reading, level by level, in the words in which it is shown."""
    return tuple(f"{level.value}: {in_words(level, group)}" for level in LEVELS if _says(level, group))


def _says(level: Level, group: Group) -> bool:
    return not (level is Level.CHECKS and not group.checks)
