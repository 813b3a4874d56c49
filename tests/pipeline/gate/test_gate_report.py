"""What people's decisions propose: the one call that they settled, and no other, whatever was decided how often."""

from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.gate.decision_log import LoggedDecision
from pipeline.gate.gate import Gate
from pipeline.gate.report import Evidence, Proposal, evidence_of, report
from pipeline.gate.rules import CommandPattern, Rule, SingleCall, Tier
from pipeline.gate.rules_file import load_rules

MAKE = Rule(
    id="make",
    tier=Tier.CONFIRM,
    tools=("run_command",),
    commands=(CommandPattern(words=("make",), paths=True),),
    why="a recipe may do anything",
)
RULES = load_rules() | {MAKE.id: MAKE}

PATHS = (
    "uv.lock",
    "UV.lock",
    "web/uv.lock",
    "go.sum",
    ".github/go.sum",
    ".github/workflows/ci.yml",
    "db/migrations/0001.sql",
    "src/app.py",
    "a*b.lock",
    "../uv.lock",
)
COMMANDS = ("make lint", "make", "make lint src", "make 'lint", "curl example.org", "pytest -q")
CALLS = [(tool, path) for tool in ("edit_file", "create_file", "read_file") for path in PATHS]
CALLS += [("run_command", command) for command in COMMANDS] + [("run_tests", "")]


def observed(
    tool: str = "edit_file",
    target: str = "uv.lock",
    verdict: str | None = "approve",
    conversation: str = "1",
    by: str | None = "octocat",
    arguments: str = "0",
) -> LoggedDecision:
    return LoggedDecision(
        stage="coder",
        agent="coder",
        tool=tool,
        arguments_sha256=arguments * 64,
        target=target,
        tier="confirm",
        rule="lock-files",
        why="it decides",
        verdict=verdict,
        decided_by=by,
        time=datetime(2026, 1, 1, tzinfo=UTC),
        conversation=conversation,
        commit="1" * 40,
    )


def arguments_of(tool: str, target: str) -> dict[str, str]:
    return {"command" if tool == "run_command" else "path": target}


def often(verdict: str, times: int = 5, **more: str) -> list[LoggedDecision]:
    return [observed(verdict=verdict, conversation=str(number), **more) for number in range(times)]


_DECISIONS = st.tuples(
    st.sampled_from(CALLS), st.sampled_from(["approve", "decline", None]), st.integers(1, 7), st.booleans()
)


@given(st.lists(_DECISIONS, max_size=8))
@example([(("edit_file", "uv.lock"), "decline", 2, False), (("edit_file", "UV.lock"), "approve", 5, True)])
def test_nothing_is_decided_otherwise_but_the_calls_on_which_people_agreed(
    said: list[tuple[tuple[str, str], str | None, int, bool]],
) -> None:
    seen = [
        observed(tool, target, verdict, str(number if spread else 0), "octocat", str(number))
        for (tool, target), verdict, times, spread in said
        for number in range(times)
    ]
    found = report(seen, RULES)
    before, after = Gate(RULES.values()), Gate((RULES | {rule.id: rule for rule in found.rules}).values())
    settled = {
        (finding.evidence.tool, finding.evidence.target): finding.proposal for finding in found.findings
    }
    for tool, target in CALLS:
        arguments = arguments_of(tool, target)
        was, now = before.decide(tool, arguments).tier, after.decide(tool, arguments).tier
        match settled.get((tool, target), Proposal.KEEP):
            case Proposal.ALLOW:
                assert now is Tier.ALLOW or _same_file_as_a_settled_one(target, settled)
            case Proposal.DENY:
                assert now is Tier.DENY
            case Proposal.KEEP:
                assert now is was or _same_file_as_a_settled_one(target, settled)


def _same_file_as_a_settled_one(target: str, settled: dict[tuple[str, str], Proposal]) -> bool:
    """A denied path is denied in every spelling: on some disks it is the same file."""
    denied = {path.casefold() for (_, path), proposal in settled.items() if proposal is Proposal.DENY}
    return target.casefold() in denied


def test_five_approvals_by_several_people_leave_one_path_out_of_the_rule_that_asks() -> None:
    found = report([*often("approve", 4), observed(by="hubot", conversation="0", arguments="1")], RULES)
    assert [(finding.proposal, finding.why) for finding in found.findings] == [
        (Proposal.ALLOW, "always approved")
    ]
    assert [(rule.id, rule.tier, rule.except_) for rule in found.rules] == [
        ("lock-files", Tier.CONFIRM, (SingleCall(tool="edit_file", path="uv.lock"),))
    ]


def test_a_path_under_two_rules_is_left_out_of_both() -> None:
    found = report(often("approve", target=".github/go.sum"), RULES)
    assert sorted(rule.id for rule in found.rules) == ["github-folder", "lock-files"]


def test_an_approved_command_gets_a_rule_of_its_own() -> None:
    found = report(often("approve", tool="run_command", target="make lint"), RULES)
    assert [rule.model_dump(mode="json", exclude_defaults=True) for rule in found.rules] == snapshot(
        [
            {
                "id": "make",
                "tier": "confirm",
                "tools": ["run_command"],
                "commands": [{"words": ["make"], "paths": True}],
                "except_": [{"tool": "run_command", "command": "make lint"}],
                "why": "a recipe may do anything",
            },
            {
                "id": "people-allow-1",
                "tier": "allow",
                "tools": ["run_command"],
                "commands": [{"words": ["make", "lint"]}],
                "why": "people approved it 5 times and never declined it",
            },
        ]
    )


def test_what_is_always_declined_is_denied_and_not_asked_again() -> None:
    found = report(often("decline", 2, target="db/migrations/0001.sql"), RULES)
    assert [finding.proposal for finding in found.findings] == [Proposal.DENY]
    assert [(rule.tier, rule.paths) for rule in found.rules] == [(Tier.DENY, ("db/migrations/0001.sql",))]


def test_one_person_in_one_conversation_settles_nothing() -> None:
    same = [observed(arguments=str(number)) for number in range(9)]
    assert [finding.why for finding in report(same, RULES).findings] == snapshot(
        ["approved by one person in few conversations; 2 people or 3 conversations are needed"]
    )
    assert report(same, RULES).rules == ()


def test_a_verdict_counts_once_in_a_conversation_however_often_a_resumed_run_reads_it() -> None:
    assert evidence_of([observed(), observed(), observed(verdict=None), observed(conversation="2")]) == (
        Evidence("edit_file", "uv.lock", ("lock-files",), 2, 0, 2, ("octocat",)),
    )


def test_people_who_disagree_settle_nothing() -> None:
    found = report([*often("approve", 9), observed(verdict="decline", conversation="9")], RULES)
    assert [(finding.proposal, finding.why) for finding in found.findings] == [
        (Proposal.KEEP, "people disagree")
    ]
    assert found.rules == ()


def test_a_workflow_is_never_allowed_however_often_it_was_approved() -> None:
    found = report(often("approve", 50, target=".github/workflows/ci.yml"), RULES)
    assert [finding.proposal for finding in found.findings] == [Proposal.KEEP]
    assert found.rules == ()
