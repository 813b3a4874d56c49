"""What an agent and all agents that it started have used: one account, because they have one budget.

It is read from their transcripts, so a run that was killed knows what was paid before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.agents.agent import Agent
from pipeline.agents.budget import BudgetUse
from pipeline.agents.task import Task
from pipeline.agents.transcript import (
    AgentRecord,
    AnsweredQuestion,
    ConversationStarted,
    Entry,
    EscalationRaised,
    ModelReplyReceived,
    ReminderSent,
    ReplyLost,
    TaskDelegated,
    ToolFinished,
    about,
)
from pipeline.domain.errors import PipelineError
from pipeline.gate.tool_names import WRITING_TOOLS
from pipeline.llm.port import ToolCall
from pipeline.llm.usage import ModelSpend, PriceList, dollars, how_to_price


class BudgetUnenforceable(PipelineError):
    """Only dollars are limited, and the price of the model is unknown."""


class TranscriptRedacted(PipelineError):
    """What an agent did cannot be done again from its transcript, because something in it was taken for a secret."""

    def __init__(self, subject: str) -> None:
        super().__init__(
            "The run cannot go on from its transcript.",
            why=f"{subject} holds something that looks like a secret, which is not stored; made again, it would be another one.",
            what_to_do="Start anew, in another directory: --run-directory DIR",
        )


@dataclass(frozen=True)
class FamilyMember:
    """One agent of a family: its model, and its transcript, which grows while it works."""

    model: str
    entries: list[Entry]

    @property
    def answered_questions(self) -> tuple[AnsweredQuestion, ...]:
        """The questions answered by now."""
        starts = [entry for entry in self.entries if isinstance(entry, ConversationStarted)]
        return starts[-1].clarified if starts else ()


class FamilyAccount:
    """The transcripts of a family by path of ids, the first agent's under the empty one. `clock` counts seconds.

    `budgets` is how many budgets what stands in the transcripts may use: those that were given since they began.
    """

    def __init__(
        self,
        task: Task,
        entries: list[Entry],
        record: AgentRecord,
        *,
        prices: PriceList,
        free: bool,
        clock: Callable[[], float],
        attempt: int,
    ) -> None:
        """Open it for the first agent, with whatever its children have left in earlier processes.

        `attempt` is how many budgets its stage has been given by now.
        """
        self.members: dict[str, FamilyMember] = {task.within: FamilyMember(task.model, entries)}
        self.members |= _family(task.within, entries, record)
        self._prices, self._free, self._clock, self._began = prices, free, clock, clock()
        first = next((entry for entry in entries if isinstance(entry, ConversationStarted)), None)
        self.budgets = attempt - (first.attempt if first is not None else attempt) + 1
        self._earlier = max((reply.seconds for reply in self._replies()), default=0.0)

    @property
    def seconds(self) -> float:
        """How long the family has worked, in this and in earlier processes."""
        return self._earlier + self._clock() - self._began

    @property
    def spend(self) -> ModelSpend:
        """What the family has cost, replies that broke off and last words included."""
        spend = ModelSpend()
        for member in self.members.values():
            for entry in member.entries:
                if isinstance(entry, ModelReplyReceived | ReplyLost | EscalationRaised):
                    usage = entry.reply.usage if isinstance(entry, ModelReplyReceived) else entry.usage
                    spend = spend.plus(
                        usage, 0.0 if self._free else dollars(self._prices, member.model, usage)
                    )
        return spend

    def budget_use(self, failures: int) -> BudgetUse:
        """The use of the budget. `failures` are those of the agent that asks: its steps are its own."""
        turns = sum(1 for _ in self._replies())
        return BudgetUse(self.spend, failures, self._failed_calls(), turns, self.seconds / 60)

    def _failed_calls(self) -> int:
        """Calls of the family that failed, and turns without a call, since its transcripts begin."""
        entries = (entry for member in self.members.values() for entry in member.entries)
        return sum(
            isinstance(entry, ReminderSent) or (isinstance(entry, ToolFinished) and entry.result.is_error)
            for entry in entries
        )

    def changed_files(self, within: str) -> frozenset[str]:
        """Paths that one agent, and those that it started, have written so far, in this and in earlier processes."""
        entries = (
            entry
            for path, member in self.members.items()
            if f"{path}/".startswith(f"{within}/")
            for entry in member.entries
        )
        written_paths = (
            entry.call.input.get("path")
            for entry in entries
            if isinstance(entry, ToolFinished)
            and entry.call.name in WRITING_TOOLS
            and not entry.result.is_error
        )
        return frozenset(path for path in written_paths if isinstance(path, str))

    def carried_out(self) -> Iterator[ToolCall]:
        """All calls that worked, of all of them, in the order in which they were made.

        Raises:
            TranscriptRedacted: one that changed a file is not what it was.
        """
        first = next(iter(self.members))
        return self._carried_out(first, 0, len(self.members[first].entries))

    def self_answers(self) -> Iterator[tuple[str, AnsweredQuestion]]:
        """The questions of children that no person answered, each with the path of who asked."""
        for within, member in self.members.items():
            for question in member.answered_questions:
                if question.answered_by != "person":
                    yield within, question

    def _replies(self) -> Iterator[ModelReplyReceived]:
        for member in self.members.values():
            yield from (entry for entry in member.entries if isinstance(entry, ModelReplyReceived))

    def _carried_out(self, within: str, start: int, end: int) -> Iterator[ToolCall]:
        entries = self.members[within].entries
        for at in range(start, end):
            entry = entries[at]
            if isinstance(entry, ToolFinished) and not entry.result.is_error:
                if entry.call.name in WRITING_TOOLS and not entry.is_as_made:
                    raise TranscriptRedacted(f"A call of `{entry.call.name}`")
                yield entry.call
            elif isinstance(entry, TaskDelegated):
                child = f"{within}/{entry.child}".lstrip("/")
                later = (
                    mark.start
                    for mark in entries[at + 1 :]
                    if isinstance(mark, TaskDelegated) and mark.child == entry.child
                )
                yield from self._carried_out(
                    child, entry.start, next(later, len(self.members[child].entries))
                )


def _family(within: str, entries: list[Entry], record: AgentRecord) -> dict[str, FamilyMember]:
    members: dict[str, FamilyMember] = {}
    for mark in {entry.child: entry for entry in entries if isinstance(entry, TaskDelegated)}.values():
        path = f"{within}/{mark.child}".lstrip("/")
        child_entries = about(mark.fingerprint, record.of_child(path).read())
        members |= {path: FamilyMember(mark.model, child_entries)} | _family(path, child_entries, record)
    return members


def refuse_unpriced(agent: Agent, model: str, prices: PriceList) -> None:
    """See that what an agent and all agents that it may start cost can be counted. `model` is for those that name none.

    Raises:
        BudgetUnenforceable: the price of a model is unknown.
    """
    priced_model = agent.model or model
    if priced_model not in prices:
        raise BudgetUnenforceable(
            f"the price of `{priced_model}` is unknown",
            why="the budget limits dollars, and a limit that cannot be counted would be no limit",
            what_to_do="Limit tokens (`budget: {tokens: 2000000}` in .github/askfirst/config.yml). Or: "
            + how_to_price(priced_model),
        )
    for child in agent.children:
        refuse_unpriced(child, priced_model, prices)
