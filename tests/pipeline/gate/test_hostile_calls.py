"""Attacks 25 and 26: a golden list of hostile calls, each with the decision and the rule that makes it."""

from pathlib import Path
from typing import NoReturn

import pytest

from pipeline.agents.budget import Budget
from pipeline.agents.tools import ARGUMENTS, FAMILY_ARGUMENTS
from pipeline.contract.answers import Answers
from pipeline.domain.stops import ConfirmationNeeded
from pipeline.gate.admission import Admission, CallingAgent
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import Tool
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workbench.bench_tree import BenchTree, Rules
from pipeline.workbench.tool_box import WorktreeToolBox
from tests.pipeline.agents.agent_world import CODER, LinesInMemory
from tests.pipeline.gate.hostile_calls import HostileCall, every_hostile_call

SHIPPED = load_gate()
EVERY = list(every_hostile_call())


class PlainFolder(BenchTree):
    """A tree that nobody has checked out: the gate needs its folder and nothing else."""

    @property
    def root(self) -> Path:
        return self.folder


def nothing(*_: object) -> NoReturn:
    raise AssertionError("the gate needs the tree and nothing else")


def decided(hostile: HostileCall, tree: Path) -> GateLogEntry:
    """What admission writes down about a call, with the links in a real tree."""
    for path, target in hostile.links.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).symlink_to(target)
    lines = LinesInMemory()
    sources, rules = AgentSources(nothing, nothing), Rules(SHIPPED, Budget(), {}, "")
    folder = PlainFolder(repository=tree, commit="c" * 40, folder=tree, sources=sources, rules=rules)
    box = WorktreeToolBox(folder, "coder")
    caller = CallingAgent("coder", CODER.name, CODER.tools)
    admission = Admission(caller, SHIPPED, Answers(answers=()), box, lines.append)
    try:
        refusal = admission.refusal(hostile.tool, hostile.arguments, 1)
        assert (refusal is None) is (hostile.decision == "allow")
    except ConfirmationNeeded:
        assert hostile.decision == "confirm"
    [line] = lines.read()
    assert isinstance(line, GateLogEntry)
    return line


@pytest.mark.parametrize("hostile", EVERY, ids=str)
def test_every_hostile_call_is_decided_as_the_list_says(hostile: HostileCall, tmp_path: Path) -> None:
    line = decided(hostile, tmp_path)
    assert (line.tier, line.rule) == (hostile.decision, hostile.rule), line.why
    assert line.why


def test_the_list_is_long_and_its_links_lead_where_it_says(tmp_path: Path) -> None:
    assert len(EVERY) > 800
    assert {hostile_call.tool for hostile_call in EVERY} > {
        "run_command",
        "read_file",
        "edit_file",
        "create_file",
    }
    assert sum(bool(hostile_call.links) for hostile_call in EVERY) > 25


@pytest.mark.parametrize("path", ["src/\udcff.py", "x/" * 3000])
def test_a_path_that_no_file_can_have_is_denied(path: str) -> None:
    assert SHIPPED.decide("read_file", {"path": path}).rule == "not-plain"


@pytest.mark.parametrize("tool", list(Tool))
def test_every_tool_is_declared_and_none_is_allowed_without_its_arguments(tool: Tool) -> None:
    assert (tool in ARGUMENTS) is not (tool in FAMILY_ARGUMENTS)
    if {"path", "command"} & set((ARGUMENTS | FAMILY_ARGUMENTS)[tool].model_fields):
        assert SHIPPED.decide(tool, {}).tier.value == "deny"


@pytest.mark.parametrize(
    "path", [".env.example", ".github/workflows/ci.yml", "package-lock.json", "src/keys.py", "docs/größe.md"]
)
def test_what_holds_no_secret_is_read(path: str) -> None:
    assert SHIPPED.decide("read_file", {"path": path}).tier.value == "allow"
