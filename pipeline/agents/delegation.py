"""The agents that an agent starts: run, asked, answered and taken up again, one at a time.

What a child asks goes first to rules, then to the agent that started it, both for reversible matters only
(`self_answer`), then to a person. Everything that is needed to go on after a kill stands in the two transcripts before it
is acted on: `TaskDelegated` in the parent's before the child does anything, the answer in the child's before it starts again.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, assert_never

from pipeline.agents import self_answer
from pipeline.agents.account import FamilyAccount, TranscriptRedacted
from pipeline.agents.agent import Agent
from pipeline.agents.stakes import Stakes
from pipeline.agents.task import AgentAsked, AgentCompleted, AgentFailed, Task
from pipeline.agents.tools import AskPerson, Delegate, FamilyArguments, ReplyToChild, ToolOutcome
from pipeline.agents.transcript import (
    AnsweredBy,
    AnsweredQuestion,
    ConversationStarted,
    Entry,
    ModelReplyReceived,
    TaskDelegated,
)
from pipeline.domain.material import material
from pipeline.llm.port import ToolCall
from pipeline.run_record.events import ChildAnswered, ChildAsked, ChildEnded, ChildStarted

FamilyEvent = ChildStarted | ChildAsked | ChildAnswered | ChildEnded
Tell = Callable[[FamilyEvent], None]
"""Takes what happens to a child, for the journal."""


class Child(Protocol):
    """The loop of an agent that was started."""

    @property
    def answered_questions(self) -> tuple[AnsweredQuestion, ...]:
        """What it asked and was answered by now."""

    def advance(self) -> AgentCompleted | AgentFailed | AgentAsked:
        """Go on until it ends or asks. Asked again without an answer, it asks the same, and nothing is paid for."""

    def answer(self, answered_question: AnsweredQuestion) -> None:
        """Begin again, with an answer to its question."""


class Delegation:
    """The children of one agent. `start` makes the loop of one, or takes it up; `note` writes into the agent's transcript."""

    def __init__(
        self,
        task: Task,
        entries: Sequence[Entry],
        account: FamilyAccount,
        *,
        stakes: Stakes,
        start: Callable[[Task], Child],
        note: Callable[[Entry], None],
        tell: Tell,
    ) -> None:
        self._task, self._entries, self._account, self._stakes = task, entries, account, stakes
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

    def _delegate(self, call: ToolCall, arguments: Delegate) -> ToolOutcome:
        agents = {child.name: child for child in self._task.agent.children}
        if arguments.agent not in agents:
            return ToolOutcome(
                ok=False, text=f"you may start {', '.join(agents)}, and no `{arguments.agent[:60]}`"
            )
        mark = self._mark_of(call)
        if mark is None:
            agent = agents[arguments.agent]
            siblings = {entry.child for entry in self._marks if entry.agent == agent.name}
            id_, model = f"{agent.name}-{len(siblings) + 1}", agent.model or self._task.model
            task = self._task.of_child(id_, agent, model, arguments.task)
            mark = TaskDelegated(
                call_id=call.id,
                child=id_,
                agent=agent.name,
                model=model,
                task=arguments.task,
                fingerprint=task.fingerprint,
                start=0,
                spawns=0,
            )
            self._note(mark)
            self._tell(ChildStarted(stage=self._task.stage, child=task.within, agent=agent.name, spawn=1))
        return self._go_on(mark, self._taken_up(mark))

    def _reply(self, call: ToolCall, reply: ReplyToChild) -> ToolOutcome:
        open_child = self._open(call, reply.id)
        if isinstance(open_child, ToolOutcome):
            return open_child
        mark, child, pending = open_child
        if pending is not None:
            if self._came_up_since(call, mark):
                return ToolOutcome(
                    ok=False,
                    text=f"you had not seen this question yet.\n{_question_for_parent(mark.child, pending)}",
                )
            stake = self._stakes.of_question(reply.text)
            if stake is not None:
                return ToolOutcome(
                    ok=False, text=f"only a person may say this ({stake}): call ask_person with its id"
                )
            because = f"`{self._task.agent.name}`, which gave it the task, said so"
            self._answer(mark, child, pending, reply.text, "parent", because)
        return self._go_on(mark, child)

    def _ask_person(self, call: ToolCall, arguments: AskPerson) -> ToolOutcome:
        open_child = self._open(call, arguments.id)
        if isinstance(open_child, ToolOutcome):
            return open_child
        mark, child, pending = open_child
        if pending is not None:
            raise pending.stop
        return self._go_on(mark, child)

    def _open(self, call: ToolCall, id_: str) -> tuple[TaskDelegated, Child, AgentAsked | None] | ToolOutcome:
        """The child that a call is about, with the question that it waits with; None if it was answered for this call."""
        mark = self._mark_of(call)
        last = mark or next((entry for entry in reversed(self._marks) if entry.child == id_), None)
        if last is None:
            ids = ", ".join(dict.fromkeys(entry.child for entry in self._marks)) or "none yet"
            return ToolOutcome(ok=False, text=f"you started no `{id_[:60]}`; ids: {ids}")
        child = self._taken_up(last)
        if mark is not None and len(child.answered_questions) >= mark.spawns:
            return mark, child, None
        ending = child.advance()
        if not isinstance(ending, AgentAsked):
            return ToolOutcome(ok=False, text=f"`{id_}` asks nothing: it has ended")
        if mark is None:
            member = self._account.members[self._within(last)]
            spawns = len(child.answered_questions) + 1
            mark = last.model_copy(
                update={"call_id": call.id, "start": len(member.entries), "spawns": spawns}
            )
            self._note(mark)
        return mark, child, ending

    def _go_on(self, mark: TaskDelegated, child: Child) -> ToolOutcome:
        """Have a child work until it ends, or asks what only its parent or a person can answer."""
        within = self._within(mark)
        while True:
            ending = child.advance()
            match ending:
                case AgentCompleted():
                    self._tell(ChildEnded(stage=self._task.stage, child=within, how="completed"))
                    output = ending.output.model_dump_json(exclude_none=True)
                    return ToolOutcome(ok=True, text=material(f"what {mark.child} completed with", output))
                case AgentFailed():
                    self._tell(ChildEnded(stage=self._task.stage, child=within, how="failed"))
                    return ToolOutcome(ok=False, text=material(f"why {mark.child} failed", ending.reason))
                case AgentAsked():
                    outcome = self._handle_question(mark, child, ending)
                    if outcome is not None:
                        return outcome
                case _:
                    assert_never(ending)

    def _handle_question(self, mark: TaskDelegated, child: Child, pending: AgentAsked) -> ToolOutcome | None:
        """Answer a question by a rule, or offer it to the parent.

        Raises:
            ClarificationNeeded: only a person may answer.
        """
        within, question = self._within(mark), pending.question
        self._tell(
            ChildAsked(
                stage=self._task.stage,
                child=within,
                question=question.question,
                question_id=pending.stop.question_id,
            )
        )
        stake = self_answer.at_stake(
            question,
            task=mark.task,
            agent=self._agent(mark),
            changed_files=self._account.changed_files(within),
            decisions=self._task.decisions,
            stakes=self._stakes,
        )
        if stake is not None:
            raise pending.stop
        rule_answer = self_answer.by_rule(
            question,
            pending.stop.question_id,
            earlier_answers=[
                answer for member in self._account.members.values() for answer in member.answered_questions
            ],
            decisions=self._task.decisions,
            texts=(
                ("its task says", mark.task),
                (f"the file of `{mark.agent}` says", self._agent(mark).prompt),
                (f"the task of `{self._task.agent.name}` says", self._task.prompt),
            ),
        )
        if rule_answer is None:
            return ToolOutcome(ok=True, text=_question_for_parent(mark.child, pending))
        self._answer(mark, child, pending, rule_answer.text, rule_answer.by, rule_answer.because)
        return None

    def _answer(
        self, mark: TaskDelegated, child: Child, pending: AgentAsked, text: str, by: AnsweredBy, because: str
    ) -> None:
        answered_question = AnsweredQuestion(
            question=pending.question.question,
            answer=text,
            question_id=pending.stop.question_id,
            answered_by=by,
            because=because,
        )
        child.answer(answered_question)
        self._tell_answer(mark, answered_question, len(child.answered_questions) + 1)

    def _taken_up(self, mark: TaskDelegated) -> Child:
        """The child's loop, which may have found what a person has answered meanwhile."""
        within = self._within(mark)
        before = (
            len(self._account.members[within].answered_questions) if within in self._account.members else 0
        )
        task = self._task.of_child(mark.child, self._agent(mark), mark.model, mark.task)
        if task.fingerprint != mark.fingerprint:
            raise TranscriptRedacted(f"The task of `{mark.child}`")
        child = self._start(task)
        for number, answered_question in enumerate(child.answered_questions[before:], start=before + 2):
            self._tell_answer(mark, answered_question, number)
        return child

    def _tell_answer(self, mark: TaskDelegated, answered_question: AnsweredQuestion, spawn: int) -> None:
        stage, within = self._task.stage, self._within(mark)
        self._tell(
            ChildAnswered(
                stage=stage,
                child=within,
                question=answered_question.question,
                answer=answered_question.answer,
                answered_by=answered_question.answered_by,
                because=answered_question.because,
            )
        )
        self._tell(ChildStarted(stage=stage, child=within, agent=mark.agent, spawn=spawn))

    @property
    def _marks(self) -> list[TaskDelegated]:
        return [entry for entry in self._entries if isinstance(entry, TaskDelegated)]

    def _marks_of_turn(self) -> Iterator[TaskDelegated]:
        """The notes since the agent spoke, the newest first."""
        for entry in reversed(self._entries):
            if isinstance(entry, ModelReplyReceived | ConversationStarted):
                return
            if isinstance(entry, TaskDelegated):
                yield entry

    def _mark_of(self, call: ToolCall) -> TaskDelegated | None:
        """What an earlier process noted about this very call, which it did not bring to its end."""
        return next((mark for mark in self._marks_of_turn() if mark.call_id == call.id), None)

    def _came_up_since(self, call: ToolCall, mark: TaskDelegated) -> bool:
        """Whether another call of the same turn had the child go on: then what it asks now was not there to be answered."""
        siblings = (sibling for sibling in self._marks_of_turn() if sibling.call_id != call.id)
        return any(sibling.child == mark.child for sibling in siblings)

    def _agent(self, mark: TaskDelegated) -> Agent:
        return next(child for child in self._task.agent.children if child.name == mark.agent)

    def _within(self, mark: TaskDelegated) -> str:
        return f"{self._task.within}/{mark.child}".lstrip("/")


def _question_for_parent(child: str, pending: AgentAsked) -> str:
    """A question as the result of the call that led to it."""
    question = pending.question
    options = "".join(f"\n- {option}" for option in question.options)
    question_text = material(f"the question of {child}", f"{question.question}\nWhy: {question.why}{options}")
    return (
        f"❓ subagent '{child}' needs clarification:\n{question_text}\n"
        f"If your own task or the code decides it: reply_to_child with the id `{child}`; it starts again with your answer.\n"
        f"Otherwise: ask_person with the id `{child}`. A person sees this very question, and the answer reaches `{child}`."
    )
