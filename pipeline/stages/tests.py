"""Stage `tests`: run the repository's own tests on the change, in a process that sees no secret."""

from typing import TYPE_CHECKING

from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.work import Coded, Tested

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


class TestsInput(StageValue):
    """What is tested."""

    __test__ = False  # not a test, whatever its name says to a test runner

    coder: Coded


KIND = StageKind(
    name="tests",
    input=TestsInput,
    output=Tested,
    version="2",
    reads=frozenset({RunInput.CHECKOUT, RunInput.TESTS}),
)


def run_tests(needed: TestsInput, bench: "Workbench") -> Tested:
    """Run them. Red tests are a result; what they mean for the run, its definition says.

    Raises:
        PreconditionFailed: nobody knows which command runs the tests.
    """
    ran = bench.run_tests(needed.coder.files)
    return Tested(
        command=" ".join(ran.command),
        green=ran.green,
        exit_code=ran.exit_code,
        seconds=round(ran.seconds, 3),
        passed=ran.passed,
        failed=ran.failed,
        output=ran.excerpt,
        too_much=ran.too_much,
    )
