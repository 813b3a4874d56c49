"""What a finished run tells GitHub Actions: step outputs, the step summary and one annotation.

The Action's last step believes these outputs and nothing else. An exit code 2 that the program did not claim as its own
question, here, is an error.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from pipeline.contract.artifact import CLARIFICATION_FILE, SUMMARY_FILE, NotAnEnding, read_ending
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.plain_reason import plain_reason_of
from pipeline.contract.run import Outcome
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity

_ANNOTATION_CHARACTERS = 4096
"""The runner cuts an annotation's message here (actions/runner, ExecutionContext.cs)."""

_SUMMARY_BYTES = 1 << 20
"""A longer step summary is refused whole (GitHub's reference of workflow commands, limits)."""

_CUT_SHORT = "\n\n… cut here: GitHub shows one mebibyte. The rest is in the artifact `run-…`.\n"


@dataclass(frozen=True)
class StepReport:
    """How the step ended, in GitHub's forms: named outputs and one annotation, a ready workflow command."""

    outcome: Outcome
    annotation: str
    question_id: str = ""
    ready: bool = False


def report_to_github(directory: Path, exit_code: int, environment: Mapping[str, str]) -> None:
    """Append outputs and summary to the files that GitHub Actions names in the environment; elsewhere do nothing.

    Raises:
        OSError: a file that Actions named cannot be written.
    """
    if output_file := environment.get("GITHUB_OUTPUT"):
        report = report_of(directory, exit_code, environment)
        with Path(output_file).open("a", encoding="utf-8") as file:
            file.write(as_outputs(_outputs(report, directory), delimiter=secrets.token_hex(16)))
    if summary_file := environment.get("GITHUB_STEP_SUMMARY"):
        with Path(summary_file).open("ab") as binary_file:
            binary_file.write(summary_within_limit(_summary(directory)))


def report_of(directory: Path, exit_code: int, environment: Mapping[str, str]) -> StepReport:
    """What the run directory proves about a run that is about to end with this exit code.

    The document must be the only one, be valid, go with the exit code and name this very workflow run: a directory that
    another run left behind proves nothing.
    """
    try:
        ending = read_ending(directory, exit_code)
    except NotAnEnding as refusal:
        return StepReport(Outcome.ERROR, annotation("error", "askfirst: no result", str(refusal)))
    if ending.run is not None and not _is_this_run(ending.run, environment):
        stranger = f"{directory} holds the result of run {ending.run.run_id}, attempt {ending.run.attempt}"
        return StepReport(Outcome.ERROR, annotation("error", "askfirst: another run's result", stranger))
    match ending:
        case Clarification():
            return StepReport(
                Outcome.CLARIFICATION,
                annotation("notice", "askfirst asks", f"{ending.question.text}\n{plain_reason_of(ending)}"),
                question_id=ending.question.id,
            )
        case Ticket():
            targets_text = "the targets are known" if ending.ready else "the targets are unknown"
            return StepReport(
                Outcome.DONE,
                annotation("notice", "askfirst: ticket written", targets_text),
                ready=ending.ready,
            )
        case Failure():
            message = "\n".join(line for line in (ending.message, ending.why, ending.what_to_do) if line)
            return StepReport(Outcome.ERROR, annotation("error", f"askfirst: {ending.kind}", message))
        case _:
            assert_never(ending)


def as_outputs(values: Mapping[str, str], *, delimiter: str) -> str:
    """Text for `$GITHUB_OUTPUT`. The delimiter must be random: a value that holds it could write outputs of its own.

    Raises:
        ValueError: a value holds the delimiter.
    """
    if any(delimiter in value for value in values.values()):
        raise ValueError("an output holds the delimiter that was to end it")
    return "".join(f"{name}<<{delimiter}\n{value}\n{delimiter}\n" for name, value in values.items())


def annotation(level: str, title: str, message: str) -> str:
    """A workflow command on one line, in which no text of a ticket can begin a command of its own."""
    room = message if len(message) <= _ANNOTATION_CHARACTERS else message[: _ANNOTATION_CHARACTERS - 1] + "…"
    return f"::{level} title={_escape_property(title)}::{_escape(room)}"


def summary_within_limit(markdown: str) -> bytes:
    """A step summary in UTF-8, cut to what GitHub takes."""
    whole = markdown.encode()
    if len(whole) <= _SUMMARY_BYTES:
        return whole
    note = _CUT_SHORT.encode()
    return whole[: _SUMMARY_BYTES - len(note)].decode(errors="ignore").encode() + note


def _outputs(report: StepReport, directory: Path) -> dict[str, str]:
    is_question = report.outcome is Outcome.CLARIFICATION
    return {
        "outcome": report.outcome.value,
        "question-id": report.question_id,
        "clarification": str(directory / CLARIFICATION_FILE) if is_question else "",
        "ready": "true" if report.ready else "false",
        "annotation": report.annotation,
    }


def _is_this_run(run: RunIdentity, environment: Mapping[str, str]) -> bool:
    here = (environment.get("GITHUB_RUN_ID"), environment.get("GITHUB_RUN_ATTEMPT", "1"))
    return here == (run.run_id, str(run.attempt))


def _summary(directory: Path) -> str:
    path = directory / SUMMARY_FILE
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _escape(text: str) -> str:
    """Escape for the message of a workflow command (actions/toolkit, command.ts: percent, CR, LF)."""
    printable = "".join(character for character in text if character.isprintable() or character in "\r\n\t")
    return printable.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    """Escape for a property, where colon and comma end things too."""
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
