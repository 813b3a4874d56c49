"""The patch for a repository's rules: git applies it, the rest of the file stays as people wrote it."""

import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.gate.rules import Rule
from pipeline.gate.rules_file import load_rules
from pipeline.gate.rules_patch import patch, with_rules

OWN = """# Ours. Ask the platform team.
version: 1
rules:
  # Recipes.
  - id: make
    tier: confirm
    tools: [run_command]
    commands: [{words: [make, lint]}]
    why: ours

  # Documentation.
  - {id: docs, tier: allow, tools: [edit_file], paths: ["docs/**"], why: it is reviewed}
# The end.
"""
FLOW = "version: 1\nrules: [{id: make, tier: confirm, tools: [run_command], why: ours}]\n"
NEW = Rule(
    id="people-deny-1", tier="deny", tools=("edit_file",), paths=("a.lock",), why="declined: twice, “no”"
)
MAKE = Rule(id="make", tier="deny", tools=("run_command",), commands=({"words": ("make",)},), why="never")
PATH = ".github/askfirst/gate.yml"


@pytest.mark.parametrize("before", ["", OWN, FLOW, OWN.rstrip("\n"), "version: 1\nrules: []\n"])
@pytest.mark.parametrize("rules", [[NEW], [MAKE], [NEW, MAKE]])
def test_git_applies_it_and_the_gate_reads_it(before: str, rules: list[Rule], tmp_path: Path) -> None:
    file = tmp_path / PATH
    if before:
        file.parent.mkdir(parents=True)
        file.write_text(before)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    diff = patch(PATH, before, rules)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff.encode(), check=True)
    read = load_rules(file)
    assert [read[rule.id] for rule in rules] == rules
    assert ("docs" in read) == ("docs" in before)
    assert ("make" in read) == ("make" in before or MAKE in rules)


def test_comments_and_other_rules_stay() -> None:
    assert with_rules(OWN, [MAKE, NEW]) == snapshot("""\
# Ours. Ask the platform team.
version: 1
rules:
  # Recipes.
  - id: make
    tier: deny
    tools:
    - run_command
    commands:
    - words:
      - make
    why: never

  # Documentation.
  - {id: docs, tier: allow, tools: [edit_file], paths: ["docs/**"], why: it is reviewed}
  - id: people-deny-1
    tier: deny
    tools:
    - edit_file
    paths:
    - a.lock
    why: 'declined: twice, “no”'
# The end.
""")


def test_without_rules_there_is_no_patch() -> None:
    assert patch(PATH, OWN, []) == ""
