"""A workbench: one worktree for all rounds, the repository's tests, and one way to run an agent on them.

The stages of a change share one; every other agent has its own, so that none sees what another does beside it.

The tree is never taken over from another process. It is a function of the commit, of the files that the round before
handed on, and of the calls that a saved transcript says were carried out: so a killed run goes on as if it had not
been killed, also where its folder of temporary files is gone.
"""

import base64
import difflib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from pipeline.agents.agent import Agent
from pipeline.agents.budget import RESERVE, Budget, BudgetUse, room_for_reply
from pipeline.agents.escalation import LastWord, ask_last_word, last_word_request
from pipeline.agents.loop import AgentLoop
from pipeline.agents.task import AgentCompleted, AgentFailed, Task
from pipeline.agents.tools import ARGUMENTS
from pipeline.agents.transcript import AgentRecord, Entry, lines_read, merged_lines
from pipeline.contract.answers import Answers
from pipeline.contract.change import FileChange, TestsReport
from pipeline.contract.decisions import Decision
from pipeline.contract.wire import CommitSha, Location
from pipeline.domain.errors import AgentGaveUp, ChangeRefused
from pipeline.domain.stops import Blocked
from pipeline.domain.suite import Baseline, TestCommand, Testing
from pipeline.domain.testing_paths import is_test_path
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.gate import Gate, GateDecision
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import WRITING_TOOLS, Tool
from pipeline.llm.port import Model, Origin
from pipeline.llm.usage import ModelSpend, PriceList
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from pipeline.workbench.agent_sources import AgentSources
from pipeline.workbench.history_answers import look_into_history
from pipeline.workbench.tool_box import Shelf, WorktreeToolBox
from pipeline.workspace.changes import changed_files, difference, restore
from pipeline.workspace.paths import CallRefused, WorkspaceTree
from pipeline.workspace.setup import Setup, suggested_setup
from pipeline.workspace.since_commit import SinceCommit
from pipeline.workspace.suite import NothingRuns, Suite
from pipeline.workspace.suite_commands import find_test_commands
from pipeline.workspace.tools import Tools
from pipeline.workspace.worktree import Worktree

_DIFF_CHARACTERS = 60_000


@dataclass(frozen=True)
class Rules:
    """What agents are bound to. `model` is the name of the model for agents whose file names none.

    `decisions` are the repository's standing answers.
    """

    gate: Gate
    limits: Budget
    prices: PriceList
    model: str
    testing: Testing = field(default_factory=Testing)
    decisions: tuple[Decision, ...] = ()


