"""Find the command that runs a repository's tests, and read from its output what came out.

What decides is the exit code. Counts are read from the last lines of known test runners and are for people only: code
of the repository wrote them, and it can write anything.
"""

import configparser
import json
import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.domain.errors import PreconditionFailed
from pipeline.workspace import looking
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.processes import ProcessResult

_EXCERPT = 4_000
_LONGEST_NAME = 300
_PLACEHOLDER = "no test specified"
_PYTHON_TESTS = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py")


class Ecosystem(StrEnum):
    """Where a test command comes from."""

    PYTHON = "python"
    NODE = "node"
    GO = "go"
    CONFIGURED = "configured"


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


@dataclass(frozen=True)
class TestRun:
    """A run of the tests. Counts are None where the output does not say them; `excerpt` is the end of the output.

    `failing` are names of red tests, as the runner writes them; it may name fewer than there are. `too_much` says which limit ended it, as at `ProcessResult`.
    """

    __test__ = False

    command: tuple[str, ...]
    exit_code: int | None
    seconds: float
    passed: int | None
    failed: int | None
    excerpt: str
    too_much: str | None = None
    failing: tuple[str, ...] = ()

    @property
    def green(self) -> bool:
        """Whether the tests passed: the exit code is 0, and the runner does not say that it ran none."""
        return self.exit_code == 0 and self.passed != 0

    @property
    def ran_nothing(self) -> bool:
        """Whether the runner says that it found none of the tests it was told to run."""
        return self.passed == 0 and not self.failed

    def for_model(self) -> str:
        """The result as a model reads it."""
        counts = f", {self.passed} passed, {self.failed or 0} failed" if self.passed is not None else ""
        how = (
            f"exit code {self.exit_code}{counts}"
            if self.too_much is None
            else f"{self.too_much} and was ended"
        )
        return f"{' '.join(self.command)}: {how} ({self.seconds:.1f} s)\n{self.excerpt}"


def find_test_command(
    tree: WorkspaceTree, *, configured_command: str | None = None, ecosystem: Ecosystem | None = None
) -> TestCommand:
    """The configured command, else the one that the tree itself declares.

    Args:
        tree: the repository.
        configured_command: `test_command` of the configuration.
        ecosystem: which one is meant, where the tree declares several.

    Raises:
        PreconditionFailed: there is none, there are several, or the configured one cannot be read.
    """
    if configured_command is not None:
        return _configured_command(configured_command)
    commands = [command for command in (_python(tree), _node(tree), _go(tree)) if command is not None]
    if ecosystem is not None:
        commands = [command for command in commands if command.ecosystem is ecosystem]
    match commands:
        case [command]:
            return command
        case []:
            why = "There is no pytest configuration or test file, no `scripts.test` in package.json, and no go.mod."
            raise _no_single_command("No command is known that runs the tests.", why)
        case _:
            command_list = ", ".join(
                f"`{' '.join(command.words)}` ({command.because})" for command in commands
            )
            raise _no_single_command(
                f"{len(commands)} commands could run the tests.", f"They are {command_list}."
            )


def _no_single_command(message: str, why: str) -> PreconditionFailed:
    return PreconditionFailed(
        message, why=why, what_to_do="Say which one, in .github/askfirst/config.yml:\ntest_command: pytest -q"
    )


def _configured_command(command: str) -> TestCommand:
    try:
        return TestCommand(Ecosystem.CONFIGURED, words_of(command), "it is configured")
    except CommandRefused as error:
        raise PreconditionFailed(
            f"The configured test command {command!r} cannot be run.",
            why=str(error),
            what_to_do="Put what needs a shell into a script, and name the script:\ntest_command: ./run-tests.sh",
        ) from error


