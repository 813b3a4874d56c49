"""Install what the tests need, once for each state of a repository, before the tests run for the first time.

The commands are those of `setup:` in the configuration of the base commit. They run in a worktree of their own at that
commit, confined like every command, with an environment that holds no key. They alone have a network. What they leave
(`node_modules`, `.venv`, downloaded Go modules) is kept in the cache of this user and only read from there, so nothing
that a model has written ever runs where a network is.

    CACHE/KEY/ready     written last: all commands ended with 0
    CACHE/KEY/tree/     the files of the commit, and what the commands have made
    CACHE/KEY/home/     the home of the commands
"""

import fcntl
import hashlib
import json
import os
import platform
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipeline.confinement.confinement import Confinement
from pipeline.contract.wire import CommitSha
from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.domain.errors import PreconditionFailed, WorkspaceUnusable
from pipeline.workspace.environment import with_programs
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.processes import Processes, ProcessLimits
from pipeline.workspace.worktree import Worktree

_READY = "ready"
_SECONDS = 1_200
_MOST_CHARACTERS = 2_000
_MODULES = "go/pkg/mod"
_ENVIRONMENT = ".venv"
_PIP = frozenset({"pip", "pip3"})
_PYTHON_PROGRAMS = frozenset({"python", "python3"})
_BY_LOCK_FILE = {
    "uv.lock": "uv sync --all-extras --all-groups",
    "poetry.lock": "poetry install --all-extras --all-groups",
    "pdm.lock": "pdm install --dev",
    "Pipfile.lock": "pipenv install --dev",
    "pnpm-lock.yaml": "pnpm install --frozen-lockfile",
    "yarn.lock": "yarn install --frozen-lockfile",
    "bun.lock": "bun install --frozen-lockfile",
    "package-lock.json": "npm ci",
    "npm-shrinkwrap.json": "npm ci",
}
"""Commands that install a project with its development packages, by the file that pins them."""
_REQUIREMENTS = (
    *("requirements-dev.txt", "requirements-test.txt", "requirements-tests.txt", "dev-requirements.txt"),
    *("test-requirements.txt", "requirements/dev.txt", "requirements/test.txt", "requirements/tests.txt"),
    *("requirements/requirements-tests.txt", "requirements.txt"),
)
_TEST_EXTRAS = ("test", "tests", "testing", "dev")


def suggested_setup(tree: WorkspaceTree) -> str:
    """The command that installs what a project and its tests need, by its lock files and what it declares."""
    command = next((command for file, command in _BY_LOCK_FILE.items() if tree.exists(file)), None)
    if command is not None:
        return command
    if tree.exists("package.json") and not tree.exists("pyproject.toml"):
        return "npm install"
    try:
        project = tomllib.loads(tree.read("pyproject.toml").data.decode("utf-8", "replace"))
    except (CallRefused, tomllib.TOMLDecodeError):
        project = {}
    words = ["pip install"]
    extras = project.get("project", {}).get("optional-dependencies", {})
    chosen = next((name for name in _TEST_EXTRAS if name in extras), None)
    if "project" in project or tree.exists("setup.py"):
        words.append(f"-e .[{chosen}]" if chosen else "-e .")
    requirements = next((path for path in _REQUIREMENTS if tree.exists(path)), None)
    group = next((name for name in _TEST_EXTRAS if name in project.get("dependency-groups", {})), None)
    if requirements is not None and chosen is None:
        words.append(f"-r {requirements}")
    elif group is not None:
        # The pip that a new environment has may be too old to know groups.
        return " ".join(["pip install -U pip,", *words, f"--group {group}"])
    elif chosen is None:
        words.append("pytest")
    return " ".join(words)


