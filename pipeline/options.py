"""Options that several commands share: which checkout, which ticket and which pipeline."""

import os
import subprocess
from pathlib import Path

import click

from pipeline.domain.errors import TicketUnreadable

_SOURCES = "a Markdown file, - for standard input, an event file (.json), or an issue: 12, owner/repo#12, its address."
ISSUE_HELP = f"What to work on: {_SOURCES}"

DEFAULT_CHECKOUT = Path()


def checkout(_context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    """The callback of `--repository` where it must be a checkout."""
    if not value.is_dir():
        raise click.BadParameter(f"there is no folder {os.fspath(value)!r}.")
    process = subprocess.run(
        ["git", "-C", os.fspath(value), "rev-parse", "--is-inside-work-tree"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0 or process.stdout.strip() != "true":
        # Git's own words say why it refuses a checkout of somebody else; that there is none, the sentence says already.
        reason = "" if "not a git repository" in process.stderr else f"\n{process.stderr.strip()}"
        raise click.BadParameter(
            f"{os.fspath(value)!r} is not a git checkout. Go to your repository, or name it: --repository DIR{reason}"
        )
    return value


def issue_source(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """The callback of `--issue`: what names neither a file nor an issue is refused before anything is written."""
    from pipeline.run_inputs.issue_source import STANDARD_INPUT, issue_name

    try:
        names_issue = value == STANDARD_INPUT or value.isdecimal() or issue_name(value) is not None
    except TicketUnreadable as error:
        raise click.BadParameter(str(error)) from error
    if not names_issue and not Path(value).is_file():
        raise click.BadParameter(f"there is no file {value!r}, and it names no issue. Name {_SOURCES}")
    return value


def known_definition(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """The callback of `--definition`: the name of a shipped one, or a file that is there."""
    from pipeline.definition.loader import SHIPPED_DEFINITIONS
    from pipeline.domain.model_mistakes import suggestion

    if value not in SHIPPED_DEFINITIONS and not Path(value).is_file():
        near = suggestion(value, list(SHIPPED_DEFINITIONS))
        raise click.BadParameter(
            f"there is no definition {value!r}: it is neither a file nor a shipped one.{near}"
        )
    return value
