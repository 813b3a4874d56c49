"""What an agent and all agents that it started have used: one account, because they have one budget.

It is read from their transcripts, so a run that was killed knows what was paid before.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pipeline.agents.agent import WRITING_TOOLS, Agent
from pipeline.agents.budget import Used
from pipeline.agents.task import Task
from pipeline.agents.transcript import (
    AgentRecord,
    Began,
    Clarified,
    Delegated,
    Done,
    Entry,
    Lost,
    Replied,
    about,
)
from pipeline.domain.errors import PipelineError
from pipeline.llm.port import ToolCall
from pipeline.llm.usage import PriceList, Spent, dollars


class BudgetUnenforceable(PipelineError):
    """A limit in dollars is set, and nobody has told what the model costs."""


class TranscriptRedacted(PipelineError):
    """What an agent did cannot be done again from its transcript, because something in it was taken for a secret."""

    def __init__(self, what: str) -> None:
        super().__init__(
            "The run cannot go on from its transcript.",
            why=f"{what} holds something that looks like a secret, which is not stored; made again, it would be another one.",
            what_to_do="Start anew, in another directory: --run-directory DIR",
        )


@dataclass(frozen=True)
class Member:
    """One agent of a family: its model, and its transcript, which grows while it works."""

    model: str
    entries: list[Entry]

    @property
    def clarified(self) -> tuple[Clarified, ...]:
        """What was asked and answered by now."""
        begun = [entry for entry in self.entries if isinstance(entry, Began)]
        return begun[-1].clarified if begun else ()


class Account:
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
        self.members: dict[str, Member] = {task.within: Member(task.model, entries)}
        self.members |= _family(task.within, entries, record)
        self._prices, self._free, self._clock, self._began = prices, free, clock, clock()
        first = next((entry for entry in entries if isinstance(entry, Began)), None)
        self.budgets = attempt - (first.attempt if first is not None else attempt) + 1
        self._earlier = max((reply.seconds for reply in self._replies()), default=0.0)

    @property
    def seconds(self) -> float:
        """How long the family has worked, in this and in earlier processes."""
        return self._earlier + self._clock() - self._began

    @property
    def spent(self) -> Spent:
        """What the family has cost, replies that broke off included."""
        spent = Spent()
        for member in self.members.values():
            for entry in member.entries:
                if isinstance(entry, Replied | Lost):
                    usage = entry.reply.usage if isinstance(entry, Replied) else entry.usage
                    spent = spent.plus(
                        usage, 0.0 if self._free else dollars(self._prices, member.model, usage)
                    )
        return spent

    def used(self, failures: int) -> Used:
        """What counts against the budget. `failures` are those of the agent that asks: its steps are its own."""
        turns = sum(1 for _ in self._replies())
        return Used(self.spent, failures, turns, self.seconds / 60)

    def carried_out(self) -> Iterator[ToolCall]:
        """All calls that worked, of all of them, in the order in which they were made.

        Raises:
            TranscriptRedacted: one that changed a file is not what it was.
        """
        first = next(iter(self.members))
        return self._carried_out(first, 0, len(self.members[first].entries))

    def self_answers(self) -> Iterator[tuple[str, Clarified]]:
        """The questions of children that no person answered, each with the path of who asked."""
        for within, member in self.members.items():
            for one in member.clarified:
                if one.answered_by != "person":
                    yield within, one

    def _replies(self) -> Iterator[Replied]:
        for member in self.members.values():
            yield from (entry for entry in member.entries if isinstance(entry, Replied))

    def _carried_out(self, within: str, start: int, end: int) -> Iterator[ToolCall]:
        entries = self.members[within].entries
        for at in range(start, end):
            entry = entries[at]
            if isinstance(entry, Done) and not entry.result.is_error:
                if entry.call.name in WRITING_TOOLS and not entry.is_as_made:
                    raise TranscriptRedacted(f"A call of `{entry.call.name}`")
                yield entry.call
            elif isinstance(entry, Delegated):
                child = f"{within}/{entry.child}".lstrip("/")
                later = (
                    one.start
                    for one in entries[at + 1 :]
                    if isinstance(one, Delegated) and one.child == entry.child
                )
                yield from self._carried_out(
                    child, entry.start, next(later, len(self.members[child].entries))
                )


def _family(within: str, entries: list[Entry], record: AgentRecord) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for mark in {entry.child: entry for entry in entries if isinstance(entry, Delegated)}.values():
        path = f"{within}/{mark.child}".lstrip("/")
        theirs = about(mark.fingerprint, record.of_child(path).read())
        found |= {path: Member(mark.model, theirs)} | _family(path, theirs, record)
    return found


def refuse_unpriced(agent: Agent, model: str, prices: PriceList) -> None:
    """See that what an agent and all agents that it may start cost can be counted. `model` is for those that name none.

    Raises:
        BudgetUnenforceable: the price of a model is unknown.
    """
    named = agent.model or model
    if named not in prices:
        raise BudgetUnenforceable(
            f"the price of `{named}` is unknown",
            why="the budget limits dollars, and a limit that cannot be counted would be no limit",
            what_to_do="Tell its price on the base branch, in dollars per million tokens, or limit tokens instead of dollars\n"
            "(`budget: {dollars: null}` in .github/askfirst/config.yml). In .github/askfirst/prices.yml:\n"
            f"models:\n  {named}: {{input: 2, output: 10, cache_write: 2.5, cache_read: 0.1, source: my contract, as_of: 2026-01-31}}",
        )
    for child in agent.children:
        refuse_unpriced(child, named, prices)
