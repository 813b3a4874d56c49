"""`python -m sandbox`: the demo, and a GitHub to try the App against. Only a checkout has it."""

import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import click

from github_app.serving.stop_signal import stop_event
from sandbox import demo
from sandbox.sandbox import Sandbox
from sandbox.served_app import AppNotStarted, app_environment


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def program() -> None:
    """Run a GitHub on 127.0.0.1."""


@program.command("demo")
@click.option(
    "--page", is_flag=True, help="Keep everything running, and read the replies from the issue's page."
)
def demo_command(page: bool) -> None:
    """Play one conversation through, on a GitHub of its own: a label, a question, a reply, a pull request.

    Takes the reply from the terminal; without a terminal it replies 2. Example: python -m sandbox demo --page
    """
    try:
        if page:
            demo.keep_page(click.echo, stop_event())
        else:
            demo.run_demo(click.echo, _reply_from_terminal if sys.stdin.isatty() else lambda: "2")
    except (demo.DemoFailed, AppNotStarted) as failure:
        raise click.ClickException(str(failure)) from failure


@program.command("github")
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False)
@click.option("--port", default=0, show_default="a free one", help="Port of the pages and the REST API.")
@click.option(
    "--webhook", metavar="URL", default="http://127.0.0.1:8000/webhook", show_default=True,
    help="Where the App takes webhook deliveries.",
)  # fmt: skip
def github_command(directory: Path | None, port: int, webhook: str) -> None:
    """Run a GitHub on 127.0.0.1 with the repository acme/orders, made from the files of DIRECTORY.

    Prints the settings with which an App serves it. Example: python -m sandbox github path/to/files > sandbox.env
    """
    with (
        Sandbox.start(port=port) as github,
        TemporaryDirectory(prefix="askfirst-app-", ignore_cleanup_errors=True) as folder,
    ):
        github.webhook_url = webhook
        github.create_repository("orders", owner="acme", from_directory=directory)
        for name, value in app_environment(github, Path(folder), urlsplit(webhook).port or 80).items():
            if name.startswith(("ASKFIRST_", "GITHUB_")):
                click.echo(f"{name}={shlex.quote(value)}")
        click.echo(f"Pages: {github.html_url}/acme/orders/issues  (Ctrl-C ends the sandbox)", err=True)
        stop_event().wait()


def _reply_from_terminal() -> str:
    reply: str = click.prompt("Your reply (2, go, a name, or /answer and one sentence)", default="go")
    return reply


if __name__ == "__main__":
    program(prog_name="python -m sandbox")
