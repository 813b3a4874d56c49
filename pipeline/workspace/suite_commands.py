"""Find the commands that may run a repository's tests, from what it says itself. The most likely one is first.

A repository says it in its configuration of pytest, in `package.json`, in `tox.ini`, `noxfile.py`, `pyproject.toml` and
`Makefile`, in scripts, and in the workflows of its own CI. These often run linters, builds and coverage with the tests.
So a line is followed down to the runner, and what stands around the runner is left out:

    npm test -> npm run lint && npm run test:unit -> cross-env TZ=UTC nyc mocha test/ -> env TZ=UTC node_modules/.bin/mocha test/

The whole line is the last choice: it is tried where the narrow command runs nothing.
"""

import ast
import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import yaml

from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.suite import Ecosystem, TestCommand
from pipeline.workspace import looking
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.runner_words import NODE_RUNNERS, is_node_runner, plain_words, runner_in, shell_words

_PLACEHOLDER = "no test specified"
_DEPTH = 6
_PYTEST = ("python3", "-m", "pytest", "-q")
_PYTHON_TESTS = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test|conftest|tests)\.py")
_AROUND = frozenset(
    "uv uvx poetry pdm hatch rye pipenv coverage python python3 npx npm pnpm yarn bun env cross-env c8 nyc node time "
    "xvfb-run dotenv".split()
)
"""Programs that run the words behind them."""
_NO_RUN = frozenset({"install", "add", "sync", "pip", "i", "ci", "remove", "lock", "config", "cache"})
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELL_SCRIPT = re.compile(r"(?:\./)?(?:[\w.-]+/)*[\w.-]*tests?[\w.-]*(?:\.sh)?")


def find_test_commands(
    tree: WorkspaceTree, *, configured_command: str | None = None
) -> tuple[TestCommand, ...]:
    """The configured command alone, else those that the tree declares, the most likely one first.

    Raises:
        PreconditionFailed: there is none, or the configured one cannot be read.
    """
    if configured_command is not None:
        return (_configured_command(configured_command),)
    says = _Declarations(tree)
    by_ecosystem = {
        Ecosystem.PYTHON: list(says.python()),
        Ecosystem.NODE: list(says.node()),
        Ecosystem.GO: list(says.go()),
    }
    counts = {Ecosystem.PYTHON: says.count("*.py"), Ecosystem.NODE: says.count("*.{js,ts,jsx,tsx,mjs,cjs}")}
    ecosystems = sorted(by_ecosystem, key=lambda ecosystem: -counts.get(ecosystem, 0))
    commands = dict[tuple[str, ...], TestCommand]()
    for ecosystem in ecosystems:
        for command in by_ecosystem[ecosystem]:
            commands.setdefault(command.words, command)
    if not commands:
        raise PreconditionFailed(
            "No command is known that runs the tests.",
            why="There is no pytest configuration or test file, no `scripts.test` in package.json, no go.mod, and no "
            "known test runner in the workflows of the repository, tox.ini, noxfile.py, pyproject.toml or Makefile.",
            what_to_do="Say which one, in .github/askfirst/config.yml:\ntest_command: pytest -q",
        )
    return tuple(commands.values())


def _configured_command(command: str) -> TestCommand:
    try:
        return TestCommand(Ecosystem.CONFIGURED, words_of(command), "it is configured")
    except CommandRefused as error:
        raise PreconditionFailed(
            f"The configured test command {command!r} cannot be run.",
            why=str(error),
            what_to_do="Put what needs a shell into a script, and name the script:\ntest_command: ./run-tests.sh",
        ) from error


