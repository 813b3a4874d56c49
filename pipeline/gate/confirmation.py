"""The question that a run ends with where a call waits for a person."""

from collections.abc import Mapping

from pydantic import JsonValue

from pipeline.contract.clarification import Candidate
from pipeline.domain.stops import Ask, ConfirmationNeeded
from pipeline.gate.gate import GateDecision


def confirmation(
    stage: str,
    tool: str,
    arguments: Mapping[str, JsonValue],
    occurrence: int,
    decision: GateDecision,
    *,
    child: str = "",
    result: str | None = None,
) -> ConfirmationNeeded:
    """The stop of a call that waits. `occurrence` counts the same call within one agent's run, from 1.

    `child` is the path of ids of an agent that another one started: an approval of what it does holds for no other agent.
    `result` is what the call would make of its file: an approval holds for this content, and not for the name alone.
    """
    subject: dict[str, JsonValue] = {
        "tool": tool,
        "arguments": dict(arguments),
        "occurrence": occurrence,
        **({"child": child} if child else {}),
        **({"result": result} if result else {}),
    }
    actor = f"subagent '{child}'" if child else "agent"
    target = arguments.get("path", arguments.get("command", ""))
    call = f"`{tool}` on `{target}`" if target else f"`{tool}`"
    return ConfirmationNeeded(
        Ask(
            stage=stage,
            slot="confirmation",
            reason=f"The {actor} of stage `{stage}` wants to call {call}. Rule `{decision.rule}`: {decision.why}.",
            text=f"May the {actor} call {call}?",
            suggestion="Approve or decline this one call. Nothing else is approved by it.",
            candidates=tuple(
                Candidate(handler_symbol=f"<{id_}>", body_field_count=None, id=id_, label=label)
                for id_, label in (("approve", "Approve this one call"), ("decline", "Decline it"))
            ),
            default="decline",
            default_reason="without an approval the call is not made",
            subject=subject,
        )
    )
