"""Runs one agent to its end: ask, gate, act, record, until it completes, fails or asks a person.

Limits are looked at before the call that would spend. The transcript grows as things happen, and a run that was killed
goes on from it: no reply that was finished is paid for again, and every call that waits passes the gate again.
"""

from collections.abc import Callable

from pydantic import BaseModel, ValidationError

from pipeline.agents import questions
from pipeline.agents.account import FamilyAccount, FamilyMember, refuse_unpriced
from pipeline.agents.agent import EndsWith
from pipeline.agents.blocks import (
    BlockUnclosed,
    argument_problems,
    ending_of,
    how_to_end,
    new_nonce,
    reminder,
)
from pipeline.agents.budget import (
    LAST_TURN,
    LONGEST_REPLY,
    RESERVE,
    Budget,
    BudgetExhausted,
    BudgetUse,
    reached_limit,
    room_for_reply,
)
from pipeline.agents.common_questions import forms
from pipeline.agents.delegation import Delegation, Tell
from pipeline.agents.escalation import LastWord, ask_last_word
from pipeline.agents.self_answer import in_words
from pipeline.agents.stakes import Stakes
from pipeline.agents.task import AgentAsked, AgentCompleted, AgentFailed, Task
from pipeline.agents.tools import (
    CLARIFY,
    ENDINGS,
    Clarify,
    Fail,
    FamilyArguments,
    ToolBox,
    arguments_of,
    declarations,
)
from pipeline.agents.transcript import (
    AgentConversation,
    AgentRecord,
    AnsweredQuestion,
    ConversationStarted,
    Entry,
    EscalationAnswered,
    EscalationRaised,
    ModelReplyReceived,
    ReminderSent,
    ReplyLost,
    ToolFinished,
    about,
    escalation_of,
)
from pipeline.agents.trimming import turns_to_send
from pipeline.code_registry.registry import Registry
from pipeline.domain.stops import Blocked, ClarificationNeeded
from pipeline.gate.admission import Admission
from pipeline.gate.gate import Gate
from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import Model, Origin, Request, ToolCall, ToolResult
from pipeline.llm.usage import PriceList, Usage