def default_folder() -> Path:
    """Where installed packages are kept: `$XDG_CACHE_HOME/askfirst/setup`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "askfirst" / "setup"


@dataclass(frozen=True)
class Setup:
    """The commands, and where they run. `ours` is our own environment, of which they see next to nothing.

    `name` is the repository's on GitHub, None for one that is not there.
    """

    repository: Path
    commit: CommitSha
    commands: tuple[str, ...]
    cache: Path
    ours: Mapping[str, str]
    name: str | None = None

    @cached_property
    def tree(self) -> Path:
        """The tree in which the commands have run; they run now where no run before has done it.

        Raises:
            PreconditionFailed: a command failed, or cannot be run.
            RepositoryUnreadable: git cannot read the commit.
            WorkspaceUnusable: the cache cannot be written.
        """
        folder = self.cache / self._key
        try:
            self.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
            with folder.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not (folder / _READY).exists():
                    self._run_in(folder)
        except OSError as error:
            raise WorkspaceUnusable(
                f"{folder} cannot be used for what `setup` installs.",
                why=error.strerror or str(error),
                what_to_do="Free the place, or choose another one with the variable XDG_CACHE_HOME.",
            ) from error
        return folder / "tree"

    def environment(self, ours: Mapping[str, str]) -> Mapping[str, str]:
        """Our environment with the Go modules that were downloaded."""
        modules = self.tree.parent / "home" / _MODULES
        return {**ours, "GOMODCACHE": str(modules)} if modules.is_dir() else ours

    @cached_property
    def _key(self) -> str:
        """A digest of what decides what is installed: the repository, its whole tree, the commands, the interpreters.

        An install script may read any file, and a fork with other files must never fill the place of the original.
        """
        tree = b"\0".join(Worktree.list_files(self.repository, self.commit))
        machine = (platform.system(), platform.machine(), self.ours.get("PATH", ""))
        parts = [
            self.name or str(self.repository.resolve()),
            hashlib.sha256(tree).hexdigest(),
            self.commands,
            machine,
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def _run_in(self, folder: Path) -> None:
        # Go's module cache is read-only: what a failed try has left is made removable first.
        Worktree(folder, self.repository, self.commit).remove()
        worktree = Worktree.create(self.repository, self.commit, folder)
        if any(_calls_pip(command) for command in self.commands):
            # Most interpreters can only be read, and what is installed into one would be the machine's, not the project's.
            _run(self._processes(worktree), f"python3 -m venv {_ENVIRONMENT}")
        processes = self._processes(worktree)
        for command in self.commands:
            _run(processes, command)
        (folder / _READY).touch()

    def _processes(self, worktree: Worktree) -> Processes:
        return Processes(
            worktree,
            ours=with_programs(self.ours, worktree.tree / _ENVIRONMENT / "bin"),
            limits=ProcessLimits(seconds=_SECONDS),
            confinement=Confinement.of_this_machine(),
            online=True,
        )


def _calls_pip(command: str) -> bool:
    with suppress(CommandRefused):
        words = words_of(command)
        return words[0] in _PIP or (words[0] in _PYTHON_PROGRAMS and words[1:3] == ("-m", "pip"))
    return False


def _run(processes: Processes, command: str) -> None:
    try:
        result = processes.run(words_of(command), network=True)
    except (CommandRefused, CallRefused) as refusal:
        raise _setup_failure(command, "cannot be run", str(refusal)) from refusal
    if result.exit_code != 0:
        how = result.too_much or f"ended with exit code {result.exit_code}"
        raise _setup_failure(command, how, result.output.strip()[-_MOST_CHARACTERS:] or "It printed nothing.")


def _setup_failure(command: str, how: str, why: str) -> PreconditionFailed:
    return PreconditionFailed(
        f"The command `{command}` of `setup` {how}.",
        why=why,
        what_to_do="Correct it in .github/askfirst/config.yml, one program a line, without a shell and without keys:\n"
        "setup: [npm ci]       or       setup: [pip install -e .[test]]\n"
        "What needs a key to be installed is installed in a step of the job before askfirst; it is found there.",
    )
