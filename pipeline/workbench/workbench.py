"""A workbench: one worktree for all rounds, the repository's tests, and one way to run an agent on them.

The stages of a change share one; every other agent has its own, so that none sees what another does beside it.

The tree is never taken over from another process. It is a function of the commit, of the files that the round before
handed on, and of the calls that a saved transcript says were carried out: so a killed run goes on as if it had not
been killed, also where its folder of temporary files is gone.
"""

import difflib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from pipeline.agents.agent import WRITING_TOOLS, Agent, Tool
from pipeline.agents.budget import Limits
from pipeline.agents.delegation import Tell
from pipeline.agents.gate import Decision as GateDecision
from pipeline.agents.gate import Gate
from pipeline.agents.loop import AgentLoop
from pipeline.agents.task import Completed, Failed, Task
from pipeline.agents.tools import ARGUMENTS
from pipeline.agents.transcript import AgentRecord, Decided, Entry
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answers
from pipeline.contract.change import FileChange
from pipeline.contract.decisions import Decision
from pipeline.contract.wire import CommitSha
from pipeline.domain.errors import AgentGaveUp, ChangeRefused
from pipeline.github_read.reader import GitHubReader
from pipeline.llm.port import Model
from pipeline.llm.usage import PriceList
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from pipeline.workbench.tool_box import Shelf, WorktreeToolBox
from pipeline.workspace.changes import difference, restore
from pipeline.workspace.paths import Refused, Tree
from pipeline.workspace.setup import Setup
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.test_runs import TestCommand, TestRun, find_test_command
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree

_DIFF_CHARACTERS = 60_000


@dataclass(frozen=True)
class Rules:
    """What agents are bound to. `model` is the name of the model for agents whose file names none.

    `decisions` are the repository's standing answers.
    """

    gate: Gate
    limits: Limits
    prices: PriceList
    model: str
    test_command: str | None = None
    decisions: tuple[Decision, ...] = ()


