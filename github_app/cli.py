"""`askfirst-app` on the command line: the only place of the App that exits. Each command imports its room when called."""

import signal
import sys
import threading
from pathlib import Path
from typing import NoReturn

import click

from pipeline.contract.exit_codes import ExitCode


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="askfirst", prog_name="askfirst-app")
def askfirst_app() -> None:
    """Ask the author of an issue, read the reply, start the run again."""


@askfirst_app.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@click.option("--port", default=0, show_default="a free one", help="Port of the pages and the REST API.")
@click.option("--webhook", metavar="URL", help="Where to send the App's webhook deliveries.")
def sandbox(directory: Path | None, port: int, webhook: str | None) -> None:
    """Run a GitHub on 127.0.0.1 with the repository acme/orders, made from the files of DIRECTORY.

    Example: askfirst-app sandbox --webhook http://127.0.0.1:8000/webhook path/to/files
    """
    from github_app.sandbox import Sandbox

    with Sandbox.start(port=port) as github:
        github.webhook_url = webhook
        github.create_repository("orders", owner="acme", from_directory=directory)
        click.echo(f"pages           {github.html_url}/acme/orders/issues")
        click.echo(f"REST API        {github.api_url}")
        click.echo(
            f"App             client id {github.app.client_id}, webhook secret {github.app.webhook_secret}"
        )
        click.echo(github.app.private_key_pem)
        _wait_for_the_end()


def main() -> NoReturn:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        code = askfirst_app.main(args=arguments, prog_name="askfirst-app", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except click.Abort:
        return 130
    return int(code or ExitCode.DONE)


def _wait_for_the_end() -> None:
    """Return at the first SIGINT or SIGTERM."""
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
