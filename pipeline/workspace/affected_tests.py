"""Narrow a test command to some of the tests, for the runners whose command line is understood. Pure.

A command that is not understood is never narrowed: then everything runs, and the reason says so.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath

from pipeline.workspace.looking import fits_glob
from pipeline.workspace.suite_runs import TestCommand

_MOST_SINGLE = 60


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
class _Runner:
    """How a runner is called, and how it is told what to run.

    `value_options` are its options that take the next word, `flags` those that never do; any other option may. Its words that
    are no options say where it may look for tests; the chosen ones take their place, behind `option`. `names` are globs of
    its test files.
    """

    starts: tuple[tuple[str, ...], ...]
    value_options: frozenset[str]
    flags: re.Pattern[str]
    names: tuple[str, ...]
    test_words: Callable[[Sequence[TestPlace]], Iterable[str]]
    option: tuple[str, ...] = ()


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


def _files(places: Sequence[TestPlace]) -> Iterable[str]:
    return sorted({place.path for place in places})


def _packages(places: Sequence[TestPlace]) -> Iterable[str]:
    folders = {PurePosixPath(place.path).parent.as_posix() for place in places}
    return sorted("." if folder == "." else f"./{folder}" for folder in folders)


_JAVASCRIPT = tuple(
    f"*{mark}.{ending}"
    for mark in (".test", ".spec")
    for ending in ("ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs")
)

_RUNNERS: tuple[_Runner, ...] = (
    _Runner(
        starts=(("pytest",), ("python3", "-m", "pytest"), ("python", "-m", "pytest")),
        value_options=frozenset(
            {"-n", "-p", "-m", "-k", "-c", "-o", "-W", "-r", "--rootdir", "--tb", "--timeout"}
        ),
        flags=re.compile(
            r"-[qvxsl]+|-r[A-Za-z]+|-n\d+|--(verbose|quiet|exitfirst|showlocals|strict-\w+|no-header|no-summary|"
            r"disable-warnings|lf|last-failed|ff|failed-first|no-cov)"
        ),
        names=("test_*.py", "*_test.py"),
        test_words=_single_tests,
    ),
    _Runner(
        starts=(("go", "test"),),
        value_options=frozenset({"-run", "-count", "-timeout", "-tags", "-p", "-parallel", "-cpu"}),
        flags=re.compile(r"--?(v|race|short|cover|failfast|json|x|trimpath)"),
        names=("*_test.go",),
        test_words=_packages,
    ),
    _Runner(
        starts=(("node", "--test"),),
        value_options=frozenset(
            {"--import", "-r", "--require", "--loader", "--test-reporter", "-C", "--conditions"}
        ),
        flags=re.compile(r"--(no-[\w-]+|experimental-[\w-]+|enable-source-maps|test-only|test-force-exit)"),
        names=(*_JAVASCRIPT, "test-*.js", "test-*.mjs"),
        test_words=_files,
    ),
    _Runner(
        starts=(("vitest", "run"), ("vitest",)),
        value_options=frozenset({"-c", "--config", "-r", "--root", "--reporter", "--project"}),
        flags=re.compile(r"--(run|coverage|no-[\w-]+|globals|passWithNoTests)"),
        names=_JAVASCRIPT,
        test_words=_files,
    ),
    _Runner(
        starts=(("jest",),),
        value_options=frozenset({"-c", "--config", "--rootDir", "--reporters", "-w", "--maxWorkers"}),
        flags=re.compile(r"-i|--(ci|coverage|verbose|silent|runInBand|passWithNoTests|no-[\w-]+|forceExit)"),
        names=_JAVASCRIPT,
        test_words=_files,
        option=("--runTestsByPath",),
    ),
)


def is_test_file(tests: TestCommand, path: str) -> bool:
    """Whether the runner of a command would take a file for one of tests, by its name."""
    runner = _runner_of(tests)
    return runner is not None and any(fits_glob(name, path) for name in runner.names)


def narrow(tests: TestCommand, places: Iterable[TestPlace]) -> TestCommand | NotNarrowed:
    """The command for these tests only, as far as it would run them at all; what stands in the way, else."""
    runner = _runner_of(tests)
    if runner is None:
        return NotNarrowed(f"how `{' '.join(tests.words)}` is told to run a part of the tests is not known")
    start = next(start for start in runner.starts if tests.runs[: len(start)] == start)
    arguments = tests.runs[len(start) :]
    unknown_option = next(_may_take_a_word(arguments, runner), None)
    if unknown_option is not None:
        return NotNarrowed(f"whether `{unknown_option}` takes the word behind it is not known")
    options, search_places = _sorted_out(arguments, runner.value_options)
    chosen_places = sorted({place for place in places if _is_within(place.path, search_places)})
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


def _runner_of(tests: TestCommand) -> _Runner | None:
    return next(
        (runner for runner in _RUNNERS if any(tests.runs[: len(start)] == start for start in runner.starts)),
        None,
    )


def _may_take_a_word(words: Sequence[str], runner: _Runner) -> Iterator[str]:
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


def _is_within(path: str, search_places: Sequence[str]) -> bool:
    """Whether a command that names these folders, files, patterns or packages would come to a file."""
    return not search_places or any(_covers(word.removeprefix("./"), path) for word in search_places)


def _covers(word: str, path: str) -> bool:
    folder = word.partition("::")[0].rstrip("/")
    if folder in ("...", ".", ""):
        return True
    below = folder.removesuffix("/...")
    return path == folder or path.startswith(f"{below}/") or ("*" in folder and fits_glob(folder, path))
