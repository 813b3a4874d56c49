"""The test runners whose command lines are understood: how each is narrowed to some tests, and has a report written. Pure.

A command that is not understood is never narrowed: then everything runs, and the reason says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from pathlib import PurePosixPath

from pipeline.domain.suite import TestCommand
from pipeline.workspace.walk_program import LONGEST, Glob

_MOST_SINGLE = 60


class Format(StrEnum):
    """How a runner tells its results."""

    TEXT = "text"
    JUNIT = "junit"
    JEST = "jest"
    MOCHA = "mocha"
    TAP = "tap"
    TAP_OUTPUT = "tap output"


@dataclass(frozen=True, order=True)
class TestPlace:
    """A test by its file and name inside it (`TestOrders.test_total`); an empty name means all tests of the file."""

    __test__ = False  # not a test, whatever its name says to a test runner

    path: str
    name: str = ""


@dataclass(frozen=True)
class NotNarrowed:
    """Why everything has to run."""

    why: str


@dataclass(frozen=True)
class Runner:
    """How a runner is called, how it is told what to run, and how it writes a report.

    `value_options` are its options that take the next word, `flags` those that never do; any other option may. Its words that
    are no options say where it may look for tests; the chosen ones take their place, behind `option`. `names` are globs of
    its test files. `report` are its options for a report in `FORMAT` at `PATH`; `rerun` turns names of red tests, as reports
    give them, into words.
    """

    starts: tuple[tuple[str, ...], ...]
    value_options: frozenset[str]
    flags: re.Pattern[str]
    names: tuple[str, ...]
    test_words: Callable[[Sequence[TestPlace]], Iterable[str]]
    option: tuple[str, ...] = ()
    format: Format = Format.TEXT
    report: tuple[str, ...] = ()
    rerun: Callable[[Sequence[str]], Iterable[str]] = lambda names: sorted(
        {name.partition(" > ")[0] for name in names}
    )


def _single_tests(places: Sequence[TestPlace]) -> Iterable[str]:
    """Node ids of pytest, files where there would be too many."""
    if len(places) > _MOST_SINGLE:
        return _files(places)
    whole = {place.path for place in places if not place.name}
    return [
        f"{place.path}::{place.name.replace('.', '::')}" if place.name else place.path
        for place in places
        if not place.name or place.path not in whole
    ]


def _node_ids(names: Sequence[str]) -> Iterable[str]:
    return names if len(names) <= _MOST_SINGLE else sorted({name.partition("::")[0] for name in names})


def _files(places: Sequence[TestPlace]) -> Iterable[str]:
    return sorted({place.path for place in places})


def _modules(places: Sequence[TestPlace]) -> Iterable[str]:
    return sorted({place.path.removesuffix(".py").replace("/", ".") for place in places})


def _packages(places: Sequence[TestPlace]) -> Iterable[str]:
    folders = {PurePosixPath(place.path).parent.as_posix() for place in places}
    return sorted("." if folder == "." else f"./{folder}" for folder in folders)


def _go_tests(names: Sequence[str]) -> Iterable[str]:
    return ("-run", f"^({'|'.join(sorted({name.partition('/')[0] for name in names}))})$", "./...")


_JAVASCRIPT = tuple(
    f"*{mark}.{ending}"
    for mark in (".test", ".spec")
    for ending in ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs")
)
_IN_TEST_FOLDERS = tuple(
    f"**/{folder}/**/*.{ending}" for folder in ("test", "tests") for ending in ("js", "mjs", "cjs", "ts")
)

_RUNNERS: tuple[Runner, ...] = (
    Runner(
        starts=(("pytest",), ("python3", "-m", "pytest"), ("python", "-m", "pytest")),
        value_options=frozenset(
            {"-n", "-p", "-m", "-k", "-c", "-o", "-W", "-r", "--rootdir", "--tb", "--timeout"}
        ),
        flags=re.compile(
            r"-[qvxsl]+|-r[A-Za-z]+|-n\d+|--(verbose|quiet|exitfirst|showlocals|strict-\w+|no-header|no-summary|"
            r"disable-warnings|lf|last-failed|ff|failed-first|no-cov|continue-on-collection-errors)"
        ),
        names=("test_*.py", "*_test.py"),
        test_words=_single_tests,
        format=Format.JUNIT,
        report=(
            "--junitxml=PATH",
            "-o",
            "junit_family=xunit1",
            "--continue-on-collection-errors",
            "--maxfail=0",
        ),
        rerun=_node_ids,
    ),
    Runner(
        starts=(("go", "test"),),
        value_options=frozenset({"-run", "-count", "-timeout", "-tags", "-p", "-parallel", "-cpu"}),
        flags=re.compile(r"--?(v|race|short|cover|failfast|json|x|trimpath)"),
        names=("*_test.go",),
        test_words=_packages,
        rerun=_go_tests,
    ),
    Runner(
        starts=(("node", "--test"),),
        value_options=frozenset(
            {"--import", "-r", "--require", "--loader", "--test-reporter", "-C", "--conditions"}
        ),
        flags=re.compile(r"--(no-[\w-]+|experimental-[\w-]+|enable-source-maps|test-only|test-force-exit)"),
        names=(*_JAVASCRIPT, "test-*.js", "test-*.mjs", *_IN_TEST_FOLDERS),
        test_words=_files,
        format=Format.TAP,
        report=(
            *("--test-reporter=tap", "--test-reporter-destination=PATH"),
            *("--test-reporter=spec", "--test-reporter-destination=stdout"),
        ),
    ),
    Runner(
        starts=(("vitest", "run"), ("vitest",)),
        value_options=frozenset({"-c", "--config", "-r", "--root", "--reporter", "--project"}),
        flags=re.compile(r"--(run|coverage|no-[\w-]+|globals|passWithNoTests)"),
        names=_JAVASCRIPT,
        test_words=_files,
        format=Format.JEST,
        report=(
            "--reporter=default",
            "--reporter=json",
            "--outputFile.json=PATH",
            "--coverage.enabled=false",
        ),
    ),
    Runner(
        starts=(("jest",),),
        value_options=frozenset({"-c", "--config", "--rootDir", "--reporters", "-w", "--maxWorkers"}),
        flags=re.compile(
            r"-i|--(ci|coverage|verbose|silent|runInBand|passWithNoTests|no-[\w-]+|forceExit|colors|detectOpenHandles)"
        ),
        names=(*_JAVASCRIPT, *(f"**/__tests__/**/*.{ending}" for ending in ("js", "jsx", "ts", "tsx"))),
        test_words=_files,
        option=("--runTestsByPath",),
        format=Format.JEST,
        report=("--json", "--outputFile=PATH", "--coverage=false"),
    ),
    Runner(
        starts=(("mocha",),),
        value_options=frozenset(
            "-r --require -t --timeout -R --reporter -O --reporter-option -g --grep -u --ui -C --config --file --ignore".split()
        ),
        flags=re.compile(r"--(exit|recursive|check-leaks|bail|throw-deprecation|no-[\w-]+|parallel)|-b"),
        names=(*_JAVASCRIPT, *_IN_TEST_FOLDERS, "test.js"),
        test_words=_files,
        format=Format.MOCHA,
        report=("--reporter", "json", "--reporter-option", "output=PATH"),
    ),
    Runner(
        starts=(("ava",),),
        value_options=frozenset({"--config", "--match", "-m", "-T", "--timeout", "-c", "--concurrency"}),
        flags=re.compile(r"--(serial|verbose|tap)|-[svt]"),
        names=(*_JAVASCRIPT, *_IN_TEST_FOLDERS, "test.js"),
        test_words=_files,
        format=Format.TAP_OUTPUT,
        report=("--tap",),
    ),
    Runner(
        starts=(
            ("python3", "-m", "unittest"),
            ("python", "-m", "unittest"),
            ("python3", "manage.py", "test"),
            ("python", "manage.py", "test"),
        ),
        value_options=frozenset({"-k", "-s", "-p", "-t", "--settings", "--parallel", "--pattern"}),
        flags=re.compile(r"-[vfqcb]|--(verbose|quiet|locals|buffer|failfast|noinput|no-input|keepdb)"),
        names=("test*.py",),
        test_words=_modules,
        rerun=lambda names: names,
    ),
)


def runner_of(tests: TestCommand) -> tuple[Runner, int] | None:
    """The runner of a command, and how many of its words are the runner: `env A=1 node_modules/.bin/jest` is jest, by 3."""
    words = tests.runs
    offset = 0
    if words[:1] == ("env",):
        offset = next((at for at, word in enumerate(words) if at and "=" not in word), len(words))
    if not words[offset:]:
        return None
    runner_words = (PurePosixPath(words[offset]).name, *words[offset + 1 :])
    for runner in _RUNNERS:
        for start in runner.starts:
            if runner_words[: len(start)] == start:
                return runner, offset + len(start)
    return None


def with_report(tests: TestCommand, path: str) -> tuple[tuple[str, ...], Format]:
    """The words of a command that has its runner write a report, and how the report is written."""
    runner_match = runner_of(tests)
    if runner_match is None:
        is_node = tests.runs[:1] == ("node",) and "--test" in tests.runs
        if not is_node:
            return tests.words, Format.TEXT
        runner_match = next(runner for runner in _RUNNERS if runner.starts == (("node", "--test"),)), 1
    runner, length = runner_match
    options = tuple(word.replace("PATH", path) for word in runner.report)
    if tests.runs != tests.words:
        return (*tests.words, "--", *options) if options else tests.words, runner.format
    if runner.format is Format.TAP:  # node takes no option behind a file
        return (*tests.words[:length], *options, *tests.words[length:]), runner.format
    return (*tests.words, *options), runner.format


def is_test_file(tests: TestCommand, path: str) -> bool:
    """Whether the runner of a command would take a file for one of tests, by its name."""
    runner_match = runner_of(tests)
    return runner_match is not None and any(Glob(name).fits(path) for name in runner_match[0].names)


def narrow(tests: TestCommand, places: Iterable[TestPlace]) -> TestCommand | NotNarrowed:
    """The command for these tests only, if it would run them; else the obstacle."""
    runner_match = runner_of(tests)
    if runner_match is None:
        return NotNarrowed(f"how `{tests.in_words}` is told to run a part of the tests is not known")
    runner, length = runner_match
    start, arguments = tests.runs[:length], tests.runs[length:]
    unknown_option = next(_may_take_a_word(arguments, runner), None)
    if unknown_option is not None:
        return NotNarrowed(f"whether `{unknown_option}` takes the word behind it is not known")
    options, search_places = _sorted_out(arguments, runner.value_options)
    covered = [word.removeprefix("./") for word in search_places or ["."]]
    chosen_places = sorted({place for place in places if any(_covers(word, place.path) for word in covered)})
    if not chosen_places:
        return NotNarrowed("no test is seen to reach the targets or what was edited")
    if any(place.path.startswith(("-", "@")) for place in chosen_places):
        return NotNarrowed("a test's file has a name that the runner would take for something else")
    test_words = (*runner.option, *runner.test_words(chosen_places))
    if tests.runs == tests.words:
        return TestCommand(tests.ecosystem, (*start, *options, *test_words), tests.because)
    if search_places:
        return NotNarrowed(f"the script `{' '.join(tests.runs)}` names its tests itself")
    return TestCommand(tests.ecosystem, (*tests.words, "--", *test_words), tests.because)


def narrow_to(tests: TestCommand, names: Sequence[str]) -> TestCommand | None:
    """The command for tests by the names of a report; None where the runner cannot be told."""
    runner_match = runner_of(tests)
    if runner_match is None or any(name.startswith(("-", "@")) for name in names):
        return None
    runner, length = runner_match
    arguments = tests.runs[length:]
    if next(_may_take_a_word(arguments, runner), None) is not None or "discover" in arguments:
        return None
    options, search_places = _sorted_out(arguments, runner.value_options)
    words = (*runner.option, *runner.rerun(names))
    if tests.runs == tests.words:
        return replace(tests, words=(*tests.runs[:length], *options, *words), script=())
    return None if search_places else replace(tests, words=(*tests.words, "--", *words))


def _may_take_a_word(words: Sequence[str], runner: Runner) -> Iterator[str]:
    """Options behind which a test that was chosen, or a word that goes, could be taken for their value."""
    is_value = False
    for word, behind in zip_longest(words, words[1:], fillvalue=""):
        if is_value:
            is_value = False
        elif word in runner.value_options:
            is_value = True
        elif word.startswith("-") and "=" not in word:
            is_known = runner.flags.fullmatch(word) is not None
            yield from () if is_known or behind.startswith("-") else (word,)


def _sorted_out(words: Sequence[str], value_options: frozenset[str]) -> tuple[list[str], list[str]]:
    """Options with their values, and the rest."""
    options: list[str] = []
    rest: list[str] = []
    is_value = False
    for word in words:
        if is_value or word.startswith("-"):
            options.append(word)
            is_value = not is_value and word in value_options
        else:
            rest.append(word)
    return options, rest


def _covers(word: str, path: str) -> bool:
    """Whether a command that names this folder, file, pattern or package would reach a file."""
    folder = word.partition("::")[0].rstrip("/")
    if folder in ("...", ".", ""):
        return True
    below = folder.removesuffix("/...")
    is_glob = "*" in folder and len(folder) <= LONGEST
    return path == folder or path.startswith(f"{below}/") or (is_glob and Glob(folder).fits(path))
