"""The stage's declaration and its one decision: what a run is about does not change while it runs."""

from pathlib import PurePosixPath

from pipeline.contract.wire import CommitSha
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.stage import RunInput, StageKind, StageValue


class SnapshotInput(StageValue):
    """The first stage needs no other."""


class HouseRule(StageValue):
    """What a repository tells agents, for its whole tree or for the folder that the file lies in."""

    path: str
    text: str

    def holds_for(self, path: str) -> bool:
        """Whether it speaks of a file: `services/api/AGENTS.md` does of all below `services/api`."""
        folder = PurePosixPath(self.path).parent
        return str(folder) in (".", ".github") or PurePosixPath(path).is_relative_to(folder)


class Snapshot(StageValue):
    """What the run is about. Paths are relative to the repository's root."""

    ticket: IncomingTicket
    commit: CommitSha
    changed_files: tuple[str, ...]
    test_files: int
    house_rules: tuple[HouseRule, ...] = ()


KIND = StageKind(
    name="snapshot",
    input=SnapshotInput,
    output=Snapshot,
    version="2",
    reads=frozenset({RunInput.TICKET, RunInput.TREE}),
)


def take_snapshot(
    ticket: IncomingTicket, tree: WorkingTree, house_rules: tuple[HouseRule, ...] = ()
) -> Snapshot:
    """Freeze ticket and code."""
    return Snapshot(
        ticket=ticket,
        commit=tree.commit,
        changed_files=tree.changed_files,
        test_files=tree.test_files,
        house_rules=house_rules,
    )
