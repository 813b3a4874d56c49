"""Carries the tools of agents out: on the worktree, in the registry, by running the tests, on GitHub's issues."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue, ValidationError

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
    RunCode,
    RunCommand,
    RunTests,
    SearchCode,
    SearchIssues,
    ToolOutcome,
    arguments_of,
)
from pipeline.contract.change import blob_of
from pipeline.domain.suite import TestCommand
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import Tool
from pipeline.workbench.bench_tree import BenchTree
from pipeline.workbench.history_and_issues import look_at_issues, look_into_history
from pipeline.workbench.reach import reached_tests
from pipeline.workbench.registry_answers import RegistryAnswers
from pipeline.workspace.looking import Line, SearchResult
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.runners import NotNarrowed, TestPlace, narrow, narrow_to


class WorktreeToolBox:
    """The tools of one agent on a worktree, as far as the gate lets it.

    `targets` are the registry ids of what the ticket is about; `stage` is where its notes belong.
    """

    def __init__(self, tree: BenchTree, stage: str, targets: tuple[str, ...] = ()) -> None:
        self._tree, self._stage, self._targets = tree, stage, targets
        self._sources, self._gate = tree.sources, tree.rules.gate

    def real_path(self, path: str) -> str | None:
        """Where a path leads once links are followed: relative to the tree, or None if that is outside of it."""
        root = self._tree.root.resolve()
        real = Path(os.path.realpath(root / path))
        return real.relative_to(root).as_posix() if real.is_relative_to(root) else None

    def call(self, arguments: Arguments) -> ToolOutcome:
        """Carry a call out that the gate has let through. A failure is an outcome, not an exception."""
        try:
            return ToolOutcome(ok=True, text=self._result(arguments))
        except CallRefused as refusal:
            return ToolOutcome(ok=False, text=str(refusal))

    def blob_after(self, tool: str, arguments: Mapping[str, JsonValue]) -> str | None:
        """What a call that writes would make of its file; None for one that cannot, or that writes none."""
        try:
            match arguments_of(tool, arguments):
                case EditFile() as edit:
                    content = self._tree.tools.edited(edit.path, edit.replacements)
                case CreateFile(path=path, content=text):
                    content = self._tree.tools.created(path, text)
                case _:
                    return None
        except (CallRefused, ValidationError):
            return None
        return blob_of("100755" if content.executable else "100644", content.data)

    def _result(self, arguments: Arguments) -> str:
        """What a call gives, as text for the model.

        Raises:
            CallRefused: it could not be carried out.
        """
        match arguments:
            case ReadFile(path=path, start=start, lines=lines):
                return self._tree.tools.read_file(path, start, lines).for_model()
            case EditFile():
                return self._tree.tools.edit_file(arguments.path, arguments.replacements).for_model()
            case CreateFile(path=path, content=content):
                return self._tree.tools.create_file(path, content).for_model()
            case RunCommand() | RunCode() | RunTests():
                return self._run(arguments)
            case SearchCode(pattern=pattern, glob=glob):
                return self._readable(self._tree.tools.search(pattern, glob)).for_model()
            case ListFiles(glob=glob):
                return self._tree.tools.list_files(glob).for_model()
            case FindInRegistry() | FindCallers() | FindTests() | DescribeEntry():
                return self._looked_up(arguments)
            case FindPlaces(words=words):
                return self._sources.find_places(words)
            case LookIntoHistory():
                return look_into_history(self._tree.worktree.git, self._tree.commit, arguments)
            case SearchIssues() | ReadIssue():
                return look_at_issues(self._sources.issues, arguments)
            case _:
                assert_never(arguments)

    def _run(self, call: RunCommand | RunCode | RunTests) -> str:
        match call:
            case RunCommand(command=command):
                network = self._gate.decide(Tool.RUN_COMMAND, {"command": command}).network
                return self._tree.tools.run_command(command, network=network).for_model()
            case RunCode(language=language, code=code):
                return self._tree.tools.run_code(language, code).for_model()
            case RunTests():
                return self._run_tests(call)

    def _run_tests(self, call: RunTests) -> str:
        """Run the tests that a call asks for, and say which were chosen and why."""
        tests = self._tree.tests
        if tests is None:
            raise CallRefused("No test of this repository can be run here.")
        if call.tests:
            return self._tree.run(self._command_by_name(tests, call.tests)).for_model()
        if call.scope == "all":
            return self._tree.run_all().for_model()
        command = self._command_by_reach(tests)
        if isinstance(command, NotNarrowed):
            return f"All tests ran: {command.why}.\n{self._tree.run_all().for_model()}"
        report = self._tree.run(command)
        if report.ran_nothing:
            self._note(f"run_tests: `{command.in_words}` ran no test, so all ran")
            return f"All tests ran: of those chosen none was run.\n{self._tree.run_all().for_model()}"
        return f"Chosen by reach: {command.because}. `scope: all` runs everything.\n{report.for_model()}"

    def _command_by_name(self, tests: TestCommand, names: tuple[str, ...]) -> TestCommand:
        """The command for files or names.

        Raises:
            CallRefused: the runner cannot be told.
        """
        since = self._tree.since
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
        """The command for the tests by reach; the choice and its reason are noted."""
        in_reach = reached_tests(
            self._sources.registry(),
            self._tree.since,
            tests,
            targets=self._targets,
            edited_paths=self._tree.edited_paths(),
        )
        command = narrow(tests, in_reach.all)
        if isinstance(command, NotNarrowed):
            self._note(f"run_tests: all tests, because {command.why}")
            return command
        because = f"{_count_text(len(in_reach.targets))} the targets, {_count_text(len(in_reach.edits))} what was edited"
        self._note(f"run_tests: `{command.in_words}`, because {because}")
        return replace(command, because=because)

    def _note(self, text: str) -> None:
        self._sources.note(self._stage, text)

    def _looked_up(self, arguments: FindInRegistry | FindCallers | FindTests | DescribeEntry) -> str:
        answers = RegistryAnswers(self._sources.registry(), self._tree.since)
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
