"""The tests before the first change: red ones are known from then on, and a suite that cannot run ends the run at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from pipeline.contract.change import FileChange
from pipeline.domain.errors import PreconditionFailed
from pipeline.stages.baseline import run_baseline
from pipeline.stages.tests import result_of_tests
from pipeline.workspace.processes import ProcessResult
from pipeline.workspace.suite_runs import Ecosystem, TestCommand, TestRun, result_of

COMMAND = TestCommand(Ecosystem.CONFIGURED, ("run", "tests"), "it is configured")


def ended(output: str, exit_code: int | None = 1, too_much: str | None = None) -> TestRun:
    return result_of(COMMAND, ProcessResult(COMMAND.words, exit_code, 1.0, output, 0, too_much))


@dataclass
class Bench:
    """A workbench on which the tests print what is given, one run after the other."""

    runs: list[TestRun]
    changed: list[Sequence[FileChange]] = field(default_factory=list)

    def run_tests(self, files: tuple[FileChange, ...]) -> TestRun:
        self.changed.append(files)
        return self.runs.pop(0)


PYTEST_RED = """\
FAILED tests/test_orders.py::test_total - assert 3 == 4
FAILED tests/test_orders.py::test_count[a b] - ValueError
2 failed, 7 passed in 0.20s
"""


def test_red_tests_are_known_by_their_names() -> None:
    bench = Bench([ended(PYTEST_RED)])
    baseline = run_baseline(bench)  # type: ignore[arg-type]
    assert baseline.failing == ("tests/test_orders.py::test_total", "tests/test_orders.py::test_count[a b]")
    assert bench.changed == [()]


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("not ok 2 - moves nothing # time=3\nok 3 - moves\n# pass 1\n# fail 1\n", ("moves nothing",)),
        ("✖ moves nothing (3.2ms)\nℹ pass 1\nℹ fail 1\n", ("moves nothing",)),
        ("  ● orders › moves nothing\n\nTests:  1 failed, 2 passed, 3 total\n", ("orders › moves nothing",)),
        (
            " FAIL  src/a.test.ts > orders > moves nothing\n Tests  1 failed | 2 passed (3)\n",
            ("src/a.test.ts > orders > moves nothing",),
        ),
        ("--- FAIL: TestMoves (0.00s)\n--- PASS: TestStays (0.00s)\nFAIL\n", ("TestMoves",)),
    ],
)
def test_each_runner_names_them_in_its_own_way(output: str, names: tuple[str, ...]) -> None:
    assert ended(output).failing == names


def test_a_change_after_which_the_same_tests_fail_is_green_and_says_so() -> None:
    red = ended("FAILED tests/test_a.py::test_b - x\n1 failed, 7 passed in 0.20s\n")
    before = run_baseline(Bench([red]))  # type: ignore[arg-type]
    after = result_of_tests(red, before)
    assert after.green
    assert after.in_words == (
        "run tests: passed (exit code 1, 7 passed, 1 failed, all of them before the change, too)"
    )


@pytest.mark.parametrize(
    "output",
    [
        "FAILED tests/test_a.py::test_b - x\nFAILED tests/test_a.py::test_c - x\n2 failed, 6 passed in 0.20s\n",
        "FAILED tests/test_a.py::test_b - x\n2 failed, 6 passed in 0.20s\n",
        "2 failed, 6 passed in 0.20s\n",
        "Segmentation fault\n",
    ],
    ids=["another one fails", "one has no name", "none has a name", "nothing is said"],
)
def test_anything_else_that_fails_is_charged_to_the_change(output: str) -> None:
    before = run_baseline(Bench([ended("FAILED tests/test_a.py::test_b - x\n1 failed, 7 passed in 0.20s\n")]))  # type: ignore[arg-type]
    assert not result_of_tests(ended(output), before).green


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (ended("sh: 1: vitest: not found\n", 127), "The tests cannot run: `run tests` misses something."),
        (
            ended("E   ModuleNotFoundError: No module named 'httpx'\n1 error in 0.1s\n", 2),
            "The tests cannot run",
        ),
        (ended("Error: Cannot find module 'express'\n"), "The tests cannot run"),
        (ended("no tests ran in 0.01s\n", 5), "`run tests` found no test to run."),
        (ended("make: *** [all] Error 2\n", 2), "The tests are red before anything is changed"),
        (
            ended("…", None, "took longer than 600 s"),
            "The tests do not end: `run tests` took longer than 600 s.",
        ),
    ],
)
def test_a_suite_that_cannot_tell_ends_the_run_with_what_to_do(run: TestRun, said: str) -> None:
    with pytest.raises(PreconditionFailed) as refused:
        run_baseline(Bench([run]))  # type: ignore[arg-type]
    assert refused.value.message.startswith(said)
    assert ".github/askfirst/config.yml" in refused.value.what_to_do


def test_the_line_that_says_what_is_missing_is_shown() -> None:
    output = (
        "collecting\n" * 40
        + "E   ModuleNotFoundError: No module named 'httpx'\nshort summary\n1 error in 0.1s\n"
    )
    with pytest.raises(PreconditionFailed) as refused:
        run_baseline(Bench([ended(output, 2)]))  # type: ignore[arg-type]
    assert refused.value.why == (
        "Before the first change it printed:\n"
        "E   ModuleNotFoundError: No module named 'httpx'\nshort summary\n1 error in 0.1s"
    )
