"""What a run would have done with some tickets: the real pipeline, without a model, without GitHub, and nothing kept."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.contract.artifact import NotAnEnding, read_ending
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

_TIMEOUT_SECONDS = 300
_SECONDS_TO_END = 10
_LEFT_OUT = ("GITHUB_", "GH_", "ANTHROPIC_", "ASKFIRST_", "AWS_", "GOOGLE_", "CLOUD_ML_")
"""Variables that would let a run read GitHub or pay for a model."""
_PROGRAM = (sys.executable, "-P", "-c", "from pipeline.cli import main; main()")


class TookTooLong(Exception):
    """The past was not replayed in the time that somebody who waits for it has."""


def replay_past(checkout: Path, commits: int, *, seconds: float) -> bytes | None:
    """What `askfirst evaluate --history` writes about the newest commits that fit; None where there is none.

    Raises:
        TookTooLong: it was ended after so many seconds.
    """
    command = [
        *_PROGRAM,
        "evaluate",
        "--history",
        str(commits),
        "--repository",
        os.fspath(checkout),
        "--json",
    ]
    with subprocess.Popen(
        command,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            document, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            # Ctrl-C, so that it takes its processes and its copy of the tree with it.
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                process.kill()
            raise TookTooLong from None
    return document if process.returncode == 0 else None


def dry_run(checkout: Path, title: str, body: str) -> str:
    """One sentence on how a run of `gate` ends with this ticket, on the commit that is checked out."""
    with tempfile.TemporaryDirectory(prefix="askfirst-init-") as folder:
        ticket, run = Path(folder) / "ticket.md", Path(folder) / "run"
        ticket.write_text(f"# {' '.join(title.split())}\n\n{body}\n", encoding="utf-8")
        command = [
            *(*_PROGRAM, "run", "--repository", os.fspath(checkout)),
            *("--issue", os.fspath(ticket), "--run-directory", os.fspath(run), "--json"),
        ]
        try:
            subprocess.run(
                command,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
            return _sentence(read_ending(run))
        except (NotAnEnding, OSError, subprocess.TimeoutExpired) as error:
            return f"came to no end: {error}"


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}


def _sentence(ending: Clarification | Failure | Ticket) -> str:
    match ending:
        case Clarification():
            labels = [option.label for option in ending.question.options or ()]
            labels = labels or [option.label for option in ending.candidates]
            choices = "; ".join(f"{number}. {label}" for number, label in enumerate(labels, start=1))
            return f"asks: {ending.question.text} {choices}".rstrip()
        case Failure():
            return f"stops: {ending.message}"
        case Ticket():
            if isinstance(ending.targets, tuple):
                return f"writes a ticket for {', '.join(place.label for place in ending.targets)}"
            return "writes a ticket whose targets are unknown: only its words are passed on"
