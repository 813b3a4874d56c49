"""Kinds of tests: what a test starts, and so how long it takes and what it needs.

The kind is that of the test's folder, the longest entry of `FOLDERS` that holds it; a test in a folder without an entry is
pure. A test that differs from its folder says so with a mark of its own: `@pytest.mark.process`. `make test` runs what is
pure, and of the rest what is marked `smoke`.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path, PurePath

import pytest


class Kind(StrEnum):
    """What a test starts; of several, the last one counts."""

    PURE = "pure"
    PROCESS = "process"
    KILL = "kill"
    ACT = "act"
    BROWSER = "browser"
    NPM = "npm"


DESCRIPTIONS: Mapping[Kind, str] = {
    Kind.PURE: "runs in the process of the tests and starts no other one but git, and the parsers that index a tree",
    Kind.PROCESS: "starts processes: our programs, a shell, a tool chain",
    Kind.KILL: "kills processes at many moments and starts them again",
    Kind.ACT: "runs the real action.yml and workflow files under act",
    Kind.BROWSER: "opens the pages of the sandbox in a headless Chromium",
    Kind.NPM: "needs a server that other people wrote, from npm",
}
SMOKE = "smoke: starts something and runs in `make test` all the same"

FOLDERS: Mapping[str, Kind] = {
    "emulator": Kind.NPM,
    "github_app/image": Kind.PROCESS,
    "github_app/job": Kind.PROCESS,
    "github_app/journeys": Kind.PROCESS,
    "github_app/killed": Kind.KILL,
    "github_app/pages_in_browser": Kind.BROWSER,
    "github_app/served": Kind.PROCESS,
    "github_app/setup": Kind.PROCESS,
    "github_app/storage": Kind.PROCESS,
    "journeys": Kind.PROCESS,
    "journeys/killed": Kind.KILL,
    "newcomer": Kind.PROCESS,
    "pipeline/commands": Kind.PROCESS,
    "pipeline/workspace": Kind.PROCESS,
    "sandbox": Kind.PROCESS,
    "workflow": Kind.ACT,
}
"""Folders below `tests` that hold something else than pure tests."""

ALLOWED_PROGRAMS = frozenset({"git"})
"""What a pure test may start: reading a tree asks git, which answers in a few milliseconds."""
READER = "pipeline.code_registry.reading"
"""What it may start besides: the sources of a tree are read in a process of its own."""

_STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"})


def kind_of_folder(folder: PurePath) -> Kind:
    """The kind of a folder, given from `tests` on."""
    entries = (FOLDERS.get(str(one)) for one in (folder, *folder.parents))
    return next((kind for kind in entries if kind is not None), Kind.PURE)


def kind_of(item: pytest.Item) -> Kind:
    """The kind of a test: its own mark, else that of its folder.

    Raises:
        pytest.UsageError: it has two, and would run twice where kinds run apart.
    """
    stated = {Kind(mark.name) for mark in item.iter_markers() if mark.name in set(Kind)}
    if len(stated) > 1:
        raise pytest.UsageError(
            f"{item.nodeid} is marked as {' and '.join(sorted(stated))}. Leave one of them."
        )
    return stated.pop() if stated else kind_of_folder(item.path.parent.relative_to(Path(__file__).parent))


class ProcessGuard:
    """Lets no pure test start a process: the figure of three minutes for `make test` depends on it."""

    def __init__(self) -> None:
        self._forbids = False
        sys.addaudithook(self._look)  # it stays for as long as Python runs

    @contextmanager
    def watch(self, kind: Kind) -> Iterator[None]:
        """Hold a test of that kind to it."""
        self._forbids = kind is Kind.PURE
        try:
            yield
        finally:
            self._forbids = False

    def _look(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self._forbids or event not in _STARTS:
            return
        program = str(arguments[0]) if arguments else event
        if PurePath(program).name not in ALLOWED_PROGRAMS and READER not in str(arguments[1:2]):
            raise AssertionError(
                f"A pure test starts a process: {program}. Mark it @pytest.mark.process, or name its folder in tests/kinds.py."
            )
