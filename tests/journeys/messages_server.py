"""A Messages API on 127.0.0.1 that says what a script says, counts what it was asked, and can do something before it answers."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2

from tests.journeys.scripts import Call, content_of
from tests.pipeline.llm.messages_api import message


class MessagesServer:
    """Answers by what it is asked: the agent's tools say which agent asks, and the turns say how far it is.

    `asked` holds what was asked, such as `coder turn 2`; `before` is called with it before the answer is sent.
    """

    def __init__(self, turns: dict[str, list[list[Call]]]) -> None:
        self._turns = turns
        self.asked: list[str] = []
        self.bodies: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        self.url = ""

    def answer(self, body: dict[str, Any]) -> bytes:
        """The next reply as a stream of events."""
        tools = {tool["name"] for tool in body["tools"]}
        agent = "coder" if "edit_file" in tools else "reviewer"
        turn = sum(one["role"] == "assistant" for one in body["messages"])
        self.asked.append(f"{agent} turn {turn}")
        self.bodies.append(json.dumps(body))
        self.before(self.asked[-1])
        content = content_of(agent, turn, self._turns[agent][turn])
        request = httpx2.Request("POST", self.url)
        return message(*content, stop="tool_use")(request).content


@contextmanager
def messages_api(turns: dict[str, list[list[Call]]]) -> Iterator[MessagesServer]:
    """The server for as long as the block lasts."""
    told = MessagesServer(turns)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = told.answer(body)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            try:
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # whoever asked was killed

        def log_request(self, code: object = "-", size: object = "-") -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
