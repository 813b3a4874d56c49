"""Carries the tools of agents out: on the worktree, in the registry, by running the tests, on GitHub's issues."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, assert_never

from pipeline.agents.agent import Tool
from pipeline.agents.gate import Gate
from pipeline.agents.gate_rules import Tier
from pipeline.agents.tools import (
    Arguments,
    CreateFile,
    DescribeEntry,
    EditFile,
    FindCallers,
    FindInRegistry,
    FindTests,
    ListFiles,
    ReadFile,
    ReadIssue,
    RunCommand,
    RunTests,
    SearchCode,
    SearchIssues,
    ToolOutcome,
)
from pipeline.code_registry.registry import Registry
from pipeline.github_read.reader import GitHubReader
from pipeline.workbench.issue_answers import look_at_issues
from pipeline.workbench.reach import reached_tests
from pipeline.workbench.registry_answers import RegistryAnswers
from pipeline.workspace.looking import Found, Line
from pipeline.workspace.paths import Refused
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.test_choice import NotNarrowed, narrowed
from pipeline.workspace.test_runs import TestCommand, TestRun
from pipeline.workspace.tools import Tools


@dataclass(frozen=True)
class Shelf:
    """What the tools of an agent work on, each made when it is first used: most agents need a part of it.

    `registry` gives the index of the commit; it does not know what agents have edited, and `since` does. `issues` is None where
    no repository on GitHub can be read. `edited` gives the paths of the files that differ from the commit, `targets` are
    the registry ids of what the ticket is about, and `note` takes a line for the journal.
    """

    tree: Callable[[], Path]
    tools: Callable[[], Tools]
    registry: Callable[[], Registry]
    since: Callable[[], SinceCommit]
    tests: Callable[[], TestCommand]
    issues: GitHubReader | None
    edited: Callable[[], tuple[str, ...]]
    targets: tuple[str, ...]
    note: Callable[[str], None]


class WorktreeToolBox:
    """The tools of one worktree, of its registry and of its repository's issues."""

    def __init__(self, shelf: Shelf, gate: Gate) -> None:
        self._shelf, self._gate = shelf, gate

    def real_path(self, path: str) -> str | None:
        """Where a path leads once links are followed: relative to the tree, or None if that is outside of it."""
        root = self._shelf.tree().resolve()
        real = Path(os.path.realpath(root / path))
        return real.relative_to(root).as_posix() if real.is_relative_to(root) else None

    def call(self, arguments: Arguments) -> ToolOutcome:
        """Carry a call out that the gate has let through. What goes wrong is an outcome, not an exception."""
        try:
            return self._carried_out(arguments)
        except Refused as refusal:
            return ToolOutcome(ok=False, text=str(refusal))

    def _carried_out(self, arguments: Arguments) -> ToolOutcome:
        match arguments:
            case ReadFile(path=path, start=start, lines=lines):
                return _worked(self._shelf.tools().read_file(path, start, lines).for_model())
            case EditFile(path=path, old=old, new=new):
                return _worked(self._shelf.tools().edit_file(path, old, new).for_model())
            case CreateFile(path=path, content=content):
                return _worked(self._shelf.tools().create_file(path, content).for_model())
            case RunCommand(command=command):
                network = self._gate.decide(Tool.RUN_COMMAND, {"command": command}).network
                return _worked(self._shelf.tools().run_command(command, network=network).for_model())
            case RunTests(scope=scope):
                return _worked(self._tested(scope))
            case SearchCode(pattern=pattern, glob=glob):
                return _worked(self._readable(self._shelf.tools().search(pattern, glob)).for_model())
            case ListFiles(glob=glob):
                return _worked(self._shelf.tools().list_files(glob).for_model())
            case FindInRegistry() | FindCallers() | FindTests() | DescribeEntry():
                return self._looked_up(arguments)
            case SearchIssues() | ReadIssue():
                return look_at_issues(self._shelf.issues, arguments)
            case _:
                assert_never(arguments)

    def _tested(self, scope: Literal["reach", "all"]) -> str:
        """Run the tests, and say which were chosen and why."""
        tests, shelf = self._shelf.tests(), self._shelf
        chosen = tests if scope == "all" else self._chosen(tests)
        if isinstance(chosen, NotNarrowed):
            return f"All tests ran: {chosen.why}.\n{self._ran(tests).for_model()}"
        run = self._ran(chosen)
        if chosen is tests:
            return run.for_model()
        if run.ran_nothing:
            shelf.note(f"run_tests: `{' '.join(chosen.words)}` ran no test, so all ran")
            return f"All tests ran: of those chosen none was run.\n{self._ran(tests).for_model()}"
        return f"Chosen by reach: {chosen.because}. `scope: all` runs everything.\n{run.for_model()}"

    def _ran(self, tests: TestCommand) -> TestRun:
        network = self._gate.decide(Tool.RUN_TESTS, {}).network
        return self._shelf.tools().run_tests(tests, network=network)

    def _chosen(self, tests: TestCommand) -> TestCommand | NotNarrowed:
        """The command for the tests by reach; what was chosen and why is noted."""
        shelf = self._shelf
        reached = reached_tests(
            shelf.registry(), shelf.since(), tests, targets=shelf.targets, edited=shelf.edited()
        )
        chosen = narrowed(tests, reached.all)
        if isinstance(chosen, NotNarrowed):
            shelf.note(f"run_tests: all tests, because {chosen.why}")
            return chosen
        because = (
            f"{_counted(len(reached.targets))} the targets, {_counted(len(reached.edits))} what was edited"
        )
        shelf.note(f"run_tests: `{' '.join(chosen.words)}`, because {because}")
        return replace(chosen, because=because)

    def _looked_up(self, arguments: FindInRegistry | FindCallers | FindTests | DescribeEntry) -> ToolOutcome:
        answers = RegistryAnswers(self._shelf.registry(), self._shelf.since())
        match arguments:
            case FindInRegistry(word=word):
                return _worked(answers.found(word))
            case FindCallers(id=id_):
                said = answers.callers(id_)
            case FindTests(id=id_):
                said = answers.tests(id_)
            case DescribeEntry(id=id_):
                said = answers.described(id_)
        if said is None:
            text = f"nothing of the kind has the id {arguments.id}; find_in_registry lists ids"
            return ToolOutcome(ok=False, text=text)
        return _worked(said)

    def _readable(self, found: Found) -> Found:
        """Without lines of files that the gate does not let be read: a search is no way around it."""
        kept = tuple(item for item in found.items if not isinstance(item, Line) or self._may_read(item.path))
        return replace(found, items=kept)

    def _may_read(self, path: str) -> bool:
        return self._gate.decide(Tool.READ_FILE, {"path": path}).tier is Tier.ALLOW


def _counted(number: int) -> str:
    return "1 test or file reaches" if number == 1 else f"{number} tests or files reach"


def _worked(text: str) -> ToolOutcome:
    return ToolOutcome(ok=True, text=text)