@dataclass
class Workbench:
    """See the module. `folder` is empty and holds the worktree, once something needs it; `record` is the run directory.

    `gate_lines` is `gate.jsonl`, one object for all workbenches of a run; `note` takes a stage and a line for the journal.
    `notes_of_people` gives what people have written for a round. `tell` takes what happens to agents that agents start.
    `setup` installs what the tests need; without it, what the checkout has installed is used.
    """

    repository: Path
    commit: CommitSha
    folder: Path
    record: Path
    registry: Callable[[], Registry]
    model: Model
    rules: Rules
    answers: Answers
    redactor: Redactor
    gate_lines: LineFile[Decided]
    issues: GitHubReader | None = None
    note: Callable[[str, str], None] = lambda _stage, _text: None
    notes_of_people: Callable[[int], tuple[str, ...]] = lambda _round: ()
    tell: Tell = lambda _event: None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    setup: Setup | None = None

    @cached_property
    def tests(self) -> TestCommand:
        """The command that runs the tests, as the commit declares it or the configuration says.

        Raises:
            PreconditionFailed: there is none, or there are several.
        """
        return find_test_command(Tree(self._worktree.tree), configured=self.rules.test_command)

    def run_agent(
        self,
        agent: Agent,
        stage: str,
        round_: int,
        prompt: str,
        files: tuple[FileChange, ...],
        *,
        targets: tuple[str, ...] = (),
        wrong: Callable[[BaseModel], str | None] = lambda _: None,
    ) -> Completed:
        """Run an agent on the commit with these files on top.

        `targets` are registry ids of what it works on; `wrong` says what is wrong with a result (see `Task`).

        Raises:
            Stop: a person is asked.
            AgentGaveUp: the agent says that it cannot be done.
            ModelFailed: the model gives no whole reply.
        """
        task = Task(
            stage=stage,
            round_=round_,
            agent=agent,
            model=agent.model or self.rules.model,
            prompt=prompt,
            answers=self.answers,
            wrong=wrong,
            decisions=self.rules.decisions,
        )
        tool_box = WorktreeToolBox(self._shelf(stage, targets), self.rules.gate)
        loop = AgentLoop(
            task,
            model=self.model,
            tools=tool_box,
            gate=self.rules.gate,
            limits=self.rules.limits,
            prices=self.rules.prices,
            record=AgentRecord(
                self._transcript(f"{stage}-{round_}"),
                self.gate_lines,
                lambda within: self._transcript(f"{stage}-{round_}.{within.replace('/', '.')}"),
            ),
            clock=time.monotonic,
            tell=self.tell,
        )
        if files or self._has_worktree:
            restore(self._worktree, files)
        for call in loop.carried_out:
            if call.name in WRITING_TOOLS:
                tool_box.call(ARGUMENTS[Tool(call.name)].model_validate(call.input))
        ending = loop.run()
        if isinstance(ending, Failed):
            raise AgentGaveUp(
                f"Agent `{agent.name}` says that it cannot be done.",
                why=ending.reason,
                what_to_do="Change the ticket so that it can, and set the label again.",
            )
        return ending

    def changed_files(self) -> tuple[FileChange, ...]:
        """Every file that differs from the commit, as it lies in the tree now.

        Raises:
            ChangeRefused: something is among them that may not leave the tree.
        """
        found = difference(self._worktree)
        if found.refused:
            raise ChangeRefused(
                "The change may not leave the worktree.",
                why="\n".join(found.refused[:20]),
                what_to_do="Make such changes by hand, or say in the ticket how it can be done without them.",
            )
        return tuple(found.files)

    def run_tests(self, files: tuple[FileChange, ...]) -> TestRun:
        """Run the tests on the commit with these files on top, and nothing else that an agent or a test left behind."""
        command = self.tests
        restore(self._worktree, files)
        return self._tools.run_tests(command, network=self.rules.gate.decide(Tool.RUN_TESTS, {}).network)

    def diff(self, files: tuple[FileChange, ...]) -> str:
        """The files as a unified diff against the commit; long ones are cut."""
        return _cut("\n".join(self._diff_of(file) for file in files))

    def diff_since(self, base: CommitSha) -> str:
        """What the commit to work on has that an earlier one has not, as a unified diff; long ones are cut.

        Raises:
            RepositoryUnreadable: the checkout has no such commit.
        """
        return _cut(self._worktree.git("diff", "--no-renames", base, self.commit).decode("utf-8", "replace"))

    def line_count(self, path: str) -> int | None:
        """How many lines a file of the tree has as it is now; None if there is none that could be read."""
        try:
            return len(Tree(self._worktree.tree).read(path).data.splitlines())
        except Refused:
            return None

    def decision_on(self, file: FileChange) -> GateDecision:
        """What the gate says about a changed file, whoever wrote it: a test that an agent has run passed no gate."""
        is_new = not self._worktree.git("ls-tree", self.commit, "--", file.path)
        tool = Tool.CREATE_FILE if is_new else Tool.EDIT_FILE
        return self.rules.gate.decide(tool, {"path": file.path})

    def decisions(self) -> tuple[Decided, ...]:
        """Everything that the gate has decided in this run directory."""
        return tuple(self.gate_lines.read())

    def close(self) -> None:
        """Take the worktree away, if one was made."""
        if self._has_worktree:
            self._worktree.remove()

    @property
    def _has_worktree(self) -> bool:
        return "_worktree" in self.__dict__

    def _transcript(self, name: str) -> LineFile[Entry]:
        return LineFile(
            self.record / "transcripts" / f"{name}.jsonl", TypeAdapter[Entry](Entry), self.redactor
        )

    def _shelf(self, stage: str, targets: tuple[str, ...]) -> Shelf:
        return Shelf(
            tree=lambda: self._worktree.tree,
            tools=lambda: self._tools,
            registry=self.registry,
            since=lambda: self._since,
            tests=lambda: self.tests,
            issues=self.issues,
            edited=lambda: tuple(file.path for file in difference(self._worktree).files),
            targets=targets,
            note=lambda text: self.note(stage, text),
        )

    @cached_property
    def _worktree(self) -> Worktree:
        packages = self.repository if self.setup is None else self.setup.tree
        return Worktree.create(self.repository, self.commit, self.folder, packages_of=packages)

    @cached_property
    def _since(self) -> SinceCommit:
        return SinceCommit(self._worktree)

    @cached_property
    def _tools(self) -> Tools:
        ours = self.environment if self.setup is None else self.setup.environment(self.environment)
        return Tools.of(self._worktree, ours=ours)

    def _diff_of(self, file: FileChange) -> str:
        before = self._before(file.path)
        after = None if file.content is None else file.content.decode("utf-8", "replace")
        lines = difflib.unified_diff(
            (before or "").splitlines(),
            (after or "").splitlines(),
            "/dev/null" if before is None else f"a/{file.path}",
            "/dev/null" if after is None else f"b/{file.path}",
            lineterm="",
        )
        return "\n".join(lines) or f"{file.path}: mode {file.mode}"

    def _before(self, path: str) -> str | None:
        """A file as the commit holds it."""
        if not self._worktree.git("ls-tree", self.commit, "--", path):
            return None
        return self._worktree.git("show", f"{self.commit}:{path}").decode("utf-8", "replace")


def _cut(diff: str) -> str:
    if len(diff) <= _DIFF_CHARACTERS:
        return diff
    return f"{diff[:_DIFF_CHARACTERS]}\n[{len(diff) - _DIFF_CHARACTERS} characters left out; read the files]"
