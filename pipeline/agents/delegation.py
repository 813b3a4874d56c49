"""The agents that an agent starts: run, asked, answered and taken up again, one at a time.

What a child asks goes first to rules, then to the agent that started it, both for reversible matters only
(`self_answer`), then to a person. Everything that is needed to go on after a kill stands in the two transcripts before it
is acted on: `Delegated` in the parent's before the child does anything, the answer in the child's before it starts again.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, assert_never

from pipeline.agents import self_answer
from pipeline.agents.account import Account, TranscriptRedacted
from pipeline.agents.agent import Agent
from pipeline.agents.gate import Gate
from pipeline.agents.task import Asked, Completed, Failed, Task
from pipeline.agents.tools import AskPerson, Delegate, FamilyArguments, ReplyToChild, ToolOutcome
from pipeline.agents.transcript import AnsweredBy, Began, Clarified, Delegated, Entry, Replied
from pipeline.domain.material import material
from pipeline.llm.port import ToolCall
from pipeline.run_record.events import ChildAnswered, ChildAsked, ChildEnded, ChildStarted

FamilyEvent = ChildStarted | ChildAsked | ChildAnswered | ChildEnded
Tell = Callable[[FamilyEvent], None]
"""Takes what happens to a child, for the journal."""


class Child(Protocol):
    """The loop of an agent that was started."""

    @property
    def clarified(self) -> tuple[Clarified, ...]:
        """What it asked and was answered by now."""

    def advance(self) -> Completed | Failed | Asked:
        """Go on until it ends or asks. Asked again without an answer, it asks the same, and nothing is paid for."""

    def answer(self, answered: Clarified) -> None:
        """Begin again, with an answer to its question."""


class Delegation:
    """The children of one agent. `start` makes the loop of one, or takes it up; `note` writes into the agent's transcript."""

    def __init__(
        self,
        task: Task,
        entries: Sequence[Entry],
        account: Account,
        *,
        gate: Gate,
        start: Callable[[Task], Child],
        note: Callable[[Entry], None],
        tell: Tell,
    ) -> None:
        self._task, self._entries, self._account, self._gate = task, entries, account, gate
        self._start, self._note, self._tell = start, note, tell

    def call(self, call: ToolCall, arguments: FamilyArguments) -> ToolOutcome:
        """Carry out a call that the gate has let through.

        Raises:
            Stop: the child, or its question, wants a person. The call waits, and the next run goes on at it.
        """
        match arguments:
            case Delegate():
                return self._delegate(call, arguments)
            case ReplyToChild():
                return self._reply(call, arguments)
            case AskPerson():
                return self._ask_person(call, arguments)
            case _:
                assert_never(arguments)

    def _delegate(self, call: ToolCall, wanted: Delegate) -> ToolOutcome:
        agents = {child.name: child for child in self._task.agent.children}
        if wanted.agent not in agents:
            return ToolOutcome(
                ok=False, text=f"you may start {', '.join(agents)}, and no `{wanted.agent[:60]}`"
            )
        mark = self._marked(call)
        if mark is None:
            agent = agents[wanted.agent]
            same = {one.child for one in self._marks if one.agent == agent.name}
            id_, model = f"{agent.name}-{len(same) + 1}", agent.model or self._task.model
            task = self._task.of_child(id_, agent, model, wanted.task)
            mark = Delegated(
                call_id=call.id,
                child=id_,
                agent=agent.name,
                model=model,
                task=wanted.task,
                fingerprint=task.fingerprint,
                start=0,
                spawns=0,
            )
            self._note(mark)
            self._tell(ChildStarted(stage=self._task.stage, child=task.within, agent=agent.name, spawn=1))
        return self._go_on(mark, self._taken_up(mark))

    def _reply(self, call: ToolCall, reply: ReplyToChild) -> ToolOutcome:
        found = self._open(call, reply.id)
        if isinstance(found, ToolOutcome):
            return found
        mark, child, asked = found
        if asked is not None:
            if self._came_up_since(call, mark):
                return ToolOutcome(
                    ok=False, text=f"you had not seen this question yet.\n{_offered(mark.child, asked)}"
                )
            stake = self_answer.stake_in(reply.text, self._gate)
            if stake is not None:
                return ToolOutcome(
                    ok=False, text=f"only a person may say this ({stake}): call ask_person with its id"
                )
            because = f"`{self._task.agent.name}`, which gave it the task, said so"
            self._answer(mark, child, asked, reply.text, "parent", because)
        return self._go_on(mark, child)

    def _ask_person(self, call: ToolCall, wanted: AskPerson) -> ToolOutcome:
        found = self._open(call, wanted.id)
        if isinstance(found, ToolOutcome):
            return found
        mark, child, asked = found
        if asked is not None:
            raise asked.stop
        return self._go_on(mark, child)

    def _open(self, call: ToolCall, id_: str) -> tuple[Delegated, Child, Asked | None] | ToolOutcome:
        """The child that a call is about, with the question that it waits with; None if it was answered for this call."""
        mark = self._marked(call)
        last = mark or next((one for one in reversed(self._marks) if one.child == id_), None)
        if last is None:
            ids = ", ".join(dict.fromkeys(one.child for one in self._marks)) or "none yet"
            return ToolOutcome(ok=False, text=f"you started no `{id_[:60]}`; ids: {ids}")
        child = self._taken_up(last)
        if mark is not None and len(child.clarified) >= mark.spawns:
            return mark, child, None
        asked = child.advance()
        if not isinstance(asked, Asked):
            return ToolOutcome(ok=False, text=f"`{id_}` asks nothing: it has ended")
        if mark is None:
            member = self._account.members[self._within(last)]
            begun = len(child.clarified) + 1
            mark = last.model_copy(update={"call_id": call.id, "start": len(member.entries), "spawns": begun})
            self._note(mark)
        return mark, child, asked

    def _go_on(self, mark: Delegated, child: Child) -> ToolOutcome:
        """Have a child work until it ends, or asks what only its parent or a person can answer."""
        within = self._within(mark)
        while True:
            ending = child.advance()
            match ending:
                case Completed():
                    self._tell(ChildEnded(stage=self._task.stage, child=within, how="completed"))
                    told = ending.output.model_dump_json(exclude_none=True)
                    return ToolOutcome(ok=True, text=material(f"what {mark.child} completed with", told))
                case Failed():
                    self._tell(ChildEnded(stage=self._task.stage, child=within, how="failed"))
                    return ToolOutcome(ok=False, text=material(f"why {mark.child} failed", ending.reason))
                case Asked():
                    offered = self._asked(mark, child, ending)
                    if offered is not None:
                        return offered
                case _:
                    assert_never(ending)

    def _asked(self, mark: Delegated, child: Child, asked: Asked) -> ToolOutcome | None:
        """Answer a question by a rule, or offer it to the parent.

        Raises:
            ClarificationNeeded: only a person may answer.
        """
        within, question = self._within(mark), asked.question
        self._tell(
            ChildAsked(
                stage=self._task.stage,
                child=within,
                question=question.question,
                question_id=asked.stop.question_id,
            )
        )
        if self_answer.at_stake(question, mark.task, self._gate) is not None:
            raise asked.stop
        found = self_answer.by_rule(
            question,
            asked.stop.question_id,
            given=[one for member in self._account.members.values() for one in member.clarified],
            decisions=self._task.decisions,
            texts=(
                ("its task says", mark.task),
                (f"the file of `{mark.agent}` says", self._agent(mark).prompt),
                (f"the task of `{self._task.agent.name}` says", self._task.prompt),
            ),
        )
        if found is None:
            return ToolOutcome(ok=True, text=_offered(mark.child, asked))
        self._answer(mark, child, asked, found.text, found.by, found.because)
        return None

    def _answer(
        self, mark: Delegated, child: Child, asked: Asked, text: str, by: AnsweredBy, because: str
    ) -> None:
        answered = Clarified(
            question=asked.question.question,
            answer=text,
            question_id=asked.stop.question_id,
            answered_by=by,
            because=because,
        )
        child.answer(answered)
        self._tell_answer(mark, answered, len(child.clarified) + 1)

    def _taken_up(self, mark: Delegated) -> Child:
        """The child's loop, which may have found what a person has answered meanwhile."""
        within = self._within(mark)
        before = len(self._account.members[within].clarified) if within in self._account.members else 0
        task = self._task.of_child(mark.child, self._agent(mark), mark.model, mark.task)
        if task.fingerprint != mark.fingerprint:
            raise TranscriptRedacted(f"The task of `{mark.child}`")
        child = self._start(task)
        for number, answered in enumerate(child.clarified[before:], start=before + 2):
            self._tell_answer(mark, answered, number)
        return child

    def _tell_answer(self, mark: Delegated, answered: Clarified, spawn: int) -> None:
        stage, within = self._task.stage, self._within(mark)
        self._tell(
            ChildAnswered(
                stage=stage,
                child=within,
                question=answered.question,
                answer=answered.answer,
                answered_by=answered.answered_by,
                because=answered.because,
            )
        )
        self._tell(ChildStarted(stage=stage, child=within, agent=mark.agent, spawn=spawn))

    @property
    def _marks(self) -> list[Delegated]:
        return [entry for entry in self._entries if isinstance(entry, Delegated)]

    def _marked(self, call: ToolCall) -> Delegated | None:
        """What an earlier process noted about this very call, which it did not bring to its end."""
        for entry in reversed(self._entries):
            if isinstance(entry, Replied | Began):
                return None
            if isinstance(entry, Delegated) and entry.call_id == call.id:
                return entry
        return None

    def _came_up_since(self, call: ToolCall, mark: Delegated) -> bool:
        """Whether another call of the same turn had the child go on: then what it asks now was not there to be answered."""
        for entry in reversed(self._entries):
            if isinstance(entry, Replied | Began):
                return False
            if isinstance(entry, Delegated) and entry.child == mark.child and entry.call_id != call.id:
                return True
        return False

    def _agent(self, mark: Delegated) -> Agent:
        return next(child for child in self._task.agent.children if child.name == mark.agent)

    def _within(self, mark: Delegated) -> str:
        return f"{self._task.within}/{mark.child}".lstrip("/")


def _offered(child: str, asked: Asked) -> str:
    """A question as the result of the call that led to it."""
    question = asked.question
    options = "".join(f"\n- {option}" for option in question.options)
    said = material(f"the question of {child}", f"{question.question}\nWhy: {question.why}{options}")
    return (
        f"❓ subagent '{child}' needs clarification:\n{said}\n"
        f"If your own task or the code decides it: reply_to_child with the id `{child}`; it starts again with your answer.\n"
        f"Otherwise: ask_person with the id `{child}`. A person sees this very question, and the answer reaches `{child}`."
    )
