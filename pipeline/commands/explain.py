"""`askfirst explain`: what a ticket's words meet in the code, and why a run would ask or would not."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.code_registry.cache import default_cache
from pipeline.contract.exit_codes import ExitCode
from pipeline.definition.decisions_file import read_decisions
from pipeline.domain.ticket import IncomingTicket
from pipeline.explanation.explanation import Explanation, explain
from pipeline.run_inputs.inputs import read_start
from pipeline.stages.intent.lexical import read_lexically
from pipeline.wiring import OpenedRegistry

if TYPE_CHECKING:
    from rich.console import Console


@click.command("explain", epilog="Example: askfirst explain --repository . --issue ticket.md")
@click.option("--repository", required=True, type=click.Path(path_type=Path), help="The checkout to look at.")
@click.option("--issue", required=True, help="A Markdown file, an event file (.json), or an issue's number.")
@click.option("--answers", type=click.Path(path_type=Path), help="answers.json of earlier rounds.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write it as one page, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as one JSON document.")
def command(repository: Path, issue: str, answers: Path | None, html: Path | None, as_json: bool) -> ExitCode:
    """Show the evidence: mentions, candidates, which word selected what, and why it asks or does not."""
    start = read_start(issue, root=repository, answers=answers, environment=os.environ)
    registry = OpenedRegistry(repository, default_cache()).open()
    intent = read_lexically(start.ticket.title, start.ticket.body)
    explanation = explain(intent, registry, start.answers, read_decisions(repository))
    if html is not None:
        _write_page(html, explanation, start.ticket)
    if as_json:
        click.echo(explanation.model_dump_json(indent=2))
    else:
        _print(explanation)
    return ExitCode.DONE


def _write_page(path: Path, explanation: Explanation, ticket: IncomingTicket) -> None:
    from pipeline.explanation.page import as_page

    try:
        path.write_text(as_page(explanation, ticket), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(f"Written to {path}", err=True)


def _print(explanation: Explanation) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(file=sys.stdout, highlight=False, markup=False)
    intent = explanation.intent
    read = Table(
        "what was read", "words of the ticket", title=f"Intent ({intent.source.value})", title_justify="left"
    )
    read.add_row(f"operation: {intent.operation.value}", intent.operation_quote)
    read.add_row("changes what a caller sends or gets", intent.surface_quote or "no words say so")
    if intent.command_quote is not None:
        read.add_row("speaks of a command line", intent.command_quote)
    if intent.value_quote is not None:
        read.add_row("wants another value", intent.value_quote)
    if intent.excluded:
        read.add_row("ruled out (stems)", ", ".join(intent.excluded))
    for new in intent.new_names:
        read.add_row(f"new name: {new.text}", new.quote)
    for mention in intent.mentions:
        read.add_row(f"{mention.kind.value}: {mention.text}", mention.quote)
    console.print(read)
    if explanation.existing:
        there = Table("asked for", "found", "where", title="Existing", title_justify="left")
        for finding in explanation.existing:
            place = finding.location
            there.add_row(
                finding.asked, finding.found or "missing", f"{place.path}:{place.start_line}" if place else ""
            )
        console.print(there)
    table = Table(
        "about", "candidates", "words that fit", "concluded", title="Decomposition", title_justify="left"
    )
    for row in explanation.evidence:
        table.add_row(row.about, "\n".join(row.candidates), ", ".join(row.words), row.concluded)
    console.print(table)
    _print_outcome(console, explanation)


def _print_outcome(console: "Console", explanation: Explanation) -> None:
    if explanation.asks is not None:
        console.print(f"It asks ({explanation.asks.value}): {explanation.question}")
        console.print(explanation.reason)
        for number, candidate in enumerate(explanation.candidates, start=1):
            default = " (default)" if candidate.id == explanation.default else ""
            facts = ", ".join(f"{name}: {value}" for name, value in candidate.facts.items())
            console.print(f"  {number}. {candidate.label}{default}  {facts}")
        console.print(f"Why the default: {explanation.default_reason}")
        return
    targets = ", ".join(target.label for target in explanation.targets) or "unknown"
    console.print(f"It does not ask. Targets: {targets}. {explanation.reason}")
