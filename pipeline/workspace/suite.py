"""Run the tests of a worktree, compare them with what was red before, and find out first which command runs them at all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from pipeline.contract.change import TestsReport
from pipeline.domain.suite import Baseline, TestCommand
from pipeline.workspace import looking
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import Processes, ProcessResult
from pipeline.workspace.runners import (
    NotNarrowed,
    TestPlace,
    is_test_file,
    narrow,
    narrow_to,
    runner_of,
    with_report,
)
from pipeline.workspace.suite_reports import TestResults, read_results, reds_in_words, tail

_OUTPUT_BYTES = 16 << 20
"""Of a run whose output may be the only report."""
_EXCERPT = 4_000
_REDS_IN_WORDS = 8_000
_MOST_RERUN = 200
_SHORT_SUITE = 60.0
_BATCHES = 12


@dataclass(frozen=True)
class NothingRuns:
    """Why no command ran a test: each one with what became of it, and what the likeliest printed last."""

    attempts: tuple[str, ...]
    output: str


@dataclass(frozen=True)
class Suite:
    """The tests of the tree of a worktree. `temporary` is a folder that its processes can write; `network` gives them one."""

    tree: Path
    temporary: Path
    processes: Processes
    network: bool = False

    def run(
        self, tests: TestCommand, baseline: Baseline | None = None, *, seconds: float | None = None
    ) -> TestsReport:
        """Run a command. With a baseline, tests that were red before are not charged, and new red ones run once more.

        Raises:
            CallRefused: there is no such program.
        """
        result, found_results = self._results(tests, seconds)
        failing = _failing(result, found_results)
        new_reds = failing if baseline is None else baseline.charged(failing)
        flaky = self._flaky(tests, new_reds, result.seconds) if baseline is not None and new_reds else ()
        new_reds = tuple(name for name in new_reds if name not in flaky)
        unnamed = None if found_results.are_named else _unnamed(found_results, baseline)
        is_known = baseline is not None and result.exit_code is not None and not new_reds
        is_explained = is_known and (
            bool(failing) if unnamed is None else _no_more_red(found_results, baseline)
        )
        red = {name: found_results.red.get(name, "") for name in new_reds}
        is_green = (result.exit_code == 0 and found_results.passed != 0) or is_explained
        return TestsReport(
            command=tests.in_words,
            green=is_green,
            exit_code=result.exit_code,
            seconds=round(result.seconds, 3),
            passed=found_results.passed,
            failed=found_results.failed,
            failing=failing,
            red_before=tuple(name for name in failing if name not in new_reds and name not in flaky),
            flaky=flaky,
            unnamed=unnamed,
            too_much=result.too_much,
            output="" if is_green else _excerpt(red, result.output),
        )

    def baseline(self, commands: Sequence[TestCommand]) -> Baseline | NothingRuns:
        """The first of some commands that runs tests, and what is red. A suite that takes too long is run in part."""
        attempts, reports = list[str](), list[tuple[TestCommand, TestsReport]]()
        for command in commands:
            try:
                report = self.run(command)
            except CallRefused as refusal:
                attempts.append(f"`{command.in_words}` ({command.because}): {refusal}")
                continue
            if report.too_much is not None and (in_part := self._in_part(command)) is not None:
                return in_part
            if report.passed or (report.passed is None and report.exit_code == 0):
                return self._baseline(command, report)
            attempts.append(f"`{command.in_words}` ({command.because}): {_became_of(report)}")
            reports.append((command, report))
        for command, report in reports:
            if report.failed and report.unnamed is None and not _is_unable(report):
                return self._baseline(command, report)
        return NothingRuns(tuple(attempts), reports[0][1].output if reports else "")

    def _baseline(self, command: TestCommand, report: TestsReport) -> Baseline:
        flaky = self._flaky(command, report.failing, report.seconds)
        failing = tuple(name for name in report.failing if name not in flaky)
        return Baseline(
            command=command,
            tests=report.model_copy(update={"flaky": flaky, "failing": failing, "output": ""}),
        )

    def _results(self, tests: TestCommand, seconds: float | None = None) -> tuple[ProcessResult, TestResults]:
        report = self.temporary / "askfirst-tests"
        if report.is_symlink() or report.exists():
            report.unlink()
        words, report_format = with_report(tests, str(report))
        result = self.processes.run(words, seconds=seconds, network=self.network, output_bytes=_OUTPUT_BYTES)
        return result, read_results(result, report, report_format, self.tree)

    def _flaky(self, tests: TestCommand, names: Sequence[str], seconds: float) -> tuple[str, ...]:
        """Those of some red tests that pass when they run once more."""
        if not names or len(names) > _MOST_RERUN:
            return ()
        command = narrow_to(tests, names)
        if command is None and seconds > _SHORT_SUITE:
            return ()
        result, again = self._results(command or tests)
        if result.exit_code is None or not again.are_named or not (again.passed or again.failed):
            return ()
        still_red = {*_failing(result, again)}
        return tuple(name for name in names if name not in still_red)

    def _in_part(self, command: TestCommand) -> Baseline | None:
        """As many test files as run in the time of a suite, batch by batch; None where none can be narrowed_command or none ran."""
        files = self.test_files(command)
        size = ceil(len(files) / _BATCHES) or 1
        reports, files_run, seconds_left = list[TestsReport](), list[str](), self.processes.seconds
        for start in range(0, len(files), size):
            batch = files[start : start + size]
            narrowed_command = narrow(command, [TestPlace(path) for path in batch])
            if isinstance(narrowed_command, NotNarrowed) or seconds_left < 1:
                break
            report = self.run(narrowed_command, seconds=min(seconds_left, self.processes.seconds / 4))
            seconds_left -= report.seconds
            if report.too_much is None and (report.passed or report.failed) and report.unnamed is None:
                reports.append(report)
                files_run += batch
        if not sum(report.passed or 0 for report in reports):
            return None
        tests = TestsReport(
            command=command.in_words,
            green=all(report.green for report in reports),
            exit_code=max(report.exit_code or 0 for report in reports),
            seconds=round(sum(report.seconds for report in reports), 3),
            passed=sum(report.passed or 0 for report in reports),
            failed=sum(report.failed or 0 for report in reports),
            failing=tuple(name for report in reports for name in report.failing),
            left_out=f"{len(files_run)} of {len(files)} test files run, because all take longer than {self.processes.seconds:g} s.",
        )
        return Baseline(command=command, tests=tests, files=tuple(files_run))

    def whole(
        self, command: TestCommand, baseline: Baseline | None, changed_paths: Sequence[str] = ()
    ) -> TestCommand:
        """The command for all tests: those of the baseline and changed files, where all would take too long."""
        if baseline is None or not baseline.files:
            return command
        narrowed_command = narrow(command, [TestPlace(path) for path in (*baseline.files, *changed_paths)])
        return command if isinstance(narrowed_command, NotNarrowed) else narrowed_command

    def changed_tests(self, command: TestCommand, paths: Sequence[str]) -> tuple[str, ...]:
        """Those of some files that hold tests which the command runs."""
        return tuple(path for path in paths if is_test_file(command, path))

    def red_among(
        self, command: TestCommand, paths: Sequence[str], baseline: Baseline | None
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What fails in some test files on the current tree, and the files in which nothing does."""
        narrowed_command = narrow(command, [TestPlace(path) for path in paths])
        if isinstance(narrowed_command, NotNarrowed):
            return (), ()
        result, found_results = self._results(narrowed_command)
        if result.exit_code is None or not found_results.are_named:
            return (), ()
        failing = tuple(found_results.red)
        red = failing if baseline is None else baseline.charged(failing)
        green = tuple(path for path in paths if not any(name.startswith(path) for name in failing))
        return red, green

    def test_files(self, command: TestCommand) -> list[str]:
        """The test files of the tree that the runner of a command would take."""
        runner_match = runner_of(command)
        globs = runner_match[0].names if runner_match is not None else ()
        paths = {
            path
            for glob in globs
            for path in looking.list_files(self.tree, glob).items
            if isinstance(path, str)
        }
        return sorted(path for path in paths if is_test_file(command, path))


