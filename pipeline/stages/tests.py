"""Stage `tests`: run the repository's own tests on the change, in a process that sees no secret."""

from typing import TYPE_CHECKING

from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.work import Baseline, CoderOutput, SuiteResult, workbench_of

if TYPE_CHECKING:
    from pipeline.workspace.suite_runs import TestRun


class TestsInput(StageValue):
    """What is tested, and what was red before."""

    __test__ = False  # not a test, whatever its name says to a test runner

    coder: CoderOutput
    baseline: Baseline | None = None


def _run(inputs: TestsInput, context: StageContext) -> SuiteResult:
    """Run them. Red tests are a result; what they mean for the run, its definition says.

    Raises:
        PreconditionFailed: nobody knows which command runs the tests.
    """
    return result_of_tests(workbench_of(context).run_tests(inputs.coder.files), inputs.baseline)


KIND = StageKind(
    name="tests",
    input=TestsInput,
    output=SuiteResult,
    run=_run,
    reads=frozenset({RunInput.CHECKOUT, RunInput.TESTS, RunInput.WORKBENCH}),
)


def result_of_tests(ran: "TestRun", before: Baseline | None) -> SuiteResult:
    """What a run of the tests came to, given what was red before."""
    is_explained = before is not None and before.explains(ran.failing, ran.failed)
    result = {
        "command": " ".join(ran.command),
        "green": ran.green or is_explained,
        "seconds": round(ran.seconds, 3),
        "output": ran.excerpt,
        "red_before": ran.failing if is_explained else (),
    }
    return SuiteResult(**vars(ran) | result)