def _python(tree: WorkspaceTree) -> TestCommand | None:
    words = ("python3", "-m", "pytest", "-q")
    pyproject = _toml(tree, "pyproject.toml")
    if "pytest" in (pyproject.get("tool") or {}):
        return TestCommand(Ecosystem.PYTHON, words, "pyproject.toml configures pytest")
    for path, section in (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if _has_section(tree, path, section):
            return TestCommand(Ecosystem.PYTHON, words, f"{path} configures pytest")
    try:
        files = looking.list_files(tree.root, "*.py").items
    except CallRefused:
        files = ()
    first = next((path for path in files if isinstance(path, str) and _PYTHON_TESTS.search(path)), None)
    return None if first is None else TestCommand(Ecosystem.PYTHON, words, f"{first} is a test for pytest")


def _node(tree: WorkspaceTree) -> TestCommand | None:
    try:
        package: Any = json.loads(_text(tree, "package.json") or "null")
    except ValueError:
        return None
    scripts = package.get("scripts") if isinstance(package, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    if not isinstance(script, str) or not script.strip() or _PLACEHOLDER in script:
        return None
    try:
        script_words = words_of(script)
    except CommandRefused:
        script_words = ()
    # Node itself needs nothing that npm would set up, and npm takes longer to start than most tests to run.
    is_alone = script_words[:1] == ("node",) and not {"pretest", "posttest"} & set(scripts or {})
    return TestCommand(
        Ecosystem.NODE,
        script_words if is_alone else ("npm", "test"),
        f"package.json says `{script}`",
        script=script_words,
    )


def _go(tree: WorkspaceTree) -> TestCommand | None:
    if _text(tree, "go.mod") is None:
        return None
    return TestCommand(Ecosystem.GO, ("go", "test", "-v", "./..."), "there is a go.mod")


def _text(tree: WorkspaceTree, path: str) -> str | None:
    try:
        return tree.read(path).data.decode("utf-8", "replace")
    except CallRefused:
        return None


def _toml(tree: WorkspaceTree, path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(tree, path) or "")
    except tomllib.TOMLDecodeError:
        return {}


def _has_section(tree: WorkspaceTree, path: str, section: str) -> bool:
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(_text(tree, path) or "")
    except configparser.Error:
        return False
    return parser.has_section(section)


_PASSED_AND_FAILED = (
    # pytest: "== 1 failed, 4 passed, 1 error in 0.12s ==", with -q without the signs
    (
        r"^=*\s*(?:\d+ \w+, )*(\d+) passed\b.* in [\d.]+s",
        r"^=*\s*(?:\d+ \w+, )*(\d+) (?:failed|errors?)\b.* in [\d.]+s",
    ),
    # node --test, as TAP and as text
    (r"^(?:#|ℹ) pass (\d+)$", r"^(?:#|ℹ) fail (\d+)$"),
    # jest, vitest
    (r"^\s*Tests:?\s.*?(\d+) passed", r"^\s*Tests:?\s.*?(\d+) failed"),
    # mocha
    (r"^\s*(\d+) passing\b", r"^\s*(\d+) failing\b"),
)
"""How runners say how many tests passed, and how many failed."""

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def result_of(tests: TestCommand, result: ProcessResult) -> TestRun:
    """What came out of running a test command."""
    output = _ANSI.sub("", result.output)
    passed_count, failed_count = _counts(output, whole=not result.left_out)
    return TestRun(
        command=tests.words,
        exit_code=result.exit_code,
        seconds=result.seconds,
        passed=passed_count,
        failed=failed_count,
        excerpt=output if len(output) <= _EXCERPT else f"[…]\n{output[-_EXCERPT:]}",
        too_much=result.too_much,
        failing=_failing(output),
    )


_FAILED_NAMES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^(?:FAILED|ERROR) (\S+\.py(?:::.+?)?)(?: - .*)?$",  # pytest
        r"^\s*not ok \d+ - (.+?)(?: # .*)?$",  # TAP, node --test into a pipe
        r"^\s*✖ (.+?)(?: \([\d.]+ms\))?$",  # node --test
        r"^\s*● (.+ › .+)$",  # jest
        r"^\s*(?:FAIL|×)\s+(.+ > .+?)(?: \d+ms)?$",  # vitest
        r"^\s*--- FAIL: (\S+)",  # go test -v
    )
)
"""How runners name a red test."""


def _failing(output: str) -> tuple[str, ...]:
    """Names of red tests by the first runner that has any, once each, in their order."""
    name_lists = (
        [name.strip()[:_LONGEST_NAME] for name in pattern.findall(output)] for pattern in _FAILED_NAMES
    )
    return tuple(dict.fromkeys(next((names for names in name_lists if names), [])))


def _counts(output: str, *, whole: bool) -> tuple[int | None, int | None]:
    for passed_as, failed_as in _PASSED_AND_FAILED:
        passed_counts = re.findall(passed_as, output, re.MULTILINE)
        failed_counts = re.findall(failed_as, output, re.MULTILINE)
        if passed_counts or failed_counts:
            return int(passed_counts[-1]) if passed_counts else 0, int(
                failed_counts[-1]
            ) if failed_counts else 0
    if re.search(r"^=*\s*no tests ran in ", output, re.MULTILINE):
        return 0, 0
    # Go counts nothing itself. Its lines can only be counted where none is missing.
    lines = re.findall(r"^--- (PASS|FAIL): ", output, re.MULTILINE) if whole else []
    return (lines.count("PASS"), lines.count("FAIL")) if lines else (None, None)
