"""`askfirst` on the command line: the only place of the pipeline that exits, and the outer edge for unexpected errors.

Only what `--version` and `--help` need is imported at the top.
"""

import errno
import os
import sys
from typing import NoReturn

from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.start_page import StartPage

PAGE = StartPage(
    "askfirst",
    "Label an issue: get a ticket, a pull request, or one sharp question before any code is written.",
    {
        "init": ("Set up", "Write the workflow and the configuration, and try the open issues."),
        "plan": ("Set up", "Check a pipeline and everything in .github/askfirst/."),
        "run": ("Work on a ticket", "Run a pipeline on an issue: a ticket, a question, or a failure."),
        "explain": ("Work on a ticket", "Say why a run would ask, or would not."),
        "decide": ("Work on a ticket", "Keep an answer for later tickets."),
        "mcp": ("Work on a ticket", "Serve other coding agents, which ask before they write code."),
        "registry": ("Look inside", "List the routes, symbols and calls of a checkout."),
        "gate": ("Look inside", "Test and report on the gate of agents' tool calls."),
        "evaluate": ("Look inside", "Measure on past commits how well it finds and asks."),
    },
)

_OUTPUT_ERRORS = frozenset({errno.EPIPE, errno.ENOSPC})
"""The reader of the output has gone, or the disk that it goes to is full."""

_INTERRUPT_CODE = 130
"""The exit code that shells report for a program ended by Ctrl-C (128 + SIGINT)."""


def main() -> NoReturn:
    """Run the command line and exit with a code of `ExitCode`.

    Plugins of pydantic that the environment happens to hold do not run here; looking for them alone takes a third of
    the time in which a question is asked. Interpreters that askfirst starts import nothing from the current folder, which
    is often the checkout.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    os.environ["PYTHONSAFEPATH"] = "1"
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code. A reader of the output that has gone, as `| head` does, is no error."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in _OUTPUT_ERRORS:
            raise
        # What is left in the buffer would fail again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:
            return ExitCode.DONE
        reason = f"{error.strerror}. Free some space, then run the command again."
        print(f"askfirst: the output cannot be written: {reason}", file=sys.stderr)
        return ExitCode.PIPELINE_ERROR
    return code


def _run(arguments: list[str]) -> int:
    """Usage errors are 64, because 2 is the code with which argparse, click and shells end for reasons of their own."""
    answer = PAGE.answer(arguments)
    if answer is not None:
        print(answer)
        return ExitCode.DONE
    import click

    from pipeline.domain.errors import PipelineError, RunDirectoryRefused
    from pipeline.options import LazyCommands

    try:
        code = LazyCommands(PAGE).main(args=arguments, prog_name=PAGE.program, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPT_CODE
    except SystemExit:  # click ends so when the reader of the output has gone, as `| head` does
        return ExitCode.DONE
    except PipelineError as error:
        click.echo(f"askfirst: {error}", err=True)
        return ExitCode.USAGE if isinstance(error, RunDirectoryRefused) else ExitCode.PIPELINE_ERROR
    except Exception as error:  # the outer edge: nothing that breaks may look like a question or like success
        import traceback

        if isinstance(error, OSError) and error.errno in _OUTPUT_ERRORS:
            raise
        if _is_missing_library(error):
            return ExitCode.PIPELINE_ERROR
        traceback.print_exception(error)
        click.echo(f"Internal error (please report): {type(error).__name__}: {error}", err=True)
        return ExitCode.PIPELINE_ERROR
    return int(code or ExitCode.DONE)


def _is_missing_library(error: Exception) -> bool:
    """Say which library the installation lacks, if that is it. A module of our own that is not there is a defect."""
    if (
        not isinstance(error, ModuleNotFoundError)
        or (error.name or "pipeline").partition(".")[0] == "pipeline"
    ):
        return False
    from pipeline.contract.version import install_command

    advice = (
        f"which is not installed. Install it: {install_command(error.name if error.name == 'mcp' else '')}"
    )
    print(f"askfirst: this command needs {error.name}, {advice}", file=sys.stderr)
    return True