def _failing(result: ProcessResult, results: TestResults) -> tuple[str, ...]:
    """Names of what is red. A command that fails although no test does, as a linter behind the tests, is named by its exit code."""
    names = tuple(results.red)
    if not names and result.exit_code and results.passed and not results.failed:
        return (f"(no test: exit code {result.exit_code})",)
    return names


def _unnamed(results: TestResults, baseline: Baseline | None) -> str:
    text = f"{results.failed} tests fail, and the runner names {len(results.red) or 'none'} of them"
    return text if baseline is None else f"{text}; before the change {baseline.tests.failed or 0} failed"


def _no_more_red(results: TestResults, baseline: Baseline | None) -> bool:
    """Whether no more tests fail than before, which is all that can be said of tests without names."""
    return (
        baseline is not None
        and baseline.tests.unnamed is not None
        and (results.failed or 0) <= (baseline.tests.failed or 0)
    )


def _excerpt(red: dict[str, str], output: str) -> str:
    """What an agent needs to see of a red run: red tests with their messages, else the end of the output."""
    if any(red.values()):
        return "\n\n".join(reds_in_words(red, _REDS_IN_WORDS))
    return "\n".join([*red, tail(output, _EXCERPT)])


_CANNOT_START = frozenset({125, 126, 127})
"""Exit codes of a shell, and of what starts commands, for a program that cannot be run."""


def _is_unable(report: TestsReport) -> bool:
    return report.exit_code in _CANNOT_START or any(word in report.output for word in MISSING)


MISSING = (
    *(
        "No module named",
        "ModuleNotFoundError",
        "Cannot find module",
        "Cannot find package",
        "ERR_MODULE_NOT_FOUND",
    ),
    *("command not found", "no required module provides", "cannot find module providing", ": not found"),
    *("Could not find gem", "vendor/autoload.php"),
)
"""How interpreters and runners say that something is not installed."""


def _became_of(report: TestsReport) -> str:
    if report.too_much is not None:
        return f"it {report.too_much}"
    if report.ran_nothing:
        return "it found no test"
    line = next(_telling_lines(report.output), None)
    return f"exit code {report.exit_code}" + (f", {line}" if line else "")


def _telling_lines(output: str) -> Iterator[str]:
    """Lines that say what is missing, else the last one."""
    lines = [line.strip()[:200] for line in output.splitlines() if line.strip()]
    yield from (line for line in lines if any(word in line for word in MISSING))
    yield from lines[-1:]
