"""A test command is narrowed where its runner's command line is understood, and left whole where it is not."""

import shlex

import pytest
from inline_snapshot import snapshot

from pipeline.domain.suite import Ecosystem, TestCommand
from pipeline.workspace.runners import NotNarrowed, TestPlace, is_test_file, narrow, narrow_to

PYTHON = (TestPlace("tests/test_a.py", "test_one"), TestPlace("tests/test_b.py", "TestB.test_two"))
GO = (TestPlace("labels/labels_test.go", "TestLabel"), TestPlace("main_test.go"))
NODE = (
    TestPlace("test/a.test.ts", "moves"),
    TestPlace("test/a.test.ts", "stays"),
    TestPlace("src/b.spec.ts"),
)


def command(words: str, script: str = "") -> TestCommand:
    return TestCommand(Ecosystem.CONFIGURED, tuple(shlex.split(words)), "", tuple(shlex.split(script)))


def said(tests: TestCommand, places: tuple[TestPlace, ...]) -> str:
    command = narrow(tests, places)
    return f"all: {command.why}" if isinstance(command, NotNarrowed) else shlex.join(command.words)


@pytest.mark.parametrize(
    ("words", "script", "places", "expected"),
    [
        (
            "python3 -m pytest -q",
            "",
            PYTHON,
            snapshot("python3 -m pytest -q tests/test_a.py::test_one tests/test_b.py::TestB::test_two"),
        ),
        (
            "pytest -n 2 -q",
            "",
            (*PYTHON, TestPlace("tests/test_a.py")),
            snapshot("pytest -n 2 -q tests/test_a.py tests/test_b.py::TestB::test_two"),
        ),
        ("pytest -q tests/test_b.py", "", PYTHON, snapshot("pytest -q tests/test_b.py::TestB::test_two")),
        ("pytest unit", "", PYTHON, snapshot("all: no test is seen to reach the targets or what was edited")),
        (
            "pytest --cov app tests",
            "",
            PYTHON,
            snapshot("all: whether `--cov` takes the word behind it is not known"),
        ),
        (
            "pytest -q --cov",
            "",
            PYTHON,
            snapshot("all: whether `--cov` takes the word behind it is not known"),
        ),
        (
            "pytest --cov=app -q --strict-markers tests",
            "",
            PYTHON,
            snapshot(
                "pytest --cov=app -q --strict-markers tests/test_a.py::test_one tests/test_b.py::TestB::test_two"
            ),
        ),
        (
            "go test -coverprofile c.out ./...",
            "",
            GO,
            snapshot("all: whether `-coverprofile` takes the word behind it is not known"),
        ),
        ("go test -v ./...", "", GO, snapshot("go test -v . ./labels")),
        ("go test -run TestLabel ./labels/...", "", GO, snapshot("go test -run TestLabel ./labels")),
        ("node --test", "node --test", NODE, snapshot("node --test src/b.spec.ts test/a.test.ts")),
        (
            "node --test --import tsx 'test/**/*.ts'",
            "",
            NODE,
            snapshot("node --test --import tsx test/a.test.ts"),
        ),
        ("npm test", "vitest run", NODE, snapshot("npm test -- src/b.spec.ts test/a.test.ts")),
        (
            "npm test",
            "jest --ci",
            NODE,
            snapshot("npm test -- --runTestsByPath src/b.spec.ts test/a.test.ts"),
        ),
        (
            "npm test",
            "vitest run src",
            NODE,
            snapshot("all: the script `vitest run src` names its tests itself"),
        ),
        (
            "npm test",
            "",
            NODE,
            snapshot("all: how `npm test` is told to run a part of the tests is not known"),
        ),
        (
            "make check",
            "",
            PYTHON,
            snapshot("all: how `make check` is told to run a part of the tests is not known"),
        ),
        ("pytest", "", (), snapshot("all: no test is seen to reach the targets or what was edited")),
        (
            "pytest",
            "",
            (TestPlace("@arguments/test_a.py"),),
            snapshot("all: a test's file has a name that the runner would take for something else"),
        ),
    ],
)
def test_a_command_is_narrowed_or_it_is_said_why_not(
    words: str, script: str, places: tuple[TestPlace, ...], expected: str
) -> None:
    assert said(command(words, script), places) == expected


def test_many_single_tests_become_their_files() -> None:
    places = tuple(TestPlace("tests/test_a.py", f"test_{number}") for number in range(100))
    assert said(command("pytest"), places) == "pytest tests/test_a.py"


@pytest.mark.parametrize(
    ("words", "tests", "others"),
    [
        ("pytest", {"test_a.py", "tests/a_test.py"}, {"a.py", "tests/conftest.py", "latest.py"}),
        ("go test", {"a/a_test.go"}, {"a/a.go"}),
        ("node --test", {"test/a.test.ts", "a.spec.mjs", "test/moves.js"}, {"a.ts"}),
        ("node_modules/.bin/jest", {"src/__tests__/moves.js"}, {"src/moves.js"}),
        ("python3 manage.py test", {"orders/tests.py"}, {"orders/views.py"}),
        ("make check", set(), {"test_a.py"}),
    ],
)
def test_files_of_tests_are_known_by_their_names(words: str, tests: set[str], others: set[str]) -> None:
    assert {path for path in tests | others if is_test_file(command(words), path)} == tests


@pytest.mark.parametrize(
    ("words", "names", "expected"),
    [
        ("pytest -q", ("a/test_a.py::test_b[c d]",), "pytest -q 'a/test_a.py::test_b[c d]'"),
        (
            "node_modules/.bin/vitest run",
            ("src/a.test.ts > orders > moves",),
            "node_modules/.bin/vitest run src/a.test.ts",
        ),
        (
            "env TZ=UTC node_modules/.bin/mocha test",
            ("test/a.js > moves",),
            "env TZ=UTC node_modules/.bin/mocha test/a.js",
        ),
        ("go test -v ./...", ("TestA", "TestB/small"), "go test -v -run '^(TestA|TestB)$' ./..."),
        (
            "python3 -m unittest",
            ("orders.tests.TestA.test_a",),
            "python3 -m unittest orders.tests.TestA.test_a",
        ),
        ("python3 -m unittest discover -s tests", ("test_a.TestA.test_a",), None),
        ("make check", ("TestA",), None),
        ("pytest", ("--co",), None),
    ],
)
def test_red_tests_run_once_more_by_their_names(
    words: str, names: tuple[str, ...], expected: str | None
) -> None:
    again = narrow_to(command(words), names)
    assert (None if again is None else shlex.join(again.words)) == expected
