"""Chat Completions as OpenAI and others speak them: what is sent, and what is made of replies that differ by server."""

import json
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel

from pipeline.llm.client import Patience
from pipeline.llm.failures import (
    ModelKeyMissing,
    ModelOverloaded,
    ModelRateLimited,
    ModelRefused,
    ModelRequestRejected,
    ReplyCut,
    ReplyMalformed,
)
from pipeline.llm.port import StopReason, TextBlock, ToolCall, ToolDeclaration, ToolResult, Turn, fill
from pipeline.llm.services import service_of
from pipeline.llm.usage import Usage
from tests.pipeline.llm.chat_api import KEY, ChatApi, chunks, failed, piece
from tests.pipeline.llm.messages_api import request, sse

READ = ToolDeclaration(
    name="read_file", description="Read.", input_schema={"type": "object", "properties": {}}
)


class Plan(BaseModel):
    target: str


def test_a_reply_is_text_calls_and_what_it_used() -> None:
    api = ChatApi(
        chunks(
            {"role": "assistant", "content": "I read "},
            {"content": "it."},
            piece("", id="call_abc", name="read_file"),
            piece('{"path": '),
            piece('"a.py"}'),
            end="tool_calls",
        )
    )
    reply = api.client().reply(request(tools=(READ,)))
    assert reply.content == (
        TextBlock(text="I read it."),
        ToolCall(id="call00000", name="read_file", input={"path": "a.py"}),
    )
    assert reply.stop_reason is StopReason.TOOL_USE
    assert reply.usage == Usage(input_tokens=60, cache_read_tokens=40, output_tokens=20)


def test_what_is_sent_is_the_smallest_request_that_says_it() -> None:
    api = ChatApi(chunks({"content": "done"}))
    calls = (ToolCall(id="call_0_0", name="read_file", input={"path": "a.py"}),)
    results = (
        ToolResult(tool_use_id="call_0_0", content="no such file", is_error=True),
        TextBlock(text="Go on."),
    )
    turns = (
        *request().turns,
        Turn(role="assistant", content=calls),
        Turn(role="user", content=results),
        Turn(role="assistant", content=()),
        Turn.of_user("You made no call."),
    )
    asked = request(tools=(READ,), output_schema=Plan.model_json_schema())
    api.client().reply(asked.model_copy(update={"turns": turns}))
    assert api.asked == snapshot(
        [
            {
                "model": "claude-sonnet-5-5",
                "stream": True,
                "messages": [
                    {"role": "system", "content": "You write code."},
                    {"role": "user", "content": "Add a flag."},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "call_0_0",
                                "type": "function",
                                "function": {
                                    "name": "read_file",
                                    "arguments": '{"path": "a.py"}',
                                },
                            }
                        ],
                    },
                    {
                        "role": "tool",
                        "tool_call_id": "call_0_0",
                        "content": "Error: no such file",
                    },
                    {"role": "user", "content": "Go on."},
                    {"role": "assistant", "content": "(no words)"},
                    {"role": "user", "content": "You made no call."},
                ],
                "max_tokens": 16000,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {
                        "name": "reply",
                        "schema": {
                            "properties": {"target": {"title": "Target", "type": "string"}},
                            "required": ["target"],
                            "title": "Plan",
                            "type": "object",
                        },
                    },
                },
                "stream_options": {"include_usage": True},
                "tools": [
                    {
                        "type": "function",
                        "function": {
                            "name": "read_file",
                            "description": "Read.",
                            "parameters": {"type": "object", "properties": {}},
                        },
                    }
                ],
            }
        ]
    )


def test_openai_itself_has_another_name_for_the_limit() -> None:
    api = ChatApi(chunks({"content": "done"}), url="https://api.openai.com/v1")
    api.client(OPENAI_API_KEY=KEY).reply(request())
    assert "max_tokens" not in api.asked[0]
    assert api.asked[0]["max_completion_tokens"] == 16_000
    assert api.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "pieces",
    [
        [
            piece('{"path": "a.py"}', id="x", name="read_file"),
            piece('{"path": "b.py"}', id="y", name="read_file"),
        ],
        [
            piece({"path": "a.py"}, name="read_file", index=0),
            piece({"path": "b.py"}, name="read_file", index=1),
        ],
        [
            piece('{"path": "a.py"}', id="x", name="read_file", index=None),
            piece('{"path": "b.py"}', id="y", name="read_file", index=None),
        ],
        [
            piece('{"path": ', id="x", name="read_file", index=0),
            piece('{"path": ', id="x", name="read_file", index=1),
            piece('"b.py"}', index=1),
            piece('"a.py"}', index=0),
        ],
    ],
    ids=["all numbered 0", "arguments as objects, no ids", "no numbers", "the same id twice, in turns"],
)
def test_calls_are_told_apart_however_a_server_numbers_them(pieces: list[dict[str, Any]]) -> None:
    reply = ChatApi(chunks(*pieces)).client().reply(request(tools=(READ,)))
    assert [call.input for call in reply.tool_calls] == [{"path": "a.py"}, {"path": "b.py"}]
    assert len({call.id for call in reply.tool_calls}) == 2
    assert reply.stop_reason is StopReason.TOOL_USE


