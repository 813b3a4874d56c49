"""A workbench: one worktree for all rounds, the repository's tests, and one way to run an agent on them.

The stages of a change share one; every other agent has its own, so that none sees what another does at the same time.

The tree is never taken over from another process. It is a function of the commit, of the files that the round before
handed on, and of the calls that a saved transcript says were carried out: so a killed run goes on as if it had not
been killed, also where its folder of temporary files is gone.
"""

import difflib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from pipeline.agents.agent import Agent
from pipeline.agents.budget import RESERVE, BudgetUse, room_for_reply
from pipeline.agents.escalation import LastWord, ask_last_word, last_word_request
from pipeline.agents.loop import AgentLoop
from pipeline.agents.task import AgentCompleted, AgentFailed, Task
from pipeline.agents.tools import ARGUMENTS
from pipeline.agents.transcript import AgentRecord, Entry, lines_read, merged_lines
from pipeline.contract.answers import Answers
from pipeline.contract.change import FileChange
from pipeline.contract.wire import CommitSha, Location
from pipeline.domain.command_line import CoderCommand
from pipeline.domain.errors import AgentGaveUp
from pipeline.domain.stops import Blocked
from pipeline.gate.decision_log import GateLogEntry
from pipeline.gate.gate import GateDecision
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import WRITING_TOOLS, Tool
from pipeline.llm.port import Model, Origin
from pipeline.llm.usage import ModelSpend
from pipeline.run_record.line_file import LineFile
from pipeline.run_record.redaction import Redactor
from pipeline.workbench.bench_tree import BenchTree
from pipeline.workbench.programs import run_other_agent
from pipeline.workbench.tool_box import WorktreeToolBox
from pipeline.workspace.changes import restore
from pipeline.workspace.paths import CallRefused, WorkspaceTree

_DIFF_CHARACTERS = 60_000


@dataclass(kw_only=True)
class Workbench(BenchTree):
    """See the module. `record` is the run directory, and `gate_lines` its `gate.jsonl`, one object for all workbenches."""

    record: Path
    model: Model
    answers: Answers
    redactor: Redactor
    gate_lines: LineFile[GateLogEntry]

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
        tool_box = WorktreeToolBox(self, stage, targets)
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
        if files or self.is_made:
            restore(self.worktree, files)
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

    def run_other_agent(
        self, agent: Agent, coder: CoderCommand, prompt: str, files: tuple[FileChange, ...]
    ) -> AgentCompleted:
        """Run the repository's other coder on the commit with these files on top, in the place of `agent`.

        Raises:
            AgentGaveUp: it failed.
        """
        restore(self.worktree, files)
        said = run_other_agent(
            coder, self.worktree, prompt, ours=self.sources.environment, minutes=self.rules.limits.minutes
        )
        return AgentCompleted(agent.output(summary=said), ModelSpend(dollars=None), Origin.MODEL)

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
        """Run an agent that only reads, and asks no person: what it completed with, or why it came to nothing.

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

        What the gate keeps from being read is left out: the places may come from a prepared ticket.
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

    def diff(self, files: tuple[FileChange, ...]) -> str:
        """The files as a unified diff against the commit; long ones are cut."""
        return _cut("\n".join(self._diff_of(file) for file in files))

    def diff_since(self, base: CommitSha) -> str:
        """What the commit to work on has that an earlier one has not, as a unified diff; long ones are cut.

        Raises:
            RepositoryUnreadable: the checkout has no such commit.
        """
        return _cut(self.worktree.git("diff", "--no-renames", base, self.commit).decode("utf-8", "replace"))

    def line_count(self, path: str) -> int | None:
        """How many lines a file of the tree has now; None if there is none that could be read."""
        try:
            return len(WorkspaceTree(self.root).read(path).data.splitlines())
        except CallRefused:
            return None

    def decision_on(self, file: FileChange) -> GateDecision:
        """The gate's verdict on a changed file, by any writer: a test that an agent has run passed no gate."""
        is_new = not self.worktree.git("ls-tree", self.commit, "--", file.path)
        tool = Tool.CREATE_FILE if is_new else Tool.EDIT_FILE
        return self.rules.gate.decide(tool, {"path": file.path})

    def before(self, path: str) -> bytes | None:
        """A file as the commit holds it; None where it has none."""
        if not self.worktree.git("ls-tree", self.commit, "--", path):
            return None
        return self.worktree.git("show", f"{self.commit}:{path}")

    def recent_subjects(self) -> tuple[str, ...]:
        """The first lines of the newest commits, as far as the checkout has them."""
        log = self.worktree.git("log", "-30", "--no-merges", "--format=%s", self.commit)
        return tuple(log.decode("utf-8", "replace").splitlines())

    def close(self) -> None:
        """Take the worktree away, if one was made."""
        if self.is_made:
            self.worktree.remove()

    def _transcript(self, name: str) -> LineFile[Entry]:
        return LineFile(
            self.record / "transcripts" / f"{name}.jsonl", TypeAdapter[Entry](Entry), self.redactor
        )

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
