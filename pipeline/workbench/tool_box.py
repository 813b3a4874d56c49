"""Carries the tools of agents out: on the worktree, in the registry, by running the tests, on GitHub's issues."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from pipeline.agents.tools import (
    Arguments,
    CreateFile,
    DescribeEntry,
    EditFile,
    FindCallers,
    FindInRegistry,
    FindPlaces,
    FindTests,
    ListFiles,
    LookIntoHistory,
    ReadFile,
    ReadIssue,
    RunCommand,
    RunTests,
    SearchCode,
    SearchIssues,
    ToolOutcome,
)
from pipeline.code_registry.registry import Registry
from pipeline.contract.change import TestsReport, blob_of
from pipeline.domain.suite import TestCommand
from pipeline.gate.gate import Gate
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import Tool
from pipeline.github_read.reader import GitHubReader
from pipeline.workbench.issue_answers import look_at_issues
from pipeline.workbench.reach import reached_tests
from pipeline.workbench.registry_answers import RegistryAnswers
from pipeline.workspace.looking import Line, SearchResult
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.runners import NotNarrowed, TestPlace, narrow, narrow_to
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.tools import Tools


@dataclass(frozen=True)
class Shelf:
    """What the tools of an agent work on, each made when it is first used: most agents need a part of it.

    `registry` gives the index of the commit; it does not know what agents have edited, and `since` does. `issues` is None where
    no repository on GitHub can be read. `places` ranks the files of the commit for some words; `history` looks into its
    past. `run` runs tests on the tree as it is, `run_all` all of them on what would be handed on of it. `edited_paths` gives the paths of the files that differ from the commit, `targets` are
    the registry ids of what the ticket is about, and `note` takes a line for the journal.
    """

    tree: Callable[[], Path]
    tools: Callable[[], Tools]
    registry: Callable[[], Registry]
    since: Callable[[], SinceCommit]
    tests: Callable[[], TestCommand | None]
    run: Callable[[TestCommand], TestsReport]
    run_all: Callable[[], TestsReport]
    issues: GitHubReader | None
    edited_paths: Callable[[], tuple[str, ...]]
    targets: tuple[str, ...]
    note: Callable[[str], None]
    places: Callable[[str], str]
    history: Callable[[LookIntoHistory], str]


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
            return ToolOutcome(ok=True, text=self._result(arguments))
        except CallRefused as refusal:
            return ToolOutcome(ok=False, text=str(refusal))

    def blob_after(self, arguments: Arguments) -> str | None:
        """What a call that writes would make of its file; None for one that cannot, or that writes none."""
        tools = self._shelf.tools()
        try:
            match arguments:
                case EditFile(path=path, old=old, new=new):
                    content = tools.edited(path, old, new)
                case CreateFile(path=path, content=text):
                    content = tools.created(path, text)
                case _:
                    return None
        except CallRefused:
            return None
        return blob_of("100755" if content.executable else "100644", content.data)

    def _result(self, arguments: Arguments) -> str:
        """What a call gives, as text for the model.

        Raises:
            CallRefused: it could not be carried out.
        """
        match arguments:
            case ReadFile(path=path, start=start, lines=lines):
                return self._shelf.tools().read_file(path, start, lines).for_model()
            case EditFile(path=path, old=old, new=new):
                return self._shelf.tools().edit_file(path, old, new).for_model()
            case CreateFile(path=path, content=content):
                return self._shelf.tools().create_file(path, content).for_model()
            case RunCommand(command=command):
                network = self._gate.decide(Tool.RUN_COMMAND, {"command": command}).network
                return self._shelf.tools().run_command(command, network=network).for_model()
            case RunTests():
                return self._run_tests(arguments)
            case SearchCode(pattern=pattern, glob=glob):
                return self._readable(self._shelf.tools().search(pattern, glob)).for_model()
            case ListFiles(glob=glob):
                return self._shelf.tools().list_files(glob).for_model()
            case FindInRegistry() | FindCallers() | FindTests() | DescribeEntry():
                return self._looked_up(arguments)
            case FindPlaces(words=words):
                return self._shelf.places(words)
            case LookIntoHistory():
                return self._shelf.history(arguments)
            case SearchIssues() | ReadIssue():
                return look_at_issues(self._shelf.issues, arguments)
            case _:
                assert_never(arguments)

    def _run_tests(self, call: RunTests) -> str:
        """Run the tests that a call asks for, and say which were chosen and why."""
        tests, shelf = self._shelf.tests(), self._shelf
        if tests is None:
            raise CallRefused("No test of this repository can be run here.")
        if call.tests:
            return shelf.run(self._command_by_name(tests, call.tests)).for_model()
        if call.scope == "all":
            return shelf.run_all().for_model()
        command = self._command_by_reach(tests)
        if isinstance(command, NotNarrowed):
            return f"All tests ran: {command.why}.\n{shelf.run_all().for_model()}"
        report = shelf.run(command)
        if report.ran_nothing:
            shelf.note(f"run_tests: `{command.in_words}` ran no test, so all ran")
            return f"All tests ran: of those chosen none was run.\n{shelf.run_all().for_model()}"
        return f"Chosen by reach: {command.because}. `scope: all` runs everything.\n{report.for_model()}"

    def _command_by_name(self, tests: TestCommand, names: tuple[str, ...]) -> TestCommand:
        """The command for files or names.

        Raises:
            CallRefused: the runner cannot be told.
        """
        since = self._shelf.since()
        if all("::" not in name and since.exists(name) for name in names):
            command = narrow(tests, map(TestPlace, names))
            if isinstance(command, TestCommand):
                return command
            raise CallRefused(f"These files cannot be run alone: {command.why}.")
        by_name = narrow_to(tests, names)
        if by_name is None:
            raise CallRefused(
                f"How `{tests.in_words}` runs tests by name is not known; `scope: all` runs everything."
            )
        return by_name

    def _command_by_reach(self, tests: TestCommand) -> TestCommand | NotNarrowed:
        """The command for the tests by reach; what was chosen and why is noted."""
        shelf = self._shelf
        in_reach = reached_tests(
            shelf.registry(), shelf.since(), tests, targets=shelf.targets, edited_paths=shelf.edited_paths()
        )
        command = narrow(tests, in_reach.all)
        if isinstance(command, NotNarrowed):
            shelf.note(f"run_tests: all tests, because {command.why}")
            return command
        because = f"{_count_text(len(in_reach.targets))} the targets, {_count_text(len(in_reach.edits))} what was edited"
        shelf.note(f"run_tests: `{command.in_words}`, because {because}")
        return replace(command, because=because)

    def _looked_up(self, arguments: FindInRegistry | FindCallers | FindTests | DescribeEntry) -> str:
        answers = RegistryAnswers(self._shelf.registry(), self._shelf.since())
        match arguments:
            case FindInRegistry(word=word):
                return answers.entries_named(word)
            case FindCallers(id=id_):
                text_of_entry = answers.callers(id_)
            case FindTests(id=id_):
                text_of_entry = answers.tests(id_)
            case DescribeEntry(id=id_):
                text_of_entry = answers.description(id_)
        if text_of_entry is None:
            raise CallRefused(f"nothing of the kind has the id {arguments.id}; find_in_registry lists ids")
        return text_of_entry

    def _readable(self, result: SearchResult) -> SearchResult:
        """Without lines of files that the gate does not let be read: a search is no way around it."""
        readable_items = tuple(
            item for item in result.items if not isinstance(item, Line) or self._may_read(item.path)
        )
        return replace(result, items=readable_items)

    def _may_read(self, path: str) -> bool:
        return self._gate.decide(Tool.READ_FILE, {"path": path}).tier is Tier.ALLOW


def _count_text(number: int) -> str:
    return "1 test or file reaches" if number == 1 else f"{number} tests or files reach"
