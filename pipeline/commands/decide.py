"""`askfirst decide`: keep the answer to a question for every later ticket that leaves the same thing open."""

import os
import shlex
from datetime import UTC, datetime
from pathlib import Path

import click
from pydantic import ValidationError

from pipeline.contract.answers import Answer
from pipeline.contract.choices import choices
from pipeline.contract.clarification import Candidate, Clarification
from pipeline.contract.decision_text import DecisionsUnreadable, with_decision
from pipeline.contract.decisions import DECIDABLE_SLOTS, DECISIONS_PATH, Decision, decision_from
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.own_words import own_words
from pipeline.contract.reply import read_reply
from pipeline.domain.errors import PipelineError
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.options import DEFAULT_CHECKOUT, repository_option
from pipeline.settings.repository_settings import DecisionsInvalid, read_decisions

_NAME_A_QUESTION = "Name the question of a run that asked: --question askfirst-run/clarification.json"


class QuestionUnreadable(PipelineError):
    """The file does not hold a question, or one whose answer holds for its own ticket only."""


@click.command(
    "decide",
    epilog="Example: askfirst decide 2 --question askfirst-run/clarification.json --repository . --by octocat",
)
@click.argument("reply", nargs=-1, required=True)
@click.option(
    "--question",
    "question_path",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="The clarification.json, or its run directory.",
)
@repository_option("The checkout to write in.")
@click.option("--by", required=True, metavar="LOGIN", help="Who decides: a login on GitHub.")
@click.option("--issue", type=click.IntRange(min=1), help="Where it was decided.  [default: the question's]")
def command(
    reply: tuple[str, ...], question_path: Path, repository: Path, by: str, issue: int | None
) -> ExitCode:
    """Write REPLY into .github/askfirst/decisions.yml: the number or the name of an option, also with a reason: 2 because ...

    Runs on GitHub read the file from the base branch: commit it there, and the same question is not asked again. Until then, it
    counts in this checkout only.
    """
    question = _read(question_path)
    if issue is not None:
        question = question.model_copy(update={"run": question.run.model_copy(update={"issue": issue})})
    candidate = _candidate_of(" ".join(reply), question)
    decision = _decision(question, candidate, by)
    is_changed = _write(repository, decision)
    if not is_changed:
        click.echo(f"{DECISIONS_PATH} says so already.")
        return ExitCode.DONE
    left_open = " or ".join(candidate.label for candidate in question.candidates)
    of_kind = f" of the kind `{decision.wish}`" if decision.wish else ""
    click.echo(
        f"Where a ticket{of_kind} leaves open {left_open}, it means {candidate.label}, as {decision.citation}."
    )
    git = "git" if repository == DEFAULT_CHECKOUT else f"git -C {shlex.quote(os.fspath(repository))}"
    click.echo(
        "Until it is committed, only runs in this checkout know it.\n"
        f"Commit it to the base branch: {git} add {DECISIONS_PATH} && {git} commit -m 'Keep a decision'"
    )
    return ExitCode.DONE


def _read(path: Path) -> Clarification:
    path = path / "clarification.json" if path.is_dir() else path
    try:
        return Clarification.model_validate_json(path.read_bytes())
    except OSError as error:
        raise QuestionUnreadable(
            f"{path} cannot be read: {error.strerror}.", what_to_do=_NAME_A_QUESTION
        ) from error
    except ValidationError as error:
        why = mistakes_by_key(error, "the document")[0]
        raise QuestionUnreadable(
            f"{path} holds no question.", why=why, what_to_do=_NAME_A_QUESTION
        ) from error


def _candidate_of(text: str, question: Clarification) -> Candidate:
    """The candidate that a reply chooses, read as a comment on GitHub is, or that it names by id or label."""
    reply = read_reply(own_words(text), question)
    for candidate in question.candidates:
        if {text, reply.choice} & {candidate.id, candidate.label}:
            return candidate
    options = "\n".join(f"{option.number}. {option.label}" for option in choices(question))
    raise click.UsageError(f"{text!r} chooses none of the candidates:\n{options}")


def _decision(question: Clarification, candidate: Candidate, by: str) -> Decision:
    answer = Answer(
        question_id=question.question.id, slot=question.question.slot, choice=candidate.id, answered_by=by
    )
    try:
        decision = decision_from(question, answer, on=datetime.now(UTC).date())
    except ValidationError as error:
        raise click.UsageError(f"--by {by!r} is no login of GitHub") from error
    if decision is None:
        raise QuestionUnreadable(
            "The answer to this question holds for its own ticket only.",
            why="A decision is about the code: it chooses between two or more candidates for one of "
            f"{', '.join(sorted(DECIDABLE_SLOTS))}. Approvals, budgets and what exists already are decided each time.",
        )
    return decision


def _write(repository: Path, decision: Decision) -> bool:
    """Add the decision to the file; False where it says so already."""
    path = repository / DECISIONS_PATH
    read_decisions(path)  # says which lines are wrong, better than the text alone could
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        after = with_decision(before, decision)
        if after == before:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        partial.write_text(after, encoding="utf-8", newline="")
        partial.replace(path)
    except OSError as error:
        raise DecisionsInvalid(f"{path} cannot be written: {error.strerror}.") from error
    except DecisionsUnreadable as error:
        raise DecisionsInvalid(
            f"{DECISIONS_PATH} takes no further entry.",
            why=str(error),
            what_to_do="Remove entries whose candidates the code no longer has.",
        ) from error
    return True
