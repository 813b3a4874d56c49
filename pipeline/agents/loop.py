"""Runs one agent to its end: ask, gate, act, record, until it completes, fails or asks a person.

Limits are looked at before the call that would spend. The transcript grows as things happen, and a run that was killed
goes on from it: no reply that was finished is paid for again, and every call that waits passes the gate again.
"""

from collections.abc import Callable

from pydantic import BaseModel, ValidationError

from pipeline.agents import questions
from pipeline.agents.account import Account, Member, refuse_unpriced
from pipeline.agents.admission import Admission
from pipeline.agents.agent import EndsWith
from pipeline.agents.blocks import Unclosed, ending_of, how_to_end, new_nonce, reminder
from pipeline.agents.budget import Exhausted, Limits, Used, exhausted, room_for_reply
from pipeline.agents.common_questions import forms
from pipeline.agents.delegation import Delegation, Tell
from pipeline.agents.gate import Gate
from pipeline.agents.self_answer import in_words
from pipeline.agents.task import Asked, Completed, Failed, Task
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
    AgentRecord,
    Began,
    Clarified,
    Conversation,
    Done,
    Entry,
    Lost,
    Reminded,
    Replied,
    about,
)
from pipeline.agents.trimming import sent
from pipeline.domain.stops import ClarificationNeeded
from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import Model, Origin, Request, ToolCall, ToolResult
from pipeline.llm.usage import PriceList

