"""Stage `tests`: run the repository's own tests on the change, in a process that sees no secret."""

from typing import TYPE_CHECKING

from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.work import Baseline, Coded, Tested

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench
    from pipeline.workspace.test_runs import TestRun


class TestsInput(StageValue):
    """What is tested, and what was red before."""

    __test__ = False  # not a test, whatever its name says to a test runner

    coder: Coded
    baseline: Baseline | None = None


KIND = StageKind(
    name="tests",
    input=TestsInput,
    output=Tested,
    version="3",
    reads=frozenset({RunInput.CHECKOUT, RunInput.TESTS}),
)


def run_tests(needed: TestsInput, bench: "Workbench") -> Tested:
    """Run them. Red tests are a result; what they mean for the run, its definition says.

    Raises:
        PreconditionFailed: nobody knows which command runs the tests.
    """
    return result_of_tests(bench.run_tests(needed.coder.files), needed.baseline)


def result_of_tests(ran: "TestRun", before: Baseline | None) -> Tested:
    """What a run of the tests came to, given what was red before."""
    explained = before is not None and before.explains(ran.failing, ran.failed)
    return Tested(
        command=" ".join(ran.command),
        green=ran.green or explained,
        exit_code=ran.exit_code,
        seconds=round(ran.seconds, 3),
        passed=ran.passed,
        failed=ran.failed,
        output=ran.excerpt,
        too_much=ran.too_much,
        failing=ran.failing,
        red_before=ran.failing if explained else (),
    )
