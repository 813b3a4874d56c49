"""`askfirst run`: run a pipeline on an issue; it ends with a ticket, a question or a failure, each in the run directory."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import chain, count
from pathlib import Path

import click

from pipeline.contract.answers import Answer, Answers
from pipeline.contract.artifact import RUN_DIRECTORY, exit_code_of
from pipeline.contract.change import Change
from pipeline.contract.clarification import Clarification
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.ticket import Ticket
from pipeline.domain.printable import printable
from pipeline.options import (
    DEFAULT_CHECKOUT,
    EXISTING_FILE,
    ISSUE_HELP,
    issue_source,
    known_definition,
    new_file,
    repository_option,
)
from pipeline.run.models import MODEL_VARIABLES, is_model_chosen
from pipeline.run.pipeline_run import run_pipeline
from pipeline.run.run import Replies, RunRequest
from pipeline.run_inputs.issue_source import STANDARD_INPUT
from pipeline.run_record.run_directory import (
    PIPED_ANSWERS_FILE,
    TYPED_TICKET_FILE,
    holds_earlier_run,
)
from pipeline.terminal.endings import ending_as_text
from pipeline.terminal.progress import say

DEFAULT_DEFINITION = "gate"


def _earlier_run(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """The callback of `--resume`: a misspelt folder would start a new run and pay for everything again."""
    if value is None or holds_earlier_run(value):
        return value
    similar_names = get_close_matches(value.name, [path.name for path in value.parent.glob("*/")])
    earlier_runs = (value.with_name(name) for name in similar_names)
    near = next((path for path in earlier_runs if holds_earlier_run(path)), None)
    hint = f" Did you mean this one? --resume {shlex.quote(os.fspath(near))}" if near else ""
    raise click.BadParameter(
        f"{os.fspath(value)!r} holds no earlier run.{hint}\n"
        f"To start a new run there: --run-directory {shlex.quote(os.fspath(value))}"
    )


@click.command("run", epilog="Example: askfirst run --issue ticket.md --ask")
@repository_option("The checkout to work on.")
@click.option("--issue", required=True, callback=issue_source, help=ISSUE_HELP)
@click.option(
    "--definition",
    default=DEFAULT_DEFINITION,
    show_default=True,
    callback=known_definition,
    help="A shipped definition or a file of your own.",
)
@click.option("--answers", type=EXISTING_FILE, help="answers.json of earlier rounds.")
@click.option("--ask", is_flag=True, help="Take the reply on this terminal and go on.")
@click.option(
    "--run-directory",
    type=click.Path(path_type=Path),
    help=f"Where the results go.  [default: {RUN_DIRECTORY}, or the next free name]",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    callback=_earlier_run,
    help="An earlier run directory or unpacked memo to reuse.",
)
@click.option(
    "--replay",
    type=EXISTING_FILE,
    help="A file of replies, recorded or scripted, to take instead of asking a model.",
)
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    callback=new_file,
    help="Write the model's replies to this file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the ending as one JSON document.")
def command(
    repository: Path,
    issue: str,
    definition: str,
    answers: Path | None,
    ask: bool,
    run_directory: Path | None,
    resume: Path | None,
    replay: Path | None,
    record: Path | None,
    as_json: bool,
) -> ExitCode:
    """Run a pipeline on an issue.

    Exit codes: 0 a ticket, 1 a failure, 2 a question (clarification.json says which), 64 a usage error.
    """
    if ask and as_json:
        raise click.UsageError("choose one of --ask and --json: a question on a terminal is no JSON document")
    if replay is not None and record is not None:
        raise click.UsageError("choose one of --replay and --record: replies of a file are recorded already")
    if record is not None and not is_model_chosen(os.environ):
        raise click.UsageError(
            f"--record writes down what a model replies, and no model is configured: set {' or '.join(MODEL_VARIABLES)}"
        )
    directory = run_directory or resume or _free_directory()
    request = RunRequest(repository, issue, definition, answers, directory, resume, Replies(replay, record))
    ending = run_pipeline(request)
    if issue == STANDARD_INPUT:
        request = replace(request, issue=os.fspath(directory / TYPED_TICKET_FILE))
    if answers is not None and not answers.is_file():
        request = replace(request, answers=directory / PIPED_ANSWERS_FILE)
    while ask and isinstance(ending, Clarification):
        from pipeline.terminal.replies import read_answer  # a run that does not ask here must not pay for it

        say(sys.stderr, ending_as_text(ending))
        answer = read_answer(ending, sys.stdin)
        if answer is None:
            say(sys.stderr, f"\nNothing was chosen. To be asked again: {_command_that_asks(request)}\n")
            return exit_code_of(ending)
        request = _with_answer(request, answer)
        ending = run_pipeline(request)
    say(sys.stderr, f"\nEverything about this run is in {directory}\n")
    if isinstance(ending, Clarification):
        say(
            sys.stderr,
            f"To answer here: {_command_that_asks(request)}\nStages that have ended are not run again.\n",
        )
    say(sys.stdout, f"{ending.model_dump_json(indent=2)}\n" if as_json else ending_as_text(ending))
    change_file = directory / "change.json"
    if isinstance(ending, Ticket) and change_file.exists() and not as_json:
        say(sys.stdout, _change_as_text(change_file))
    return exit_code_of(ending)


def _command_that_asks(request: RunRequest) -> str:
    """The command that goes on from this run and takes the reply on the terminal, to copy."""
    options = {
        "--repository": None if request.repository == DEFAULT_CHECKOUT else request.repository,
        "--definition": None if request.definition == DEFAULT_DEFINITION else request.definition,
        "--answers": request.answers,
        "--replay": request.replies.replay,
        "--resume": request.directory,
    }
    words = [word for name, value in options.items() if value is not None for word in (name, str(value))]
    return shlex.join(["askfirst", "run", "--issue", request.issue, *words, "--ask"])


def _change_as_text(file: Path) -> str:
    """What a build has made, for a person at a terminal."""
    change = Change.model_validate_json(file.read_bytes())
    lines = ["", f"Change: {change.message.partition(chr(10))[0]}"]
    lines += [
        f"  file       {changed_file.path}{' (removed)' if changed_file.content is None else ''}"
        for changed_file in change.files
    ]
    if change.work is not None:
        tests = change.work.tests
        count = "" if tests.passed is None else f", {tests.passed} passed"
        lines.append(f"  tests      {tests.command}: exit code {tests.exit_code}{count}")
        lines += [f"  remark     {remark}" for remark in change.work.review]
    return printable("\n".join([*lines, f"  where      {file}; your checkout is as it was", ""]))


def _free_directory() -> Path:
    """`askfirst-run`, or the first of `askfirst-run-2`, … that no earlier run has used: nothing is overwritten."""
    numbered_names = (Path(f"{RUN_DIRECTORY}-{number}") for number in count(2))
    return next(path for path in chain([Path(RUN_DIRECTORY)], numbered_names) if not path.exists())


def _with_answer(request: RunRequest, answer: Answer) -> RunRequest:
    """The same run with one more answer, in the same directory, whose results it reuses."""
    earlier_answers: Sequence[Answer] = (
        Answers.model_validate_json(request.answers.read_bytes()).answers if request.answers else ()
    )
    path = request.directory / "answers.json"
    path.write_text(Answers(answers=(*earlier_answers, answer)).model_dump_json(indent=2), encoding="utf-8")
    return replace(request, answers=path, resume=request.directory)
