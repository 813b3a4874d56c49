"""Stage `tests`: run the repository's own tests on the change, in a process that sees no secret."""

from pipeline.contract.change import TestsReport
from pipeline.domain.suite import Baseline
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.work import CoderOutput, workbench_of


class TestsInput(StageValue):
    """The change to test, and the tests that were red before."""

    __test__ = False  # not a test, whatever its name says to a test runner

    coder: CoderOutput
    baseline: Baseline | None = None


def _run(inputs: TestsInput, context: StageContext) -> TestsReport:
    """Run them. Red tests are a result; what they mean for the run, its definition says.

    Raises:
        PreconditionFailed: no command is known that runs the tests.
    """
    bench = workbench_of(context)
    bench.baseline = inputs.baseline
    return bench.run_tests(inputs.coder.files)


KIND = StageKind(
    name="tests",
    input=TestsInput,
    output=TestsReport,
    run=_run,
    reads=frozenset({RunInput.CHECKOUT, RunInput.TESTS, RunInput.WORKBENCH}),
)
