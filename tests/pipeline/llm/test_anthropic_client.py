"""The real SDK over a transport without a network: what is sent, what comes back, and every way in which it fails."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel

from pipeline.llm.client import Patience
from pipeline.llm.failures import (
    ModelKeyMissing,
    ModelOverloaded,
    ModelRateLimited,
    ModelRefused,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyCut,
    ReplyMalformed,
)
from pipeline.llm.port import (
    Opaque,
    Origin,
    StopReason,
    TextBlock,
    ToolCall,
    ToolDeclaration,
    ToolResult,
    Turn,
    fill,
)
from pipeline.llm.services import service_of
from pipeline.llm.usage import Usage
from tests.pipeline.llm.messages_api import (
    KEY,
    Answer,
    MessagesApi,
    call,
    counted,
    cut_message,
    error_in_stream,
    message,
    refusal,
    request,
    sse,
    text,
)

READ = ToolDeclaration(
    name="read_file", description="Read.", input_schema={"type": "object", "properties": {}}
)
CACHED = ', "cache_control": {"type": "ephemeral"}'
THINKING = {"type": "thinking", "thinking": "", "signature": "c2lnbmF0dXJl"}


class Plan(BaseModel):
    target: str
    steps: int


def test_a_reply_is_text_calls_and_what_it_used() -> None:
    api = MessagesApi(message(text("I read it."), call("read_file", {"path": "a.py"}), stop="tool_use"))
    reply = api.client().reply(request(tools=(READ,)))
    assert reply.text == "I read it."
    assert reply.tool_calls == (ToolCall(id="toolu_1", name="read_file", input={"path": "a.py"}),)
    assert (reply.stop_reason, reply.origin) == (StopReason.TOOL_USE, Origin.MODEL)
    assert reply.usage == Usage(input_tokens=100, output_tokens=20)


def breakpoints(body: dict[str, Any]) -> list[str]:
    """Where the prefixes end that the provider shall keep, in the order in which it reads the request."""
    named = [
        *((f"tools[{at}]", tool) for at, tool in enumerate(body.get("tools", []))),
        *((f"system[{at}]", block) for at, block in enumerate(body["system"])),
        *(
            (f"messages[{turn}][{at}]", block)
            for turn, message in enumerate(body["messages"])
            for at, block in enumerate(message["content"])
        ),
    ]
    return [name for name, block in named if "cache_control" in block]


def a_turn_of(calls: int) -> tuple[Turn, Turn]:
    """The model makes many calls at once, and each has its result."""
    ids = [f"toolu_{number}" for number in range(calls)]
    made = tuple(ToolCall(id=id_, name="read_file", input={"path": id_}) for id_ in ids)
    return (
        Turn(role="assistant", content=made),
        Turn(role="user", content=tuple(ToolResult(tool_use_id=id_, content="x = 1") for id_ in ids)),
    )


def test_the_next_turn_is_read_from_where_the_last_request_ended_however_many_calls_lie_between() -> None:
    api = MessagesApi(*[message(text("done"))] * 3)
    client, asked = api.client(), request(tools=(READ, READ))
    for calls in (0, 30, 1):
        turns = (*asked.turns, *(a_turn_of(calls) if calls else ()))
        asked = asked.model_copy(update={"turns": turns})
        client.reply(asked)
    assert [breakpoints(body) for body in api.asked] == [
        ["tools[1]", "system[0]", "messages[0][0]"],
        ["tools[1]", "system[0]", "messages[0][0]", "messages[2][29]"],
        ["tools[1]", "system[0]", "messages[2][29]", "messages[4][0]"],
    ]


def test_what_the_last_turn_sent_is_sent_again_unchanged() -> None:
    """The cache keeps prefixes: one changed byte, and everything is paid for in full."""
    api = MessagesApi(*[message(text("done"))] * 2)
    client, asked = api.client(), request(tools=(READ,))
    client.reply(asked)
    client.reply(asked.model_copy(update={"turns": (*asked.turns, *a_turn_of(3))}))
    first, second = (json.loads(json.dumps(body).replace(CACHED, "")) for body in api.asked)
    assert (second["tools"], second["system"]) == (first["tools"], first["system"])
    assert second["messages"][: len(first["messages"])] == first["messages"]


def test_a_question_that_is_asked_once_is_not_written_to_the_cache() -> None:
    api = MessagesApi(message(text("done")))
    api.client().reply(request(tools=(READ,), once=True))
    assert breakpoints(api.asked[0]) == []


def test_tools_system_prompt_and_newest_turn_are_cached() -> None:
    api = MessagesApi(
        message(text("done"), cache={"cache_creation_input_tokens": 7, "cache_read_input_tokens": 5})
    )
    reply = api.client().reply(request(tools=(READ,)))
    assert reply.usage == Usage(input_tokens=100, output_tokens=20, cache_write_tokens=7, cache_read_tokens=5)
    assert api.asked == snapshot(
        [
            {
                "max_tokens": 16000,
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "Add a flag.", "cache_control": {"type": "ephemeral"}}
                        ],
                    }
                ],
                "model": "claude-sonnet-5-5",
                "system": [
                    {"type": "text", "text": "You write code.", "cache_control": {"type": "ephemeral"}}
                ],
                "tools": [
                    {
                        "name": "read_file",
                        "description": "Read.",
                        "input_schema": {"type": "object", "properties": {}},
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
                "stream": True,
            }
        ]
    )


def test_a_prompt_is_counted_as_it_would_be_sent_and_a_little_is_added() -> None:
    api = MessagesApi(counted(1_000), message(text("done")))
    client, asked = api.client(), request(tools=(READ,), output_schema=Plan.model_json_schema())
    assert client.count_tokens(asked) == 1_020
    client.reply(asked)
    assert api.paths == ["/v1/messages/count_tokens", "/v1/messages"]
    told = {key: value for key, value in api.asked[1].items() if key not in ("max_tokens", "stream")}
    assert api.asked[0] == told


def test_where_tokens_are_not_counted_the_guess_stands_and_is_told_once() -> None:
    api = MessagesApi(refusal(404, "not_found_error"))
    client = api.client()
    guesses = [client.count_tokens(request()) for _ in range(3)]
    assert guesses == [request().guessed_tokens] * 3
    assert len(api.asked) == 1
    assert api.noted == snapshot(
        [
            "The provider does not count tokens before a call, so the length of a prompt is guessed, and the guess is too high rather than too low: made-up not_found_error"
        ]
    )


def test_a_count_that_fails_in_passing_is_tried_again_with_the_next_request() -> None:
    api = MessagesApi(refusal(529, "overloaded_error"), refusal(429, "rate_limit_error"), counted(50))
    client = api.client()
    assert [client.count_tokens(request()) for _ in range(3)] == [*[request().guessed_tokens] * 2, 51]
    assert (len(api.noted), api.waited) == (1, [])


@pytest.mark.parametrize(
    "nonsense", [b"<html>", b"{}", b'{"input_tokens": 0}', b'{"input_tokens": "many"}', b"[]"]
)
def test_a_count_that_is_none_is_a_guess(nonsense: bytes) -> None:
    api = MessagesApi(lambda _: httpx2.Response(200, content=nonsense))
    assert api.client().count_tokens(request()) == request().guessed_tokens
    assert len(api.noted) == 1


@given(st.text(max_size=2_000))
def test_a_guess_is_never_less_than_a_token_for_two_bytes_of_what_is_said(said: str) -> None:
    asked = request().model_copy(update={"turns": (Turn.of_user(said),)})
    assert asked.guessed_tokens >= len(said.encode("utf-8", "surrogatepass")) // 2


def test_a_reply_is_told_of_while_it_arrives_by_numbers_and_never_by_words() -> None:
    long_words = [text("word " * 80), text("more " * 80)]
    api = MessagesApi(message(*long_words, usage=(100, 260)))
    reply = api.client().reply(request())
    so_far = [usage.output_tokens for _, usage in api.arriving]
    assert so_far == sorted(so_far)
    assert (so_far[0], so_far[-1]) == (0, reply.usage.output_tokens)
    assert {100, 200} <= set(so_far)
    assert {purpose for purpose, _ in api.arriving} == {"coder/1"}
    assert "word" not in repr(api.arriving)


def test_thinking_goes_back_as_it_came() -> None:
    api = MessagesApi(
        message(THINKING, call("read_file", {"path": "a.py"}), stop="tool_use"), message(text("done"))
    )
    client = api.client()
    first = client.reply(request())
    assert first.content[0] == Opaque(raw=THINKING)
    result = ToolResult(tool_use_id="toolu_1", content="x = 1")
    turns = (*request().turns, first.as_turn(), Turn(role="user", content=(result,)))
    client.reply(request().model_copy(update={"turns": turns}))
    assert api.asked[1]["messages"][1]["content"][0] == THINKING


def test_a_form_is_bound_to_its_schema_and_filled() -> None:
    api = MessagesApi(message(text('{"target": "route:POST /actions", "steps": 2}')))
    plan, reply = fill(api.client(), request(), Plan)
    assert plan == Plan(target="route:POST /actions", steps=2)
    assert reply.content == (TextBlock(text='{"target": "route:POST /actions", "steps": 2}'),)
    assert api.asked[0]["output_config"]["format"]["schema"]["required"] == ["target", "steps"]


def test_a_form_filled_wrongly_is_a_typed_outcome_with_its_cost() -> None:
    api = MessagesApi(*[message(text('{"target": 7}'))] * 2)
    with pytest.raises(ReplyMalformed) as caught:
        fill(api.client(), request(), Plan)
    assert caught.value.usage == Usage(input_tokens=200, output_tokens=40)
    assert str(caught.value) == snapshot("""\
