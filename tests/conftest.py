"""What all tests share: a property has no deadline, because a busy machine is no counterexample.

In CI the examples are the same on every run, so that a change is judged by what it changed; elsewhere they are new each
time, which is how counterexamples are found. In CI everything that a test needs is installed, so nothing may skip there.
"""

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

CI = os.environ.get("CI") == "true"

settings.register_profile(
    "unhurried",
    settings(),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=CI,
)
settings.load_profile("unhurried")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips in CI fails there, with its reason."""
    report = yield
    if CI and report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        path, line, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{path}:{line}: nothing may be skipped in CI. {reason}"
    return report
