"""The stage's declaration. It imports little, because every run imports it."""

from pipeline.contract.change import Change, FileChange, Work
from pipeline.contract.wire import RunIdentity
from pipeline.engine.graph import Repeated
from pipeline.stages.snapshot.stage import Snapshot
from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import Coded, Reviewed, Tested

STAGE = "change"


class ChangeInput(StageValue):
    """What the last round came to, and whether it was enough."""

    snapshot: Snapshot
    ticket: TicketDraft
    work: Repeated
    coder: Coded
    tests: Tested
    reviewer: Reviewed | None = None


class ChangeDraft(StageValue):
    """A change without the run's identity, so that a later run can reuse it."""

    message: str
    files: tuple[FileChange, ...]
    work: Work

    def change(self, run: RunIdentity) -> Change:
        """The document that leaves the pipeline."""
        return Change(run=run, base_commit=run.commit, message=self.message, files=self.files, work=self.work)


KIND = StageKind(
    name=STAGE,
    input=ChangeInput,
    output=ChangeDraft,
    version="2",
    reads=frozenset({RunInput.TICKET, RunInput.CHECKOUT, RunInput.WANTED, RunInput.ANSWERS}),
    slots=frozenset({"budget", "confirmation"}),
)
