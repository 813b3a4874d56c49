"""`askfirst` on the command line: the only place of the pipeline that exits, and the outer edge for unexpected errors."""

import importlib
import os
import sys
import traceback
from typing import NoReturn

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.version import VERSION
from pipeline.domain.errors import PipelineError

COMMANDS = {
    "init": ("Set up", "Write the workflow and the configuration, and try the open issues."),
    "plan": ("Set up", "Check a pipeline and everything in .github/askfirst/."),
    "run": ("Work on a ticket", "Run a pipeline on an issue: a ticket, a question, or a failure."),
    "explain": ("Work on a ticket", "Say why a run would ask, or would not."),
    "decide": ("Work on a ticket", "Keep an answer for later tickets."),
    "registry": ("Look inside", "List the routes, symbols and calls of a checkout."),
    "gate": ("Look inside", "Test and report on the gate of agents' tool calls."),
    "evaluate": ("Look inside", "Measure how well it asks."),
}
"""The group and the summary of each command for `--help`. Its module, `pipeline.commands.<name>`, holds its `command`, and is
imported only when it is called."""

_INTERRUPTED = 130
"""What shells report for a program that Ctrl-C ended (128 + SIGINT)."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for: start-up time is a feature."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Names for `--help`."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"pipeline.commands.{cmd_name}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by group, without importing any."""
        for group in dict.fromkeys(group for group, _ in COMMANDS.values()):
            with formatter.section(group):
                formatter.write_dl([(name, text) for name, (its, text) in COMMANDS.items() if its == group])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="askfirst")
def askfirst() -> None:
    """Label an issue: get a ticket, a pull request, or one sharp question before any code is written."""


def main() -> NoReturn:
    """Run the command line and exit with a code of `ExitCode`.

    Plugins of pydantic that the environment happens to hold do not run here; looking for them alone takes a third of
    the time in which a question is asked.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    Usage errors are 64, because 2 is the code with which argparse, click and shells end for reasons of their own.
    """
    from pipeline.run_record.unfinished import ADVICE, Unfinished

    unfinished = Unfinished()
    try:
        code = askfirst.main(args=arguments, prog_name="askfirst", standalone_mode=False, obj=unfinished)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except PipelineError as error:
        click.echo(f"askfirst: {error}", err=True)
        return ExitCode.PIPELINE_ERROR
    except Exception as error:  # the outer edge: nothing that breaks may look like a question or like success
        unfinished.fail(error, os.environ)
        traceback.print_exception(error)
        click.echo(f"askfirst broke: {type(error).__name__}: {error}\n{ADVICE}", err=True)
        return ExitCode.PIPELINE_ERROR
    return int(code or ExitCode.DONE)
