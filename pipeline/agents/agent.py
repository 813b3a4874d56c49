"""What an agent is: a prompt, the tools it may ask for, and the shape of what it completes with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, JsonValue, StringConstraints

from pipeline.contract.wire import Sha256
from pipeline.gate.tool_names import Tool

AgentName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,63}$")]
"""Stem of an agent's file. The pattern keeps it from being a path."""


class EndsWith(StrEnum):
    """How an agent ends: with a call of `complete`, `fail` or `clarify`, or with a fenced block of that name in its text."""

    CALL = "call"
    TEXT = "text"


@dataclass(frozen=True)
class Agent:
    """One agent, as its file declares it.

    `model` is None where the file leaves the choice to the configuration. `output` is the model made from
    `output_schema`; `sha256` is the hash of the whole file, and of those of the agents that it may start (`children`).
    `max_rounds` is how often it may ask before it must complete or fail. `asks_before` names values of fields of its
    output that it may not complete with before a person has answered it: what it is sure of itself is no reason.
    """

    name: str
    description: str
    tools: tuple[Tool, ...]
    model: str | None
    output_schema: Mapping[str, JsonValue]
    output: type[BaseModel]
    prompt: str
    sha256: Sha256
    ends_with: EndsWith = EndsWith.CALL
    max_rounds: int = 1
    asks_before: Mapping[str, frozenset[str]] = field(default_factory=dict)
    children: "tuple[Agent, ...]" = ()

    def unasked_value(self, output: BaseModel) -> str | None:
        """What of its output it would have to ask a person about first, such as `recommendation: close`."""
        values = ((name, getattr(output, name, None)) for name in self.asks_before)
        return next((f"{name}: {value}" for name, value in values if value in self.asks_before[name]), None)
