"""Amazon Bedrock, Google Cloud and a server of Chat Completions on 127.0.0.1: their paths and their streams.

What it says comes from a `MessagesServer`. Who asks is written down and believed.
"""

import base64
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

import httpx2

from tests.journeys.messages_server import MessagesServer
from tests.local_http import ANY_PORT, QuietHandler, run_server
from tests.pipeline.llm.chat_api import chunks, piece

TOKEN = "ya29.made-up-access-token-0123456789"

Answer = tuple[int, str, bytes]
"""Status, content type and body."""


@dataclass
class CloudServer:
    """The server's side. `paths` and `headers` are of all requests in their order; `first` answers before `says` does."""

    says: MessagesServer
    first: list[Answer] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    token: Answer = (
        200,
        "application/json",
        json.dumps({"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}).encode(),
    )
    url: str = ""

    def answer(self, path: str, content: bytes) -> Answer:
        """What comes back, by the path."""
        if path == "/token":
            return self.token
        if self.first:
            return self.first.pop(0)
        if path.endswith(("count-tokens:rawPredict", "/count_tokens")):
            return 200, "application/json", b'{"input_tokens": 1000}'
        if path.endswith("/chat/completions"):
            return 200, "text/event-stream", chunks_of(self.says.answer(as_messages(json.loads(content))))
        stream = self.says.answer(json.loads(content))
        if path.endswith("/invoke-with-response-stream"):
            return 200, "application/vnd.amazon.eventstream", b"".join(frames_of(stream))
        return 200, "text/event-stream", stream


def as_messages(chat: dict[str, Any]) -> dict[str, Any]:
    """What Chat Completions are asked, as far as a `MessagesServer` looks at it."""
    system, *turns = chat["messages"]
    body: dict[str, Any] = {"system": system["content"], "messages": turns}
    if "tools" in chat:
        body["tools"] = [tool["function"] for tool in chat["tools"]]
    if "response_format" in chat:
        body["output_config"] = {"format": {"schema": chat["response_format"]["json_schema"]["schema"]}}
    return body


def chunks_of(stream: bytes) -> bytes:
    """A stream of the Messages API as one of Chat Completions: a call with its name first, then its arguments."""
    deltas: list[dict[str, Any]] = []
    calls = 0
    for event in (json.loads(line[6:]) for line in stream.decode().splitlines() if line.startswith("data: ")):
        block, delta = event.get("content_block", {}), event.get("delta", {})
        if block.get("type") == "tool_use":
            calls += 1
            deltas.append(piece("", index=calls - 1, id=block["id"], name=block["name"]))
        elif delta.get("type") == "input_json_delta":
            deltas.append(piece(delta["partial_json"], index=calls - 1))
        elif delta.get("type") == "text_delta":
            deltas.append({"content": delta["text"]})
    answer = chunks(*deltas, end="tool_calls" if calls else "stop")
    return answer(httpx2.Request("POST", "http://127.0.0.1")).content


def frames_of(stream: bytes) -> Iterator[bytes]:
    """A stream of server-sent events as Bedrock sends it."""
    for line in stream.decode().splitlines():
        if line.startswith("data: "):
            event = base64.b64encode(line.removeprefix("data: ").encode()).decode()
            kind = {":event-type": "chunk", ":message-type": "event"}
            yield frame(kind, {"bytes": event})


def exception(kind: str, said: str) -> Answer:
    """A stream that ends with an error of Bedrock's."""
    headers = {":exception-type": kind, ":message-type": "exception"}
    return 200, "application/vnd.amazon.eventstream", frame(headers, {"message": said})


def frame(headers: dict[str, str], payload: dict[str, Any]) -> bytes:
    """One message of the event stream encoding: lengths, headers and payload, each guarded by a CRC-32.

    https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html
    """
    told = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in {":content-type": "application/json", **headers}.items()
    )
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(told) + len(body), len(told))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + told + body
    return message + struct.pack(">I", zlib.crc32(message))


@contextmanager
def cloud(
    says: MessagesServer, before: Callable[[CloudServer], None] = lambda _: None
) -> Iterator[CloudServer]:
    """The server for as long as the block lasts."""
    told = CloudServer(says)
    before(told)

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            told.paths.append(self.path)
            told.headers.append({name.lower(): value for name, value in self.headers.items()})
            told.bodies.append(content)
            status, kind, data = told.answer(self.path, content)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with run_server(ThreadingHTTPServer(ANY_PORT, Handler)) as url:
        told.url = url
        yield told
