"""What all tests share: their kinds, how long properties are tried, and that nothing is left running or skipped.

A property has no deadline, because a busy machine is no counterexample. `make test` tries few examples of each, the full
run many (`--hypothesis-profile=thorough`). In CI the examples are the same on every run, so that a change is judged by
what it changed; elsewhere they are new each time, which is how counterexamples are found. In CI everything that a test
needs is installed, so nothing may skip there.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.kinds import DESCRIPTIONS, SMOKE, Kind, ProcessGuard, kind_of
from tests.termination import end_descendants_on_sigterm

CI = os.environ.get("CI") == "true"
EXAMPLES = {"quick": 25, "thorough": 300}

for name, examples in EXAMPLES.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=CI,
    )
settings.load_profile("quick")

GUARD = pytest.StashKey[ProcessGuard]()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the kinds, and make SIGTERM end what tests have started."""
    for kind, description in DESCRIPTIONS.items():
        config.addinivalue_line("markers", f"{kind}: {description}")
    config.addinivalue_line("markers", SMOKE)
    config.stash[GUARD] = ProcessGuard()
    end_descendants_on_sigterm()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test with its kind, and begin with those that kill processes: the longest ones must not be left for the end."""
    for item in items:
        kind = kind_of(item)
        item.add_marker(kind.value)
        item.user_properties.append(("kind", kind.value))
    items.sort(key=lambda item: kind_of(item) is not Kind.KILL)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """Hold what a test sets up to its kind. What it tears down may be shared with tests of another kind."""
    with item.config.stash[GUARD].watch(kind_of(item)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Hold a test to its kind."""
    with item.config.stash[GUARD].watch(kind_of(item)):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips in CI fails there, with its reason."""
    report = yield
    if CI and report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
        path, line, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{path}:{line}: nothing may be skipped in CI. {reason}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say where the time went, kind by kind."""
    tests: Counter[Kind] = Counter()
    seconds: defaultdict[Kind, float] = defaultdict(float)
    reports = [one for group in terminalreporter.stats.values() for one in group]
    for report in (one for one in reports if isinstance(one, pytest.TestReport)):
        kind = Kind(str(dict(report.user_properties)["kind"]))
        tests[kind] += report.when == "call"
        seconds[kind] += report.duration
    for kind in (kind for kind in Kind if kind in seconds):
        terminalreporter.write_line(f"{kind:8} {tests[kind]:6} tests {seconds[kind]:8.1f} s")
