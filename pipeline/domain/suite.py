"""How a repository is tested: the command, and what the tests said before anything was changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.contract.change import TestsReport
from pipeline.domain.models import FrozenModel


class Ecosystem(StrEnum):
    """Where a test command comes from."""

    PYTHON = "python"
    NODE = "node"
    GO = "go"
    CONFIGURED = "configured"


@dataclass(frozen=True)
class Testing:
    """What a repository's configuration says of its tests: the command, what installs their needs, and whether to do without."""

    test_command: str | None = None
    setup: tuple[str, ...] = ()
    without_tests: bool = False


@dataclass(frozen=True)
class TestCommand:
    """The words that run the tests, and why it is these.

    `script` is what they come down to where that is known: the words of the script behind `npm test`.
    """

    __test__ = False  # not a test, whatever its name says to a test runner

    ecosystem: Ecosystem
    words: tuple[str, ...]
    because: str
    script: tuple[str, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """The words of the runner itself."""
        return self.script or self.words

    @property
    def in_words(self) -> str:
        """The words as a person would type them."""
        return " ".join(self.words)


class Baseline(FrozenModel):
    """The tests before anything is changed: which command runs them, and what was red.

    `command` is None where a person has decided to go on without tests. `files` are the test files that are run
    where the whole suite takes longer than it may; empty means all.
    """

    command: TestCommand | None
    tests: TestsReport
    files: tuple[str, ...] = ()

    @property
    def red(self) -> frozenset[str]:
        """Names of tests that no change is charged with: red before, or now red and now green."""
        return frozenset((*self.tests.failing, *self.tests.flaky))

    def charged(self, failing: Sequence[str]) -> tuple[str, ...]:
        """Those of some red tests that were not red before."""
        return tuple(name for name in failing if name not in self.red)
