"""Run tickets whose right outcome is known, and measure how well the pipeline asks.

python -m tests.evaluation.evaluate --tickets FILE --repositories DIR [--times 8]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click

from pipeline.contract.clarification import Candidate
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.wire import CommitSha, RunIdentity
from pipeline.definition.definition import Definition
from pipeline.definition.loader import load
from pipeline.domain.errors import PipelineError
from pipeline.domain.ticket import IncomingTicket
from pipeline.engine.executor import RunResult, execute
from pipeline.git import run_git
from pipeline.run.checkouts import read_working_tree
from pipeline.run.indexes import Indexes
from pipeline.run.stage_graph import build_graph
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from pipeline.stages.context import RunContext
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.ticket import TicketDraft
from pipeline.terminal.progress import open_console
from tests.evaluation.figures import qualities, seconds, summarise, verdict, with_repetitions
from tests.evaluation.outcomes import (
    ActualOutcome,
    EvaluatedTicket,
    EvaluationRow,
    TicketSet,
    default_right,
    is_right,
    sets_right_for,
)

_FIGURES = (
    "right",
    "precision",
    "recall",
    "false_asks",
    "sets_right",
    "defaults_right",
    "existing_precision",
    "existing_recall",
    "existing_shown",
    "false_hints",
    "same_decision",
    "vague_right",
)


@click.command("evaluate")
@click.option(
    "--tickets",
    multiple=True,
    type=click.Path(path_type=Path),
    help="JSON with tickets and right outcomes.",
)
@click.option(
    "--repositories",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder of the checkouts, by repo_dir; one for each --tickets.",
)
@click.option("--language", help="Only the tickets of this language.")
@click.option(
    "--times",
    default=1,
    show_default=True,
    type=click.IntRange(1, 100),
    help="How often to run all of them, each time in a new process with an empty cache.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Write the whole result as JSON.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def command(
    tickets: tuple[Path, ...],
    repositories: tuple[Path, ...],
    language: str | None,
    times: int,
    output: Path | None,
    as_json: bool,
) -> ExitCode:
    """Run tickets and compare. Exits 0 when every ticket ran, right or wrong; 1 when one could not be run.

    Several sets are counted together: repeat --tickets and --repositories in pairs.
    """
    if len(tickets) != len(repositories):
        raise click.UsageError("every --tickets has a --repositories of its own")
    selection = [
        (ticket, folder / ticket.repo_dir)
        for path, folder in zip(tickets, repositories, strict=True)
        for ticket in TicketSet.model_validate_json(path.read_bytes()).tickets
        if language in (None, ticket.language)
    ]
    if not selection:
        raise click.UsageError("there is no ticket to run: --tickets FILE --repositories DIR")
    definition = load("gate")
    indexes = {root: Indexes(root) for root in {root for _, root in selection}}
    rows = [_evaluate(ticket, indexes[root], definition) for ticket, root in selection]
    sets = [f"--tickets={path}" for path in tickets] + [f"--repositories={path}" for path in repositories]
    arguments = [*sets, *([f"--language={language}"] if language is not None else [])]
    rows = with_repetitions(rows, [_run_again(number, arguments) for number in range(1, times)])
    document = {"tickets": [row.model_dump(mode="json") for row in rows], "summary": summarise(rows)}
    if output is not None:
        output.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps(document, indent=2))
    else:
        _print(rows)
    return ExitCode.DONE if all(row.got.kind != "CannotRun" for row in rows) else ExitCode.PIPELINE_ERROR


def _run_again(number: int, arguments: Sequence[str]) -> list[ActualOutcome]:
    """The results of the same tickets in another process, which orders sets in another way and indexes anew."""
    with tempfile.TemporaryDirectory(prefix="askfirst-evaluate-") as folder:
        environment = os.environ | {"PYTHONHASHSEED": str(number), "XDG_CACHE_HOME": folder}
        output = Path(folder) / "rows.json"
        process = subprocess.run(
            [sys.executable, "-m", "tests.evaluation.evaluate", *arguments, f"--output={output}", "--json"],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if process.returncode not in (ExitCode.DONE, ExitCode.PIPELINE_ERROR) or not output.exists():
            raise RuntimeError(f"run {number + 1} ended with {process.returncode} and without results")
        again = json.loads(output.read_bytes())["tickets"]
    return [ActualOutcome.model_validate(row["got"]) for row in again]


def _evaluate(ticket: EvaluatedTicket, indexes: Indexes, definition: Definition) -> EvaluationRow:
    start_time = time.perf_counter()
    try:
        result = _run(ticket, indexes, definition)
        outcome = _outcome_of(result).model_copy(update={"hint": _hint(result)})
    except PipelineError as error:
        outcome = ActualOutcome(
            exit_code=1,
            kind="CannotRun",
            stage=None,
            candidates=(),
            default=None,
            targets=(),
            message=error.message,
        )
        result = None
    duration = round(time.perf_counter() - start_time, 3)
    candidates = result.stops[0].ask.candidates if result and result.stops else ()
    targets = _targets(result) if result else ()
    sets_right = sets_right_for(ticket.expected, candidates, targets)
    return EvaluationRow(
        id=ticket.id,
        language=ticket.language,
        category=ticket.category,
        expected=ticket.expected,
        got=outcome,
        right=is_right(ticket.expected, outcome, sets_right),
        needs_model=ticket.expected.needs_model,
        candidates_right=sets_right,
        default_right=default_right(ticket.expected, outcome, candidates),
        commit_matches=_commit_matches(ticket, indexes.root),
        seconds=duration,
        held_out=ticket.held_out,
    )


def _run(ticket: EvaluatedTicket, indexes: Indexes, definition: Definition) -> RunResult:
    tree = read_working_tree(indexes.root)
    incoming = IncomingTicket(title=ticket.title, body=ticket.body)

    def identity(commit: CommitSha) -> RunIdentity:
        return RunIdentity(
            repository=None, issue=None, commit=commit, run_id=ticket.id, ticket_sha256=incoming.sha256
        )

    graph = build_graph(definition, RunContext(incoming, identity, tree, tree, indexes))
    with (
        tempfile.TemporaryDirectory(prefix="askfirst-evaluate-") as folder,
        Journal(Path(folder) / "journal.jsonl", Redactor()) as journal,
    ):
        return execute(graph, journal)


def _outcome_of(result: RunResult) -> ActualOutcome:
    if result.error is not None:
        kind, stage, message = result.error.kind, result.failed_stage, result.error.message
        return ActualOutcome(
            exit_code=1, kind=kind, stage=stage, candidates=(), default=None, targets=(), message=message
        )
    if result.stops:
        stop = result.stops[0]
        labels = tuple(candidate.label for candidate in stop.ask.candidates)
        default = next(
            (candidate.label for candidate in stop.ask.candidates if candidate.id == stop.ask.default),
            stop.ask.default,
        )
        return ActualOutcome(
            exit_code=ExitCode.PERSON_ASKED,
            kind=stop.kind.value,
            stage=stop.ask.stage,
            candidates=labels,
            default=default,
            targets=(),
            message=stop.ask.reason,
        )
    draft = _draft(result)
    targets = tuple(target.label for target in draft.targets) if draft else ()
    why = draft.selected_because if draft else ""
    return ActualOutcome(
        exit_code=0, kind=None, stage=None, candidates=(), default=None, targets=targets, message=why
    )


def _hint(result: RunResult) -> str | None:
    outputs = (out for out in result.outputs.values() if isinstance(out, Existing | Decomposition))
    return next((out.hint for out in outputs if out.hint is not None), None)


def _draft(result: RunResult) -> TicketDraft | None:
    return next((out for out in result.outputs.values() if isinstance(out, TicketDraft)), None)


def _targets(result: RunResult) -> tuple[Candidate, ...]:
    draft = _draft(result)
    return tuple(
        Candidate(
            handler_symbol=f"<{target.id}>",
            body_field_count=None,
            id=target.id,
            label=target.label,
            location=target.location,
        )
        for target in (draft.targets if draft else ())
    )


def _commit_matches(ticket: EvaluatedTicket, root: Path) -> bool | None:
    if ticket.commit is None:
        return None
    process = run_git(root, "rev-parse", "HEAD")
    return process.stdout.decode().strip() == ticket.commit if process.returncode == 0 else None


def _print(rows: Sequence[EvaluationRow]) -> None:
    from rich.table import Table

    console = open_console(sys.stdout)
    table = Table("ticket", "expected", "got", "right", "candidates", "seconds")
    for row in rows:
        expected_text = row.expected.kind or "goes on"
        if row.needs_model:
            expected_text = "unknown, without a model"
        outcome_text = row.got.kind or f"goes on: {', '.join(row.got.targets) or 'unknown'}"
        candidate_list = ", ".join(row.got.candidates) or "-"
        table.add_row(
            row.id,
            expected_text,
            outcome_text,
            "yes" if row.right else "NO",
            candidate_list,
            f"{row.seconds:.2f}",
        )
    console.print(table)
    for name, quality in qualities(rows).items():
        console.print(f"{name} ({quality.tickets} tickets; share, 95 % interval)")
        for figure in _FIGURES:
            share = getattr(quality, figure)
            gate = verdict(figure, share) if name in {"all", "held out"} else ""
            if share.whole:
                console.print(f"  {figure.replace('_', ' '):18} {share}  {gate}".rstrip())
    took = seconds(rows)
    console.print(
        f"seconds for a ticket: {took.median:.2f} half of the time, {took.nineteen_of_twenty:.2f} nineteen times of twenty, "
        f"{took.longest:.2f} at most"
    )


if __name__ == "__main__":
    sys.exit(command(standalone_mode=False))
