"""Whatever a server sends, a client ends with a reply that is whole or with a typed outcome, and never with anything else."""

import json
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.llm.client import ModelClient, Patience
from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import ModelReply, Turn
from tests.pipeline.llm.chat_api import ChatApi
from tests.pipeline.llm.messages_api import MessagesApi, request, sse

ONCE = Patience(attempts=1)

scalars = st.none() | st.booleans() | st.integers(-5, 2**70) | st.floats() | st.text(max_size=20)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def maybe(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """An object that has these keys or not, with what belongs there or anything else; or no object at all."""
    return (
        st.fixed_dictionaries({}, optional={key: value | anything for key, value in fields.items()})
        | anything
    )


def named(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words)


words = named("", "a word ", '{"a": 1}', "{", "```complete", "\ud800", "\x00", "拒绝", "x" * 3_000)
calls = maybe(
    {
        "index": st.integers(-1, 2),
        "id": words,
        "type": st.just("function"),
        "function": maybe({"name": words, "arguments": words}),
    }
)
chat_events = maybe(
    {
        "choices": st.lists(
            maybe(
                {
                    "index": st.just(0),
                    "delta": maybe(
                        {"content": words, "refusal": words, "tool_calls": st.lists(calls, max_size=2)}
                    ),
                    "finish_reason": named("stop", "tool_calls", "length", "content_filter", "x"),
                }
            ),
            max_size=2,
        ),
        "usage": maybe({"prompt_tokens": st.integers(-1, 99), "completion_tokens": st.integers(-1, 99)}),
        "error": anything,
    }
)
blocks = maybe(
    {
        "type": named("text", "tool_use", "thinking"),
        "text": words,
        "id": words,
        "name": words,
        "input": anything,
    }
)
used = maybe({"input_tokens": st.integers(-1, 99), "output_tokens": st.integers(-1, 99)})
message_events = maybe(
    {
        "type": named(
            "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
            "message_stop", "error", "ping",
        ),
        "index": st.integers(-1, 2),
        "message": maybe(
            {"id": words, "role": st.just("assistant"), "content": st.lists(blocks, max_size=1), "usage": used}
        ),
        "content_block": blocks,
        "delta": maybe(
            {
                "type": named("text_delta", "input_json_delta", "thinking_delta"),
                "text": words,
                "partial_json": words,
                "stop_reason": named("end_turn", "tool_use", "max_tokens", "refusal", "x"),
            }
        ),
        "usage": used,
        "error": anything,
    }
)  # fmt: skip


def stream(events: list[Any], tail: str, *, named_events: bool) -> bytes:
    lines = []
    for event in events:
        kind = event.get("type") if isinstance(event, dict) else None
        head = f"event: {kind}\n" if named_events and isinstance(kind, str) and kind.isidentifier() else ""
        lines.append(f"{head}data: {json.dumps(event)}\n\n")
    return ("".join(lines) + tail).encode("utf-8", "surrogatepass")


def outcome(client: ModelClient, turns: tuple[Turn, ...]) -> ModelReply | ModelFailed:
    try:
        return client.reply(request().model_copy(update={"turns": turns}))
    except ModelFailed as failure:
        return failure


def ends_well(api: ChatApi | MessagesApi) -> None:
    """A whole reply can be kept, read again and sent back; anything else is typed and says what happened."""
    client, turns = api.client(ONCE), request().turns
    first = outcome(client, turns)
    if isinstance(first, ModelFailed):
        assert first.message
        assert first.usage.tokens >= 0
        return
    assert ModelReply.model_validate_json(first.model_dump_json()) == first
    second = outcome(client, (*turns, first.as_turn(), Turn.of_user("Go on.")))
    assert isinstance(second, ModelFailed)
    assert second.why == "made-up end"


GONE = [lambda _: httpx2.Response(401, json={"error": {"message": "made-up end"}})]
tails = named("", "data: [DONE]\n\n", "data: {not json\n\n", "<html>", "event: x")


@pytest.mark.parametrize("wire", ["chat", "messages"])
@settings(max_examples=150, deadline=None)
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@given(data=st.data())
def test_whatever_streams_in_is_a_whole_reply_or_a_typed_outcome(wire: str, data: st.DataObject) -> None:
    events = data.draw(st.lists(chat_events if wire == "chat" else message_events, max_size=6))
    body = stream(events, data.draw(tails), named_events=wire == "messages")
    answers = [lambda _: sse(body), *GONE]
    ends_well(ChatApi(*answers) if wire == "chat" else MessagesApi(*answers))


@pytest.mark.parametrize("wire", ["chat", "messages"])
@settings(max_examples=50, deadline=None)
@given(status=named("200", "204", "302", "400", "422", "429", "500"), body=st.binary(max_size=60) | anything)
def test_whatever_is_answered_in_place_of_a_stream_is_a_typed_outcome(
    wire: str, status: str, body: Any
) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8", "surrogatepass")

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(int(status), content=content, headers={"content-type": "application/json"})

    answers = [answer] * 2
    ends_well(ChatApi(*answers) if wire == "chat" else MessagesApi(*answers))
