"""`askfirst evaluate`: take past commits for tickets, and measure how well the pipeline would have served them."""

import json
from pathlib import Path

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.evaluation import replay_table
from pipeline.options import existing_folder, repository_option


@click.command("evaluate", epilog="Example: askfirst evaluate --history 50")
@click.option(
    "--history",
    required=True,
    type=click.IntRange(1, 2000),
    metavar="N",
    help="How many past commits to take, the newest that fit. The files that a commit changed are right.",
)
@repository_option("A clone with its history.", existing_folder)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def command(history: int, repository: Path, *, as_json: bool) -> ExitCode:
    """Replay the messages of past commits as tickets, and compare with the files that the commits changed."""
    from pipeline.code_registry.store import default_store
    from pipeline.replay import replay

    summary, tickets = replay(repository, history, default_store())
    if as_json:
        documents = [ticket.model_dump(mode="json") for ticket in tickets]
        click.echo(json.dumps({"summary": summary.model_dump(mode="json"), "tickets": documents}, indent=2))
    else:
        click.echo(replay_table(summary))
    return ExitCode.DONE