class AgentLoop:
    """One agent on its way. `clock` counts seconds from any point; `tell` takes what happens to agents that it starts.

    `account` is that of the agent which started this one.
    The working tree must be the one that the saved transcript left (`carried_out`): calls that have a result are not
    made again here.
    """

    def __init__(
        self,
        task: Task,
        *,
        model: Model,
        tools: ToolBox,
        gate: Gate,
        limits: Budget,
        prices: PriceList,
        record: AgentRecord,
        registry: Callable[[], Registry],
        clock: Callable[[], float],
        tell: Tell,
        account: FamilyAccount | None = None,
    ) -> None:
        """Bring everything together, and take up a saved transcript of the same task. Nothing is asked yet.

        Raises:
            BudgetUnenforceable: dollars are limited and tokens are not, and the price of a model is unknown.
        """
        self._free = model.origin is not Origin.MODEL
        if limits.dollars is not None and limits.tokens is None and not self._free:
            refuse_unpriced(task.agent, task.model, prices)
        self._task, self._model, self._tools, self._prices = task, model, tools, prices
        self._admission = Admission(task.caller, gate, task.answers, tools, record.gate.append)
        self._attempt = questions.budgets_granted(task.stage, task.answers)
        self._record = record
        self._entries = about(task.fingerprint, record.transcript.read())
        self._account = account or FamilyAccount(
            task, self._entries, record, prices=prices, free=self._free, clock=clock, attempt=self._attempt
        )
        self._limits = limits.for_budgets(self._account.budgets)
        self._account.members[task.within] = FamilyMember(task.model, self._entries)

        def start(child: Task) -> AgentLoop:
            return AgentLoop(
                child,
                model=model,
                tools=tools,
                gate=gate,
                limits=limits,
                prices=prices,
                record=record.for_child(child.within),
                registry=registry,
                clock=clock,
                tell=tell,
                account=self._account,
            )

        self._children = Delegation(
            task,
            self._entries,
            self._account,
            stakes=Stakes(gate, registry),
            start=start,
            note=self._add,
            tell=tell,
        )
        self.answered_questions: tuple[AnsweredQuestion, ...] = ()
        self._began_with = self._attempt
        self._nonce = new_nonce() if task.agent.ends_with is EndsWith.TEXT else None
        self._conversation = self._taken_up() if self._entries else self._begin_conversation()
        self._take_up_escalations()

    @property
    def carried_out(self) -> tuple[ToolCall, ...]:
        """Calls of saved transcripts that worked, in their order: rebuilding the tree repeats them."""
        return tuple(self._account.carried_out())

    def run(self) -> AgentCompleted | AgentFailed:
        """Go on until there is an end.

        Raises:
            Stop: a person is asked: a call waits, the agent asks, or the budget is spent.
            ModelFailed: the model gives no whole reply.
        """
        ending = self.advance()
        if isinstance(ending, AgentAsked):
            raise ending.stop
        return ending

    def advance(self) -> AgentCompleted | AgentFailed | AgentAsked:
        """Go on until there is an end, or a question of the agent's own.

        Raises:
            Stop: a call waits, a child asks a person, or the budget is spent.
            ModelFailed: the model gives no whole reply.
        """
        while True:
            if not self._conversation.waiting:
                self._ask()
            ending = self._act()
            if ending is not None:
                return ending

    def _ask(self) -> None:
        """Have the model take its turn, if the budget has room for it."""
        if self._conversation.turns[-1].role == "assistant":
            self._add(ReminderSent(text=reminder(self._nonce, may_ask=self._may_ask)))
        request = self._request()
        try:
            reply = self._model.reply(request)
        except ModelFailed as failure:
            self._add(ReplyLost(usage=failure.usage))
            raise
        self._add(ModelReplyReceived(reply=reply, seconds=self._account.seconds))

    def answer(self, answered_question: AnsweredQuestion) -> None:
        """Begin again, with an answer to the agent's question."""
        self.answered_questions = (*self.answered_questions, answered_question)
        self._conversation = self._begin_conversation()

    def _act(self) -> AgentCompleted | AgentFailed | AgentAsked | None:
        """Carry out the calls that have no result yet, in their order."""
        calls = self._conversation.waiting
        if len(calls) > 1 and any(call.name in ENDINGS for call in calls):
            for call in calls:
                self._record_result(call, "not done: an ending stands alone in its turn", is_error=True)
            return None
        for call in calls:
            if call.name in ENDINGS:
                return self._end(call)
            self._gate_and_carry_out(call)
        return None

    def _gate_and_carry_out(self, call: ToolCall) -> None:
        refusal = self._admission.refusal(call.name, call.input, self._conversation.occurrence(call))
        if refusal is not None:
            self._record_result(call, refusal, is_error=True)
            return
        try:
            arguments = arguments_of(call.name, call.input)
        except ValidationError as error:
            self._record_result(call, argument_problems(error), is_error=True)
            return
        if isinstance(arguments, FamilyArguments):
            outcome = self._children.call(call, arguments)
        else:
            outcome = self._tools.call(arguments)
        self._record_result(call, self._with_last_turn(outcome.text), is_error=not outcome.ok)

    def _with_last_turn(self, text: str) -> str:
        """A result, and where one turn is left what an agent of this task has to know."""
        is_last = self._task.asks_nobody and self._limits.turns - self._account.budget_use(0).turns == 1
        return f"{text}\n\n({LAST_TURN})" if is_last else text

    def _end(self, call: ToolCall) -> AgentCompleted | AgentFailed | AgentAsked | None:
        """Take an ending, or send it back if it is not one."""
        try:
            ending = ending_of(call, self._task.agent.output)
        except (ValidationError, BlockUnclosed) as error:
            self._record_result(call, argument_problems(error), is_error=True)
            return None
        if isinstance(ending, Fail):
            return AgentFailed(ending.reason, self._account.spend, self._model.origin)
        if not isinstance(ending, Clarify):
            if (wrong := self._task.wrong(ending) or self._unasked_problem(ending)) is not None:
                self._record_result(call, f"not done: {wrong}", is_error=True)
                return None
            assumptions = tuple(in_words(*answer) for answer in self._account.self_answers())
            return AgentCompleted(ending, self._account.spend, self._model.origin, assumptions)
        answered_question = self._person_answer([call])
        if answered_question is not None:
            # It was asked and answered on another machine, which kept no transcript: begin again with the answer.
            self.answer(answered_question)
            return None
        if self._may_ask:
            return AgentAsked(ending, self._question(ending))
        self._record_result(
            call, "no question is left: end with `complete` or `fail`, with what was clarified", is_error=True
        )
        return None

    def _unasked_problem(self, output: BaseModel) -> str | None:
        """The mistakes of an output that assumes what a person has to decide."""
        unasked_value = None if self.answered_questions else self._task.agent.unasked_value(output)
        if unasked_value is None:
            return None
        return f"`{unasked_value}` waits for a person; show the evidence and ask with `clarify`, or come to something else"

    @property
    def _may_ask(self) -> bool:
        return len(self.answered_questions) < self._task.agent.max_rounds

    def _question(self, question: Clarify) -> ClarificationNeeded:
        return questions.clarification(self._task, len(self.answered_questions) + 1, question)

    def _request(self) -> Request:
        """The next request, with as much room for the reply as the budget has; without room the run stops."""
        agent = self._task.agent
        how = (
            how_to_end(self._nonce, agent.output_schema, how_to_ask=forms() if self._may_ask else None)
            if self._nonce is not None
            else ""
        )
        request = Request(
            purpose=self._task.purpose,
            model=self._task.model,
            system=self._task.system + how,
            nonce=self._nonce,
            turns=turns_to_send(self._conversation.turns),
            tools=declarations(agent, may_ask=self._may_ask, how_to_ask=forms()),
        )
        use = self._account.budget_use(self._conversation.most_failures)
        room = reached_limit(self._limits, use) or self._room(
            request, use, reserve=0 if self._task.asks_nobody else RESERVE
        )
        if isinstance(room, BudgetExhausted):
            raise self._budget_stop(room, use)
        return request.model_copy(update={"max_tokens": room})

    def _room(self, request: Request, use: BudgetUse, *, reserve: float) -> int | BudgetExhausted:
        """Room for the reply. Only where a guess at the prompt leaves less than a whole reply is it counted."""
        price = None if self._free else self._prices.get(self._task.model)
        room = room_for_reply(self._limits, use, price, request.guessed_tokens, reserve=reserve)
        if room == LONGEST_REPLY:
            return room
        return room_for_reply(self._limits, use, price, self._model.count_tokens(request), reserve=reserve)

    def _budget_stop(self, over: BudgetExhausted, use: BudgetUse) -> Blocked:
        """The stop of an agent that may not go on. If it may ask, it is asked for its last word once for each budget."""
        if escalation_of(self._attempt, self._entries) is None and not self._task.asks_nobody:
            word, usage = self._last_word(over, use)
            self._add(EscalationRaised(attempt=self._attempt, usage=usage, word=word))
        entry = escalation_of(self._attempt, self._entries)
        word = None if entry is None else entry.word
        escalation = questions.escalation(self._task, over, self._conversation, word)
        return questions.budget_stop(self._task.stage, self._attempt, escalation)

    def _last_word(self, over: BudgetExhausted, use: BudgetUse) -> tuple[LastWord | None, Usage]:
        """Ask for it with what the budget has kept for that; None where even that is spent."""
        request = questions.last_word(self._task, self._prompt(), self._entries, over)
        return ask_last_word(self._model, request, self._room(request, use, reserve=0))

    def _take_up_escalations(self) -> None:
        """Tell an agent that was stuck in this conversation what people have decided since."""
        told_attempts = {entry.attempt for entry in self._entries if isinstance(entry, EscalationAnswered)}
        for attempt in range(self._began_with, self._attempt):
            escalation = escalation_of(attempt, self._entries)
            if escalation is None or attempt in told_attempts:
                continue
            text = questions.go_ahead(self._task.stage, attempt, self._task.answers, escalation.word)
            if text is not None:
                self._add(EscalationAnswered(attempt=attempt, text=text))

    def _taken_up(self) -> AgentConversation:
        """The conversation of a run that was killed or stopped; begun anew where its question has been answered."""
        start = max(
            index for index, entry in enumerate(self._entries) if isinstance(entry, ConversationStarted)
        )
        began, *since = self._entries[start:]
        if isinstance(began, ConversationStarted):
            self.answered_questions, self._nonce, self._began_with = (
                began.clarified,
                began.nonce,
                began.attempt,
            )
        conversation = AgentConversation(self._prompt(), self._nonce)
        for entry in since:
            conversation.add(entry)
        answered_question = self._person_answer(conversation.waiting)
        if answered_question is None:
            return conversation
        self.answered_questions = (*self.answered_questions, answered_question)
        return self._begin_conversation()

    def _person_answer(self, waiting: list[ToolCall]) -> AnsweredQuestion | None:
        """What a person answered to the question on which an earlier run stopped."""
        if [call.name for call in waiting] != [CLARIFY]:
            return None
        try:
            ending = ending_of(waiting[0], self._task.agent.output)
        except (ValidationError, BlockUnclosed):
            return None
        if not isinstance(ending, Clarify):
            return None
        stop = self._question(ending)
        answer = self._task.answers.to(stop.question_id)
        if answer is None:
            return None
        return AnsweredQuestion(
            question=stop.ask.text,
            answer=questions.answer_in_words(stop, answer),
            question_id=stop.question_id,
        )

    def _begin_conversation(self) -> AgentConversation:
        self._began_with = self._attempt
        began = ConversationStarted(
            fingerprint=self._task.fingerprint,
            clarified=self.answered_questions,
            nonce=self._nonce,
            attempt=self._attempt,
        )
        self._record.transcript.append(began)
        self._entries.append(began)
        return AgentConversation(self._prompt(), self._nonce)

    def _prompt(self) -> str:
        clarifications = [question.in_words for question in self.answered_questions]
        # What was decided later is told where the agent was stuck (`_take_up_escalations`), unless nothing is left of that.
        decisions = (
            ()
            if self._task.within
            else questions.guidance(self._task.stage, self._task.answers, before=self._began_with)
        )
        return "\n\n".join([self._task.prompt, *map(questions.decision_in_words, decisions), *clarifications])

    def _record_result(self, call: ToolCall, text: str, *, is_error: bool) -> None:
        self._add(ToolFinished.of(call, ToolResult(tool_use_id=call.id, content=text, is_error=is_error)))

    def _add(self, entry: Entry) -> None:
        self._record.transcript.append(entry)
        self._entries.append(entry)
        self._conversation.add(entry)
