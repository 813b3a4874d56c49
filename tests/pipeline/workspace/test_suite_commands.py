"""The commands that may run the tests come from what the repository says, and the narrow one goes before the wide one."""

import json
import shlex
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.suite import TestCommand
from pipeline.workspace.paths import WorkspaceTree
from pipeline.workspace.suite_commands import find_test_commands

PYTEST = "python3 -m pytest -q"
BARE = "python3 -m pytest -q -o addopts="
GO = "go test -v ./..."


def found(tmp_path: Path, files: dict[str, str], configured: str | None = None) -> tuple[TestCommand, ...]:
    for path, text in files.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return find_test_commands(WorkspaceTree(tmp_path), configured_command=configured)


def words(tmp_path: Path, files: dict[str, str]) -> list[str]:
    return [shlex.join(command.words) for command in found(tmp_path, files)]


def package(test: str, **scripts: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": {"test": test, **scripts}})}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, [PYTEST, BARE]),
        ({"pytest.ini": "[pytest]\n"}, [PYTEST, BARE]),
        ({"setup.cfg": "[tool:pytest]\n"}, [PYTEST, BARE]),
        ({"tests/test_a.py": ""}, [PYTEST, BARE]),
        ({"src/orders_test.py": ""}, [PYTEST, BARE]),
        (package("vitest run"), ["npm test"]),
        (package("node --test"), ["node --test", "npm test"]),
        (package("node --test 'test/**/*.ts'"), ["node --test 'test/**/*.ts'", "npm test"]),
        (package("node --test", pretest="tsc"), ["npm test"]),
        ({"go.mod": "module orders\n"}, [GO]),
    ],
)
def test_the_tree_says_how_it_is_tested(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert words(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("files", "first"),
    [
        (
            package("npm run lint && npm run unit", lint="eslint .", unit="mocha -r env test/"),
            "node_modules/.bin/mocha -r env test/",
        ),
        (package("run-s lint unit", lint="eslint .", unit="c8 --100 ava"), "node_modules/.bin/ava"),
        (package("xo && c8 ava && tsd"), "node_modules/.bin/ava"),
        (package("cross-env TZ=UTC jest --coverage"), "env TZ=UTC node_modules/.bin/jest"),
        (package("node bin/hotfix.js mocha test --exit"), "node_modules/.bin/mocha test --exit"),
        (package("jest test/timezone && jest --coverageThreshold=9"), "node_modules/.bin/jest"),
        (package("nyc --reporter=lcov mocha test/*.test.js"), "node_modules/.bin/mocha 'test/*.test.js'"),
    ],
)
def test_a_script_that_runs_linters_is_followed_to_its_test_runner(
    tmp_path: Path, files: dict[str, str], first: str
) -> None:
    found_words = words(tmp_path, files)
    assert (found_words[0], found_words[-1]) == (first, "npm test")


WORKFLOW = """\
jobs:
  tests:
    steps:
      - run: pip install pytest
      - name: Test
        run: |
          echo "no runner: pytest"
          {line}
"""


@pytest.mark.parametrize(
    ("line", "files", "expected"),
    [
        ("uv run --group test -- pytest -n 2", {}, "python3 -m pytest -n 2"),
        ("coverage run -m unittest discover", {}, "python3 -m unittest discover"),
        ("python manage.py test --parallel", {}, "python3 manage.py test --parallel"),
        ("python tests/runtests.py --settings=x", {}, "python3 tests/runtests.py --settings=x"),
        ("py.test ${{ matrix.options }} tests > log.txt", {}, "python3 -m pytest tests"),
        ("pytest --cov-report term --cov=x tests", {}, "python3 -m pytest tests"),
        (
            "make ci",
            {"Makefile": "ci: unit\n\nunit: build\n\t@poetry run pytest --cov=x \\\n\t  tests\n"},
            "python3 -m pytest tests",
        ),
        (
            "tox run",
            {"tox.ini": "[testenv]\ncommands =\n  tests: pytest {posargs:-x}\n"},
            "python3 -m pytest -x",
        ),
        (
            "nox -s tests",
            {"noxfile.py": "def t(session):\n  session.run('pytest', '-v', *session.posargs)\n"},
            "python3 -m pytest -v",
        ),
        ("scripts/test", {"scripts/test": '#!/bin/sh -e\n${PREFIX}pytest "$@"\n'}, "python3 -m pytest"),
        ("python -m shop.test", {}, "python3 -m shop.test"),
    ],
)
def test_the_repositorys_own_ci_says_how_it_is_tested(
    tmp_path: Path, line: str, files: dict[str, str], expected: str
) -> None:
    workflow = {".github/workflows/ci.yml": WORKFLOW.format(line=line)}
    assert words(tmp_path, {**workflow, **files}) == [expected]


def test_a_task_of_pyproject_is_one_more_source(tmp_path: Path) -> None:
    tasks = '[tool.hatch.envs.default.scripts]\ntest = "pytest -x"\nfmt = "black ."\n[tool.poe.tasks.test-all]\ncmd = "pytest all"\n'
    assert words(tmp_path, {"pyproject.toml": tasks}) == ["python3 -m pytest -x", "python3 -m pytest all"]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "pytest"},
        {"pyproject.toml": "[tool.ruff]\n"},
        {"pyproject.toml": "[tool"},
        {"tox.ini": "[tox"},
        {"noxfile.py": "def ("},
        {"package.json": "{"},
        {"package.json": "[]"},
        {"package.json": '{"scripts": {"test": 7}}'},
        {".github/workflows/ci.yml": WORKFLOW.format(line="pip install pytest 'unclosed")},
        {"Makefile": "test: test\n\tmake test\n"},
        package('echo "Error: no test specified" && exit 1'),
    ],
)
def test_where_nothing_says_it_the_run_ends_with_what_to_write(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(PreconditionFailed) as refused:
        found(tmp_path, files)
    assert str(refused.value) == snapshot("""\
No command is known that runs the tests.
There is no pytest configuration or test file, no `scripts.test` in package.json, no go.mod, and no known test runner in the workflows of the repository, tox.ini, noxfile.py, pyproject.toml or Makefile.
Say which one, in .github/askfirst/config.yml:
test_command: pytest -q\
""")


def test_of_several_languages_the_one_with_most_files_is_tried_first(tmp_path: Path) -> None:
    files = {"pytest.ini": "[pytest]\n", "a.py": "", **package("vitest run"), "go.mod": "module orders\n"}
    assert words(tmp_path, files) == [PYTEST, BARE, "npm test", GO]
    assert words(tmp_path, {"a.ts": "", "b.ts": ""})[0] == "npm test"


def test_what_pytest_is_configured_to_do_goes_before_what_ci_adds(tmp_path: Path) -> None:
    files = {"pytest.ini": "[pytest]\n", "tox.ini": "[testenv]\ncommands = pytest -k mypy\n", "test_a.py": ""}
    assert words(tmp_path, files) == [PYTEST, "python3 -m pytest -k mypy", BARE]


def test_a_script_that_runs_others_by_a_pattern_is_followed_by_their_runners(tmp_path: Path) -> None:
    scripts = package('pnpm run "/^test:.*/"', **{"test:lint": "eslint .", "test:spec": "vitest run"})
    assert words(tmp_path, scripts) == ["npm test", "node_modules/.bin/vitest run"]


def test_a_configured_command_wins_and_needs_no_shell(tmp_path: Path) -> None:
    (command,) = found(tmp_path, {"pytest.ini": "[pytest]"}, "make 'unit tests'")
    assert command.words == ("make", "unit tests")
    with pytest.raises(PreconditionFailed, match="cannot be run"):
        found(tmp_path, {}, "make a && make b")
