"""A model that says what a test gives it, in order, and remembers what it was asked."""

import threading
from collections.abc import Mapping
from typing import Any

import orjson

from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import ModelReply, Origin, Request, StopReason, TextBlock
from pipeline.llm.usage import Usage


class ScriptedModel:
    """Replies by purpose (`plans/2`), each a form as a mapping, a text, or the failure that is raised."""

    def __init__(self, **said: Mapping[str, Any] | str | ModelFailed) -> None:
        self.said = {purpose.replace("__", "/"): reply for purpose, reply in said.items()}
        self.asked: list[Request] = []
        self._lock = threading.Lock()

    @property
    def origin(self) -> Origin:
        return Origin.SCRIPTED

    @property
    def purposes(self) -> list[str]:
        return [request.purpose for request in self.asked]

    def count_tokens(self, request: Request) -> int:
        return request.guessed_tokens

    def reply(self, request: Request) -> ModelReply:
        with self._lock:
            self.asked.append(request)
        said = self.said[request.purpose]
        if isinstance(said, ModelFailed):
            raise said
        text = said if isinstance(said, str) else orjson.dumps(said).decode()
        return ModelReply(
            content=(TextBlock(text=text),),
            stop_reason=StopReason.END_TURN,
            usage=Usage(input_tokens=100, output_tokens=20),
            origin=Origin.SCRIPTED,
        )
