"""The run directory as the App sees it: artifact names, and exactly one document that says how the run ended."""

from pathlib import Path

from pydantic import ValidationError

from pipeline.contract.clarification import Clarification
from pipeline.contract.exit_codes import ExitCode
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

RUN_DIRECTORY = "askfirst-run"
"""Default name; never a dot-folder, which GitHub's artifact upload drops."""

CLARIFICATION_FILE = "clarification.json"
FAILURE_FILE = "failure.json"
TICKET_FILE = "ticket.json"
CHANGE_FILE = "change.json"
RUN_FILE = "run.json"
SUMMARY_FILE = "summary.md"

ENDINGS: dict[str, type[Clarification | Failure | Ticket]] = {
    CLARIFICATION_FILE: Clarification,
    FAILURE_FILE: Failure,
    TICKET_FILE: Ticket,
}
"""The three documents of which a finished run directory holds exactly one."""

_MAX_BYTES = 1 << 20


class NotAnEnding(Exception):
    """A directory or an exit code that does not prove how a run ended."""


def artifact_name(part: str, run_id: str, attempt: int) -> str:
    """Name of an artifact: `part` is `clarification`, `memo` or `run`. Unique per attempt, as GitHub demands."""
    return f"{part}-{run_id}-{attempt}"


def read_ending(directory: Path, exit_code: int | None = None) -> Clarification | Failure | Ticket:
    """The one document that says how the run ended, checked against the exit code where that is known.

    A 2 from anything else (a killed shell, a syntax error, a usage error) leaves no `clarification.json`, and a
    `clarification.json` that some other exit code left behind is not a question either.

    Raises:
        NotAnEnding: none or several documents, one that is no valid document, or one that the exit code belies.
    """
    names = [name for name in ENDINGS if (directory / name).is_file()]
    if len(names) != 1:
        holds = " and ".join(names) or "none"
        raise NotAnEnding(f"{directory} must hold exactly one of {', '.join(ENDINGS)}; it holds {holds}")
    path = directory / names[0]
    if path.stat().st_size > _MAX_BYTES:
        raise NotAnEnding(f"{path} is larger than {_MAX_BYTES} bytes")
    try:
        ending = ENDINGS[names[0]].model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise NotAnEnding(f"{path} is not a valid document: {error.errors()[0]['msg']}") from error
    if exit_code is not None and exit_code != exit_code_of(ending):
        raise NotAnEnding(f"exit code {exit_code} does not go with {names[0]}")
    return ending


def exit_code_of(ending: Clarification | Failure | Ticket) -> ExitCode:
    """The exit code that goes with an ending."""
    match ending:
        case Clarification():
            return ExitCode.PERSON_ASKED
        case Failure():
            return ExitCode.PIPELINE_ERROR
        case Ticket():
            return ExitCode.DONE