@dataclass
class Workbench:
    """See the module. `folder` is empty and holds the worktree, once something needs it; `record` is the run directory.

    `gate_lines` is `gate.jsonl`, one object for all workbenches of a run. `setup` installs what the tests need; without it, what the checkout has installed is used.
    """

    repository: Path
    commit: CommitSha
    folder: Path
    record: Path
    sources: AgentSources
    model: Model
    rules: Rules
    answers: Answers
    redactor: Redactor
    gate_lines: LineFile[GateLogEntry]
    setup: Setup | None = None
    baseline: Baseline | None = None

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
            WorkspaceTree(self._worktree.tree), configured_command=self.rules.testing.test_command
        )

    @property
    def suggested_setup(self) -> str:
        """The command that installs what the tests of this repository need, by its lock files."""
        return suggested_setup(WorkspaceTree(self._worktree.tree))

    def find_baseline(self, base_commit: CommitSha | None) -> Baseline | NothingRuns:
        """Which command runs tests on the commit, and what is red; with a base, on the files of that.

        Raises:
            PreconditionFailed: no command is known, or what the tests need cannot be installed.
            RepositoryUnreadable: the checkout has no such commit.
        """
        restore(self._worktree, self._files_of(base_commit) if base_commit is not None else ())
        try:
            return self._suite.baseline(self._test_commands)
        finally:
            restore(self._worktree, ())

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
        asks_nobody: bool = False,
    ) -> AgentCompleted:
        """Run an agent on the commit with these files on top.

        `targets` are registry ids of what it works on; `wrong` and `asks_nobody` are as in `Task`.

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
            asks_nobody=asks_nobody,
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
            registry=self.sources.registry,
            clock=time.monotonic,
            tell=self.sources.tell,
        )
        if files or self._has_worktree:
            restore(self._worktree, files)
        for call in loop.carried_out:
            if call.name in WRITING_TOOLS:
                tool_box.call(ARGUMENTS[Tool(call.name)].model_validate(call.input))
        ending = loop.run()
        if isinstance(ending, AgentFailed):
            raise AgentGaveUp(
                f"Agent `{agent.name}` says that it cannot be done.",
                why=ending.reason,
                what_to_do="Change the ticket so that it can, and set the label again.",
            )
        return ending

    def last_word(
        self, agent: Agent, purpose: str, *, task: str, steps: Sequence[str], last_words: str, why: str
    ) -> LastWord | None:
        """What an agent that is stuck would have a person know, asked outside of its own run; None where it does not say.

        The arguments are those of `last_word_request`. It uses at most what a budget keeps for this.
        """
        model = agent.model or self.rules.model
        request = last_word_request(
            purpose=purpose,
            model=model,
            system=agent.prompt,
            task=task,
            steps=steps,
            last_words=last_words,
            why=why,
        )
        price = None if self.model.origin is not Origin.MODEL else self.rules.prices.get(model)
        fresh_use = BudgetUse(ModelSpend(), failures=0, failed_calls=0, turns=0, minutes=0)
        room = room_for_reply(
            self.rules.limits, fresh_use, price, request.guessed_tokens, reserve=1 - RESERVE
        )
        return ask_last_word(self.model, request, room)[0]

    def run_explorer(
        self, agent: Agent, stage: str, number: int, prompt: str, wrong: Callable[[BaseModel], str | None]
    ) -> AgentCompleted | str:
        """Run an agent that only reads, and asks nobody: what it completed with, or why it came to nothing.

        Raises:
            ModelFailed: the model gives no whole reply.
        """
        try:
            return self.run_agent(agent, stage, number, prompt, (), wrong=wrong, asks_nobody=True)
        except Blocked as stop:
            return stop.ask.reason.splitlines()[0].removeprefix("BLOCKED: ")
        except AgentGaveUp as error:
            return error.why

    @property
    def turns(self) -> int:
        """How often an agent may take its turn."""
        return self.rules.limits.turns

    def lines_read(self, stage: str, round_: int) -> tuple[Location, ...]:
        """The lines of files that an agent has read, by its transcript, in the order of reading."""
        return lines_read(self._transcript(f"{stage}-{round_}").read())

    def excerpts(self, places: Iterable[Location], limit: int) -> str:
        """Lines as the commit has them, each piece below its path, at most so many characters in all.

        What the gate lets nobody read is left out: the places may come from a file that somebody handed on.
        """
        pieces: list[str] = []
        for path, lines in merged_lines(places).items():
            text = self._before(path) if self._may_be_read(path) else None
            lines_by_number = list(enumerate((text or "").splitlines(), start=1))
            numbered_lines = [f"{number}: {line}" for number, line in lines_by_number if number in lines]
            pieces += ["\n".join([f"{path}:", *numbered_lines])] if numbered_lines else []
        whole = "\n\n".join(pieces)
        return whole if len(whole) <= limit else f"{whole[:limit]}\n[the rest is left out; read the files]"

    def _may_be_read(self, path: str) -> bool:
        return self.rules.gate.decide(Tool.READ_FILE, {"path": path}).tier is Tier.ALLOW

    def changed_files(self) -> tuple[FileChange, ...]:
        """Every file that differs from the commit, as it lies in the tree now.

        Raises:
            ChangeRefused: something is among them that may not leave the tree.
        """
        return changed_files(self._worktree)

    def run_tests(self, files: tuple[FileChange, ...]) -> TestsReport:
        """Run the tests on the commit with these files on top, and nothing else that an agent or a test left behind.

        Where the files are those of the last whole run, its report is given again.
        """
        command, key = self.tests, tuple(file.model_dump_json() for file in files)
        if command is None and self.baseline is not None:
            return self.baseline.tests
        assert command is not None  # noqa: S101 - only a baseline says that there is none
        if key not in self._reports:
            restore(self._worktree, files)
            changed_tests = self._suite.changed_tests(
                command, [file.path for file in files if file.content is not None]
            )
            report = self._suite.run(self._suite.whole(command, self.baseline, changed_tests), self.baseline)
            if self.baseline is not None and self.baseline.tests.left_out is not None:
                report = report.model_copy(update={"left_out": self.baseline.tests.left_out})
            self._reports = {key: self._without_change(report, command, changed_tests, files)}
        return self._reports[key]

    def _run_all(self) -> TestsReport:
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
        restore(self._worktree, [file for file in files if is_test_path(file.path)])
        red, green = self._suite.red_among(command, changed_tests, self.baseline)
        restore(self._worktree, files)
        return report.model_copy(update={"red_without": red, "green_without": green})

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
            return len(WorkspaceTree(self._worktree.tree).read(path).data.splitlines())
        except CallRefused:
            return None

    def decision_on(self, file: FileChange) -> GateDecision:
        """What the gate says about a changed file, whoever wrote it: a test that an agent has run passed no gate."""
        is_new = not self._worktree.git("ls-tree", self.commit, "--", file.path)
        tool = Tool.CREATE_FILE if is_new else Tool.EDIT_FILE
        return self.rules.gate.decide(tool, {"path": file.path})

    def before(self, path: str) -> bytes | None:
        """A file as the commit holds it; None where it has none."""
        if not self._worktree.git("ls-tree", self.commit, "--", path):
            return None
        return self._worktree.git("show", f"{self.commit}:{path}")

    def decisions(self) -> tuple[GateLogEntry, ...]:
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
            registry=self.sources.registry,
            since=lambda: self._since,
            tests=lambda: self.tests,
            run=lambda command: self._suite.run(command, self.baseline),
            run_all=self._run_all,
            issues=self.sources.issues,
            edited_paths=lambda: tuple(file.path for file in difference(self._worktree).files),
            targets=targets,
            note=lambda text: self.sources.note(stage, text),
            places=self.sources.find_places,
            history=lambda query: look_into_history(self._worktree.git, self.commit, query),
        )

    @cached_property
    def _worktree(self) -> Worktree:
        packages = self.repository if self.setup is None else self.setup.tree
        return Worktree.create(self.repository, self.commit, self.folder, packages_of=packages)

    @property
    def _suite(self) -> Suite:
        return self._tools.suite(network=self.rules.gate.decide(Tool.RUN_TESTS, {}).network)

    @cached_property
    def _reports(self) -> dict[tuple[str, ...], TestsReport]:
        """The last whole run of the tests, by the files that differed from the commit."""
        return {}

    def _files_of(self, base_commit: CommitSha) -> tuple[FileChange, ...]:
        """What makes the files of an earlier commit of those of the commit."""
        listing = self._worktree.git("diff", "--name-only", "-z", "--no-renames", base_commit, self.commit)
        entries = self._worktree.git("ls-tree", "-r", "-z", "--full-tree", base_commit).split(b"\0")
        modes = {line.partition(b"\t")[2]: line[:6].decode() for line in entries}
        return tuple(
            FileChange(
                path=os.fsdecode(path),
                mode="100755" if modes.get(path) == "100755" else "100644",
                content=base64.b64encode(self._worktree.git("show", f"{base_commit}:{os.fsdecode(path)}"))
                if path in modes
                else None,
            )
            for path in listing.split(b"\0")
            if path and modes.get(path) not in ("120000", "160000")
        )

    @cached_property
    def _since(self) -> SinceCommit:
        return SinceCommit(self._worktree)

    @cached_property
    def _tools(self) -> Tools:
        ours = self.sources.environment
        if self.setup is not None:
            ours = self.setup.environment(ours)
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
        before = self.before(path)
        return None if before is None else before.decode("utf-8", "replace")


def _cut(diff: str) -> str:
    if len(diff) <= _DIFF_CHARACTERS:
        return diff
    return f"{diff[:_DIFF_CHARACTERS]}\n[{len(diff) - _DIFF_CHARACTERS} characters left out; read the files]"
