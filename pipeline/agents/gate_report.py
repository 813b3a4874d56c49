"""What people decided about waiting calls, over many runs, and which rules would follow from it. Pure.

Nothing is loosened but the very path or command on which people agreed, letter by letter, and nothing follows for a call
on which they did not.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pydantic import ValidationError

from pipeline.agents.agent import Tool
from pipeline.agents.gate import Decision, Gate
from pipeline.agents.gate_rules import PATH_TOOLS, CommandPattern, Rule, SingleCall, Tier
from pipeline.agents.plain_call import NotPlain, plain_command, plain_path
from pipeline.agents.transcript import Decided
from pipeline.contract.answers import Verdict

ENOUGH_APPROVALS = 5
ENOUGH_DECLINES = 2
SEVERAL_PEOPLE = 2
SEVERAL_CONVERSATIONS = 3

_CUT = 200
"""A target of this length may have been cut (`Decided`)."""


class Proposal(StrEnum):
    """What becomes of a call that waits for a person today."""

    ALLOW = "allow"
    DENY = "deny"
    KEEP = "keep"


@dataclass(frozen=True)
class Observed:
    """A decision, and the conversation in which it was taken: all runs about one issue are one conversation."""

    conversation: str
    decided: Decided


@dataclass(frozen=True)
class Evidence:
    """What people said about one call. A verdict counts once in a conversation, however often a run read it."""

    tool: str
    target: str
    rules: tuple[str, ...]
    approved: int
    declined: int
    conversations: int
    people: tuple[str, ...]


@dataclass(frozen=True)
class RuleEvidence:
    """What people said about all calls that one rule has wait, over how many conversations, and when.

    `first` and `last` are None for decisions of older versions, which have no time.
    """

    rule: str
    calls: int
    approved: int
    declined: int
    conversations: int
    people: tuple[str, ...]
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True)
class Finding:
    """What is proposed for a call, and why."""

    evidence: Evidence
    proposal: Proposal
    why: str


@dataclass(frozen=True)
class GateReport:
    """All findings, the strictest proposals first, the rules that would be new or take another's place, and the evidence by rule."""

    findings: tuple[Finding, ...]
    rules: tuple[Rule, ...]
    by_rule: tuple[RuleEvidence, ...]


def report(
    observed: Iterable[Observed], rules: Mapping[str, Rule], *, approvals: int = ENOUGH_APPROVALS
) -> GateReport:
    """What follows from the decisions for these rules (by id). `approvals` is how often a call must have been approved."""
    changed = dict(rules)
    findings = []
    observed = tuple(observed)
    for evidence in evidence_of(observed):
        proposal, why = _judged(evidence, approvals)
        after: Mapping[str, Rule] | None = changed
        if proposal is Proposal.ALLOW:
            after = _allowing(evidence, changed)
        elif proposal is Proposal.DENY:
            after = _denying(evidence, changed)
        if after is None:
            proposal, why = Proposal.KEEP, f"{why}; no rule can say this of the one call alone"
        changed = dict(after or changed)
        findings.append(Finding(evidence, proposal, why))
    order = [Proposal.DENY, Proposal.ALLOW, Proposal.KEEP]
    findings.sort(key=lambda one: (order.index(one.proposal), one.evidence.tool, one.evidence.target))
    new = tuple(rule for id_, rule in changed.items() if rules.get(id_) != rule)
    return GateReport(tuple(findings), new, _by_rule(observed))


def evidence_of(observed: Iterable[Observed]) -> tuple[Evidence, ...]:
    """The verdicts by tool and target. A call that still waits, or that a rule settled, is no evidence."""
    by_call: dict[tuple[str, str], list[Observed]] = defaultdict(list)
    for one in observed:
        if one.decided.verdict is not None:
            by_call[one.decided.tool, one.decided.target].append(one)
    return tuple(_evidence(tool, target, by_call[tool, target]) for tool, target in sorted(by_call))


def _by_rule(observed: Iterable[Observed]) -> tuple[RuleEvidence, ...]:
    by_rule: dict[str, list[Observed]] = defaultdict(list)
    for one in observed:
        if one.decided.verdict is not None and one.decided.rule is not None:
            by_rule[one.decided.rule].append(one)
    return tuple(_evidence_of_rule(rule, by_rule[rule]) for rule in sorted(by_rule))


def _evidence_of_rule(rule: str, decisions: Sequence[Observed]) -> RuleEvidence:
    calls = evidence_of(decisions)
    times = [one.decided.time for one in decisions if one.decided.time is not None]
    return RuleEvidence(
        rule=rule,
        calls=len(calls),
        approved=sum(call.approved for call in calls),
        declined=sum(call.declined for call in calls),
        conversations=len({one.conversation for one in decisions}),
        people=tuple(sorted({person for call in calls for person in call.people})),
        first=min(times, default=None),
        last=max(times, default=None),
    )


