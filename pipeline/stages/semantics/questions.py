"""The question between readings: one level, the values that stand at it, the default first, and what sets them apart."""

from collections.abc import Sequence

from pydantic import JsonValue

from pipeline.contract.clarification import Candidate, Probe
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import Ask
from pipeline.stages.plans.compare import Group, conflicts
from pipeline.stages.plans.plan import LEVELS, Level
from pipeline.stages.plans.policy import Policy, default_of

STAGE = "semantics"

_TEXTS = {
    Level.OPERATION: "What is to be done?",
    Level.TARGET: "Which part of the code is meant?",
    Level.EFFECTS: "Which behaviour is meant?",
    Level.CHECKS: "What should come out?",
}
_SUGGESTIONS = {
    Level.OPERATION: "Say in the title what is to be done: add, change, remove, rename or fix.",
    Level.TARGET: "Name the route, function or model in the ticket prose.",
    Level.EFFECTS: "Say in the ticket what a caller sees afterwards: the status, the field, the value.",
    Level.CHECKS: "Give the expected result of an example in the ticket prose.",
}
_LONGEST_QUOTE = 160


def question(level: Level, groups: Sequence[Group], document: IssueDocument, probe: Probe) -> Ask:
    """The question that is open at a level. `groups` are the readings that still stand."""
    choices = [[group for group in groups if group.value(level) == value] for value in _values(level, groups)]
    as_one = [Group(tuple(plan for group in choice for plan in group.plans)) for choice in choices]
    default, default_reason = default_of(as_one)
    choices.sort(key=lambda choice: (choice[0].value(level) != default.value(level), -_count(choice)))
    plans = sum(len(group.plans) for group in groups)
    listed = "; ".join(f"{in_words(level, choice[0])} ({_count(choice)} of {plans})" for choice in choices)
    return Ask(
        stage=STAGE,
        slot=level.value,
        reason=f"{probe.k} plans were made from the same text, and they differ in {_differ_in(level)}: {listed}.",
        text=_text(level, choices),
        suggestion=_SUGGESTIONS[level],
        candidates=_candidates(level, choices, plans),
        quotes=_quotes(document),
        default=default.value(level),
        default_reason=default_reason,
        probe=probe,
    )


def probe_of(policy: Policy, groups: Sequence[Group], made: int, fired: Sequence[str]) -> Probe:
    """What the payload says about how the question was found."""
    differ = [level for level in LEVELS if len({group.value(level) for group in groups}) > 1]
    return Probe(
        policy=policy.value,
        k=made,
        groups=tuple(group.numbers for group in groups),
        slots=tuple(level.value for level in differ),
        fired=tuple(fired),
    )


def in_words(level: Level, group: Group) -> str:
    """What a reading says at a level."""
    first = group.first
    match level:
        case Level.OPERATION:
            return first.operation.value
        case Level.TARGET:
            return f"new, in {first.target.label}" if first.entity.startswith("new:") else first.target.label
        case Level.EFFECTS:
            return "; ".join(effect.in_words for effect in first.effects) or "nothing that a caller sees"
        case Level.CHECKS:
            told = (f"{given} gives {out}" for given, out in group.checks.items())
            return "; ".join(told) or "no example"


def _values(level: Level, groups: Sequence[Group]) -> list[str]:
    return list(dict.fromkeys(group.value(level) for group in groups))


def _count(choice: Sequence[Group]) -> int:
    return sum(len(group.plans) for group in choice)


def _differ_in(level: Level) -> str:
    return {
        Level.OPERATION: "what they do",
        Level.TARGET: "what they work on",
        Level.EFFECTS: "what callers see afterwards",
        Level.CHECKS: "what comes out of an example",
    }[level]


def _text(level: Level, choices: Sequence[Sequence[Group]]) -> str:
    if level is Level.CHECKS and (inputs := conflicts(choices[0][0], choices[1][0])):
        return f"What should come out for {inputs[0]}?"
    return _TEXTS[level]


def _quotes(document: IssueDocument) -> tuple[str, ...]:
    """The words that left it open: the issue's title."""
    title = document.title.strip()
    return (title if len(title) <= _LONGEST_QUOTE else f"{title[: _LONGEST_QUOTE - 1]}…",) if title else ()


def _candidates(level: Level, choices: Sequence[Sequence[Group]], plans: int) -> tuple[Candidate, ...]:
    facts = [_facts(level, choice, plans) for choice in choices]
    places = {group.first.target.location for choice in choices for group in choice}
    telling = [name for name in facts[0] if len({str(each.get(name)) for each in facts}) > 1]
    return tuple(
        Candidate(
            handler_symbol=f"<{choice[0].value(level)}>",
            body_field_count=None,
            id=choice[0].value(level),
            label=in_words(level, choice[0]),
            # One place for all of them would be shown once for each, and tells none apart.
            location=choice[0].first.target.location if len(places) > 1 else None,
            facts={name: each[name] for name in telling if name in each},
        )
        for choice, each in zip(choices, facts, strict=True)
    )


def _facts(level: Level, choice: Sequence[Group], plans: int) -> dict[str, JsonValue]:
    """What sets a reading apart below the level that is asked about, and its summary, which is for reading only."""
    first = choice[0]
    also = ", ".join(place.label for place in first.first.also_touches)
    below = {other.value: in_words(other, first) for other in LEVELS[LEVELS.index(level) + 1 :]}
    told: dict[str, JsonValue] = {"plans": f"{_count(choice)} of {plans}", **below}
    return told | {"also touches": also or "nothing else", "in its own words": first.first.summary}