the reply for `coder/1` does not fit Plan
target: Input should be a valid string; steps: Field required
Run again; if it stays so, name another model: `model:` in the agent's file\
""")


def test_a_reply_that_does_not_fit_goes_back_once_with_what_is_wrong() -> None:
    api = MessagesApi(message(), message(text('```json\n{"target": "a.py", "steps": 2}\n```')))
    plan, reply = fill(api.client(), request(), Plan)
    assert plan == Plan(target="a.py", steps=2)
    assert reply.usage == Usage(input_tokens=200, output_tokens=40)
    said = [turn["content"][0]["text"] for turn in api.asked[1]["messages"]]
    assert said == snapshot(
        [
            "Add a flag.",
            "(no words)",
            """\
That does not fit: the text: Invalid JSON: EOF while parsing a value at line 1 column 0. Reply with one JSON object that fits this JSON Schema, and with nothing else:
{"properties": {"target": {"title": "Target", "type": "string"}, "steps": {"title": "Steps", "type": "integer"}}, "required": ["target", "steps"], "title": "Plan", "type": "object"}\
""",
        ]
    )


def test_what_a_server_does_not_take_is_left_out_from_then_on_and_said_once() -> None:
    """A server that speaks the Messages API without structured output and without a cache."""
    form = message(text('{"target": "a.py", "steps": 2}'))
    api = MessagesApi(refusal(422, "extra_forbidden"), form, form)
    client = api.client()
    for _ in range(2):
        assert fill(client, request(tools=(READ,)), Plan)[0].target == "a.py"
    assert [("output_config" in body, len(breakpoints(body))) for body in api.asked] == [
        (True, 3),
        (False, 0),
        (False, 0),
    ]
    assert api.asked[1]["system"] == snapshot(
        [
            {
                "type": "text",
                "text": """\
You write code.

Reply with one JSON object that fits this JSON Schema, and with nothing else:
{"properties": {"target": {"title": "Target", "type": "string"}, "steps": {"title": "Steps", "type": "integer"}}, "required": ["target", "steps"], "title": "Plan", "type": "object"}\
""",
            }
        ]
    )
    assert api.noted == snapshot(
        [
            "The server does not take structured output, cache marks or stream options, so requests go without them: schemas stand in the prompt. It said: made-up extra_forbidden"
        ]
    )


