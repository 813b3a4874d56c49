"""Install what the tests need, once for each state of the lock files, before an agent that writes has its first turn.

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
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from pipeline.confinement.confinement import Confinement
from pipeline.contract.wire import CommitSha
from pipeline.domain.command_line import CommandRefused, words_of
from pipeline.domain.errors import PreconditionFailed, WorkspaceUnusable
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.processes import Processes, ProcessLimits
from pipeline.workspace.worktree import Worktree

_READY = "ready"
_SECONDS = 1_200
_MOST_CHARACTERS = 2_000
_MODULES = "go/pkg/mod"

_DEPENDENCY_FILES = (
    *("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
    *("yarn.lock", "bun.lock", ".npmrc", ".yarnrc.yml", "pyproject.toml", "uv.lock", "poetry.lock"),
    *("Pipfile.lock", "setup.py", "setup.cfg", "requirements*.txt", "requirements/*.txt", "go.mod", "go.sum"),
    *("go.work", "Gemfile", "Gemfile.lock", "composer.json", "composer.lock", ".python-version", ".nvmrc"),
)
"""Globs of files that say what is installed. As long as they stay, so does what was installed."""


def default_folder() -> Path:
    """Where installed packages are kept: `$XDG_CACHE_HOME/askfirst/setup`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "askfirst" / "setup"


@dataclass(frozen=True)
class Setup:
    """The commands, and where they run. `ours` is our own environment, of which they see next to nothing."""

    repository: Path
    commit: CommitSha
    commands: tuple[str, ...]
    cache: Path
    ours: Mapping[str, str]

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
        """A digest of what decides what is installed: the commands, the files that name packages, the interpreters."""
        digest = hashlib.sha256()
        machine = (platform.system(), platform.machine(), self.ours.get("PATH", ""))
        digest.update(json.dumps([self.commands, machine]).encode())
        for line in self._dependency_files():
            digest.update(line)
        return digest.hexdigest()[:32]

    def _dependency_files(self) -> list[bytes]:
        """Mode, id and path of each file that names packages, as git lists them."""
        listing = Worktree.list_files(self.repository, self.commit)
        return [
            line
            for line in listing
            if any(
                PurePosixPath(os.fsdecode(line.partition(b"\t")[2])).match(glob) for glob in _DEPENDENCY_FILES
            )
        ]

    def _run_in(self, folder: Path) -> None:
        # Go's module cache is read-only: what a failed try has left is made removable first.
        Worktree(folder, self.repository, self.commit).remove()
        worktree = Worktree.create(self.repository, self.commit, folder)
        processes = Processes(
            worktree,
            ours=self.ours,
            limits=ProcessLimits(seconds=_SECONDS),
            confinement=Confinement.of_this_machine(),
            online=True,
        )
        for command in self.commands:
            _run(processes, command)
        (folder / _READY).touch()


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
        "setup: [npm ci]\n"
        "What needs a key to be installed is installed in a step of the job before askfirst; it is found there.",
    )
