"""What explorers read of a commit: its history, and the lines that are handed on to a coder."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from inline_snapshot import snapshot
from pydantic import TypeAdapter

from pipeline.agents.budget import Budget
from pipeline.agents.tools import LookIntoHistory
from pipeline.agents.transcript import ConversationStarted, Entry, ToolFinished, lines_read
from pipeline.contract.answers import Answers
from pipeline.contract.wire import Location
from pipeline.domain.errors import DefinitionInvalid
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.rules import Tier
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import Tool
from pipeline.llm.port import ToolCall, ToolResult
from pipeline.llm.prices import load_prices
from pipeline.run.agents import explorer_bench, find_explorer
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from pipeline.settings.agent_files import TEMPLATES, AgentFiles
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workbench.bench_tree import Rules
from pipeline.workbench.history_and_issues import look_into_history
from pipeline.workbench.workbench import Workbench
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.worktree import Worktree
from tests.pipeline.agents.agent_world import call
from tests.pipeline.llm.scripted_model import ScriptedModel
from tests.pipeline.workspace.made_repositories import commit, make_repository

FILES = {"app.py": "import os\n\n\ndef work():\n    return os\n", "deploy/.env": "PASSWORD=hunter2\n"}


def place(path: str, start: int, end: int) -> Location:
    return Location(path=path, start_line=start, end_line=end)


def nobody(*_: object) -> NoReturn:
    raise AssertionError("nobody is asked")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    redactor = Redactor.from_environment({})
    return Workbench(
        repository=tmp_path / "repository",
        commit=make_repository(tmp_path / "repository", FILES),
        folder=tmp_path / "work",
        record=tmp_path / "run",
        sources=AgentSources(registry=nobody, find_places=nobody),
        model=ScriptedModel(),
        rules=Rules(gate=load_gate(), limits=Budget(), prices=load_prices(), model="claude-sonnet-5-5"),
        answers=Answers(),
        redactor=redactor,
        gate_lines=LineFile(tmp_path / "gate.jsonl", TypeAdapter(GateLogEntry), redactor),
    )


def read(path: str, **more: Any) -> ToolFinished:
    tool_call: ToolCall = call("read_file", path=path, **more)
    return ToolFinished.of(tool_call, ToolResult(tool_use_id=tool_call.id, content="", is_error=False))


def test_what_was_read_is_what_the_last_conversation_read_without_an_error() -> None:
    refused = read("b.py").model_copy(
        update={"result": ToolResult(tool_use_id="t", content="", is_error=True)}
    )
    began = ConversationStarted(fingerprint="0" * 64)
    entries: list[Entry] = [
        began,
        read("old.py"),
        began,
        read("a.py", start=5, lines=3),
        refused,
        read("c.py"),
    ]
    assert lines_read(entries) == (place("a.py", 5, 7), place("c.py", 1, 400))


def test_lines_are_handed_on_once_as_the_commit_has_them(bench: Workbench) -> None:
    excerpts = bench.excerpts(
        [place("app.py", 4, 400), place("gone.py", 1, 9), place("app.py", 1, 4)], 10_000
    )
    assert excerpts == snapshot("""\
app.py:
1: import os
2: \n\
3: \n\
4: def work():
5:     return os\
""")


def test_what_nobody_may_read_is_not_handed_on_whoever_names_it(bench: Workbench) -> None:
    assert bench.excerpts([place("deploy/.env", 1, 9)], 10_000) == ""


def test_long_excerpts_are_cut_and_say_so(bench: Workbench) -> None:
    assert bench.excerpts([place("app.py", 1, 9)], 12) == snapshot("""\
app.py:
1: i
[the rest is left out; read the files]\
""")


def test_the_history_of_a_file_says_what_changed_with_it(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    make_repository(repository, FILES)
    (repository / "app.py").write_text("import sys\n")
    (repository / "other.py").write_text("import app\n")
    newest = commit(repository, "Read sys instead of os")
    worktree = Worktree.create(repository, newest, tmp_path / "work")

    def history_lines(**arguments: str) -> list[str]:
        text = look_into_history(worktree.git, newest, LookIntoHistory.model_validate(arguments))
        return [line.split(" ", 2)[-1] for line in text.splitlines()]

    assert history_lines(file="app.py") == snapshot(
        ["Read sys instead of os", "app.py, other.py", "First", "app.py, deploy/.env"]
    )
    assert history_lines(text="INSTEAD of") == snapshot(["Read sys instead of os", "app.py, other.py"])
    assert history_lines(file="other.py", text="First") == snapshot(["of the checkout.)"])
    for wrong in ({}, {"file": "../app.py"}, {"file": ":(exclude)app.py"}):
        with pytest.raises(CallRefused):
            history_lines(**wrong)
    worktree.remove()


def test_for_agents_that_ask_nobody_a_call_that_would_wait_is_denied() -> None:
    gate = load_gate()
    arguments = {"path": ".github/dependabot.yml"}
    assert gate.decide(Tool.EDIT_FILE, arguments).tier is Tier.CONFIRM
    assert gate.without_confirmations().decide(Tool.EDIT_FILE, arguments).tier is Tier.DENY
    assert gate.without_confirmations().decide(Tool.READ_FILE, arguments).tier is Tier.ALLOW


def test_an_explorer_waits_for_nobody_and_spends_within_what_agents_may(bench: Workbench) -> None:
    asked_about = {"path": "setup.py"}
    assert bench.rules.gate.decide(Tool.EDIT_FILE, asked_about).tier is Tier.CONFIRM
    whole = Budget(failures=1, failed_calls=1, turns=3, tokens=5_000, dollars=0.5, minutes=2)
    within = replace(bench, rules=replace(bench.rules, limits=whole))
    rules = explorer_bench(within, Budget(), seconds=60).rules
    assert rules.gate.decide(Tool.EDIT_FILE, asked_about).tier is Tier.DENY
    assert rules.limits == Budget().model_copy(update={**whole.model_dump(), "minutes": 1})


@pytest.mark.parametrize(
    "tool", ["edit_file", "create_file", "run_command", "run_tests", "delegate", "ask_person"]
)
def test_a_repository_s_explorer_that_could_change_something_is_refused(tmp_path: Path, tool: str) -> None:
    text = (TEMPLATES / "explorer.md").read_text(encoding="utf-8")
    (tmp_path / "explorer.md").write_text(text.replace("tools: [", f"tools: [{tool}, "), encoding="utf-8")
    with pytest.raises(DefinitionInvalid, match="cannot be used"):
        find_explorer(AgentFiles(tmp_path))
