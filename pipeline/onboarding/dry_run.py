"""What a run would have done with some tickets: the real pipeline, without a model, without GitHub, and nothing kept."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from pipeline.contract.artifact import NotAnEnding, read_ending
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

_TIMEOUT_SECONDS = 300
_LEFT_OUT = ("GITHUB_", "GH_", "ANTHROPIC_", "ASKFIRST_", "AWS_", "GOOGLE_", "CLOUD_ML_")
"""Variables that would let a run read GitHub or pay for a model."""


def dry_run(checkout: Path, title: str, body: str) -> str:
    """One sentence on how a run of `gate` ends with this ticket, on the commit that is checked out."""
    with tempfile.TemporaryDirectory(prefix="askfirst-init-") as folder:
        ticket, run = Path(folder) / "ticket.md", Path(folder) / "run"
        ticket.write_text(f"# {' '.join(title.split())}\n\n{body}\n", encoding="utf-8")
        command = [
            *(sys.executable, "-P", "-c", "from pipeline.cli import main; main()"),
            *("run", "--repository", os.fspath(checkout)),
            *("--issue", os.fspath(ticket), "--run-directory", os.fspath(run), "--json"),
        ]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
        try:
            subprocess.run(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_SECONDS,
                check=False,
            )
            return _sentence(read_ending(run))
        except (NotAnEnding, OSError, subprocess.TimeoutExpired) as error:
            return f"came to no end: {error}"


def _sentence(ending: Clarification | Failure | Ticket) -> str:
    match ending:
        case Clarification():
            labels = [one.label for one in ending.question.options or ()]
            labels = labels or [one.label for one in ending.candidates]
            choices = "; ".join(f"{number}. {label}" for number, label in enumerate(labels, start=1))
            return f"asks: {ending.question.text} {choices}".rstrip()
        case Failure():
            return f"stops: {ending.message}"
        case Ticket():
            if isinstance(ending.targets, tuple):
                return f"writes a ticket for {', '.join(place.label for place in ending.targets)}"
            return "writes a ticket whose targets are unknown: only its words are passed on"
