"""Lets a call through the gate, sends it back with the reason, or stops the run until a person has decided."""

from pydantic import ValidationError

from pipeline.agents import questions
from pipeline.agents.agent import WRITING_TOOLS, Tool
from pipeline.agents.gate import NOT_PLAIN, Gate, GateDecision
from pipeline.agents.gate_rules import PATH_TOOLS, Tier
from pipeline.agents.task import Task
from pipeline.agents.tools import FamilyArguments, ToolBox, arguments_of
from pipeline.agents.transcript import AgentRecord, gate_log_entry
from pipeline.contract.answers import Answer, Verdict
from pipeline.domain.material import material
from pipeline.llm.port import ToolCall


class Admission:
    """The gate for the calls of one task, with the verdicts of people, and every decision written down."""

    def __init__(self, task: Task, gate: Gate, tools: ToolBox, record: AgentRecord) -> None:
        self._task, self._gate, self._tools, self._record = task, gate, tools, record

    def refusal(self, call: ToolCall, occurrence: int) -> str | None:
        """Why a call may not be made, in words for the agent; None if it may. `occurrence` counts equal calls from 1.

        Raises:
            ConfirmationNeeded: nobody has decided about this very call yet.
        """
        decision = self._decide(call)
        if decision.tier is not Tier.CONFIRM:
            self._write(call, decision, None)
            if decision.tier is Tier.ALLOW:
                return None
            return f"denied by the gate ({decision.rule or 'no rule'}): {decision.why}"
        result = self._result_of(call)
        stop = questions.confirmation(
            self._task.stage,
            call.name,
            call.input,
            occurrence,
            decision,
            child=self._task.within,
            result=result,
        )
        answer = self._task.answers.to(stop.question_id)
        verdict = None if answer is None else answer.verdict
        self._write(call, decision, answer, result)
        match verdict:
            case Verdict.APPROVE:
                return None
            case Verdict.DECLINE:
                why = "" if answer is None or not answer.text else f"\n{material('why', answer.text)}"
                return f"declined by a person: do not repeat it, find another way{why}"
            case None:
                raise stop

    def _decide(self, call: ToolCall) -> GateDecision:
        if call.name not in self._task.agent.tools:
            return GateDecision(Tier.DENY, None, f"`{call.name[:60]}` is not among this agent's tools")
        decision = self._gate.decide(call.name, call.input)
        path = call.input.get("path")
        if decision.tier is Tier.DENY or Tool(call.name) not in PATH_TOOLS or not isinstance(path, str):
            return decision
        real_path = self._tools.real_path(path)
        if real_path is None:
            return GateDecision(Tier.DENY, NOT_PLAIN, "a link on the path leads out of the tree")
        return self._gate.decide(call.name, call.input, real_path=real_path)

    def _result_of(self, call: ToolCall) -> str | None:
        """What a call that writes would make of its file, as it is now."""
        if call.name not in WRITING_TOOLS:
            return None
        try:
            arguments = arguments_of(call)
        except ValidationError:
            return None
        return None if isinstance(arguments, FamilyArguments) else self._tools.blob_after(arguments)

    def _write(
        self, call: ToolCall, decision: GateDecision, answer: Answer | None, result: str | None = None
    ) -> None:
        line = gate_log_entry(self._task.stage, self._task.agent.name, call, decision, answer, result)
        self._record.gate.append(line)
