"""The transcript of an agent: what it was told, said and got, written as it happens, so that nothing is paid for twice."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, TypeVar, assert_never

from pydantic import Field

from pipeline.agents.blocks import WRITTEN_CALL_ID, as_call, last_block
from pipeline.agents.escalation import LastWord
from pipeline.agents.tools import COMPLETE, ReadFile
from pipeline.contract.wire import Location, Sha256
from pipeline.domain.models import ClosedModel
from pipeline.gate.decision_log import GateLogEntry, call_sha256, canonical_call
from pipeline.gate.tool_names import Tool
from pipeline.llm.port import ModelReply, TextBlock, ToolCall, ToolResult, Turn
from pipeline.llm.usage import Usage
from pipeline.run_record.summary import AgentWork

_MOST_LINES = 1_000
"""No call reads more; a place that says otherwise did not come from a call."""


AnsweredBy = Literal["person", "rule", "template", "parent"]
"""Who answered the question of an agent. All but the first are assumptions."""


class AnsweredQuestion(ClosedModel):
    """A question that the agent asked, and the answer. `because` says on what an answer rests that no person gave."""

    question: str
    answer: str
    question_id: str | None = None
    answered_by: AnsweredBy = "person"
    because: str = ""

    @property
    def in_words(self) -> str:
        """As the agent is told it when it begins again."""
        return f"[Clarification from previous attempt]\nQ: {self.question}\nA: {self.answer}"


class ConversationStarted(ClosedModel):
    """A conversation begins. `fingerprint` tells whether a saved one was about the same; `model` is bound to it too.

    `nonce` marks the endings of an agent that writes text, over all its conversations in a run. `attempt` is how many
    budgets its stage had been given by then, from 1.
    """

    event: Literal["began"] = "began"
    fingerprint: Sha256
    clarified: tuple[AnsweredQuestion, ...] = ()
    nonce: str | None = None
    attempt: int = 1


class ModelReplyReceived(ClosedModel):
    """The model said something. `seconds` is how long the agent has run, in this and in earlier processes."""

    event: Literal["replied"] = "replied"
    reply: ModelReply
    seconds: float


class ReplyLost(ClosedModel):
    """Something was paid for that is not there: the reply broke off, or was refused."""

    event: Literal["lost"] = "lost"
    usage: Usage


class ToolFinished(ClosedModel):
    """A call has its result. `call_sha256` is the hash of the call as it was made: what is stored may be redacted."""

    event: Literal["done"] = "done"
    call: ToolCall
    result: ToolResult
    call_sha256: Sha256

    @classmethod
    def of(cls, call: ToolCall, result: ToolResult) -> "ToolFinished":
        """The line for a call that was just made."""
        return cls(call=call, result=result, call_sha256=call_sha256(call.name, call.input))

    @property
    def is_as_made(self) -> bool:
        """Whether the call can be made again from this line."""
        return call_sha256(self.call.name, self.call.input) == self.call_sha256


class ReminderSent(ClosedModel):
    """The model made no call, and was told that it must."""

    event: Literal["reminded"] = "reminded"
    text: str


class EscalationRaised(ClosedModel):
    """The agent was stuck and was asked for its last word; `word` is None where it gave none.

    `attempt` counts the budgets of its stage, from 1: there is one such line for each that was spent.
    """

    event: Literal["escalated"] = "escalated"
    attempt: int
    usage: Usage
    word: LastWord | None


class EscalationAnswered(ClosedModel):
    """A person let an agent that was stuck go on; `text` is what the agent is told."""

    event: Literal["escalation_answered"] = "escalation_answered"
    attempt: int
    text: str


class TaskDelegated(ClosedModel):
    """Another agent works until the call has its result. It is written before the other one does anything.

    `child` is its id, `start` and `spawns` how many lines and how many conversations its transcript has by then; `task`
    are the words that it was given, `fingerprint` those of its own task.
    """

    event: Literal["delegated"] = "delegated"
    call_id: str
    child: str
    agent: str
    model: str
    task: str
    fingerprint: Sha256
    start: int
    spawns: int


Entry = Annotated[
    ConversationStarted
    | ModelReplyReceived
    | ReplyLost
    | ToolFinished
    | ReminderSent
    | EscalationRaised
    | EscalationAnswered
    | TaskDelegated,
    Field(discriminator="event"),
]
"""A line of a transcript."""


Line = TypeVar("Line")


class Lines(Protocol[Line]):
    """A file of lines that only grows. Each line is on disk when `append` returns."""

    def read(self) -> Sequence[Line]:
        """All whole lines so far."""

    def append(self, line: Line) -> None:
        """Add one."""


@dataclass(frozen=True)
class AgentRecord:
    """Where one agent's run is written: its transcript, and `gate.jsonl`, which all agents of a run share.

    `of_child` gives the transcript of an agent that it starts, by the path of ids (`Task.within`).
    """

    transcript: Lines[Entry]
    gate: Lines[GateLogEntry]
    of_child: Callable[[str], Lines[Entry]]

    def for_child(self, within: str) -> "AgentRecord":
        """Where the run of an agent is written that this one starts."""
        return AgentRecord(self.of_child(within), self.gate, self.of_child)


class AgentConversation:
    """A transcript as state: the turns to send, the calls without a result, and what was used."""

    def __init__(self, prompt: str, nonce: str | None = None) -> None:
        """Begin a conversation with its prompt. With a nonce, a fenced block can be an ending."""
        self._nonce = nonce
        self.turns: list[Turn] = [Turn.of_user(prompt)]
        self.waiting: list[ToolCall] = []
        self._calls: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self.failed: list[ToolFinished] = []
        self._results: list[ToolResult | TextBlock] = []

    @property
    def most_failures(self) -> int:
        """How often the step failed that failed most often since it last worked."""
        return max(self._failures.values(), default=0)

    def occurrence(self, call: ToolCall) -> int:
        """Which time it is that this very call is made, counted from 1."""
        return self._calls[canonical_call(call.name, call.input)] + 1

    def add(self, entry: Entry) -> None:
        """Go on by one line."""
        match entry:
            case ModelReplyReceived():
                self.turns.append(entry.reply.as_turn())
                self.waiting = list(entry.reply.tool_calls) or self._written_ending(entry.reply)
            case ToolFinished():
                self._add_result(entry)
            case ReminderSent():
                self.turns.append(Turn.of_user(entry.text))
                self._failures["no call"] += 1
            case EscalationAnswered():
                # An agent is stuck before it takes its turn: the last turn is not its own, and is added to.
                last = self.turns[-1]
                content = (*last.content, TextBlock(text=entry.text))
                self.turns[-1] = Turn(role="user", content=content)
            case ConversationStarted() | ReplyLost() | EscalationRaised() | TaskDelegated():
                pass
            case _:
                assert_never(entry)

    def _written_ending(self, reply: ModelReply) -> list[ToolCall]:
        """The ending that a reply without calls has as text."""
        block = None if self._nonce is None else last_block(reply.text, self._nonce)
        return [] if block is None else [as_call(block)]

    def _add_result(self, entry: ToolFinished) -> None:
        self._calls[canonical_call(entry.call.name, entry.call.input)] += 1
        if entry.result.is_error:
            self._failures[step(entry.call)] += 1
            self.failed.append(entry)
        else:
            del self._failures[step(entry.call)]
        is_written = entry.call.id == WRITTEN_CALL_ID
        self._results.append(TextBlock(text=entry.result.content) if is_written else entry.result)
        self.waiting = [call for call in self.waiting if call.id != entry.call.id]
        if not self.waiting:
            self.turns.append(Turn(role="user", content=tuple(self._results)))
            self._results = []


def about(fingerprint: str, saved_entries: Sequence[Entry]) -> list[Entry]:
    """The saved entries of the task with this fingerprint: none, if agent, model or prompt have changed since."""
    mine = [
        isinstance(entry, ConversationStarted) and entry.fingerprint == fingerprint for entry in saved_entries
    ]
    last = next((entry for entry in reversed(saved_entries) if isinstance(entry, ConversationStarted)), None)
    if last is None or last.fingerprint != fingerprint:
        return []
    return list(saved_entries[mine.index(True) :])


def escalation_of(attempt: int, entries: Iterable[Entry]) -> EscalationRaised | None:
    """The line that says that a budget of the stage was spent, by its number from 1; None if it was not."""
    escalations = (entry for entry in entries if isinstance(entry, EscalationRaised))
    return next((entry for entry in escalations if entry.attempt == attempt), None)


def agent_work(entries: Iterable[Entry], stage: str, round_: int) -> AgentWork:
    """The totals of a transcript, for the summary of a run."""
    turns = failures = tokens = 0
    calls: Counter[str] = Counter()
    for entry in entries:
        match entry:
            case ModelReplyReceived():
                turns += 1
                tokens += entry.reply.usage.tokens
            case ReplyLost() | EscalationRaised():
                tokens += entry.usage.tokens
            case ToolFinished(result=result):
                failures += result.is_error
                calls.update(() if result.is_error else (entry.call.name,))
            case ConversationStarted() | ReminderSent() | EscalationAnswered() | TaskDelegated():
                pass
            case _:
                assert_never(entry)
    return AgentWork(stage, round_, turns, calls, failures, tokens)


def lines_read(entries: Iterable[Entry]) -> tuple[Location, ...]:
    """The lines that were read with `read_file` in the last conversation of a transcript, in the order of reading."""
    read: list[Location] = []
    for entry in entries:
        if isinstance(entry, ConversationStarted):
            read = []
        if (
            isinstance(entry, ToolFinished)
            and entry.call.name == Tool.READ_FILE
            and not entry.result.is_error
        ):
            call = ReadFile.model_validate(entry.call.input)
            last = call.start + call.lines - 1
            read.append(Location(path=call.path, start_line=call.start, end_line=last))
    return tuple(read)


def merged_lines(places: Iterable[Location]) -> dict[str, set[int]]:
    """The line numbers of some places by path, in the order of the first one of each; lines that overlap stand once."""
    lines: dict[str, set[int]] = {}
    for place in places:
        end = min(place.end_line, place.start_line + _MOST_LINES)
        lines.setdefault(place.path, set()).update(range(place.start_line, end + 1))
    return lines


def step(call: ToolCall) -> str:
    """What a call is about: the tool with its path or command, or all its arguments where it has neither.

    However its words change, an attempt to complete is the same step.
    """
    if call.name == COMPLETE:
        return COMPLETE
    target = call.input.get("path", call.input.get("command"))
    return f"{call.name} {target}" if isinstance(target, str) else canonical_call(call.name, call.input)