class _Declarations:
    """What the files of a tree say about its tests."""

    def __init__(self, tree: WorkspaceTree) -> None:
        self._tree = tree
        self._pyproject = self._toml("pyproject.toml")
        self._scripts = self._package_scripts()

    def count(self, glob: str) -> int:
        """How many files fit a glob, up to the limit of the count."""
        return len(self._files(glob))

    def python(self) -> Iterator[TestCommand]:
        """Pytest as configured, then what CI and the task runners call, then pytest where tests fit its names."""
        configured_in = self._pytest_configuration()
        if configured_in is not None:
            yield TestCommand(Ecosystem.PYTHON, _PYTEST, f"{configured_in} configures pytest")
        commands = [
            TestCommand(Ecosystem.PYTHON, words, f"{source} says `{_short(line)}`")
            for source, line in self._lines()
            for words in self._runners_in(line)
            if "python3" in words
        ]
        yield from _broad_first(commands)
        first = next((path for path in self._files("*.py") if _PYTHON_TESTS.search(path)), None)
        if first is not None:
            yield TestCommand(Ecosystem.PYTHON, _PYTEST, f"{first} is a test for pytest")
        if first is not None or configured_in is not None:
            bare = (*_PYTEST, "-o", "addopts=")
            yield TestCommand(Ecosystem.PYTHON, bare, "options of the pytest configuration are left out")

    def node(self) -> Iterator[TestCommand]:
        """The script `test` if it is only a runner, else the runners that it leads to, then the whole script."""
        name = next(
            (name for name in ("test", "test:unit", "test:ci", "unit") if self._is_script(name)), None
        )
        if name is None:
            return
        script = self._scripts[name]
        because = f"package.json says `{_short(script)}`"
        whole = ("npm", "test") if name == "test" else ("npm", "run", name)
        own_words = plain_words(script)
        # Node itself needs nothing that npm would set up, and npm takes longer to start than most tests to run.
        is_alone = not {f"pre{name}", f"post{name}"} & set(self._scripts)
        if own_words[:1] == ("node",) and is_alone and not NODE_RUNNERS & set(own_words):
            yield TestCommand(Ecosystem.NODE, own_words, because, script=own_words)
        elif not is_node_runner(own_words):
            runners = (words for words in self._runners_in(script) if "python3" not in words)
            yield from _broad_first(TestCommand(Ecosystem.NODE, words, because) for words in runners)
        yield TestCommand(Ecosystem.NODE, whole, because, script=own_words)
        for other, text in self._scripts.items():
            if "test" in other and other != name:
                because = f"package.json says `{_short(text)}`"
                runners = (words for words in self._runners_in(text) if "python3" not in words)
                yield from (TestCommand(Ecosystem.NODE, words, because) for words in runners)

    def go(self) -> Iterator[TestCommand]:
        """All packages of the module."""
        if self._text("go.mod") is not None:
            yield TestCommand(Ecosystem.GO, ("go", "test", "-v", "./..."), "there is a go.mod")

    def _pytest_configuration(self) -> str | None:
        if "pytest" in _mapping(self._pyproject.get("tool")):
            return "pyproject.toml"
        sections = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))
        return next((path for path, section in sections if self._ini(path).has_section(section)), None)

    def _lines(self) -> Iterator[tuple[str, str]]:
        """Lines that somebody runs to test, each with its source."""
        for path in self._files(".github/workflows/*.{yml,yaml}"):
            for line in _run_lines(self._text(path) or ""):
                yield path, line
        for source, lines in (
            ("tox.ini", self._tox_lines(None)),
            ("noxfile.py", self._nox_lines()),
            ("pyproject.toml", self._task_lines()),
            ("Makefile", self._make_lines("test")),
        ):
            for line in lines:
                yield source, line
        for path in ("scripts/test", "runtests.sh", "run_tests.sh"):
            for line in self._script_lines(path):
                yield path, line

    def _runners_in(self, line: str, depth: int = _DEPTH) -> Iterator[tuple[str, ...]]:
        """The words of each test runner that a line of a shell runs in the end."""
        if depth == 0:
            return
        for command in re.split(r"&&|\|\||[;|\n]", line):
            words = shell_words(command)
            assignments = [word for word in words if _ASSIGNMENT.match(word)]
            for position in range(len(words)):
                around = words[:position]
                if around and (around[0] not in _AROUND and not _ASSIGNMENT.match(around[0])):
                    break
                if _NO_RUN & set(around):
                    break
                runner = runner_in(words[position:])
                if runner is not None:
                    before = [word for word in assignments if word in around]
                    yield (*(("env", *before) if before else ()), *runner)
                    break
                lines = list(self._called(words[position:]))
                if lines:
                    for inner_line in lines:
                        yield from self._runners_in(inner_line, depth - 1)
                    break

    def _called(self, words: list[str]) -> Iterator[str]:
        """The lines behind a task of a task runner."""
        match words:
            case ["npm" | "pnpm" | "yarn" | "bun", *rest] | ["npm-run-all" | "run-s" | "run-p", *rest]:
                names = [word for word in rest if word in self._scripts and word not in ("run", "install")]
                yield from (self._scripts[name] for name in names)
            case ["make", *rest]:
                for target in rest or ["all"]:
                    yield from self._make_lines(target)
            case ["tox", *rest]:
                environment = rest[rest.index("-e") + 1] if "-e" in rest[:-1] else None
                yield from self._tox_lines(environment)
            case ["nox", *_]:
                yield from self._nox_lines()
            case ["hatch", "test", *_]:
                yield "pytest"
            case [path, *_] if _SHELL_SCRIPT.fullmatch(path):
                yield from self._script_lines(path)

    def _make_lines(self, target: str) -> Iterator[str]:
        text = (self._text("Makefile") or "").replace("\\\n", " ")
        found_rule = re.search(
            rf"^{re.escape(target)}\s*:(?!=)([^\n]*)\n((?:\t[^\n]*\n?|\s*\n)*)", text, re.MULTILINE
        )
        if found_rule is None:
            return
        for prerequisite in found_rule.group(1).split():
            yield f"make {prerequisite}"
        yield from (line.strip().lstrip("@-+") for line in found_rule.group(2).splitlines())

    def _tox_lines(self, environment: str | None) -> Iterator[str]:
        parser = self._ini("tox.ini")
        section_name = f"testenv:{environment}"
        sections = (
            [section_name]
            if parser.has_section(section_name)
            else [name for name in parser.sections() if name.startswith("testenv")]
        )
        for section in sections:
            lines = parser.get(section, "commands", fallback="").replace("\\\n", " ").splitlines()
            yield from (re.sub(r"^[\w,!{}.-]+:\s+", "", line.strip()) for line in lines)

    def _nox_lines(self) -> Iterator[str]:
        with suppress(SyntaxError, ValueError, RecursionError):
            for node in ast.walk(ast.parse(self._text("noxfile.py") or "")):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr == "run"
                ):
                    words = [
                        arg.value
                        for arg in node.args
                        if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
                    ]
                    yield shlex.join(words)

    def _task_lines(self) -> Iterator[str]:
        """Tasks of pyproject.toml (hatch, pdm, poe, taskipy) with a name that has to do with tests."""
        yield from _named_lines(_mapping(self._pyproject.get("tool")), "")

    def _script_lines(self, path: str) -> Iterator[str]:
        text = self._text(path.removeprefix("./")) if not path.endswith(".py") else None
        if text is not None and text.startswith("#!") and "python" not in text.partition("\n")[0]:
            yield from text.replace("\\\n", " ").splitlines()

    def _package_scripts(self) -> dict[str, str]:
        try:
            package: Any = json.loads(self._text("package.json") or "null")
        except ValueError:
            return {}
        scripts = _mapping(_mapping(package).get("scripts"))
        return {name: text for name, text in scripts.items() if isinstance(text, str)}

    def _is_script(self, name: str) -> bool:
        script = self._scripts.get(name, "")
        return bool(script.strip()) and _PLACEHOLDER not in script

    def _files(self, glob: str) -> list[str]:
        try:
            return [path for path in looking.list_files(self._tree.root, glob).items if isinstance(path, str)]
        except CallRefused:
            return []

    def _text(self, path: str) -> str | None:
        try:
            return self._tree.read(path).data.decode("utf-8", "replace")
        except CallRefused:
            return None

    def _toml(self, path: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self._text(path) or "")
        except tomllib.TOMLDecodeError:
            return {}

    def _ini(self, path: str) -> configparser.ConfigParser:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        with suppress(configparser.Error):
            parser.read_string(self._text(path) or "")
        return parser


