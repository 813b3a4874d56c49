"""The commands of `askfirst-app`. Each imports its room when it is called."""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from github_app.settings import CannotStart
from github_app.start_page import PAGE

_MOST_SHOWN = 10
"""Deliveries that wait, of those that need no operator."""


class Program(click.Group):
    """The commands below, which stand on the program's page."""

    def get_help(self, _ctx: click.Context) -> str:
        """The page."""
        return PAGE.text()


askfirst_app = Program(
    PAGE.program, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}
)


@contextlib.contextmanager
def _github_asked() -> Iterator[None]:
    """Around what asks GitHub: its refusal ends the command. The words for it are imported only where they are needed.

    Raises:
        CannotStart: GitHub says no, or nothing.
    """
    from github_app.ports.github import GitHubRefused, GitHubUnavailable

    try:
        yield
    except (GitHubRefused, GitHubUnavailable) as problem:
        raise CannotStart(str(problem)) from problem


@askfirst_app.command("serve")
def serve_command() -> int:
    """Run the whole App on this machine: the web server and one worker, started again when they die.

    Example: ASKFIRST_PRIVATE_KEY_FILE=app.pem … askfirst-app serve
    """
    from github_app import wiring

    return 0 if wiring.serve() else 1


@askfirst_app.command("web")
def web_command() -> int:
    """Run only the web server, which stores deliveries.

    Example: askfirst-app web
    """
    from github_app import wiring

    return wiring.run_web()


@askfirst_app.command("worker")
def worker_command() -> None:
    """Run only the worker, which does what was stored. There is one per SQLite file; Postgres serves several.

    Example: askfirst-app worker
    """
    from github_app import wiring
    from github_app.setup.check import report_problems

    wiring.run_worker(report_problems)


@askfirst_app.command("setup")
@click.option("--url", required=True, metavar="URL", help="Where GitHub reaches the App: https://HOST")
@click.option("--organization", metavar="NAME", help="The organization that owns the App.  [default: you]")
@click.option(
    "--output", type=click.Path(path_type=Path), help="Write the settings to this file, readable by you only.",
)  # fmt: skip
@click.option("--print", "as_print", is_flag=True, help="Print the settings instead, for a secret store.")
def setup_command(url: str, organization: str | None, output: Path | None, as_print: bool) -> None:
    """Register the App on GitHub in one click, and keep its credentials.

    Example: askfirst-app setup --url https://askfirst.example --output app.env
    """
    from github_app.settings import read_address
    from github_app.setup.manifest import Registration, environment_file, write_secretly

    if (output is None) is not as_print:
        raise click.UsageError("name a file for the credentials (--output app.env), or --print them")
    if output is not None and output.exists():
        raise click.UsageError(f"{output} exists, and credentials are not written over. Name another file.")
    if not url.startswith("https://"):
        raise click.UsageError(f"{url} must begin with https://: --url https://HOST")
    address = read_address()
    registration = Registration(address, url, organization)
    click.echo(f"Open this page and press its button: {registration.page_url}", err=True)
    with _github_asked():
        credentials = registration.credentials(3600)
    text = environment_file(credentials, address)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_secretly(output, text)
        click.echo(
            f"Written to {output}. Start the App with it: set -a; . ./{output}; set +a; askfirst-app serve",
            err=True,
        )
    click.echo(
        f"Now install it on your repositories: {credentials.get('html_url', '')}/installations/new", err=True
    )


