"""OpenAI's Chat Completions through its SDK, as many servers speak them: https://platform.openai.com/docs/api-reference/chat.

Servers differ: some leave out ids or usage, number every call 0, or end a reply of calls with `stop`. Replies are read
by a small model of our own, so that nothing but text, calls and numbers gets further.
"""

import json
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from pipeline.llm.port import ModelReply, Request, StopReason, TextBlock, ToolCall, ToolResult, Turn
from pipeline.llm.usage import Usage
from pipeline.llm.wire import CHARACTERS_PER_TOKEN, SdkErrors, cut_off, declined, too_long, url_of

if TYPE_CHECKING:
    from openai import OpenAI

NOT_JSON = "not_json"
"""The argument under which a call carries what is no JSON object. No tool takes it, so the model is told."""

_ENDS = frozenset({"stop", "tool_calls", "function_call"})
_REFUSALS = frozenset({"content_filter", "refusal"})
_NEW_LIMIT = ("openai.com", "azure.com")  # these want `max_completion_tokens`; others know `max_tokens`


class _Part(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Function(_Part):
    name: str | None = None
    arguments: str | dict[str, JsonValue] | None = None


class _CallPart(_Part):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(_Part):
    content: str | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_CallPart] | None = None


class _Choice(_Part):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _CachedTokens(_Part):
    cached_tokens: Annotated[int, Field(ge=0)] | None = None


class _ChatUsage(_Part):
    prompt_tokens: Annotated[int, Field(ge=0)] | None = None
    completion_tokens: Annotated[int, Field(ge=0)] | None = None
    prompt_tokens_details: _CachedTokens | None = None


class _Chunk(_Part):
    choices: list[_Choice] | None = None
    usage: _ChatUsage | None = None


class ChatWire:
    """A client of the SDK, of which only the chat completions are used."""

    def __init__(self, client: "OpenAI") -> None:
        import openai

        self._client = client
        self.url = url_of(client)
        self.errors = SdkErrors(
            openai.OpenAIError, openai.APIConnectionError, openai.APITimeoutError, openai.APIError
        )

    def ask(self, request: Request, *, plain: bool) -> "ChatArrival":
        """A request that is not sent yet."""
        return ChatArrival(self._client, _body(request, self._client.base_url.host, plain=plain), request)

    def count(self, request: Request, seconds: float) -> None:
        """The protocol has no count."""

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()


class ChatArrival:
    """As much of a completion as has arrived."""

    def __init__(self, client: "OpenAI", body: dict[str, Any], request: Request) -> None:
        self._client = client
        self._body = body
        self._turn = request.turn_number
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._characters = 0
        self._calls: list[_CallPart] = []
        self._usage: _ChatUsage | None = None
        self._end: str | None = None
        self.has_begun = False

    def events(self) -> Generator[None, None, None]:
        """Send the request, and listen."""
        with self._client.chat.completions.create(**self._body, stream=True) as stream:
            for chunk in stream:
                self._take(_Chunk.model_validate(chunk))
                yield

    @property
    def so_far(self) -> Usage:
        """What it has used."""
        usage = self._usage or _ChatUsage()
        cached_tokens = (usage.prompt_tokens_details or _CachedTokens()).cached_tokens or 0
        return Usage(
            input_tokens=max(0, (usage.prompt_tokens or 0) - cached_tokens),
            output_tokens=usage.completion_tokens or self._characters // CHARACTERS_PER_TOKEN,
            cache_read_tokens=cached_tokens,
        )

    def whole(self) -> ModelReply:
        """The reply, if it is whole.

        Raises:
            Again: it broke off.
            ModelFailed: it ended before its end.
            ValueError: it is none.
        """
        usage = self.so_far
        if self._end is None:
            raise cut_off("the stream ended before the reply did", usage)
        if self._refusal or self._end in _REFUSALS:
            raise declined("".join(self._refusal)[:500] or None, usage)
        if self._end == "length":
            raise too_long(self._end, usage)
        if self._end not in _ENDS:
            raise ValueError(f"finish reason `{self._end[:100]}`, which nothing allows")
        calls = [_call(part, f"call{self._turn:03}{at:02}") for at, part in enumerate(self._calls)]
        text = "".join(self._text)
        return ModelReply(
            content=(*([TextBlock(text=text)] if text else []), *calls),
            stop_reason=StopReason.TOOL_USE if calls else StopReason.END_TURN,
            usage=usage,
        )

    def _take(self, chunk: _Chunk) -> None:
        self.has_begun = True
        self._usage = chunk.usage or self._usage
        for choice in (chunk.choices or [])[:1]:
            self._end = choice.finish_reason or self._end
            delta = choice.delta or _Delta()
            self._text.append(delta.content or "")
            self._refusal += [delta.refusal] if delta.refusal else []
            for words in (delta.content, delta.refusal, delta.reasoning_content):
                self._characters += len(words or "")
            for part in delta.tool_calls or []:
                self._characters += len(_arguments(part))
                self._take_call(part)

    def _take_call(self, part: _CallPart) -> None:
        """Add to the call that has the same number, unless another id says that it is a new one."""
        for call in reversed(self._calls):
            if part.index in (None, call.index) and part.id in (None, "", call.id):
                function, addition = call.function or _Function(), part.function or _Function()
                call.function = _Function(
                    name=function.name or addition.name, arguments=_arguments(call) + _arguments(part)
                )
                return
        self._calls.append(part)


def _arguments(part: _CallPart) -> str:
    arguments = part.function.arguments if part.function else None
    return json.dumps(arguments) if isinstance(arguments, dict) else arguments or ""


def _call(part: _CallPart, id_: str) -> ToolCall:
    """A call under an id of our own, which no other one has: nine letters and digits, as Mistral wants them."""
    text = _arguments(part)
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError):
        arguments = None
    name = (part.function.name if part.function else None) or ""
    return ToolCall(id=id_, name=name, input=arguments if isinstance(arguments, dict) else {NOT_JSON: text})


def _body(request: Request, host: str, *, plain: bool) -> dict[str, Any]:
    """All that a model is told. Anything that is not needed is left out: some servers take no key that they do not know."""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [
            {"role": "system", "content": request.system},
            *(message for turn in request.turns for message in _messages(turn)),
        ],
        "max_completion_tokens" if host.endswith(_NEW_LIMIT) else "max_tokens": request.max_tokens,
    }
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.input_schema,
                },
            }
            for tool in request.tools
        ]
    if request.output_schema is not None:
        schema = {"name": "reply", "schema": request.output_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if not plain:
        body["stream_options"] = {"include_usage": True}
    return body


def _messages(turn: Turn) -> Iterator[dict[str, Any]]:
    """One turn as messages: each result of a call is one of its own."""
    text = "\n\n".join(block.text for block in turn.content if isinstance(block, TextBlock))
    calls = [block for block in turn.content if isinstance(block, ToolCall)]
    for result in (block for block in turn.content if isinstance(block, ToolResult)):
        content = f"Error: {result.content}" if result.is_error else result.content
        yield {"role": "tool", "tool_call_id": result.tool_use_id, "content": content}
    if calls:
        yield {
            "role": "assistant",
            "content": text or None,
            "tool_calls": [_wire_call(call) for call in calls],
        }
    elif turn.role == "assistant":
        yield {"role": "assistant", "content": text or "(no words)"}
    elif text:
        yield {"role": "user", "content": text}


def _wire_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.input)}
    return {"id": call.id, "type": "function", "function": function}
