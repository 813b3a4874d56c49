"""Starts git, always in the same environment: git reads the repository that it is pointed at, and runs nothing of it.

`GIT_DIR` and its like, which git sets for hooks and aliases, would have it read another one. Settings that a person keeps in the
environment (`GIT_CONFIG_COUNT` and so on) hold: they may say which folders are safe.
"""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pipeline.domain.errors import RepositoryUnreadable

GIT = (
    "git",
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.quotepath=off",
)  # fmt: skip
"""How each call begins."""

_SECONDS = 120
_SETTINGS = "GIT_CONFIG_"


def git_environment() -> dict[str, str]:
    """The environment for git: in English, without prompts, and without locks that a reader does not need."""
    outer_environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name.startswith(_SETTINGS)
    }
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    return outer_environment | quiet


def run_git(
    directory: Path, *arguments: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a directory, whatever its exit code is. `variables` come on top of the environment.

    Raises:
        RepositoryUnreadable: git cannot be started there, or does not end.
    """
    try:
        return subprocess.run(
            [*GIT, *arguments],
            cwd=directory,
            env=git_environment() | dict(variables or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError as error:
        raise RepositoryUnreadable(
            "git is not installed, or the directory is missing.",
            why=str(error),
            what_to_do="Install git and name a checkout: --repository path/to/checkout",
        ) from error
    except PermissionError as error:
        raise RepositoryUnreadable(
            f"{os.fspath(directory)!r} cannot be read: {error.strerror}.",
            why="The user that runs askfirst has no right to enter it.",
            what_to_do=f"Give read access: chmod -R u+rX {directory}",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise RepositoryUnreadable(
            f"git took longer than {_SECONDS} seconds to read {os.fspath(directory)!r}.", why=str(error)
        ) from error
