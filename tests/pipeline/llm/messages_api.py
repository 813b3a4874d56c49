"""A Messages API without a network: answers in order, remembers what it was asked, and speaks real HTTP and SSE."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2

from pipeline.llm.client import Arriving, ModelClient, Patience
from pipeline.llm.port import Request, Turn
from pipeline.llm.services import service_of
from pipeline.llm.usage import Usage

KEY = "sk-ant-made-up-key-0123456789"
MODEL = "claude-sonnet-5-5"

Answer = Callable[[httpx2.Request], httpx2.Response]


class Broken(httpx2.SyncByteStream):
    """A body that ends in the middle, as when a connection is lost."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __iter__(self) -> Iterator[bytes]:
        yield self.data
        raise httpx2.RemoteProtocolError("peer closed connection without sending complete message body")


class MessagesApi:
    """The server's side.

    `asked` holds the bodies of all requests, `hosts` and `paths` where they went; `waited` the seconds the client slept,
    `noted` what it told the journal, `arriving` what it said of replies while they arrived, which `told` is told too.
    """

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []
        self.hosts: list[str] = []
        self.paths: list[str] = []
        self.headers: list[httpx2.Headers] = []
        self.waited: list[float] = []
        self.noted: list[str] = []
        self.arriving: list[tuple[str, Usage]] = []
        self.told: Arriving = lambda _request, _usage: None

    def _arrives(self, request: Request, usage: Usage) -> None:
        self.arriving.append((request.purpose, usage))
        self.told(request, usage)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        self.headers.append(request.headers)
        self.hosts.append(request.url.host)
        self.paths.append(request.url.path)
        return self.answers.pop(0)(request)

    def http_client(self) -> httpx2.Client:
        return httpx2.Client(transport=httpx2.MockTransport(self._answer))

    def client(self, patience: Patience | None = None) -> ModelClient:
        return ModelClient(
            service_of({"ANTHROPIC_API_KEY": KEY}),
            patience=patience,
            http_client=self.http_client(),
            sleep=self.waited.append,
            arriving=self._arrives,
            note=self.noted.append,
        )


def request(**changes: Any) -> Request:
    return Request(
        purpose="coder/1",
        model=MODEL,
        system="You write code.",
        turns=(Turn.of_user("Add a flag."),),
        **changes,
    )


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(name: str, arguments: dict[str, Any] | str, id_: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def message(
    *content: dict[str, Any], stop: str | None = "end_turn", usage: tuple[int, int] = (100, 20), **more: Any
) -> Answer:
    return lambda _: sse("".join(_events(list(content), stop, usage, more)).encode())


def cut_message(*content: dict[str, Any], broken: bool = False) -> Answer:
    """A message whose stream ends after its content, politely or with a lost connection."""
    data = "".join(_events(list(content), None, (100, 20), {})).encode()
    return lambda _: sse(Broken(data) if broken else data)


def counted(tokens: int) -> Answer:
    """What `/v1/messages/count_tokens` answers."""
    return lambda _: httpx2.Response(200, json={"input_tokens": tokens})


def refusal(status: int, kind: str, **headers: str) -> Answer:
    body = {"type": "error", "error": {"type": kind, "message": f"made-up {kind}"}}
    return lambda _: httpx2.Response(status, json=body, headers=headers)


def error_in_stream(kind: str) -> Answer:
    data = "".join(_events([], None, (100, 20), {}))
    data += _event("error", error={"type": kind, "message": f"made-up {kind}"})
    return lambda _: sse(data.encode())


def sse(content: bytes | httpx2.SyncByteStream) -> httpx2.Response:
    headers = {"content-type": "text/event-stream"}
    if isinstance(content, bytes):
        return httpx2.Response(200, content=content, headers=headers)
    return httpx2.Response(200, stream=content, headers=headers)


def _events(
    content: list[dict[str, Any]], stop: str | None, usage: tuple[int, int], more: dict[str, Any]
) -> Iterator[str]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": []}
    counted = {"input_tokens": usage[0], "output_tokens": 1, **more.get("cache", {})}
    yield _event(
        "message_start", message={**head, "stop_reason": None, "stop_sequence": None, "usage": counted}
    )
    for index, block in enumerate(content):
        yield from _block_events(index, block)
    if stop is not None:
        delta = {"stop_reason": stop, "stop_sequence": None, "stop_details": more.get("stop_details")}
        yield _event("message_delta", delta=delta, usage={"output_tokens": usage[1]})
        yield _event("message_stop")


def _block_events(index: int, block: dict[str, Any]) -> Iterator[str]:
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    elif block["type"] == "tool_use":
        written = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
        start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": written}
    else:
        start, delta = (
            {**block, "signature": ""},
            {"type": "signature_delta", "signature": block["signature"]},
        )
    yield _event("content_block_start", index=index, content_block=start)
    yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(name: str, **data: Any) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n"
