"""`askfirst explain`: what a ticket's words meet in the code, and why a run would ask or would not."""

import os
import sys
from pathlib import Path

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.domain.errors import RepositoryUnreadable, unlabelled
from pipeline.domain.ticket import IncomingTicket
from pipeline.explanation.explanation import Explanation, explain
from pipeline.explanation.text import as_text
from pipeline.options import EXISTING_FILE, ISSUE_HELP, issue_source, new_file, repository_option
from pipeline.reading.document import read_issue
from pipeline.reading.templates import parse_templates
from pipeline.run.checkouts import read_working_tree
from pipeline.run.indexes import Indexes
from pipeline.run_inputs.inputs import read_start
from pipeline.run_record.redaction import Redactor
from pipeline.settings.repository_settings import RepositorySettings
from pipeline.stages.preconditions import refusal_of
from pipeline.stages.reading.template_files import read_template_files
from pipeline.stages.snapshot import take_snapshot
from pipeline.terminal.progress import Progress, is_watched


@click.command("explain", epilog="Example: askfirst explain --issue acme/orders#418")
@repository_option("The checkout to look at.")
@click.option("--issue", required=True, callback=issue_source, help=ISSUE_HELP)
@click.option("--answers", type=EXISTING_FILE, help="answers.json of earlier rounds.")
@click.option(
    "--html", type=click.Path(path_type=Path), callback=new_file, metavar="FILE",
    help="Write it as one page, too.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as one JSON document.")
def command(repository: Path, issue: str, answers: Path | None, html: Path | None, as_json: bool) -> ExitCode:
    """Show the evidence: what the issue cites, the ranked places, the candidates, and why it asks or does not."""
    start = read_start(issue, root=repository, answers=answers, environment=os.environ)
    templates = parse_templates(read_template_files(repository)).templates
    document = read_issue(start.ticket, templates, start.ticket.labels)
    with Progress(sys.stderr, live=is_watched(sys.stderr, os.environ)) as progress:
        indexes = Indexes(repository, on_progress=progress.indexing)
        ranking = indexes.rank(document)
        explanation = explain(
            document,
            ranking,
            indexes.registry(),
            start.answers,
            RepositorySettings(repository).decisions,
            refusal=_refusal(repository, start.ticket),
        )
    redactor = Redactor.from_environment(os.environ)
    explanation = redactor.redact_model(explanation)
    if html is not None:
        _write_page(html, explanation, redactor.redact_model(start.ticket))
    if as_json:
        click.echo(explanation.model_dump_json(indent=2))
    else:
        click.echo(as_text(explanation))
    return ExitCode.DONE


def _refusal(repository: Path, ticket: IncomingTicket) -> str | None:
    """What a run would end with before it looks at anything; an explanation needs none of that."""
    try:
        tree = read_working_tree(repository)
    except RepositoryUnreadable as error:
        return f"{error.message} {error.what_to_do}"
    return unlabelled(refusal_of(take_snapshot(ticket, tree)) or "") or None


def _write_page(path: Path, explanation: Explanation, ticket: IncomingTicket) -> None:
    from pipeline.explanation.page import as_page

    try:
        path.write_text(as_page(explanation, ticket), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"Written to {path}", err=True)
