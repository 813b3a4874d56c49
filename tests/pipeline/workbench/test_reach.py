"""`run_tests` by reach: real runners run the tests that reach the targets and what was edited, and no others."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.agents.budget import Budget
from pipeline.agents.tools import RunTests
from pipeline.domain import suite
from pipeline.gate.rules_file import load_gate
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workbench.bench_tree import BenchTree, Rules
from pipeline.workbench.tool_box import WorktreeToolBox
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.journeys.conftest import job_path, make_repository
from tests.journeys.test_change_in_other_languages import need
from tests.pipeline.trusted_sources import build_registry
from tests.pipeline.workspace.made_repositories import git

pytestmark = pytest.mark.process

STREAM = "route:POST /actions/stream"


@dataclass
class Desk:
    tools: Tools
    tool_box: WorktreeToolBox
    notes: list[str] = field(default_factory=list)

    def tested(self, scope: str = "reach") -> str:
        """The output but for its time."""
        told = self.tool_box.call(RunTests.model_validate({"scope": scope}))
        assert told.ok
        return told.text

    def head(self, scope: str = "reach") -> str:
        return "\n".join(
            line.partition(" (")[0] if "exit code" in line else line
            for line in self.tested(scope).splitlines()[:2]
        )


Sits = Callable[..., Desk]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Sits]:
    """Take a sample repository to work on, for targets, and perhaps with another command for its tests."""
    made: list[Worktree] = []

    def sit(sample: str, *targets: str, configured: str | None = None) -> Desk:
        repository = make_repository(sample, tmp_path / sample)
        registry = build_registry(repository, cache=None)
        notes: list[str] = []
        tree = BenchTree(
            repository=repository,
            commit=git(repository, "rev-parse", "HEAD"),
            folder=tmp_path / "work",
            sources=AgentSources(
                lambda: registry,
                find_places=lambda _: "",
                note=lambda _, text: notes.append(text),
                environment={**os.environ, "PATH": job_path()},
            ),
            rules=Rules(load_gate(), Budget(), {}, "", suite.Testing(test_command=configured)),
        )
        made.append(tree.worktree)
        return Desk(tree.tools, WorktreeToolBox(tree, "coder", targets), notes)

    yield sit
    for worktree in made:
        worktree.remove()


def test_the_tests_that_reach_the_target_run_first_and_all_when_asked(at: Sits) -> None:
    desk = at("parcels_flask", STREAM)
    assert desk.head() == snapshot("""\
Chosen by reach: 1 test or file reaches the targets, 0 tests or files reach what was edited. `scope: all` runs everything.
python3 -m pytest -q tests/test_actions.py::test_the_stream_has_a_line_for_each_parcel: exit code 0, 1 passed, 0 failed\
""")
    assert desk.head("all") == snapshot("python3 -m pytest -q: exit code 0, 3 passed, 0 failed")
    assert desk.notes == snapshot(
        [
            "run_tests: `python3 -m pytest -q tests/test_actions.py::test_the_stream_has_a_line_for_each_parcel`, because 1 test or file reaches the targets, 0 tests or files reach what was edited"
        ]
    )


def test_what_was_edited_brings_its_tests_and_new_tests_run_whole(at: Sits) -> None:
    desk = at("parcels_flask", STREAM)
    desk.tools.edit_file("parcels/bulk.py", [("return {number: process", "return {int(number): process")])
    assert desk.head() == snapshot("""\
Chosen by reach: 1 test or file reaches the targets, 1 test or file reaches what was edited. `scope: all` runs everything.
python3 -m pytest -q tests/test_actions.py::test_an_action_moves_all_parcels tests/test_actions.py::test_the_stream_has_a_line_for_each_parcel: exit code 0, 2 passed, 0 failed\
""")
    desk.tools.create_file("tests/test_new.py", "def test_new():\n    assert False\n")
    desk.tools.create_file("tests/test_other.py", "def test_other():\n    pass\n")
    assert desk.head() == snapshot("""\
Chosen by reach: 1 test or file reaches the targets, 3 tests or files reach what was edited. `scope: all` runs everything.
python3 -m pytest -q tests/test_actions.py::test_an_action_moves_all_parcels tests/test_actions.py::test_the_stream_has_a_line_for_each_parcel tests/test_new.py tests/test_other.py: exit code 1, 3 passed, 1 failed\
""")


def test_an_edited_test_file_runs_whole_so_that_a_renamed_test_is_not_missed(at: Sits) -> None:
    desk = at("parcels_flask", STREAM)
    desk.tools.edit_file("tests/test_actions.py", [("def test_the_stream_has", "def test_streaming_has")])
    assert desk.head() == snapshot("""\
Chosen by reach: 1 test or file reaches the targets, 1 test or file reaches what was edited. `scope: all` runs everything.
python3 -m pytest -q tests/test_actions.py: exit code 0, 3 passed, 0 failed\
""")


def test_where_nothing_is_seen_to_reach_everything_runs(at: Sits) -> None:
    desk = at("parcels_flask")
    assert desk.head() == snapshot("""\
All tests ran: no test is seen to reach the targets or what was edited.
python3 -m pytest -q: exit code 0, 3 passed, 0 failed\
""")
    assert desk.notes == snapshot(
        ["run_tests: all tests, because no test is seen to reach the targets or what was edited"]
    )


def test_where_the_runner_is_not_understood_everything_runs(at: Sits) -> None:
    desk = at("parcels_flask", STREAM, configured="python3 -m compileall -q parcels")
    assert desk.head() == snapshot("""\
All tests ran: how `python3 -m compileall -q parcels` is told to run a part of the tests is not known.
python3 -m compileall -q parcels: exit code 0\
""")


def test_go_runs_the_packages(at: Sits) -> None:
    need("go", (1, 24), "version")
    desk = at("parcels_nethttp")
    desk.tools.create_file(
        "labels/labels_test.go", 'package labels\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n'
    )
    assert desk.head() == snapshot("""\
Chosen by reach: 0 tests or files reach the targets, 1 test or file reaches what was edited. `scope: all` runs everything.
go test -v ./labels: exit code 0, 1 passed, 0 failed\
""")


def test_node_runs_the_files(at: Sits) -> None:
    need("node", (24,), "--version")
    desk = at("parcels_ts", "symbol:src/bulk.ts::processAll")
    desk.tools.create_file("test/other.test.ts", 'import test from "node:test";\ntest("other", () => {});\n')
    desk.tools.create_file("test/third.test.js", 'import test from "node:test";\ntest("third", () => {});\n')
    assert desk.head() == snapshot("""\
Chosen by reach: 1 test or file reaches the targets, 2 tests or files reach what was edited. `scope: all` runs everything.
node --test test/bulk.test.ts test/other.test.ts test/third.test.js: exit code 0, 3 passed, 0 failed\
""")
