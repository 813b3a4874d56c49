"""Code of the repository writes reports and output: what breaks their reader gives no results, and ends no run."""

import time
from pathlib import Path

import pytest

from pipeline.workspace.processes import ProcessResult
from pipeline.workspace.runners import Format
from pipeline.workspace.suite_reports import TestResults, read_results


def results(folder: Path, report: str, report_format: Format, output: str = "") -> TestResults:
    (folder / "report").write_text(report, encoding="utf-8")
    ended = ProcessResult(("test",), 1, 1.0, output, left_out=0)
    return read_results(ended, folder / "report", report_format, folder)


@pytest.mark.parametrize(
    ("report_format", "report", "output"),
    [
        (Format.JEST, "[" * 100_000, ""),
        (Format.MOCHA, '{"stats": {"passes": 1e999, "failures": 1}, "failures": []}', ""),
        (Format.MOCHA, '{"stats": {"passes": "many", "failures": 1}, "failures": []}', ""),
        (Format.JUNIT, "<!DOCTYPE a [<!ENTITY b 'c'>]><a><testcase name='&b;'/></a>", ""),
        (Format.TEXT, "", f"=== {'9' * 5_000} passed in 0.1s ==="),
        (Format.TEXT, "", f"Ran {'9' * 5_000} tests in 0.1s\n\nFAILED (failures={'9' * 5_000})"),
    ],
)
def test_a_report_that_breaks_its_reader_says_nothing(
    tmp_path: Path, report_format: Format, report: str, output: str
) -> None:
    assert results(tmp_path, report, report_format, output) == TestResults(None, None, {})


@pytest.mark.parametrize(("before", "filler"), [("", "\n"), ("", " \n"), ("not ok 1 - a", " ")])
def test_output_of_eight_times_the_length_takes_no_longer_than_its_power(
    tmp_path: Path, before: str, filler: str
) -> None:
    """As a square it would take 64 times as long."""

    def seconds(length: int) -> float:
        started = time.process_time()
        text = f"{before}{filler * length}x"
        results(tmp_path, text, Format.TAP, text)
        results(tmp_path, "", Format.TEXT, text)
        return time.process_time() - started

    assert min(seconds(16_000) for _ in range(3)) < 30 * max(seconds(2_000) for _ in range(3))
