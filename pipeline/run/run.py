"""One run: what it was asked to do, what it starts from, and where it writes. All of its parts are opened from this object."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipeline.contract.wire import RunIdentity
from pipeline.definition.definition import Definition
from pipeline.run.checkouts import Checkouts
from pipeline.run_inputs.inputs import Start
from pipeline.run_record.events import Note
from pipeline.run_record.journal import Journal
from pipeline.run_record.run_directory import RunDirectory
from pipeline.settings.repository_settings import RepositorySettings
from pipeline.terminal.progress import Progress


@dataclass(frozen=True)
class Replies:
    """Where the replies of models come from: a file (`replay`), else the provider; and a file to write them to."""

    replay: Path | None = None
    record: Path | None = None


@dataclass(frozen=True)
class RunRequest:
    """What a command asks for: which issue of which checkout, by which definition, and where the results go."""

    repository: Path
    issue: str
    definition: str
    answers: Path | None
    directory: Path
    resume: Path | None
    replies: Replies


@dataclass(frozen=True, kw_only=True)
class RunPlace:
    """Where a run works, which is known before its inputs are read.

    `environment` is that of the process. `cleanup` takes away what the run puts on disk outside of its directory.
    """

    request: RunRequest
    directory: RunDirectory
    journal: Journal
    progress: Progress
    start_time: datetime
    environment: Mapping[str, str]
    cleanup: ExitStack

    def note(self, stage: str | None, text: str) -> None:
        """Write a note of the run, or of a stage, into the journal."""
        self.journal.write(Note(stage=stage, text=text))


@dataclass(frozen=True, kw_only=True)
class Run(RunPlace):
    """A run whose inputs were read and checked, before its first stage.

    `start` are the ticket, the answers and the identity; `checkouts` the code that the ticket is about, and the checkout
    that agents change.
    """

    start: Start
    checkouts: Checkouts
    definition: Definition

    @property
    def settings(self) -> RepositorySettings:
        """What the repository says about itself."""
        return self.checkouts.settings

    @property
    def identity(self) -> RunIdentity:
        """Which run this is, on the commit that agents change."""
        return self.start.identity(self.checkouts.checkout.commit)