@askfirst_app.command("check")
@click.option("--repository", metavar="OWNER/NAME", help="Look at this repository, too.")
@click.option("--ping/--no-ping", default=True, help="Send a signed ping to the webhook's address.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def check_command(repository: str | None, ping: bool, as_json: bool) -> int:
    """Compare the App on GitHub and the surfaces with its settings here. Exits 1 if something differs or could not be checked.

    Example: askfirst-app check --repository acme/orders
    """
    from github_app.settings import read_settings
    from github_app.setup.check import check
    from github_app.setup.finding import SetupVerdict, as_document

    if repository is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        raise click.UsageError(f"--repository {repository!r} is not OWNER/NAME, such as acme/orders")
    findings = []
    for finding in check(read_settings(), repository=repository, ping=ping):
        findings.append(finding)
        if not as_json:
            click.echo(str(finding))
    if as_json:
        click.echo(json.dumps([as_document(finding) for finding in findings], indent=2))
    return 0 if all(finding.verdict is SetupVerdict.FINE for finding in findings) else 1


@askfirst_app.command("event")
def event_command() -> None:
    """In a job of GitHub Actions, without the App: take the event that started it.

    Sets the outputs `run` and `request`. Example: askfirst-app event
    """
    from github_app.job import wiring

    with _github_asked():
        wiring.take_event_of_job()


@askfirst_app.command("publish")
@click.option(
    "--result", type=click.Choice(["success", "failure", "cancelled", "skipped"]), required=True,
    help="How the pipeline's job ended: needs.pipeline.result.",
)  # fmt: skip
def publish_command(result: str) -> None:
    """In a job of GitHub Actions, without the App: say how the pipeline's job of this run ended.

    Example: askfirst-app publish --result success
    """
    from github_app.job import wiring

    with _github_asked():
        wiring.publish_from_job(result)


@askfirst_app.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def list_command(as_json: bool) -> None:
    """List the open conversations: whose turn it is, since when, and the cost so far; and what each repository has spent today.

    Example: askfirst-app list
    """
    from github_app import wiring

    lines = wiring.open_conversations()
    if as_json:
        documents = [
            {**asdict(line), "since": line.since.isoformat() if line.since else None} for line in lines
        ]
        click.echo(json.dumps(documents, indent=2))
        return
    if not lines:
        click.echo("No conversation is open.")
    for line in lines:
        since = f"since {line.since:%Y-%m-%d %H:%M}" if line.since else ""
        cost = f"  ${line.dollars:.2f}" if line.dollars else ""
        about = line.question or (f"run {line.run_id}" if line.run_id else "")
        click.echo(f"{line.place}  {line.state}  waits for {line.waits_for}  {since}{cost}  {about}".rstrip())
    for repository, dollars in wiring.spent_today().items():
        click.echo(f"{repository} has spent ${dollars:.2f} today (UTC).")


@askfirst_app.command("stuck")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def stuck_command(as_json: bool) -> int:
    """List the deliveries that failed for good or take suspiciously long. Exits 1 if there are any.

    If there are none, those are shown that wait and are tried again by themselves.

    Example: askfirst-app stuck --json
    """
    from github_app import wiring

    store = wiring.open_deliveries()
    place_of = wiring.place_names()
    rows = store.stuck_deliveries()
    if as_json:
        fields = ("id", "status", "event", "conversation", "error")
        documents = [
            {
                **{name: getattr(delivery, name) for name in fields},
                "since": delivery.since.isoformat(),
                "place": place_of(delivery.conversation),
            }
            for delivery in rows
        ]
        click.echo(json.dumps(documents, indent=2))
        return 1 if rows else 0
    for delivery in rows:
        click.echo(
            f"{delivery.id}  {delivery.status}  {delivery.event}  {place_of(delivery.conversation)}"
            f"  since {delivery.since:%Y-%m-%d %H:%M}"
        )
        if delivery.error:
            click.echo(f"    {delivery.error}")
    if rows:
        click.echo(f"Do one again with: askfirst-app replay {rows[0].id}{wiring.missing_worker()}")
        return 1
    click.echo(f"Nothing is stuck.{wiring.missing_worker()}")
    waiting = store.waiting_deliveries()
    for put_off in waiting[:_MOST_SHOWN]:
        click.echo(
            f"{put_off.id}  waits  {put_off.event}  {place_of(put_off.conversation)}  since"
            f" {put_off.since:%Y-%m-%d %H:%M}, next try {put_off.next_try:%H:%M:%S} (UTC)"
        )
        click.echo(f"    {put_off.error}")
    if waiting:
        subject = (
            "1 delivery waits and is" if len(waiting) == 1 else f"{len(waiting)} deliveries wait and are"
        )
        click.echo(f"{subject} tried again without your doing.")
    return 0


@askfirst_app.command("replay")
@click.argument("delivery_id")
def replay_command(delivery_id: str) -> int:
    """Handle a delivery again that has ended, with or without success. No effect is repeated that was done.

    Example: askfirst-app replay 72d3162e-cc78-11e3-81ab-4c9367dc0958
    """
    from github_app import wiring
    from github_app.storage.delivery import ReplayOutcome

    match wiring.open_deliveries().replay(delivery_id):
        case ReplayOutcome.ORDERED:
            click.echo(f"{delivery_id} will be done again.{wiring.missing_worker()}")
            return 0
        case ReplayOutcome.IN_HAND:
            click.echo(
                f"{delivery_id} is in hand or next in line, and needs no replay.{wiring.missing_worker()}",
                err=True,
            )
        case ReplayOutcome.UNKNOWN:
            click.echo(
                f"No delivery {delivery_id} is in the store: it never arrived, or it ended longer ago than"
                " ASKFIRST_RETENTION_DAYS. Ids are listed by askfirst-app stuck, in the App's log, and under 'Recent"
                " deliveries' on the App's page.",
                err=True,
            )
    return 1


@askfirst_app.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
def backup_command(file: Path) -> None:
    """Copy the database to FILE while the App runs. To restore it: stop the App, put the file in its place, start.

    Example: askfirst-app backup askfirst-monday.sqlite
    """
    from github_app import wiring

    wiring.back_up(file)
    click.echo(f"Copied to {file}.")


@askfirst_app.command("sweep")
def sweep_command() -> None:
    """Let the worker look for missed events at once. It does so every ten minutes and every hour anyway.

    Example: askfirst-app sweep
    """
    from github_app import wiring

    wiring.order_sweep()
    click.echo(
        "Ordered: the worker looks for failed deliveries and compares every open conversation with GitHub."
        f"{wiring.missing_worker()}"
    )
