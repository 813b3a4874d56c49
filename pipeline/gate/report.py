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

from pipeline.contract.answers import Verdict
from pipeline.gate.decision_log import LONGEST_TARGET, LoggedDecision
from pipeline.gate.gate import Gate, GateDecision
from pipeline.gate.plain_call import NotPlain, plain_command, plain_path
from pipeline.gate.rules import CommandPattern, Rule, SingleCall, Tier
from pipeline.gate.tool_names import PATH_TOOLS, Tool

ENOUGH_APPROVALS = 5
ENOUGH_DECLINES = 2
SEVERAL_PEOPLE = 2
SEVERAL_CONVERSATIONS = 3


class Proposal(StrEnum):
    """The proposal for a call that waits for a person today, the strictest first."""

    DENY = "deny"
    ALLOW = "allow"
    KEEP = "keep"


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
    """What people said about all calls that one rule has wait, over how many conversations, and when."""

    rule: str
    calls: int
    approved: int
    declined: int
    conversations: int
    people: tuple[str, ...]
    first: datetime
    last: datetime


@dataclass(frozen=True)
class GateFinding:
    """The proposal for a call, and why."""

    evidence: Evidence
    proposal: Proposal
    why: str


@dataclass(frozen=True)
class GateReport:
    """All findings, the strictest proposals first, the rules that would be new or take another's place, and the evidence by rule."""

    findings: tuple[GateFinding, ...]
    rules: tuple[Rule, ...]
    by_rule: tuple[RuleEvidence, ...]


def report(
    decisions: Iterable[LoggedDecision], rules: Mapping[str, Rule], *, approvals: int = ENOUGH_APPROVALS
) -> GateReport:
    """Proposals from the decisions for these rules (by id). `approvals` is how often a call must have been approved."""
    proposed_rules = dict(rules)
    findings = []
    decisions = tuple(decisions)
    for evidence in evidence_of(decisions):
        proposal, why = _proposal_for(evidence, approvals)
        after: Mapping[str, Rule] | None = proposed_rules
        if proposal is Proposal.ALLOW:
            after = _allowing(evidence, proposed_rules)
        elif proposal is Proposal.DENY:
            after = _denying(evidence, proposed_rules)
        if after is None:
            proposal, why = Proposal.KEEP, f"{why}; no rule can say this of the one call alone"
        proposed_rules = dict(after or proposed_rules)
        findings.append(GateFinding(evidence, proposal, why))
    order = list(Proposal)
    findings.sort(
        key=lambda finding: (order.index(finding.proposal), finding.evidence.tool, finding.evidence.target)
    )
    new = tuple(rule for id_, rule in proposed_rules.items() if rules.get(id_) != rule)
    return GateReport(tuple(findings), new, _by_rule(decisions))


def evidence_of(decisions: Iterable[LoggedDecision]) -> tuple[Evidence, ...]:
    """The verdicts by tool and target. A call that still waits, or that a rule settled, is no evidence."""
    by_call: dict[tuple[str, str], list[LoggedDecision]] = defaultdict(list)
    for decision in decisions:
        if decision.verdict is not None:
            by_call[decision.tool, decision.target].append(decision)
    return tuple(_evidence(tool, target, by_call[tool, target]) for tool, target in sorted(by_call))


def _by_rule(decisions: Iterable[LoggedDecision]) -> tuple[RuleEvidence, ...]:
    by_rule: dict[str, list[LoggedDecision]] = defaultdict(list)
    for decision in decisions:
        if decision.verdict is not None and decision.rule is not None:
            by_rule[decision.rule].append(decision)
    return tuple(_evidence_of_rule(rule, by_rule[rule]) for rule in sorted(by_rule))


def _evidence_of_rule(rule: str, decisions: Sequence[LoggedDecision]) -> RuleEvidence:
    calls = evidence_of(decisions)
    times = [decision.time for decision in decisions]
    return RuleEvidence(
        rule=rule,
        calls=len(calls),
        approved=sum(call.approved for call in calls),
        declined=sum(call.declined for call in calls),
        conversations=len({decision.conversation for decision in decisions}),
        people=tuple(sorted({person for call in calls for person in call.people})),
        first=min(times),
        last=max(times),
    )


def _evidence(tool: str, target: str, decisions: Sequence[LoggedDecision]) -> Evidence:
    verdicts = {
        (decision.conversation, decision.stage, decision.arguments_sha256, decision.verdict)
        for decision in decisions
    }
    return Evidence(
        tool=tool,
        target=target,
        rules=tuple(sorted({decision.rule for decision in decisions if decision.rule})),
        approved=sum(verdict == Verdict.APPROVE.value for *_, verdict in verdicts),
        declined=sum(verdict == Verdict.DECLINE.value for *_, verdict in verdicts),
        conversations=len({decision.conversation for decision in decisions}),
        people=tuple(sorted({decision.decided_by for decision in decisions if decision.decided_by})),
    )


def _proposal_for(evidence: Evidence, approvals: int) -> tuple[Proposal, str]:
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
    proposed_rules = dict(rules)
    why = f"people approved it {evidence.approved} times and never declined it"
    while (decision := _decision(evidence, proposed_rules)).tier is not Tier.ALLOW:
        rule = proposed_rules.get(decision.rule or "")
        if rule is not None and rule.tier is Tier.CONFIRM:
            after = _without(rule, evidence)
        elif decision.rule is None:
            after = _rule_for(evidence, Tier.ALLOW, why, proposed_rules)
        else:
            after = None
        if after is None or proposed_rules.get(after.id) == after:
            return None
        proposed_rules[after.id] = after
    return proposed_rules


def _denying(evidence: Evidence, rules: Mapping[str, Rule]) -> Mapping[str, Rule] | None:
    if _decision(evidence, rules).tier is Tier.DENY:
        return rules
    rule = _rule_for(
        evidence, Tier.DENY, f"people declined it {evidence.declined} times and never approved it", rules
    )
    if rule is None:
        return None
    proposed_rules = {**rules, rule.id: rule}
    return proposed_rules if _decision(evidence, proposed_rules).tier is Tier.DENY else None


def _decision(evidence: Evidence, rules: Mapping[str, Rule]) -> GateDecision:
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
    fields = {"id": f"people-{tier}-{number}", "tier": tier, "tools": (evidence.tool,), "why": why}
    target_fields = {"paths": (target,)} if isinstance(target, str) else {"commands": (target.model_dump(),)}
    return Rule.model_validate(fields | target_fields)


def _exactly(evidence: Evidence) -> str | CommandPattern | None:
    """The path or the command of a call as a rule can name it alone; None where it cannot."""
    if len(evidence.target) >= LONGEST_TARGET or set("*?") & set(evidence.target):
        return None
    try:
        if evidence.tool == Tool.RUN_COMMAND:
            return CommandPattern(words=plain_command(evidence.target))
        return plain_path(evidence.target) if evidence.tool in PATH_TOOLS else None
    except (NotPlain, ValidationError):
        return None