def _run_lines(workflow: str) -> Iterator[str]:
    """The lines that the steps of a workflow run."""
    try:
        jobs = _mapping(_mapping(yaml.safe_load(workflow)).get("jobs"))
    except (yaml.YAMLError, RecursionError):
        return
    for job in jobs.values():
        steps = _mapping(job).get("steps")
        for step in steps if isinstance(steps, list) else ():
            yield from str(_mapping(step).get("run", "")).replace("\\\n", " ").splitlines()


def _named_lines(table: dict[str, Any], name: str) -> Iterator[str]:
    for key, value in table.items():
        match value:
            case str() if "test" in key and name in ("scripts", "tasks", "cmd"):
                yield value
            case {"cmd": str(line)} | {"shell": str(line)} if "test" in key:
                yield line
            case list() if "test" in key and name in ("scripts", "tasks"):
                yield from (line for line in value if isinstance(line, str))
            case dict():
                yield from _named_lines(value, key)


def _broad_first(commands: Iterable[TestCommand]) -> list[TestCommand]:
    """A command that names fewer files or folders runs more tests."""
    return sorted(
        commands,
        key=lambda command: sum("/" in word or "." in word for word in command.words[1:] if word[:1] != "-"),
    )


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _short(line: str) -> str:
    text = " ".join(line.split())
    return text if len(text) <= 80 else f"{text[:79]}…"
