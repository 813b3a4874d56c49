"""`askfirst-app` on the command line: the only place of the App that exits.

Only what `--version` and `--help` need is imported at the top.
"""

import sys
from typing import NoReturn

from github_app.start_page import PAGE
from pipeline.contract.exit_codes import ExitCode


def main() -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    answer = PAGE.answer(arguments)
    if answer is not None:
        print(answer)
        return ExitCode.DONE
    import click

    from github_app.commands import askfirst_app
    from github_app.settings import CannotStart
    from pipeline.contract.version import install_command

    try:
        code = askfirst_app.main(args=arguments, prog_name=PAGE.program, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except click.Abort:
        return 130
    except CannotStart as problem:
        click.echo(f"askfirst-app: {problem}", err=True)
        return 1
    except ModuleNotFoundError as missing:
        click.echo(
            f"askfirst-app: this command needs {missing.name}, which is not installed. Install it: {install_command('app')}",
            err=True,
        )
        return 1
    return int(code or ExitCode.DONE)


if __name__ == "__main__":
    main()
