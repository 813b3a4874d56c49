"""The words of test runners in a line of a shell: which of them run tests, and what of a line belongs to that. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from pipeline.domain.command_line import CommandRefused, words_of

NODE_RUNNERS = frozenset({"mocha", "jest", "vitest", "ava", "tap", "tape", "jasmine", "uvu"})
_PYTHON_SCRIPT = re.compile(r"(?:.*/)?(?:manage|run_?tests?)\.py")
_PYTHON_MODULE = re.compile(r"unittest|(?:\w+\.)+(?:tests?|runtests)")
_DROPPED = re.compile(r"--(?:no-)?cov(?:erage\w*)?(?:[-=.].*)?|--(?:junit-?xml|html|watch)(?:=.*)?|-w")
"""Options that measure or watch, which change no result."""
_DROPPED_WITH_VALUE = frozenset({"--cov", "--cov-report", "--cov-config", "--junitxml", "--junit-xml"})
_VARIABLE = re.compile(r"\$\{\{.*?\}\}|\$\{[^}]*\}|\$\w+|\$@|\{(?!posargs|env)[\w.:/-]*\}")
_DEFAULTED = re.compile(r"\{(?:posargs|env:\w+)(?::([^{}]*))?\}")


def runner_in(words: list[str]) -> tuple[str, ...] | None:
    """The words that run a test runner from the root of the tree; None where they begin with none."""
    match words:
        case ["pytest" | "py.test", *rest] | ["python" | "python3", "-m", "pytest", *rest]:
            return ("python3", "-m", "pytest", *_kept(rest))
        case ["python" | "python3", "-m", module, *rest] if _PYTHON_MODULE.fullmatch(module):
            return ("python3", "-m", module, *_kept(rest))
        case ["python" | "python3", path, *rest] if _PYTHON_SCRIPT.fullmatch(path):
            return ("python3", path, *_kept(rest)) if "test" in path or "test" in rest else None
        case ["-m", module, *rest] if module == "pytest" or _PYTHON_MODULE.fullmatch(module):
            return ("python3", "-m", module, *_kept(rest))
        case ["node", *rest] if "--test" in rest:
            return ("node", *_kept(rest))
        case [program, *rest] if PurePosixPath(program).name in NODE_RUNNERS:
            return (f"node_modules/.bin/{PurePosixPath(program).name}", *_kept(rest))
    return None


def _kept(words: Iterable[str]) -> Iterator[str]:
    """Arguments without those that only measure, and without what a shell would do behind them."""
    before = ""
    for word in words:
        if re.match(r"\d?[<>]", word):
            return
        is_value = before in _DROPPED_WITH_VALUE and not word.startswith("-")
        if word and not is_value and not _DROPPED.fullmatch(word):
            yield word
        before = word


def shell_words(command: str) -> list[str]:
    """The words of one command of a shell, variables left out."""
    text = _DEFAULTED.sub(lambda match: match.group(1) or "", command.strip().lstrip("@-"))
    try:
        words = shlex.split(_VARIABLE.sub("", text), comments=True)
    except ValueError:
        return []
    return (
        [PurePosixPath(words[0]).name if words[0].startswith(("venv/", ".venv/")) else words[0], *words[1:]]
        if words
        else []
    )


def is_node_runner(words: tuple[str, ...]) -> bool:
    """Whether words begin with a runner of Node, or are its own."""
    return bool(words) and (PurePosixPath(words[0]).name in NODE_RUNNERS or "--test" in words)


def plain_words(script: str) -> tuple[str, ...]:
    """The words of a script that needs no shell; none of one that does."""
    try:
        return words_of(script)
    except CommandRefused:
        return ()
