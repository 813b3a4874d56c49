"""The tests before the first change: a suite that cannot run ends the run at once, before anything is paid."""

from dataclasses import dataclass, field

import pytest
from inline_snapshot import snapshot

from pipeline.contract.change import TestsReport
from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.suite import Baseline, Ecosystem, TestCommand
from pipeline.stages.baseline import run_baseline
from pipeline.workspace.suite import NothingRuns

COMMAND = TestCommand(Ecosystem.PYTHON, ("pytest", "-q"), "pyproject.toml configures pytest")
GREEN = TestsReport(command="pytest -q", green=True, exit_code=0, seconds=1.0, passed=3, failed=0)
NOTHING = NothingRuns(
    ("`pytest -q` (pyproject.toml configures pytest): exit code 4, No module named 'httpx'",),
    "ImportError while loading conftest\nE   ModuleNotFoundError: No module named 'httpx'",
)


@dataclass
class Bench:
    """A workbench whose tests end in a certain way; it notes on which commit they run."""

    outcome: Baseline | NothingRuns
    suggested_setup: str = "uv sync --all-extras --all-groups"
    commits: list[str | None] = field(default_factory=list)

    def find_baseline(self, base_commit: str | None) -> Baseline | NothingRuns:
        self.commits.append(base_commit)
        return self.outcome


def test_a_pull_request_is_compared_with_the_commit_that_it_was_made_from() -> None:
    bench = Bench(Baseline(command=COMMAND, tests=GREEN))
    assert run_baseline(bench, "a" * 40).tests == GREEN  # type: ignore[arg-type]
    assert bench.commits == ["a" * 40]


def test_where_nothing_runs_the_build_ends_with_the_command_of_this_project() -> None:
    with pytest.raises(PreconditionFailed) as refused:
        run_baseline(Bench(NOTHING))  # type: ignore[arg-type]
    assert str(refused.value) == snapshot("""\
No test of this repository can be run.
Tried before the first change:
`pytest -q` (pyproject.toml configures pytest): exit code 4, No module named 'httpx'
The first printed at its end:
ImportError while loading conftest
E   ModuleNotFoundError: No module named 'httpx'
Install what the tests need in a step of the job before askfirst, or have askfirst install it, in .github/askfirst/config.yml:
setup: [uv sync --all-extras --all-groups]
If the command is another one, name it: test_command: …
To go on without tests (the pull request says so first): without_tests: go\
""")


def test_a_person_may_decide_to_go_on_without_tests() -> None:
    baseline = run_baseline(Bench(NOTHING), can_do_without=True)  # type: ignore[arg-type]
    assert (baseline.command, baseline.tests.green) == (None, True)
    assert baseline.tests.in_words == "No test of this repository can be run."
