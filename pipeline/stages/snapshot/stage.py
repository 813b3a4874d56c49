"""The stage's declaration and its one decision: what a run is about does not change while it runs."""

from pipeline.contract.wire import CommitSha
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.snapshot.house_rules import HouseRule, read_house_rules
from pipeline.stages.stage import StageKind, StageValue


class SnapshotInput(StageValue):
    """The first stage needs no other."""


class Snapshot(StageValue):
    """What the run is about. Paths are relative to the repository's root."""

    ticket: IncomingTicket
    commit: CommitSha
    changed_files: tuple[str, ...]
    test_files: int
    house_rules: tuple[HouseRule, ...] = ()


def _run(_: SnapshotInput, context: StageContext) -> Snapshot:
    rules = read_house_rules(context.root, context.tree.house_rules)
    if rules:
        context.note(f"agents are told what {', '.join(rule.path for rule in rules)} says")
    return take_snapshot(context.ticket, context.tree, rules)


KIND = StageKind(
    name="snapshot",
    input=SnapshotInput,
    output=Snapshot,
    run=_run,
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
