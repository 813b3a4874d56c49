"""What the stage `change` takes and gives."""

from pipeline.contract.change import Change, FileChange, TestsReport, Work
from pipeline.contract.wire import RunIdentity
from pipeline.engine.graph import RepeatResult
from pipeline.stages.snapshot import Snapshot
from pipeline.stages.stage import StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import CoderOutput, ReviewOutput

STAGE = "change"


class ChangeInput(StageValue):
    """What the last round came to, and whether it was enough."""

    snapshot: Snapshot
    ticket: TicketDraft
    work: RepeatResult
    coder: CoderOutput
    tests: TestsReport
    reviewer: ReviewOutput | None = None


class ChangeDraft(StageValue):
    """A change without the run's identity, so that a later run can reuse it."""

    message: str
    files: tuple[FileChange, ...]
    work: Work

    def change(self, run: RunIdentity) -> Change:
        """The document that leaves the pipeline."""
        return Change(run=run, base_commit=run.commit, message=self.message, files=self.files, work=self.work)
