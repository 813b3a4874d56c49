"""Stage `baseline`: run the tests before anything is paid for. Tests that were red before are not charged to it.

A suite that cannot run at all (no runner, no packages, no test found) would make every round of an agent red, and three
rounds would be paid to find that out.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pipeline.contract.change import TestsReport
from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.suite import Baseline
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.preconditions import PreconditionsMet
from pipeline.stages.stage import StageKind, StageValue
from pipeline.stages.work import workbench_of

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench

_SHOWN_TESTS = 10


class BaselineInput(StageValue):
    """The tests run once the run may start at all."""

    preconditions: PreconditionsMet


def _run(_: BaselineInput, context: StageContext) -> Baseline:
    changes = context.wanted_changes
    baseline = run_baseline(
        workbench_of(context),
        changes.base_commit if changes is not None else None,
        can_do_without=context.testing.without_tests,
    )
    for text in _notes(baseline):
        context.note(text)
    return baseline


KIND = StageKind(
    name="baseline",
    input=BaselineInput,
    output=Baseline,
    run=_run,
    reads=frozenset({RunInput.CHECKOUT, RunInput.WANTED_CHANGES, RunInput.TESTS, RunInput.WORKBENCH}),
)


def run_baseline(
    bench: "Workbench", base_commit: str | None = None, *, can_do_without: bool = False
) -> Baseline:
    """Run the tests of the commit; of a pull request that is changed again, those of the commit it was made from.

    Raises:
        PreconditionFailed: no command runs a test, and no person has decided to go on without.
    """
    found_baseline = bench.find_baseline(base_commit)
    if isinstance(found_baseline, Baseline):
        return found_baseline
    attempts = "\n".join(found_baseline.attempts)
    if can_do_without:
        no_tests = TestsReport(
            command="", green=True, exit_code=None, seconds=0, passed=None, failed=None, left_out=attempts
        )
        return Baseline(command=None, tests=no_tests)
    tail = f"\nThe first printed at its end:\n{found_baseline.output}" if found_baseline.output else ""
    raise PreconditionFailed(
        "No test of this repository can be run.",
        why=f"Tried before the first change:\n{attempts}{tail}",
        what_to_do="Install what the tests need in a step of the job before askfirst, or have askfirst install it, in "
        f".github/askfirst/config.yml:\nsetup: [{bench.suggested_setup}]\n"
        "If the command is another one, name it: test_command: …\n"
        "To go on without tests (the pull request says so first): without_tests: go",
    )


def _notes(baseline: Baseline) -> Iterator[str]:
    """What a person should know about the tests before a model is paid."""
    tests = baseline.tests
    if baseline.command is None:
        yield f"No test runs, and `without_tests: go` is set. {tests.left_out}"
        return
    yield f"Tests: {tests.in_words} ({baseline.command.because})"
    if tests.unnamed is not None:
        yield f"{tests.unnamed}: a change counts as green if no more of them fail."
    if tests.left_out is not None:
        yield tests.left_out
    for names, what in (
        (tests.failing, "red before any change, and not charged"),
        (tests.flaky, "red, then green"),
    ):
        if names:
            more = f" and {len(names) - _SHOWN_TESTS} more" if len(names) > _SHOWN_TESTS else ""
            yield f"{len(names)} {what}: {', '.join(names[:_SHOWN_TESTS])}{more}"