def test_a_request_that_is_not_taken_in_its_plainest_form_either_fails_with_the_first_reason() -> None:
    api = MessagesApi(refusal(400, "invalid_request_error"), refusal(400, "other_error"))
    with pytest.raises(ModelRequestRejected) as caught:
        api.client().reply(request())
    assert caught.value.why == "made-up invalid_request_error"
    assert api.noted == []


def test_a_reply_without_an_end_is_ended() -> None:
    api = MessagesApi(message(text("and so on " * 200)))
    with pytest.raises(ReplyCut, match="longer than it may be"):
        api.client().reply(request(max_tokens=100))


def test_a_server_that_does_not_say_what_a_prompt_used_has_it_guessed() -> None:
    api = MessagesApi(*[message(text("done"), usage=(0, 20))] * 2)
    client = api.client()
    assert [client.reply(request()).usage.input_tokens for _ in range(2)] == [request().guessed_tokens] * 2
    assert api.noted == snapshot(
        ["The server does not say how many tokens a prompt used, so they are guessed."]
    )


def test_two_calls_with_the_same_id_are_no_reply() -> None:
    api = MessagesApi(message(call("read_file", {}), call("read_file", {}), stop="tool_use"))
    with pytest.raises(ReplyMalformed, match="same id"):
        api.client().reply(request())