_REMINDER = (
    "You made no call. Go on with a tool, or end with exactly one of `complete`, `fail` and `clarify`."
)


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
        limits: Limits,
        prices: PriceList,
        record: AgentRecord,
        clock: Callable[[], float],
        tell: Tell,
        account: Account | None = None,
    ) -> None:
        """Bring everything together, and take up a saved transcript of the same task. Nothing is asked yet.

        Raises:
            BudgetUnenforceable: dollars are limited, and the price of a model is unknown.
        """
        self._free = model.origin is not Origin.MODEL
        if limits.dollars is not None and not self._free:
            refuse_unpriced(task.agent, task.model, prices)
        self._task, self._model, self._tools, self._prices = task, model, tools, prices
        self._admission = Admission(task, gate, tools, record)
        self._attempt = questions.budgets_granted(task.stage, task.answers)
        self._record = record
        self._entries = about(task.fingerprint, record.transcript.read())
        self._account = account or Account(
            task, self._entries, record, prices=prices, free=self._free, clock=clock, attempt=self._attempt
        )
        self._limits = limits.granted(self._account.budgets)
        self._account.members[task.within] = Member(task.model, self._entries)

        def start(child: Task) -> AgentLoop:
            return AgentLoop(
                child,
                model=model,
                tools=tools,
                gate=gate,
                limits=limits,
                prices=prices,
                record=record.for_child(child.within),
                clock=clock,
                tell=tell,
                account=self._account,
            )

        self._children = Delegation(
            task, self._entries, self._account, gate=gate, start=start, note=self._add, tell=tell
        )
        self.clarified: tuple[Clarified, ...] = ()
        self._nonce = new_nonce() if task.agent.ends_with is EndsWith.TEXT else None
        self._conversation = self._taken_up() if self._entries else self._begun()

    @property
    def carried_out(self) -> tuple[ToolCall, ...]:
        """Calls of saved transcripts that worked, in their order: whoever rebuilds the tree makes them again."""
        return tuple(self._account.carried_out())

    def run(self) -> Completed | Failed:
        """Go on until there is an end.

        Raises:
            Stop: a person is asked: a call waits, the agent asks, or the budget is spent.
            ModelFailed: the model gives no whole reply.
        """
        ending = self.advance()
        if isinstance(ending, Asked):
            raise ending.stop
        return ending

    def advance(self) -> Completed | Failed | Asked:
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
            self._add(Reminded(text=_REMINDER if self._nonce is None else reminder(self._nonce)))
        request = self._request()
        try:
            reply = self._model.reply(request)
        except ModelFailed as failure:
            self._add(Lost(usage=failure.usage))
            raise
        self._add(Replied(reply=reply, seconds=self._account.seconds))

    def answer(self, answered: Clarified) -> None:
        """Begin again, with an answer to the agent's question."""
        self.clarified = (*self.clarified, answered)
        self._conversation = self._begun()

    def _act(self) -> Completed | Failed | Asked | None:
        """Carry out the calls that have no result yet, in their order."""
        calls = self._conversation.waiting
        if len(calls) > 1 and any(call.name in ENDINGS for call in calls):
            for call in calls:
                self._done(call, "not done: an ending stands alone in its turn", failed=True)
            return None
        for call in calls:
            if call.name in ENDINGS:
                return self._end(call)
            self._gate_and_carry_out(call)
        return None

    def _gate_and_carry_out(self, call: ToolCall) -> None:
        refusal = self._admission.refusal(call, self._conversation.occurrence(call))
        if refusal is not None:
            self._done(call, refusal, failed=True)
            return
        try:
            arguments = arguments_of(call)
        except ValidationError as error:
            self._done(call, _mistakes(error), failed=True)
            return
        if isinstance(arguments, FamilyArguments):
            outcome = self._children.call(call, arguments)
        else:
            outcome = self._tools.call(arguments)
        self._done(call, outcome.text, failed=not outcome.ok)

    def _end(self, call: ToolCall) -> Completed | Failed | Asked | None:
        """Take an ending, or send it back if it is not one."""
        try:
            said = ending_of(call, self._task.agent.output)
        except (ValidationError, Unclosed) as error:
            self._done(call, _mistakes(error), failed=True)
            return None
        if isinstance(said, Fail):
            return Failed(said.reason, self._account.spent, self._model.origin)
        if not isinstance(said, Clarify):
            if (wrong := self._task.wrong(said) or self._unasked(said)) is not None:
                self._done(call, f"not done: {wrong}", failed=True)
                return None
            assumed = tuple(in_words(*one) for one in self._account.self_answers())
            return Completed(said, self._account.spent, self._model.origin, assumed)
        answered = self._answered([call])
        if answered is not None:
            # It was asked and answered on another machine, which kept no transcript: begin again with the answer.
            self.answer(answered)
            return None
        if self._may_ask:
            return Asked(said, self._question(said))
        self._done(
            call, "no question is left: end with `complete` or `fail`, with what was clarified", failed=True
        )
        return None

    def _unasked(self, output: BaseModel) -> str | None:
        """What is wrong with an output that takes for granted what a person has to say."""
        unasked = None if self.clarified else self._task.agent.unasked(output)
        if unasked is None:
            return None
        return f"`{unasked}` waits for a person; show the evidence and ask with `clarify`, or come to something else"

    @property
    def _may_ask(self) -> bool:
        return len(self.clarified) < self._task.agent.max_rounds

    def _question(self, asked: Clarify) -> ClarificationNeeded:
        return questions.clarification(self._task, len(self.clarified) + 1, asked)

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
            turns=sent(self._conversation.turns),
            tools=declarations(agent, may_ask=self._may_ask, how_to_ask=forms()),
        )
        used = self._account.used(self._conversation.most_failures)
        room = exhausted(self._limits, used) or self._room(request, used)
        if isinstance(room, Exhausted):
            stuck = questions.escalation(self._task, room, self._conversation)
            stop = questions.blocked(self._task.stage, self._attempt, stuck)
            raise questions.unless_stopped(stop, self._task.answers)
        return request.model_copy(update={"max_tokens": room})

    def _room(self, request: Request, used: Used) -> int | Exhausted:
        """Room for the reply. Only where a guess at the prompt leaves less than a whole reply is it counted."""
        price = None if self._free else self._prices.get(self._task.model)
        room = room_for_reply(self._limits, used, price, request.guessed_tokens)
        if room == self._limits.reply_tokens:
            return room
        return room_for_reply(self._limits, used, price, self._model.count_tokens(request))

    def _taken_up(self) -> Conversation:
        """The conversation of a run that was killed or stopped; begun anew where its question has been answered."""
        start = max(index for index, entry in enumerate(self._entries) if isinstance(entry, Began))
        began, *since = self._entries[start:]
        if isinstance(began, Began):
            self.clarified, self._nonce = began.clarified, began.nonce
        conversation = Conversation(self._prompt(), self._nonce)
        for entry in since:
            conversation.add(entry)
        answered = self._answered(conversation.waiting)
        if answered is None:
            return conversation
        self.clarified = (*self.clarified, answered)
        return self._begun()

    def _answered(self, waiting: list[ToolCall]) -> Clarified | None:
        """What a person answered to the question on which an earlier run stopped."""
        if [call.name for call in waiting] != [CLARIFY]:
            return None
        try:
            said = ending_of(waiting[0], self._task.agent.output)
        except (ValidationError, Unclosed):
            return None
        if not isinstance(said, Clarify):
            return None
        stop = self._question(said)
        answer = self._task.answers.to(stop.question_id)
        if answer is None:
            return None
        return Clarified(
            question=stop.ask.text,
            answer=questions.answer_in_words(stop, answer),
            question_id=stop.question_id,
        )

    def _begun(self) -> Conversation:
        began = Began(
            fingerprint=self._task.fingerprint,
            clarified=self.clarified,
            nonce=self._nonce,
            attempt=self._attempt,
        )
        self._record.transcript.append(began)
        self._entries.append(began)
        return Conversation(self._prompt(), self._nonce)

    def _prompt(self) -> str:
        clarified = [
            f"[Clarification from previous attempt]\nQ: {one.question}\nA: {one.answer}"
            for one in self.clarified
        ]
        return "\n\n".join([self._task.prompt, *clarified])

    def _done(self, call: ToolCall, text: str, *, failed: bool) -> None:
        self._add(Done.of(call, ToolResult(tool_use_id=call.id, content=text, is_error=failed)))

    def _add(self, entry: Entry) -> None:
        self._record.transcript.append(entry)
        self._entries.append(entry)
        self._conversation.add(entry)


def _mistakes(error: ValidationError | Unclosed) -> str:
    """What is wrong with the arguments of a call, in words for the model."""
    if isinstance(error, Unclosed):
        return str(error)
    found = [
        f"{'.'.join(map(str, one['loc'])) or 'the arguments'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)
    ]
    return "not done, the arguments do not fit: " + "; ".join(found[:5])
