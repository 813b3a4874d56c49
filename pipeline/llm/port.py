"""The port to a language model: a conversation with tools goes in, one whole reply comes out.

Each implementation either returns a whole reply (`TOOL_USE` or `END_TURN`) or raises a `ModelFailed`: no code
above this port sees half a reply.
"""

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import BaseModel, Field, JsonValue, ValidationError, model_validator

from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.models import ClosedModel
from pipeline.llm.failures import ModelFailed, ReplyMalformed
from pipeline.llm.usage import Usage

Form = TypeVar("Form", bound=BaseModel)

_CAUTIOUS_BYTES_PER_TOKEN = 2

AS_JSON = "Reply with one JSON object that fits this JSON Schema, and with nothing else:"


class Origin(StrEnum):
    """Where a reply comes from. Anything but `MODEL` must be said wherever the reply, or what it led to, is shown."""

    MODEL = "model"
    RECORDED = "recorded"
    SCRIPTED = "scripted"


class StopReason(StrEnum):
    """Why a whole reply ended."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"


class TextBlock(ClosedModel):
    """Words of the model or of a person."""

    type: Literal["text"] = "text"
    text: str


class ToolCall(ClosedModel):
    """The model wants a tool to be called. The arguments are the model's own text, not checked yet."""

    type: Literal["tool_use"] = "tool_use"
    id: str
    name: str
    input: dict[str, JsonValue]


class ToolResult(ClosedModel):
    """What came of a tool call; every call must get one before the model goes on."""

    type: Literal["tool_result"] = "tool_result"
    tool_use_id: str
    content: str
    is_error: bool = False


class Opaque(ClosedModel):
    """A block that only the provider understands, such as thinking with its signature.

    It is bound to the model and the conversation, and goes back unaltered:
    https://platform.claude.com/docs/en/models/opus-5-5/whats-new-opus-5-5
    """

    type: Literal["opaque"] = "opaque"
    raw: dict[str, JsonValue]


Block = Annotated[TextBlock | ToolCall | ToolResult | Opaque, Field(discriminator="type")]
"""A piece of a turn."""


class Turn(ClosedModel):
    """What one side said."""

    role: Literal["user", "assistant"]
    content: tuple[Block, ...]

    @classmethod
    def of_user(cls, text: str) -> "Turn":
        """A turn of plain text."""
        return cls(role="user", content=(TextBlock(text=text),))


class ToolDeclaration(ClosedModel):
    """A tool as the model is told about it; `input_schema` is a JSON Schema whose root is an object."""

    name: str
    description: str
    input_schema: dict[str, JsonValue]


class Request(ClosedModel):
    """One question to a model.

    `purpose` names who asks (stage and round, such as `coder/2`); it is never sent, and keys cost, recordings and
    scripts. `output_schema` binds the text of the reply to a JSON Schema. `max_tokens` bounds what a reply may cost.
    `once` says that nothing which begins like this will be sent again, so that keeping it in the provider's cache would
    cost and never pay.
    `nonce` is the word by which this run knows an ending in the text of the reply; the system prompt tells it, too.
    """

    purpose: str
    model: str
    system: str
    turns: tuple[Turn, ...]
    tools: tuple[ToolDeclaration, ...] = ()
    output_schema: dict[str, JsonValue] | None = None
    max_tokens: int = Field(default=16_000, ge=1)
    nonce: str | None = None
    once: bool = False

    @property
    def guessed_tokens(self) -> int:
        """How long the prompt is, by a cautious guess: a token is three to four bytes of English or code."""
        return len(self.model_dump_json().encode()) // _CAUTIOUS_BYTES_PER_TOKEN

    @property
    def turn_number(self) -> int:
        """How often the model has spoken already: 0 for the first reply."""
        return sum(turn.role == "assistant" for turn in self.turns)