def test_a_rate_limit_is_waited_for_as_long_as_asked() -> None:
    api = MessagesApi(refusal(429, "rate_limit_error", **{"retry-after": "7"}), message(text("done")))
    assert api.client().reply(request()).text == "done"
    assert api.waited == [7.0]


def test_a_wait_longer_than_patience_ends_at_once() -> None:
    api = MessagesApi(refusal(429, "rate_limit_error", **{"retry-after": "86400"}))
    with pytest.raises(ModelRateLimited) as caught:
        api.client().reply(request())
    assert api.waited == []
    assert str(caught.value) == snapshot("""\
the provider limits how often this account asks
made-up rate_limit_error; asked to wait 86400 seconds
Wait, then go on. What was done before is kept: --resume DIR\
""")


@pytest.mark.parametrize("said", ["soon", "nan", "-3", ""])
def test_a_senseless_retry_after_never_waits_long(said: str) -> None:
    api = MessagesApi(refusal(429, "rate_limit_error", **{"retry-after": said}), message(text("done")))
    assert api.client().reply(request()).text == "done"
    assert all(0 <= seconds <= 1 for seconds in api.waited)


def in_http(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


def test_a_date_to_retry_after_is_waited_for_unless_it_is_far() -> None:
    soon = MessagesApi(
        refusal(429, "rate_limit_error", **{"retry-after": in_http(30)}), message(text("done"))
    )
    assert soon.client().reply(request()).text == "done"
    assert 25 <= soon.waited[0] <= 30
    far = MessagesApi(refusal(429, "rate_limit_error", **{"retry-after": in_http(3_600)}))
    with pytest.raises(ModelRateLimited):
        far.client().reply(request())
    assert far.waited == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"type": "error", "error": {"type": "x", "message": "Anthropic's words"}}, "Anthropic's words"),
        ({"message": "Amazon's words"}, "Amazon's words"),
        ({"error": {"code": 403, "message": "Google's words", "status": "DENIED"}}, "Google's words"),
        ([{"error": {"code": 404, "message": "Google's words in a list"}}], "Google's words in a list"),
        ({"Message": 7}, "HTTP 403"),
        ("<html>", "HTTP 403"),
        ([], "HTTP 403"),
    ],
)
def test_the_words_of_each_provider_are_told(body: Any, said: str) -> None:
    api = MessagesApi(lambda _: httpx2.Response(403, json=body))
    with pytest.raises(ModelRequestRejected) as caught:
        api.client().reply(request())
    assert caught.value.why == said


def test_overload_ends_after_all_attempts() -> None:
    api = MessagesApi(*[refusal(529, "overloaded_error")] * 4)
    with pytest.raises(ModelOverloaded):
        api.client().reply(request())
    assert (len(api.asked), len(api.waited)) == (4, 3)
    assert sum(api.waited) <= 7


