"""Stage `baseline`: run the tests before anything is paid for. What is red already is not charged to the change.

A suite that cannot run at all (no runner, no packages, no test found) would make every round of an agent red, and three
rounds would be paid to find that out.
"""

import re
from typing import TYPE_CHECKING

from pipeline.domain.errors import PreconditionFailed
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.tests import result_of_tests
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import Baseline, SuiteResult, workbench_of
from pipeline.workspace.paths import CallRefused

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


class BaselineInput(StageValue):
    """The tests run only where there is something to build."""

    ticket: TicketDraft


def _run(_: BaselineInput, context: StageContext) -> Baseline:
    return run_baseline(workbench_of(context))


KIND = StageKind(
    name="baseline",
    input=BaselineInput,
    output=Baseline,
    run=_run,
    reads=frozenset({RunInput.CHECKOUT, RunInput.TESTS, RunInput.WORKBENCH}),
)

_CANNOT_START = frozenset({125, 126, 127})
"""Exit codes of a shell, and of what starts commands, for a program that cannot be run."""

_MISSING = re.compile(
    r"No module named|ModuleNotFoundError|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|command not found|"
    r"no required module provides|cannot find module providing|: not found$|Could not find gem|vendor/autoload\.php",
    re.MULTILINE,
)
"""How interpreters and runners say that something is not installed."""

_INSTALL = (
    "Install what the tests need: in a step of the job before askfirst, or by askfirst itself, in "
    ".github/askfirst/config.yml:\nsetup: [npm ci]"
)
_SHOWN_LINES = 15


def run_baseline(bench: "Workbench") -> Baseline:
    """Run the tests of the commit as it is.

    Raises:
        PreconditionFailed: the tests cannot run, find nothing to run, or are red without a name for what is red.
    """
    try:
        before = result_of_tests(bench.run_tests(()), None)
    except CallRefused as refusal:
        raise PreconditionFailed("The tests cannot run.", why=str(refusal), what_to_do=_INSTALL) from refusal
    if not before.green:
        _refuse_what_cannot_run(before)
    return Baseline(command=before.command, failing=before.failing)


def _refuse_what_cannot_run(before: SuiteResult) -> None:
    ran_none = not before.passed
    missing = _MISSING.search(before.output)
    if before.too_much is not None:
        raise _test_failure(
            f"The tests do not end: `{before.command}` {before.too_much}.",
            before,
            "Give a command that ends sooner, in .github/askfirst/config.yml:\ntest_command: pytest -q tests/unit",
        )
    if before.exit_code in _CANNOT_START or (ran_none and missing is not None):
        raise _test_failure(
            f"The tests cannot run: `{before.command}` misses something.", before, _INSTALL, missing
        )
    if before.passed == 0 and not before.failed:
        raise _test_failure(
            f"`{before.command}` found no test to run.",
            before,
            "Name the command that runs them, in .github/askfirst/config.yml:\ntest_command: pytest -q tests",
        )
    if not before.failing:
        raise _test_failure(
            f"The tests are red before anything is changed: `{before.command}` ended with exit code {before.exit_code}.",
            before,
            "Make them green, or name a command that runs those that are, in .github/askfirst/config.yml:\n"
            "test_command: pytest -q tests/unit\n"
            "Red tests that the runner names (pytest, jest, vitest, mocha, node --test, go test) would be left alone.",
        )


def _test_failure(
    message: str, before: SuiteResult, what_to_do: str, line: "re.Match[str] | None" = None
) -> PreconditionFailed:
    lines = before.output.strip().splitlines()
    if line is not None:
        first = before.output.count("\n", 0, line.start())
        lines = before.output.splitlines()[first : first + _SHOWN_LINES]
    why = "\n".join(lines[-_SHOWN_LINES:]) or "It printed nothing."
    return PreconditionFailed(
        message, why=f"Before the first change it printed:\n{why}", what_to_do=what_to_do
    )
