"""A repository's own gate rules: added to the shipped ones, and never weaker than a denial."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.gate.rules import Tier
from pipeline.gate.rules_file import GateRulesInvalid, load_gate


def own(tmp_path: Path, *rules: str) -> Path:
    path = tmp_path / "gate.yml"
    path.write_text("version: 1\nrules:\n" + "".join(f"  - {rule}\n" for rule in rules))
    return path


def test_a_rule_of_ones_own_is_added(tmp_path: Path) -> None:
    rules = own(
        tmp_path, "{id: no-vendor, tier: deny, tools: [edit_file], paths: ['vendor/**'], why: it is a copy}"
    )
    gate = load_gate(rules)
    assert gate.decide("edit_file", {"path": "vendor/x.py"}).rule == "no-vendor"
    assert gate.decide("edit_file", {"path": "src/x.py"}).tier is Tier.ALLOW


def test_a_confirmation_that_was_always_given_graduates_by_its_id(tmp_path: Path) -> None:
    rules = own(
        tmp_path, "{id: lock-files, tier: allow, tools: [edit_file], paths: ['uv.lock'], why: we review it}"
    )
    assert load_gate(rules).decide("edit_file", {"path": "uv.lock"}).tier is Tier.ALLOW


def test_all_mistakes_are_listed_with_their_lines(tmp_path: Path) -> None:
    rules = own(
        tmp_path,
        "{id: workflows, tier: allow, tools: [edit_file], paths: ['**'], why: trust me}",
        "{id: twice, tier: deny, tools: [edit_file], why: a}",
        "{id: twice, tier: deny, tools: [edit_file], why: b}",
    )
    with pytest.raises(GateRulesInvalid) as caught:
        load_gate(rules)
    assert caught.value.why.replace(str(tmp_path), "DIR") == snapshot("""\
DIR/gate.yml:3: `workflows` denies, and cannot be replaced. Choose another id.
DIR/gate.yml:5: the id `twice` stands here twice\
""")


@pytest.mark.parametrize(
    "rule",
    [
        "{id: all, tier: allow, tools: [run_command], why: a}",
        "{id: all, tier: allow, tools: [edit_file], why: a}",
        "{id: mixed, tier: deny, tools: [run_command], paths: ['**'], why: a}",
        "{id: tool, tier: deny, tools: [delete_everything], why: a}",
        "{id: root, tier: deny, tools: [edit_file], paths: ['/etc/**'], why: a}",
        "{id: shell, tier: allow, tools: [run_command], commands: [{words: ['sh -c']}], why: a}",
        "{id: tier, tier: maybe, tools: [edit_file], why: a}",
    ],
)
def test_a_rule_that_means_nothing_or_everything_is_refused(tmp_path: Path, rule: str) -> None:
    with pytest.raises(GateRulesInvalid, match=r"gate\.yml:3"):
        load_gate(own(tmp_path, rule))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GateRulesInvalid, match="No such file"):
        load_gate(tmp_path / "gate.yml")
