"""The stage's declaration and its one decision: what a run is about does not change while it runs."""

from pipeline.contract.wire import CommitSha
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.stage import RunInput, StageKind, StageValue


class SnapshotInput(StageValue):
    """The first stage needs no other."""


class Snapshot(StageValue):
    """What the run is about. Paths are relative to the repository's root."""

    ticket: IncomingTicket
    commit: CommitSha
    changed_files: tuple[str, ...]
    test_files: int


KIND = StageKind(
    name="snapshot",
    input=SnapshotInput,
    output=Snapshot,
    version="1",
    reads=frozenset({RunInput.TICKET, RunInput.TREE}),
)


def take_snapshot(ticket: IncomingTicket, tree: WorkingTree) -> Snapshot:
    """Freeze ticket and code."""
    return Snapshot(
        ticket=ticket,
        commit=tree.commit,
        changed_files=tree.changed_files,
        test_files=tree.test_files,
    )
