"""Stage `snapshot`: the ticket as it was labelled and the code as it was checked out, frozen for the whole run.

A snapshot also holds what the repository tells agents in general: `AGENTS.md`, `CLAUDE.md` and Copilot's instructions, also of folders.
"""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pipeline.contract.wire import CommitSha
from pipeline.domain.material import material
from pipeline.domain.printable import printable
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.working_tree import WorkingTree
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import StageKind, StageValue

_NAMES = frozenset({"AGENTS.md", "CLAUDE.md"})
_COPILOT = ".github/copilot-instructions.md"
_MOST_FILES = 20
_MOST_CHARACTERS = 12_000


class HouseRule(StageValue):
    """What a repository tells agents, for its whole tree or for the folder that the file lies in."""

    path: str
    text: str

    def holds_for(self, path: str) -> bool:
        """Whether it speaks of a file: `services/api/AGENTS.md` does of all below `services/api`."""
        folder = PurePosixPath(self.path).parent
        return str(folder) in (".", ".github") or PurePosixPath(path).is_relative_to(folder)


def is_house_rule(path: str) -> bool:
    """Whether a file of that path speaks to agents."""
    return path == _COPILOT or PurePosixPath(path).name in _NAMES


def read_house_rules(root: Path, paths: Iterable[str]) -> tuple[HouseRule, ...]:
    """The files among these paths, those of the root first; long ones are cut, links are left out."""
    rule_paths = sorted(filter(is_house_rule, paths), key=lambda path: (path.count("/"), path))
    rules: list[HouseRule] = []
    for path in rule_paths[:_MOST_FILES]:
        place = root / path
        if place.is_symlink() or not place.is_file():
            continue
        with place.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_CHARACTERS + 1)
        cut = f"{text[:_MOST_CHARACTERS]}\n[the rest is left out]"
        rules.append(HouseRule(path=printable(path), text=text if len(text) <= _MOST_CHARACTERS else cut))
    return tuple(rules)


def house_rules_as_prompt(rules: Iterable[HouseRule], paths: Iterable[str]) -> list[str]:
    """What the repository tells agents about these files, for an agent: its wishes, below the rules of the gate."""
    about = tuple(paths)
    matching_rules = [rule for rule in rules if any(rule.holds_for(path) for path in about or (".",))]
    head = "The repository says how it wants to be worked on. Follow it where it does not contradict your tools and this task."
    texts = [material(rule.path, rule.text) for rule in matching_rules]
    return ["\n\n".join([head, *texts])] if texts else []


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
