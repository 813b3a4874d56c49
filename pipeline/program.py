"""The commands of `askfirst` for click, which imports one when it is called: start-up time is a feature."""

import importlib

import click
from click.shell_completion import CompletionItem

from pipeline.contract.start_page import StartPage


class LazyCommands(click.Group):
    """The module `pipeline.commands.<name>` holds the `command` of that name."""

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
