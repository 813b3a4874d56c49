"""Lets a call through the gate, sends it back with the reason, or stops the run until a person has decided."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from pipeline.contract.answers import Answer, Answers, Verdict
from pipeline.domain.material import material
from pipeline.gate.confirmation import confirmation
from pipeline.gate.decision_log import LONGEST_TARGET, GateLogEntry, call_sha256
from pipeline.gate.gate import NOT_PLAIN, Gate, GateDecision
from pipeline.gate.rules import Tier
from pipeline.gate.tool_names import PATH_TOOLS, WRITING_TOOLS, Tool


@dataclass(frozen=True)
class CallingAgent:
    """Who makes calls: the agent of a stage, with the tools that its file names.

    `within` is the path of ids that leads to an agent which another one started, such as `formatter-1`.
    """

    stage: str
    agent: str
    tools: tuple[Tool, ...]
    within: str = ""


class CallTargets(Protocol):
    """What only the working tree knows about the file of a call."""

    def real_path(self, path: str, /) -> str | None:
        """Where a path leads once links are followed: relative to the tree, or None if that is outside of it."""

    def blob_after(self, tool: str, arguments: Mapping[str, JsonValue], /) -> str | None:
        """What a call that writes would make of its file (`contract.change.blob_of`); None for one that cannot or writes none."""


class Admission:
    """The gate for the calls of one agent, with the verdicts of people. `log` takes every decision."""

    def __init__(
        self,
        caller: CallingAgent,
        gate: Gate,
        answers: Answers,
        targets: CallTargets,
        log: Callable[[GateLogEntry], None],
    ) -> None:
        self._caller, self._gate, self._answers = caller, gate, answers
        self._targets, self._log = targets, log

    def refusal(self, tool: str, arguments: Mapping[str, JsonValue], occurrence: int) -> str | None:
        """Why a call may not be made, in words for the agent; None if it may. `occurrence` counts equal calls from 1.

        Raises:
            ConfirmationNeeded: no person has decided about this very call yet.
        """
        decision = self._decide(tool, arguments)
        if decision.tier is not Tier.CONFIRM:
            self._write(tool, arguments, decision, None)
            if decision.tier is Tier.ALLOW:
                return None
            return f"denied by the gate ({decision.rule or 'no rule'}): {decision.why}"
        result = self._targets.blob_after(tool, arguments) if tool in WRITING_TOOLS else None
        stop = confirmation(
            self._caller.stage,
            tool,
            arguments,
            occurrence,
            decision,
            child=self._caller.within,
            result=result,
        )
        answer = self._answers.to(stop.question_id)
        verdict = None if answer is None else answer.verdict
        self._write(tool, arguments, decision, answer, result)
        match verdict:
            case Verdict.APPROVE:
                return None
            case Verdict.DECLINE:
                why = "" if answer is None or not answer.text else f"\n{material('why', answer.text)}"
                return f"declined by a person: do not repeat it, find another way{why}"
            case None:
                raise stop

    def _decide(self, tool: str, arguments: Mapping[str, JsonValue]) -> GateDecision:
        if tool not in self._caller.tools:
            return GateDecision(Tier.DENY, None, f"`{tool[:60]}` is not among this agent's tools")
        decision = self._gate.decide(tool, arguments)
        path = arguments.get("path")
        if decision.tier is Tier.DENY or tool not in PATH_TOOLS or not isinstance(path, str):
            return decision
        real_path = self._targets.real_path(path)
        if real_path is None:
            return GateDecision(Tier.DENY, NOT_PLAIN, "a link on the path leads out of the tree")
        return self._gate.decide(tool, arguments, real_path=real_path)

    def _write(
        self,
        tool: str,
        arguments: Mapping[str, JsonValue],
        decision: GateDecision,
        answer: Answer | None,
        result: str | None = None,
    ) -> None:
        self._log(
            GateLogEntry(
                stage=self._caller.stage,
                agent=self._caller.agent,
                tool=tool,
                arguments_sha256=call_sha256(tool, arguments),
                target=str(arguments.get("path", arguments.get("command", "")))[:LONGEST_TARGET],
                tier=decision.tier.value,
                rule=decision.rule,
                why=decision.why,
                verdict=answer.verdict.value if answer is not None and answer.verdict is not None else None,
                decided_by=answer.answered_by if answer is not None else None,
                result=result,
            )
        )
