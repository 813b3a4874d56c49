"""`askfirst explain`: what a ticket's words meet in the code, and why a run would ask or would not."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.contract.exit_codes import ExitCode
from pipeline.domain.errors import RepositoryUnreadable
from pipeline.domain.ticket import IncomingTicket
from pipeline.explanation.explanation import Explanation, explain
from pipeline.options import ISSUE_HELP, issue_source, new_file, repository_option
from pipeline.reading.document import read_issue
from pipeline.reading.templates import parse_templates
from pipeline.run.indexes import Indexes
from pipeline.run_inputs.inputs import read_start
from pipeline.settings.repository_settings import RepositorySettings
from pipeline.stages.preconditions import refusal_of
from pipeline.stages.snapshot.git_checkout import read_working_tree
from pipeline.stages.snapshot.stage import take_snapshot
from pipeline.stages.snapshot.template_files import read_template_files
from pipeline.terminal.progress import Progress, is_watched, open_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


@click.command("explain", epilog="Example: askfirst explain --issue acme/orders#418")
@repository_option("The checkout to look at.")
@click.option("--issue", required=True, callback=issue_source, help=ISSUE_HELP)
@click.option("--answers", type=click.Path(path_type=Path), help="answers.json of earlier rounds.")
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
    if html is not None:
        _write_page(html, explanation, start.ticket)
    if as_json:
        click.echo(explanation.model_dump_json(indent=2))
    else:
        _print(explanation)
    return ExitCode.DONE


def _refusal(repository: Path, ticket: IncomingTicket) -> str | None:
    """What a run would end with before it looks at anything; an explanation needs none of that."""
    try:
        tree = read_working_tree(repository)
    except RepositoryUnreadable as error:
        return f"{error.message} {error.what_to_do}"
    return refusal_of(take_snapshot(ticket, tree))


def _write_page(path: Path, explanation: Explanation, ticket: IncomingTicket) -> None:
    from pipeline.explanation.page import as_page

    try:
        path.write_text(as_page(explanation, ticket), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"Written to {path}", err=True)


def _print(explanation: Explanation) -> None:
    console = open_console(sys.stdout)
    _print_reading(console, explanation)
    _print_places(console, explanation)
    if explanation.existing:
        findings = [
            (
                finding.asked,
                finding.found or "missing",
                f"{place.path}:{place.start_line}" if (place := finding.location) else "",
            )
            for finding in explanation.existing
        ]
        console.print(_table("Existing", ("asked for", "found", "where"), findings))
    if explanation.hint is not None:
        console.print(explanation.hint)
    evidence = [
        (row.about, "\n".join(row.candidates), ", ".join(row.words), row.concluded)
        for row in explanation.evidence
    ]
    heads = ("about", "candidates", "words that fit", "concluded")
    console.print(_table("Decomposition", heads, evidence))
    _print_outcome(console, explanation)
    if explanation.refusal is not None:
        console.print(f"`askfirst run` would not start: {explanation.refusal}")


def _table(title: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> "Table":
    """A table that cuts nothing off: a path that is wider than its column goes on in the next line.

    A column in which nothing stands is left out, because it takes width from the others.
    """
    from rich.table import Column, Table

    shown = [at for at in range(len(heads)) if any(row[at] for row in rows) or not rows]
    columns = [Column(heads[at], overflow="fold") for at in shown]
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(row[at] for at in shown))
    return table


def _print_reading(console: "Console", explanation: Explanation) -> None:
    document = explanation.document
    rows = [
        (f"kind: {document.kind.value}", document.kind_reason),
        *(
            (f"{citation.kind.value} ({citation.role.value}): {citation.text}", citation.quote)
            for citation in document.citations
        ),
        *(("acceptance criterion", criterion.quote) for criterion in document.acceptance),
    ]
    heads = ("what was read", "words of the issue")
    console.print(_table(f"Reading ({document.reader.value})", heads, rows))


def _print_places(console: "Console", explanation: Explanation) -> None:
    rows = [
        (
            f"{place.probability:.2f}",
            place.path,
            "\n".join(entry.label.removesuffix(f" ({place.path})") for entry in place.entries),
            "\n".join(place.because),
        )
        for place in explanation.places
    ]
    console.print(_table("Places", ("probability", "file", "what in it", "why"), rows))
    for note in explanation.ranking.notes:
        console.print(note)


def _print_outcome(console: "Console", explanation: Explanation) -> None:
    if explanation.asks is not None:
        console.print(f"It asks: {explanation.question}")
        console.print(explanation.reason)
        for number, candidate in enumerate(explanation.candidates, start=1):
            default = " (default)" if candidate.id == explanation.default else ""
            facts = ", ".join(f"{name}: {value}" for name, value in candidate.facts.items())
            console.print(f"  {number}. {candidate.label}{default}  {facts}")
        console.print(
            f"Why the default: {explanation.default_reason}"
            if explanation.default_reason
            else "There is no default: nothing sets the candidates apart."
        )
        return
    if explanation.targets:
        confidence = explanation.confidence.value if explanation.confidence else "unknown"
        outcome = f"targets ({confidence}): {', '.join(target.label for target in explanation.targets)}"
    else:
        nearest = explanation.places[0] if explanation.places else None
        outcome = "no target" + (f", nearest: {nearest.path} ({nearest.probability:.2f})" if nearest else "")
    console.print(f"It does not ask; {outcome}. {explanation.reason}")
