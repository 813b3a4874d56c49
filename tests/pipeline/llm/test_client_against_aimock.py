"""The real client against a real server on 127.0.0.1: every way in which a question can end is a typed outcome."""

from contextlib import closing
from typing import Any

import pytest
from pydantic import BaseModel

from pipeline.llm.client import ModelClient, Patience
from pipeline.llm.failures import (
    ModelFailed,
    ModelOverloaded,
    ModelRateLimited,
    ModelRefused,
    ModelRequestRejected,
    ModelUnreachable,
    ReplyCut,
    ReplyMalformed,
)
from pipeline.llm.port import ModelReply, Request, TextBlock, fill
from pipeline.llm.services import Service, service_of
from tests.pipeline.llm.aimock_server import Aimock
from tests.pipeline.llm.messages_api import request

pytestmark = pytest.mark.npm

USED = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}


class Plan(BaseModel):
    target: str


class Client:
    """The real client, and how long it wanted to wait."""

    def __init__(self, service: Service, patience: Patience | None = None) -> None:
        self.waited: list[float] = []
        self._model = ModelClient(service, patience=patience, sleep=self.waited.append)

    def _connected(self) -> "closing[ModelClient]":
        """The client for one request: it leaves no connection open."""
        return closing(self._model)

    @property
    def origin(self) -> Any:
        return self._model.origin

    def count_tokens(self, request: Request) -> int:
        with self._connected() as model:
            return model.count_tokens(request)

    def reply(self, request: Request) -> ModelReply:
        with self._connected() as model:
            return model.reply(request)


def service_at(url: str, speaks: str) -> Service:
    if speaks == "messages":
        return service_of({"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": url})
    return service_of({"ASKFIRST_PROVIDER": "openai", "OPENAI_BASE_URL": f"{url}/v1"})


SPEAKS = pytest.mark.parametrize("speaks", ["messages", "chat"])


def error(status: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"match": {}, "response": {"error": {"message": kind, "type": kind}, "status": status, **more}}


def says(content: str, **more: Any) -> dict[str, Any]:
    return {"match": {}, "response": {"content": content, "usage": USED, **more}}


@SPEAKS
def test_a_reply_arrives_whole_with_its_usage(speaks: str, messages_server: Aimock) -> None:
    messages_server.answers(says("A flag is a boolean, and this one is off until somebody says otherwise."))
    reply = Client(service_at(messages_server.url, speaks)).reply(request())
    assert reply.text == "A flag is a boolean, and this one is off until somebody says otherwise."
    assert reply.usage.output_tokens == 30


@SPEAKS
def test_a_rate_limit_that_passes_is_waited_for(speaks: str, messages_server: Aimock) -> None:
    messages_server.answers(
        {
            **error(429, "rate_limit_error", retryAfter=3),
            "match": {"sequenceIndex": 0, "userMessage": "flag"},
        },
        says("done"),
    )
    client = Client(service_at(messages_server.url, speaks))
    assert client.reply(request()).text == "done"
    assert client.waited == [3.0]
    assert len(messages_server.asked()) == 2


@SPEAKS
@pytest.mark.parametrize(
    ("answer", "outcome", "requests"),
    [
        (error(429, "rate_limit_error", retryAfter=2), ModelRateLimited, 4),
        (error(429, "rate_limit_error", retryAfter=86_400), ModelRateLimited, 1),
        (error(529, "overloaded_error"), ModelOverloaded, 4),
        (error(500, "api_error"), ModelOverloaded, 4),
        (error(401, "authentication_error"), ModelRequestRejected, 1),
        (error(404, "not_found_error"), ModelRequestRejected, 1),
        ({**says("a long story " * 50), "latency": 20, "truncateAfterChunks": 4}, ReplyCut, 4),
        (says("and so on", finishReason="length"), ReplyCut, 1),
        (says("no", finishReason="refusal"), ModelRefused, 1),
        ({**says("x"), "chaos": {"malformedRate": 1}}, ModelFailed, None),
        ({**says("x"), "chaos": {"disconnectRate": 1}}, ModelUnreachable, 4),
    ],
    ids=[
        "429",
        "429 for a day",
        "529",
        "500",
        "401",
        "404",
        "cut",
        "too long",
        "refused",
        "malformed",
        "lost",
    ],
)
def test_a_question_without_a_whole_reply_has_a_typed_outcome(
    speaks: str,
    messages_server: Aimock,
    answer: dict[str, Any],
    outcome: type[ModelFailed],
    requests: int | None,
) -> None:
    messages_server.answers(answer)
    client = Client(service_at(messages_server.url, speaks))
    with pytest.raises(outcome) as caught:
        client.reply(request())
    assert caught.value.message
    assert caught.value.what_to_do
    assert sum(client.waited) < 60
    if requests is not None:
        assert len(messages_server.asked()) == requests


@SPEAKS
def test_a_server_that_counts_no_tokens_has_them_guessed(speaks: str, messages_server: Aimock) -> None:
    messages_server.answers(says("done"))
    client = Client(service_at(messages_server.url, speaks))
    assert client.count_tokens(request()) == request().guessed_tokens
    assert client.reply(request()).text == "done"


@SPEAKS
def test_a_form_is_filled(speaks: str, messages_server: Aimock) -> None:
    messages_server.answers(says('{"target": "route:POST /actions"}'))
    plan, reply = fill(Client(service_at(messages_server.url, speaks)), request(), Plan)
    assert plan.target == "route:POST /actions"
    assert reply.content == (TextBlock(text='{"target": "route:POST /actions"}'),)


@SPEAKS
def test_a_form_filled_wrongly_is_malformed_and_paid_for(speaks: str, messages_server: Aimock) -> None:
    messages_server.answers(says('{"goal": "route:POST /actions"}'))
    with pytest.raises(ReplyMalformed) as caught:
        fill(Client(service_at(messages_server.url, speaks)), request(), Plan)
    assert caught.value.usage.output_tokens == 60  # it went back once


@SPEAKS
def test_nobody_there_is_a_typed_outcome_after_two_attempts_and_known_from_then_on(speaks: str) -> None:
    client = Client(service_at("http://127.0.0.1:9", speaks))
    for _ in range(2):
        with pytest.raises(ModelUnreachable, match=r"cannot be reached at http://127\.0\.0\.1:9") as caught:
            client.reply(request())
        assert "refused" in caught.value.why
    assert len(client.waited) == 1
