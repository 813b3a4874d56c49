"""Chat Completions without a network: answers in order, remembers what it was asked, and speaks real HTTP and SSE."""

import json
from collections.abc import Callable
from typing import Any

import httpx2

from pipeline.llm.client import ModelClient, Patience
from pipeline.llm.services import service_of
from tests.pipeline.llm.messages_api import sse

Answer = Callable[[httpx2.Request], httpx2.Response]
KEY = "sk-made-up-key-0123456789"
LOCAL = "http://127.0.0.1:8000/v1"
USED = {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 40}}


class ChatApi:
    """The server's side. `asked` holds the bodies of all requests, `noted` what the client told the journal."""

    def __init__(self, *answers: Answer, url: str = LOCAL) -> None:
        self.answers = list(answers)
        self.url = url
        self.asked: list[dict[str, Any]] = []
        self.headers: list[httpx2.Headers] = []
        self.noted: list[str] = []

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        self.headers.append(request.headers)
        return self.answers.pop(0)(request)

    def client(self, patience: Patience | None = None, **environment: str) -> ModelClient:
        variables = {"ASKFIRST_PROVIDER": "openai", "OPENAI_BASE_URL": self.url, **environment}
        return ModelClient(
            service_of(variables),
            patience=patience,
            http_client=httpx2.Client(transport=httpx2.MockTransport(self._answer)),
            sleep=lambda _seconds: None,
            note=self.noted.append,
        )


def chunks(*deltas: dict[str, Any], end: str | None = "stop", usage: dict[str, Any] | None = USED) -> Answer:
    """A stream of pieces of one reply, with its end and what it used."""
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    if end is not None:
        choices.append({"index": 0, "delta": {}, "finish_reason": end})
    events: list[dict[str, Any]] = [{"choices": [choice]} for choice in choices]
    if usage is not None:
        events.append({"choices": [], "usage": usage})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return lambda _: sse("".join([*lines, "data: [DONE]\n\n"]).encode())


def piece(arguments: Any = None, *, index: int | None = 0, **more: Any) -> dict[str, Any]:
    """A piece of a call."""
    function = {"arguments": arguments, **{key: more.pop(key) for key in ("name",) if key in more}}
    return {"tool_calls": [{"index": index, **more, "function": function}]}


def failed(status: int, error: Any) -> Answer:
    return lambda _: httpx2.Response(status, json={"error": error})