class ModelReply(ClosedModel):
    """A whole reply. `usage` includes attempts that were cut off and made again."""

    content: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage = Usage()
    origin: Origin = Origin.MODEL

    @model_validator(mode="after")
    def _ids_differ(self) -> "ModelReply":
        ids = [call.id for call in self.tool_calls]
        if len(ids) != len(set(ids)):
            raise ValueError("two calls have the same id")
        return self

    @property
    def text(self) -> str:
        """All its words."""
        return "".join(block.text for block in self.content if isinstance(block, TextBlock))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls it asks for, in order."""
        return tuple(block for block in self.content if isinstance(block, ToolCall))

    def as_turn(self) -> Turn:
        """The reply as the next turn of the conversation."""
        return Turn(role="assistant", content=self.content)


class Model(Protocol):
    """A language model, or something with its face. Safe to use from several threads."""

    @property
    def origin(self) -> Origin:
        """Where its replies come from."""

    def reply(self, request: Request) -> ModelReply:
        """The next turn.

        Raises:
            ModelFailed: there is no whole reply; the class says why.
        """

    def count_tokens(self, request: Request) -> int:
        """How long the prompt is, in tokens, counted where somebody counts it, else guessed. It costs one round trip at most.

        Raises:
            ModelKeyMissing: the program has no access to the model.
        """


class ModelBehind:
    """What every model has in common that does something besides with the replies of another one."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def origin(self) -> Origin:
        """Where the other model's replies come from."""
        return self._model.origin

    def count_tokens(self, request: Request) -> int:
        """As the other model counts.

        Raises:
            ModelKeyMissing: the program has no access to the model.
        """
        return self._model.count_tokens(request)


def fill(
    model: Model,
    request: Request,
    form: type[Form],
    *,
    wrong: Callable[[Form], str | None] = lambda _: None,
    tries: int = 2,
) -> tuple[Form, ModelReply]:
    """Have a model fill in a form: its reply is bound to the form's JSON Schema, and read strictly.

    Not every server holds a reply to a schema, and a model can make things up: `wrong` says what a form cannot say here. A
    reply that does not fit goes back once, with what is wrong. The reply that is returned carries the usage of both.

    Raises:
        ReplyMalformed: the text does not fit the form; what it cost is on the error.
        ModelFailed: there is no whole reply.
    """
    schema = form.model_json_schema()
    bound = request.model_copy(update={"output_schema": schema})
    reply = model.reply(bound)
    try:
        filled_in = form.model_validate_json(_without_fence(reply.text))
        problem = wrong(filled_in)
        if problem is None:
            return filled_in, reply
    except ValidationError as error:
        problem = "; ".join(mistakes_by_key(error, "the text")[:3])
    if tries < 2 or model.origin is Origin.SCRIPTED:
        raise ReplyMalformed(
            f"the reply for `{request.purpose}` does not fit {form.__name__}",
            why=problem,
            what_to_do="Run again; if it stays so, name another model: `model:` in the agent's file",
            usage=reply.usage,
        )
    objection = Turn.of_user(f"That does not fit: {problem}. {AS_JSON}\n{json.dumps(schema)}")
    again = request.model_copy(update={"turns": (*request.turns, reply.as_turn(), objection)})
    try:
        filled_in, second_reply = fill(model, again, form, wrong=wrong, tries=1)
    except ModelFailed as failure:
        failure.usage += reply.usage
        raise
    return filled_in, second_reply.model_copy(update={"usage": reply.usage + second_reply.usage})


def _without_fence(text: str) -> str:
    """The text inside of the one code fence around it, if there is one: weak models add it."""
    lines = text.strip().splitlines()
    is_fenced = len(lines) > 2 and lines[0].startswith("```") and lines[-1] == "```"
    return "\n".join(lines[1:-1]) if is_fenced else text


def fill_once(
    model: tuple[Model, str],
    form: type[Form],
    purpose: str,
    system: str,
    prompt: str,
    *,
    max_tokens: int = 2_000,
    wrong: Callable[[Form], str | None] = lambda _: None,
) -> Form:
    """Have a model, which comes with its name, fill in a form by one question that nothing follows (`fill`).

    Raises:
        ModelFailed: there is no filled-in form.
    """
    client, name = model
    turns = (Turn.of_user(prompt),)
    request = Request(
        purpose=purpose, model=name, system=system, turns=turns, max_tokens=max_tokens, once=True
    )
    return fill(client, request, form, wrong=wrong)[0]
