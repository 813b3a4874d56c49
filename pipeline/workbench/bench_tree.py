"""The worktree of a workbench with its tests, and what looks into it. Each part is made when it is first used."""

import base64
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pipeline.agents.budget import Budget
from pipeline.contract.change import FileChange, TestsReport
from pipeline.contract.decisions import Decision
from pipeline.contract.wire import CommitSha
from pipeline.domain.command_line import CoderCommand
from pipeline.domain.errors import ChangeRefused
from pipeline.domain.suite import Baseline, TestCommand, Testing
from pipeline.domain.testing_paths import is_test_path
from pipeline.gate.gate import Gate
from pipeline.gate.tool_names import Tool
from pipeline.llm.usage import PriceList
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workspace.changes import changed_files, difference, restore
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.setup import Setup, suggested_setup
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.suite import NothingRuns, Suite
from pipeline.workspace.suite_commands import find_test_commands
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree


@dataclass(frozen=True)
class Rules:
    """The limits of agents. `model` is the name of the model for agents whose file names none.

    `coder` is another agent that makes changes in place of ours; `decisions` are the repository's standing answers.
    """

    gate: Gate
    limits: Budget
    prices: PriceList
    model: str
    testing: Testing = field(default_factory=Testing)
    coder: CoderCommand | None = None
    decisions: tuple[Decision, ...] = ()


@dataclass(kw_only=True)
class BenchTree:
    """A commit in a folder of its own, which is empty until something needs the tree.

    `setup` installs what the tests need; without it, what the checkout has installed is used. `baseline` says which command
    runs the tests, and what of them is red before the change.
    """

    repository: Path
    commit: CommitSha
    folder: Path
    sources: AgentSources
    rules: Rules
    setup: Setup | None = None
    baseline: Baseline | None = None

    @cached_property
    def worktree(self) -> Worktree:
        """The tree itself."""
        packages = self.repository if self.setup is None else self.setup.tree
        return Worktree.create(self.repository, self.commit, self.folder, packages_of=packages)

    @property
    def is_made(self) -> bool:
        """Whether something has needed the tree."""
        return "worktree" in self.__dict__

    @property
    def root(self) -> Path:
        """Its folder."""
        return self.worktree.tree

    @cached_property
    def tools(self) -> Tools:
        """The tools that read, edit and run in it."""
        ours = self.sources.environment
        if self.setup is not None:
            ours = self.setup.environment(ours)
        return Tools(self.worktree, ours=ours)

    @cached_property
    def since(self) -> SinceCommit:
        """Where the lines of the commit are now: an index of the commit knows nothing of what was edited."""
        return SinceCommit(self.worktree)

    def edited_paths(self) -> tuple[str, ...]:
        """The files that differ from the commit."""
        return tuple(file.path for file in difference(self.worktree).files)

    @property
    def tests(self) -> TestCommand | None:
        """The command that runs the tests: that of the baseline, else the likeliest one. None where none runs.

        Raises:
            PreconditionFailed: none is known.
        """
        return self.baseline.command if self.baseline is not None else self._test_commands[0]

    @cached_property
    def _test_commands(self) -> tuple[TestCommand, ...]:
        return find_test_commands(
            WorkspaceTree(self.root), configured_command=self.rules.testing.test_command
        )

    @property
    def suggested_setup(self) -> str:
        """The command that installs what the tests of this repository need, by its lock files."""
        return suggested_setup(WorkspaceTree(self.root))

    def find_baseline(self, base_commit: CommitSha | None) -> Baseline | NothingRuns:
        """Which command runs tests on the commit, and what is red; with a base, on the files of that.

        Raises:
            PreconditionFailed: no command is known, or what the tests need cannot be installed.
            RepositoryUnreadable: the checkout has no such commit.
        """
        restore(self.worktree, self._files_of(base_commit) if base_commit is not None else ())
        try:
            return self._suite.baseline(self._test_commands)
        finally:
            restore(self.worktree, ())

    def changed_files(self) -> tuple[FileChange, ...]:
        """Every file that differs from the commit, as it lies in the tree now.

        Raises:
            ChangeRefused: something is among them that may not leave the tree.
        """
        return changed_files(self.worktree)

    def run_tests(self, files: tuple[FileChange, ...]) -> TestsReport:
        """Run the tests on the commit with these files on top, and nothing else that an agent or a test left behind.

        Where the files are those of the last whole run, its report is given again.
        """
        command, key = self.tests, tuple(file.model_dump_json() for file in files)
        if command is None and self.baseline is not None:
            return self.baseline.tests
        assert command is not None  # noqa: S101 - only a baseline says that there is none
        if key not in self._reports:
            restore(self.worktree, files)
            changed_tests = self._suite.changed_tests(
                command, [file.path for file in files if file.content is not None]
            )
            report = self._suite.run(self._suite.whole(command, self.baseline, changed_tests), self.baseline)
            if self.baseline is not None and self.baseline.tests.left_out is not None:
                report = report.model_copy(update={"left_out": self.baseline.tests.left_out})
            self._reports = {key: self._without_change(report, command, changed_tests, files)}
        return self._reports[key]

    def run(self, command: TestCommand) -> TestsReport:
        """Run some tests on the current tree."""
        return self._suite.run(command, self.baseline)

    def run_all(self) -> TestsReport:
        """All tests on what the tree would hand on: the same run as that of the product, which need not be repeated."""
        try:
            return self.run_tests(self.changed_files())
        except ChangeRefused as error:
            raise CallRefused(error.why) from error

    def _without_change(
        self,
        report: TestsReport,
        command: TestCommand,
        changed_tests: tuple[str, ...],
        files: tuple[FileChange, ...],
    ) -> TestsReport:
        """With what becomes of new and changed tests on the files as they were: a test of a change fails there."""
        if not changed_tests or report.exit_code is None:
            return report
        restore(self.worktree, [file for file in files if is_test_path(file.path)])
        red, green = self._suite.red_among(command, changed_tests, self.baseline)
        restore(self.worktree, files)
        return report.model_copy(update={"red_without": red, "green_without": green})

    @property
    def _suite(self) -> Suite:
        return self.tools.suite(network=self.rules.gate.decide(Tool.RUN_TESTS, {}).network)

    @cached_property
    def _reports(self) -> dict[tuple[str, ...], TestsReport]:
        """The last whole run of the tests, by the files that differed from the commit."""
        return {}

    def _files_of(self, base_commit: CommitSha) -> tuple[FileChange, ...]:
        """The changes that turn the files of the commit into those of an earlier one."""
        listing = self.worktree.git("diff", "--name-only", "-z", "--no-renames", base_commit, self.commit)
        entries = self.worktree.git("ls-tree", "-r", "-z", "--full-tree", base_commit).split(b"\0")
        modes = {line.partition(b"\t")[2]: line[:6].decode() for line in entries}
        return tuple(
            FileChange(
                path=os.fsdecode(path),
                mode="100755" if modes.get(path) == "100755" else "100644",
                content=base64.b64encode(self.worktree.git("show", f"{base_commit}:{os.fsdecode(path)}"))
                if path in modes
                else None,
            )
            for path in listing.split(b"\0")
            if path and modes.get(path) not in ("120000", "160000")
        )
