"""Options that several commands share: which checkout, and which ticket."""

import os
import subprocess
from pathlib import Path

import click

ISSUE_HELP = "A Markdown file, - for standard input, an event file (.json), or an issue: 12, owner/repo#12, its address."

DEFAULT_CHECKOUT = Path()


def checkout(_context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    """The callback of `--repository` where it must be a checkout."""
    if not value.is_dir():
        raise click.BadParameter(f"there is no folder {os.fspath(value)!r}.")
    done = subprocess.run(
        ["git", "-C", os.fspath(value), "rev-parse", "--is-inside-work-tree"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 or done.stdout.strip() != "true":
        raise click.BadParameter(
            f"{os.fspath(value)!r} is no git checkout. Go to your repository, or name it: --repository DIR\n"
            f"{done.stderr.strip()}"
        )
    return value