def _evidence(tool: str, target: str, said: Sequence[Observed]) -> Evidence:
    verdicts = {
        (one.conversation, one.decided.stage, one.decided.arguments_sha256, one.decided.verdict)
        for one in said
    }
    return Evidence(
        tool=tool,
        target=target,
        rules=tuple(sorted({one.decided.rule for one in said if one.decided.rule})),
        approved=sum(verdict == Verdict.APPROVE.value for *_, verdict in verdicts),
        declined=sum(verdict == Verdict.DECLINE.value for *_, verdict in verdicts),
        conversations=len({one.conversation for one in said}),
        people=tuple(sorted({one.decided.decided_by for one in said if one.decided.decided_by})),
    )


def _judged(evidence: Evidence, approvals: int) -> tuple[Proposal, str]:
    if evidence.approved and evidence.declined:
        return Proposal.KEEP, "people disagree"
    if evidence.declined:
        if evidence.declined < ENOUGH_DECLINES:
            return Proposal.KEEP, f"declined once; {ENOUGH_DECLINES} times are needed"
        return Proposal.DENY, "always declined"
    if evidence.approved < approvals:
        return Proposal.KEEP, f"approved too seldom; {approvals} times are needed"
    if len(evidence.people) < SEVERAL_PEOPLE and evidence.conversations < SEVERAL_CONVERSATIONS:
        return Proposal.KEEP, (
            f"approved by one person in few conversations; {SEVERAL_PEOPLE} people or {SEVERAL_CONVERSATIONS} "
            "conversations are needed"
        )
    return Proposal.ALLOW, "always approved"


def _allowing(evidence: Evidence, rules: Mapping[str, Rule]) -> Mapping[str, Rule] | None:
    """Rules under which the call is allowed and nothing else is decided otherwise; None if there are none."""
    changed = dict(rules)
    why = f"people approved it {evidence.approved} times and never declined it"
    while (decision := _decision(evidence, changed)).tier is not Tier.ALLOW:
        rule = changed.get(decision.rule or "")
        if rule is not None and rule.tier is Tier.CONFIRM:
            after = _without(rule, evidence)
        elif decision.rule is None:
            after = _rule_for(evidence, Tier.ALLOW, why, changed)
        else:
            after = None
        if after is None or changed.get(after.id) == after:
            return None
        changed[after.id] = after
    return changed


def _denying(evidence: Evidence, rules: Mapping[str, Rule]) -> Mapping[str, Rule] | None:
    if _decision(evidence, rules).tier is Tier.DENY:
        return rules
    rule = _rule_for(
        evidence, Tier.DENY, f"people declined it {evidence.declined} times and never approved it", rules
    )
    if rule is None:
        return None
    changed = {**rules, rule.id: rule}
    return changed if _decision(evidence, changed).tier is Tier.DENY else None


def _decision(evidence: Evidence, rules: Mapping[str, Rule]) -> Decision:
    name = "command" if evidence.tool == Tool.RUN_COMMAND else "path"
    return Gate(rules.values()).decide(evidence.tool, {name: evidence.target})


def _without(rule: Rule, evidence: Evidence) -> Rule | None:
    """The rule, with the one call left out."""
    if _exactly(evidence) is None:
        return None
    name = "command" if evidence.tool == Tool.RUN_COMMAND else "path"
    single = SingleCall.model_validate({"tool": evidence.tool, name: evidence.target})
    return rule.model_copy(update={"except_": (*rule.except_, single)})


def _rule_for(evidence: Evidence, tier: Tier, why: str, rules: Mapping[str, Rule]) -> Rule | None:
    """A rule of its own for the one call."""
    target = _exactly(evidence)
    if target is None:
        return None
    number = next(number for number in range(1, len(rules) + 2) if f"people-{tier}-{number}" not in rules)
    told = {"id": f"people-{tier}-{number}", "tier": tier, "tools": (evidence.tool,), "why": why}
    named = {"paths": (target,)} if isinstance(target, str) else {"commands": (target.model_dump(),)}
    return Rule.model_validate(told | named)


def _exactly(evidence: Evidence) -> str | CommandPattern | None:
    """The path or the command of a call as a rule can name it alone; None where it cannot."""
    if len(evidence.target) >= _CUT or set("*?") & set(evidence.target):
        return None
    try:
        if evidence.tool == Tool.RUN_COMMAND:
            return CommandPattern(words=plain_command(evidence.target))
        return plain_path(evidence.target) if evidence.tool in PATH_TOOLS else None
    except (NotPlain, ValidationError):
        return None
