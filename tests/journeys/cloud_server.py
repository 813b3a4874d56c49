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

from tests.journeys.messages_server import MessagesServer
from tests.local_http import ANY_PORT, QuietHandler, run_server

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
            return 200, "text/event-stream", self.says.answer_chat(json.loads(content))
        stream = self.says.answer(json.loads(content))
        if path.endswith("/invoke-with-response-stream"):
            return 200, "application/vnd.amazon.eventstream", b"".join(frames_of(stream))
        return 200, "text/event-stream", stream


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
