"""The common parts of commands: how click finds them, and the options for a checkout, a ticket and a pipeline."""

import importlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from click.shell_completion import CompletionItem

from pipeline.contract.start_page import StartPage
from pipeline.domain.errors import TicketUnreadable
from pipeline.git import run_git

_SOURCES = "a Markdown file, - for standard input, an event file (.json), or an issue: 12, owner/repo#12, its address."
ISSUE_HELP = f"What to work on: {_SOURCES}"

DEFAULT_CHECKOUT = Path()

_CommandT = TypeVar("_CommandT", bound=Callable[..., object])
_FolderCallback = Callable[[click.Context, click.Parameter, Path], Path]


def existing_folder(_context: click.Context, _parameter: click.Parameter, value: Path) -> Path:
    """The callback of `--repository` where any folder will do."""
    if not value.is_dir():
        raise click.BadParameter(f"there is no folder {os.fspath(value)!r}.")
    return value


def checkout(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The callback of `--repository` where it must be a checkout: the top of the one that the folder belongs to.

    Paths, settings and commits are those of a whole repository. Half of them would be missing in a folder of it.
    """
    top, reason = _top_of(existing_folder(context, parameter, value))
    if top is None:
        raise click.BadParameter(
            f"{os.fspath(value)!r} is not a git checkout. Go to your repository, or name it: --repository DIR{reason}"
        )
    return top


def checkout_or_folder(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """The callback of `--repository` where a folder outside of every checkout will do, or a machine without git."""
    folder = existing_folder(context, parameter, value)
    return folder if shutil.which("git") is None else _top_of(folder)[0] or folder


def repository_option(
    help_text: str, callback: _FolderCallback = checkout
) -> Callable[[_CommandT], _CommandT]:
    """`--repository`, the current folder by default."""
    return click.option(
        "--repository",
        default=DEFAULT_CHECKOUT,
        type=click.Path(path_type=Path),
        callback=callback,
        help=f"{help_text}  [default: .]",
    )


def _top_of(folder: Path) -> tuple[Path | None, str]:
    """The top of the checkout that a folder belongs to; else None, and why git refuses one that is there."""
    process = run_git(folder, "rev-parse", "--is-inside-work-tree", "--show-cdup")
    is_inside, _, up = os.fsdecode(process.stdout).partition("\n")
    if process.returncode == 0 and is_inside == "true":
        return _say_top(folder, (folder / up.strip()).resolve()) if up.strip() else folder, ""
    # Git's own words say why it refuses a checkout of somebody else; that there is none, the sentence says already.
    reason = process.stderr.decode("utf-8", "replace").strip()
    return None, "" if "not a git repository" in reason else f"\n{reason}"


def _say_top(folder: Path, top: Path) -> Path:
    name = os.fspath(folder.resolve().relative_to(top))
    click.echo(f"note: {name}/ is a folder of {os.fspath(top)}, which is the repository.", err=True)
    return top


EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
"""The type of an option that names a file to read: one that is missing is refused before anything is written."""


def new_file(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """The callback of a file that is written at the end: an unusable path is refused before anything is worked out."""
    if value is not None and value.is_dir():
        raise click.BadParameter(f"{os.fspath(value)!r} is a folder. Name a file in it.")
    if value is not None and not value.parent.is_dir():
        raise click.BadParameter(f"there is no folder {os.fspath(value.parent)!r}.")
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


class LazyCommands(click.Group):
    """The module `pipeline.commands.<name>` holds the `command` of that name. It is imported when it is called."""

    def __init__(self, page: StartPage) -> None:
        super().__init__(
            page.program, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
        )
        self._page = page

    def get_help(self, _ctx: click.Context) -> str:
        """The page that stands for every command, without importing any."""
        return self._page.text()

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names, in the order of the page."""
        return list(self._page.commands)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in self._page.commands:
            return None
        command: click.Command = importlib.import_module(f"pipeline.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but for the names among which it looks for what was meant."""
        if args[0] not in self._page.commands and not ctx.resilient_parsing and not args[0].startswith("-"):
            raise click.NoSuchCommand(args[0], possibilities=self._page.commands, ctx=ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands with their summaries, without importing any; options as click does it."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=summary)
            for name, (_, summary) in self._page.commands.items()
            if name.startswith(incomplete)
        ]
