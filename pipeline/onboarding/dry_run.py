"""What a run would have done with some tickets: the real pipeline, without a model, without GitHub, and nothing kept."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.contract.artifact import NotAnEnding, read_ending
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket
from pipeline.onboarding.github import OpenIssue

_TIMEOUT_SECONDS = 300
_LEFT_OUT = ("GITHUB_", "GH_", "ANTHROPIC_", "ASKFIRST_", "AWS_", "GOOGLE_", "CLOUD_ML_")
"""Variables that would let a run read GitHub or pay for a model."""
_PROGRAM = (sys.executable, "-P", "-c", "from pipeline.cli import main; main()")


@dataclass(frozen=True)
class DryRun:
    """How a run of `gate` would end with an open issue, in one sentence."""

    issue: OpenIssue
    sentence: str

    def as_list_item(self) -> str:
        """A line of Markdown. GitHub shows the title for `#12`; names of the code stay code, and mention no one."""
        fence = "`" * (1 + max((len(run) for run in re.findall("`+", self.sentence)), default=0))
        return f"- #{self.issue.number}\n  {fence} {' '.join(self.sentence.split())} {fence}"


def dry_runs(checkout: Path, issues: tuple[OpenIssue, ...], *, seconds: float) -> Iterator[DryRun]:
    """A run for each issue, on the commit that is checked out. After so many seconds no further one starts."""
    start = time.monotonic()
    for issue in issues:
        if time.monotonic() - start > seconds:
            return
        yield DryRun(issue, _dry_run(checkout, issue))


def _dry_run(checkout: Path, issue: OpenIssue) -> str:
    with tempfile.TemporaryDirectory(prefix="askfirst-init-") as folder:
        ticket, run = Path(folder) / "ticket.md", Path(folder) / "run"
        ticket.write_text(f"# {' '.join(issue.title.split())}\n\n{issue.body}\n", encoding="utf-8")
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
            return f"did not end: {error}"


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
            place = f" Nearest: {ending.places[0].path}" if ending.places else ""
            return f"writes a ticket without a target.{place}"
