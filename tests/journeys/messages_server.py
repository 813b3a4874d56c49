"""A model on 127.0.0.1 that says what a script says, counts what it was asked, and can do something before it answers.

It speaks the Messages API, and Chat Completions to those who ask in that.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from tests.journeys.conftest import job_path, scrubbed
from tests.journeys.forked import Forked
from tests.journeys.scripts import MEANS_NO_ROUTE, Call, content_of
from tests.local_http import ANY_PORT, QuietHandler, run_server
from tests.pipeline.llm.chat_api import chunks, piece
from tests.pipeline.llm.messages_api import message, text

EXPLORES = "find_places"
"""A tool that no agent but the explorer has."""

_STAGES = {"things_named": "reading", "changes_request": "decomposition"}
"""The stages that put forms, by a field of each; `plans` puts the others."""

KEY = "sk-ant-made-up-0123456789abcdef"

MESSAGES, CHAT = "anthropic", "openai"
"""Providers by the protocol that they are asked in."""


class MessagesServer:
    """Answers by what it is asked: the agent's tools say which agent asks, and the turns say how far it is.

    A question without tools is a form to be filled in, of the stage that the form's fields are those of. `forms` holds
    what is filled in, one after the other, the last one again and again; what stands there for `plans` is what an explorer
    completes with in its only turn, unless `turns` has its turns. `by_prompt` names agents by words of their prompt;
    one that was started again with an answer is called `… again`.
    `asked` holds what was asked, such as `coder turn 2` or `reading`; `before` is called with it before the answer is sent.
    A run asks it as the `provider`.
    """

    def __init__(
        self,
        turns: dict[str, list[list[Call]]],
        forms: Mapping[str, list[dict[str, Any]]] | None = None,
        by_prompt: Mapping[str, str] | None = None,
    ) -> None:
        self._turns = turns
        self._by_prompt = by_prompt or {}
        self._forms = {
            stage: list(filled)
            for stage, filled in {"decomposition": [MEANS_NO_ROUTE], **(forms or {})}.items()
        }
        self.asked: list[str] = []
        self.bodies: list[str] = []
        self.before: Callable[[str], None] = lambda _: None
        self.url = ""
        self.provider = MESSAGES

    def environment(self, folder: Path) -> dict[str, str]:
        """With which a run in `folder` asks this server."""
        where = {
            MESSAGES: {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.url},
            CHAT: {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{self.url}/v1"},
        }
        return scrubbed(
            PATH=job_path(),
            HOME=str(folder),
            XDG_CACHE_HOME=str(folder / "cache"),
            ASKFIRST_PROVIDER=self.provider,
            **where[self.provider],
        )

    def answer_chat(self, chat: dict[str, Any]) -> bytes:
        """The next reply as a stream of Chat Completions."""
        return _chunks_of(self.answer(_as_messages(chat)))

    def answer(self, body: dict[str, Any]) -> bytes:
        """The next reply as a stream of events."""
        request = httpx2.Request("POST", self.url)
        if "tools" not in body:
            fields = body["output_config"]["format"]["schema"]["properties"]
            stage = next((stage for field, stage in _STAGES.items() if field in fields), "check")
            self._heard(stage, body)
            return message(text(json.dumps(self._filled(stage))))(request).content
        if EXPLORES in {tool["name"] for tool in body["tools"]} and "plans" not in self._turns:
            self._heard("plans", body)
            plan = content_of("plans", len(self.asked), [("complete", self._filled("plans"))])
            return message(*plan, stop="tool_use")(request).content
        agent = self._agent(body)
        turn = sum(one["role"] == "assistant" for one in body["messages"])
        self._heard(f"{agent} turn {turn}", body)
        content = content_of(agent, turn, self._turns[agent][turn])
        return message(*content, stop="tool_use")(request).content

    def _filled(self, stage: str) -> dict[str, Any]:
        filled = self._forms[stage]
        return filled.pop(0) if len(filled) > 1 else filled[0]

    def _agent(self, body: dict[str, Any]) -> str:
        system = json.dumps(body["system"])
        named = next((name for name, words in self._by_prompt.items() if words in system), None)
        if named is None:
            tools = {tool["name"] for tool in body["tools"]}
            return "plans" if EXPLORES in tools else "coder" if "edit_file" in tools else "reviewer"
        again = "[Clarification from previous attempt]" in json.dumps(body["messages"][0])
        return f"{named} again" if again else named

    def _heard(self, what: str, body: dict[str, Any]) -> None:
        self.asked.append(what)
        self.bodies.append(json.dumps(body))
        self.before(what)


def _as_messages(chat: dict[str, Any]) -> dict[str, Any]:
    """What Chat Completions are asked, as far as a `MessagesServer` looks at it."""
    system, *turns = chat["messages"]
    body: dict[str, Any] = {"system": system["content"], "messages": turns}
    if "tools" in chat:
        body["tools"] = [tool["function"] for tool in chat["tools"]]
    if "response_format" in chat:
        body["output_config"] = {"format": {"schema": chat["response_format"]["json_schema"]["schema"]}}
    return body


def _chunks_of(stream: bytes) -> bytes:
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


@contextmanager
def messages_api(
    turns: dict[str, list[list[Call]]],
    forms: Mapping[str, list[dict[str, Any]]] | None = None,
    by_prompt: Mapping[str, str] | None = None,
    *,
    keeps_connections: bool = True,
) -> Iterator[MessagesServer]:
    """The server for as long as the block lasts; without keeping connections each question needs a new one."""
    told = MessagesServer(turns, forms, by_prompt)

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            in_chat = self.path.endswith("/chat/completions")
            data = told.answer_chat(body) if in_chat else told.answer(body)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(data)))
            if not keeps_connections:
                self.send_header("Connection", "close")
            self.end_headers()
            try:
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # whoever asked was killed

    with run_server(ThreadingHTTPServer(ANY_PORT, Handler)) as url:
        told.url = url
        yield told


def command_line(
    repository: Path, ticket: str, folder: Path, server: MessagesServer, *more: str
) -> tuple[list[str], dict[str, str]]:
    """The arguments of `askfirst` and the environment for a run in `folder` with the real client, new or resumed."""
    issue, directory = folder / "ticket.md", folder / "run"
    issue.write_text(ticket)
    how = ["--resume" if (directory / "journal.jsonl").exists() else "--run-directory", str(directory)]
    words = ["run", "--repository", str(repository), "--issue", str(issue), *more, *how]
    return words, server.environment(folder)


def start_run(repository: Path, ticket: str, folder: Path, server: MessagesServer, *more: str) -> Forked:
    """The run as a process of its own, which can be killed."""
    return Forked(*command_line(repository, ticket, folder, server, *more))
