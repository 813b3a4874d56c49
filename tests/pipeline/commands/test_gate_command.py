"""`askfirst gate test` as a process: what it prints, and that every decision ends with 0."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot


def gate(tool: str, arguments: str, *options: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).parent / "askfirst"
    line = [str(script), "gate", "test", tool, "-", *options]
    return subprocess.run(line, input=arguments, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(
    ("tool", "arguments", "decision"),
    [
        ("run_command", {"command": "pytest"}, "allow"),
        ("edit_file", {"path": "uv.lock"}, "confirm"),
        ("run_command", {"command": "git push"}, "deny"),
        ("launch", {}, "deny"),
    ],
)
def test_a_machine_reads_the_decision_and_every_one_ends_with_0(
    tool: str, arguments: dict[str, str], decision: str
) -> None:
    done = gate(tool, json.dumps(arguments), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, set(document), document["decision"]) == (
        0,
        {"decision", "rule", "why"},
        decision,
    )


def test_a_person_reads_a_sentence() -> None:
    assert gate("run_command", '{"command": "pytest; ls"}').stdout == snapshot("""\
deny  not-plain: the command holds `;`, and only a plain command can be decided on
""")


def test_rules_of_a_repository_are_tried(tmp_path: Path) -> None:
    rules = tmp_path / "gate.yml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: make, tier: confirm, tools: [run_command], commands: [{words: [make, lint]}], why: ours}\n"
    )
    done = gate("run_command", '{"command": "make lint"}', "--rules", str(rules), "--json")
    assert json.loads(done.stdout) == {"decision": "confirm", "rule": "make", "why": "ours"}


@pytest.mark.parametrize("arguments", ["[]", "{", "7"])
def test_arguments_that_are_no_object_are_a_usage_error(arguments: str) -> None:
    assert gate("run_command", arguments).returncode == 64