def test_overload_in_the_middle_of_a_reply_is_tried_again_and_both_are_paid() -> None:
    api = MessagesApi(error_in_stream("overloaded_error"), message(text("done")))
    reply = api.client().reply(request())
    assert reply.usage == Usage(input_tokens=200, output_tokens=21)


@pytest.mark.parametrize("broken", [False, True])
def test_a_stream_cut_off_every_time_is_a_typed_outcome_with_its_cost(broken: bool) -> None:
    api = MessagesApi(*[cut_message(text("half a sent"), broken=broken)] * 2)
    with pytest.raises(ReplyCut) as caught:
        api.client(Patience(attempts=2)).reply(request())
    assert caught.value.usage.input_tokens == 200


def test_a_reply_that_is_too_long_is_not_tried_again() -> None:
    api = MessagesApi(message(text("and so on"), stop="max_tokens"))
    with pytest.raises(ReplyCut, match="longer than it may be"):
        api.client().reply(request())
    assert len(api.asked) == 1


def test_a_refusal_says_why() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": None}
    api = MessagesApi(message(stop="refusal", stop_details=details))
    with pytest.raises(ModelRefused) as caught:
        api.client().reply(request())
    assert caught.value.why == "cyber"
    assert caught.value.usage.input_tokens == 100


def test_a_call_whose_arguments_are_no_json_is_malformed() -> None:
    api = MessagesApi(message(call("read_file", "{]"), stop="tool_use"))
    with pytest.raises(ReplyMalformed):
        api.client().reply(request())


NOT_JSON: Answer = lambda _: sse(b"event: message_start\ndata: {not json\n\n")  # noqa: E731
NOT_EVENTS: Answer = lambda _: sse(b"<html>welcome to the hotel</html>")  # noqa: E731


def test_events_that_are_no_json_are_malformed() -> None:
    with pytest.raises(ReplyMalformed):
        MessagesApi(NOT_JSON).client().reply(request())


def test_a_page_in_place_of_a_reply_is_no_reply() -> None:
    with pytest.raises(ReplyCut):
        MessagesApi(NOT_EVENTS).client(Patience(attempts=1)).reply(request())


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, "authentication_error"), (404, "not_found_error"), (413, "request_too_large")],
)
def test_a_request_that_is_not_accepted_is_not_tried_again(status: int, kind: str) -> None:
    api = MessagesApi(refusal(status, kind))
    with pytest.raises(ModelRequestRejected) as caught:
        api.client().reply(request())
    assert len(api.asked) == 1
    assert KEY not in str(caught.value)


def test_a_reply_that_never_ends_is_ended_and_not_waited_for_again() -> None:
    api = MessagesApi(message(text("a")))
    with pytest.raises(ReplyCut, match="took longer"):
        api.client(Patience(whole_reply=-1)).reply(request())
    assert len(api.asked) == 1


def silence(asked: httpx2.Request) -> httpx2.Response:
    raise httpx2.ReadTimeout("", request=asked)


def test_an_address_that_takes_connections_and_never_answers_is_waited_for_once() -> None:
    api = MessagesApi(silence)
    client = api.client()
    for _ in range(2):
        with pytest.raises(ModelUnreachable) as caught:
            client.reply(request())
        assert caught.value.why == "it takes connections, and sent nothing for 120 seconds"
    assert (len(api.asked), api.waited) == (1, [])


def test_a_server_that_has_answered_may_be_silent_for_once() -> None:
    api = MessagesApi(message(text("first")), silence, message(text("second")))
    client = api.client()
    assert [client.reply(request()).text for _ in range(2)] == ["first", "second"]


def test_without_a_key_there_is_nobody_to_ask() -> None:
    with pytest.raises(ModelKeyMissing, match="ANTHROPIC_API_KEY is not set"):
        service_of({"ANTHROPIC_API_KEY": "  "})


def test_the_key_is_in_no_representation_of_the_client() -> None:
    api = MessagesApi(message(text("done")))
    client = api.client()
    client.reply(request())
    assert KEY not in f"{client!r} {vars(client)!r}"
    assert api.headers[0]["authorization"] == f"Bearer {KEY}"