@pytest.mark.parametrize("text", ["{]", "[1]", "null", '{"path": ', "[" * 5_000])
def test_arguments_that_are_no_object_stay_a_call_for_the_model_to_hear_of(text: str) -> None:
    reply = ChatApi(chunks(piece(text, name="read_file"), end="tool_calls")).client().reply(request())
    assert reply.tool_calls[0].input == {"not_json": text}


def test_a_refusal_a_limit_and_an_end_that_nobody_knows_are_outcomes_of_their_own() -> None:
    cases = {
        ModelRefused: [chunks({"refusal": "I will not."}), chunks({"content": "x"}, end="content_filter")],
        ReplyCut: [chunks({"content": "and so"}, end="length"), chunks({"content": "half"}, end=None)],
        ReplyMalformed: [chunks({"content": "x"}, end="weird"), lambda _: sse(b'data: {"choices": 7}\n\n')],
    }
    for outcome, answers in cases.items():
        for answer in answers:
            with pytest.raises(outcome):
                ChatApi(answer).client(Patience(attempts=1)).reply(request())


@pytest.mark.parametrize(
    ("status", "error", "outcome", "why"),
    [
        (401, {"message": "bad key"}, ModelRequestRejected, "bad key"),
        (404, "model `x` not found", ModelRequestRejected, "model `x` not found"),
        (429, {"message": "slow down"}, ModelRateLimited, "slow down"),
        (503, {"message": "loading model"}, ModelOverloaded, "loading model"),
    ],
)
def test_an_answer_that_is_an_error_says_what_the_server_says(
    status: int, error: Any, outcome: type[Exception], why: str
) -> None:
    with pytest.raises(outcome) as caught:
        ChatApi(failed(status, error)).client(Patience(attempts=1)).reply(request())
    assert getattr(caught.value, "why", "") == why


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        ({"message": "busy", "code": 502}, ModelOverloaded),
        ({"message": "busy", "code": "429"}, ModelRateLimited),
        ({"message": "broke"}, ModelOverloaded),
        ({"message": "no such tool", "code": 400}, ModelRequestRejected),
    ],
)
def test_an_error_in_the_middle_of_a_stream_has_the_status_that_it_carries(
    error: dict[str, Any], outcome: type[Exception]
) -> None:
    data = f"data: {json.dumps({'error': error})}\n\n".encode()
    with pytest.raises(outcome):
        ChatApi(*[lambda _: sse(data)] * 2).client(Patience(attempts=1)).reply(request())


@pytest.mark.parametrize(("status", "times"), [(400, 1), (500, 4)])
def test_a_server_without_structured_output_gets_the_schema_in_the_prompt(status: int, times: int) -> None:
    """A 500 may be an outage, so it is asked again first: llama-cpp-python's server answers one to a `json_schema`."""
    api = ChatApi(
        *[failed(status, "extra inputs are not permitted: response_format")] * times,
        chunks({"content": '{"target": "a.py"}'}),
    )
    assert fill(api.client(), request(), Plan)[0] == Plan(target="a.py")
    assert sorted(api.asked[-1]) == ["max_tokens", "messages", "model", "stream"]
    assert "JSON Schema" in api.asked[-1]["messages"][0]["content"]
    assert len(api.noted) == 1


def test_what_a_server_does_not_count_is_guessed_and_said_once() -> None:
    api = ChatApi(*[chunks({"content": "a word " * 40}, usage=None)] * 2)
    client = api.client()
    assert [client.count_tokens(request()) for _ in range(2)] == [request().guessed_tokens] * 2
    for _ in range(2):
        assert client.reply(request()).usage == Usage(
            input_tokens=request().guessed_tokens, output_tokens=7 * 40 // 4
        )
    assert api.noted == snapshot(
        [
            "The provider does not count tokens before a call, so the length of a prompt is guessed, and the guess is too high rather than too low: its protocol has no count",
            "The server does not say how many tokens a prompt used, so they are guessed.",
        ]
    )


def test_openai_wants_a_key_and_another_server_may_want_none() -> None:
    with pytest.raises(ModelKeyMissing, match="OPENAI_API_KEY is not set"):
        service_of({"ASKFIRST_PROVIDER": "openai"})
    api = ChatApi(chunks({"content": "done"}))
    assert api.client().reply(request()).text == "done"
