"""The conversations of `roundtrips.json`: what an agent asks that another one started, and who answers."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pipeline.agents.agent import EndsWith
from pipeline.contract.decisions import Decision

CONVERSATIONS = Path(__file__).with_name("roundtrips.json")


class Question(BaseModel):
    """What the child asks."""

    model_config = ConfigDict(extra="forbid")

    question: str
    options: tuple[str, ...] = ()


class Expected(BaseModel):
    """Who answers, with what, and how the child ends."""

    model_config = ConfigDict(extra="forbid")

    answered_by: tuple[Literal["rule", "template", "parent", "person"], ...]
    answers: tuple[str, ...] = ()
    ended: Literal["completed", "failed", "waiting"]


class Conversation(BaseModel):
    """One scripted conversation. `parent` and `person` say what each of them answers, one after the other."""

    model_config = ConfigDict(extra="forbid")

    name: str
    parent_task: str = "See to the report."
    task: str = "Write the report."
    child_prompt: str = "You format reports."
    questions: tuple[Question, ...]
    parent: tuple[str, ...] = ()
    person: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    times: int = 1
    max_rounds: int = 1
    ends_with: EndsWith = EndsWith.CALL
    expected: Expected


def decisions_of(between: tuple[str, ...]) -> Iterator[Decision]:
    """A standing decision between these, for the first one; none between nothing."""
    if between:
        yield Decision(
            slot="definition",
            candidates=between,
            choice=between[0],
            decided_by="octocat",
            decided_at=date(2026, 11, 1),
        )


def conversations() -> tuple[Conversation, ...]:
    """All that is scripted."""
    listed = json.loads(CONVERSATIONS.read_text(encoding="utf-8"))["conversations"]
    return tuple(Conversation.model_validate(one) for one in listed)
