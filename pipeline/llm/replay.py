"""Replies from a file, and a model that writes one: the same face as the real client, without key and network.

A file of replies is JSON Lines. Its first line says what it is: `recorded` by this program from a real model, or
`scripted`, which means that it was not recorded and tests wiring only. Each further line is one reply: `for` whom
and in which `turn`, and, where recorded, the digest of the question, so that a changed question is never answered with an
old reply.
"""

import hashlib
import threading
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pipeline.contract.wire import Sha256
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.models import ClosedModel
from pipeline.llm.failures import RepliesUnusable
from pipeline.llm.port import Model, ModelBehind, ModelReply, Origin, Request
from pipeline.run_record.redaction import Redactor

FORMAT = "askfirst-replies"


class Header(ClosedModel):
    """First line of a file of replies. `about` is for its readers."""

    format: Literal["askfirst-replies"] = "askfirst-replies"
    version: Literal[1] = 1
    kind: Literal[Origin.RECORDED, Origin.SCRIPTED]
    about: str = ""


class Entry(BaseModel):
    """One reply: for a purpose, in a turn (counted from 0). Several for the same are given one after the other.

    `nonce` is the word by which the run that it was given to knew an ending; the run that it is replayed to has another,
    which takes its place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    purpose: str = Field(alias="for")
    turn: int = Field(default=0, ge=0)
    digest: Sha256 | None = None
    nonce: Annotated[str | None, Field(min_length=4, exclude_if=lambda value: value is None)] = None
    reply: ModelReply

    def reply_to(self, request: Request) -> ModelReply:
        """The reply, with the nonce of the run that asks."""
        if self.nonce is None or request.nonce is None:
            return self.reply
        return ModelReply.model_validate_json(self.reply.model_dump_json().replace(self.nonce, request.nonce))


def digest(request: Request) -> Sha256:
    """Hash of all that a model is told, but for what differs from run to run: the room that the budget has, and the nonce."""
    data = orjson.dumps(
        request.model_dump(mode="json", exclude={"max_tokens", "nonce", "once"}), option=orjson.OPT_SORT_KEYS
    )
    if request.nonce is not None:
        data = data.replace(request.nonce.encode(), b"nonce")
    return hashlib.sha256(data).hexdigest()


class ReplayModel:
    """Gives the replies of a file. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        """Read a file of replies.

        Raises:
            RepliesUnusable: it is missing or has mistakes.
        """
        self._path = path
        self._lock = threading.Lock()
        self._left: dict[tuple[str, int], list[Entry]] = defaultdict(list)
        header, entries = _read(path)
        self._origin = header.kind
        for entry in entries:
            if header.kind is Origin.RECORDED and entry.digest is None:
                raise _unusable(path, f"a recorded reply for `{entry.purpose}` has no digest")
            self._left[entry.purpose, entry.turn].append(entry)

    @property
    def origin(self) -> Origin:
        """Recorded or scripted, as the file says."""
        return self._origin

    def holds(self, stage: str) -> bool:
        """Whether there is a reply for a stage left, in any of its rounds and turns."""
        with self._lock:
            return any(
                left and purpose.partition("/")[0] == stage for (purpose, _), left in self._left.items()
            )

    def reply(self, request: Request) -> ModelReply:
        """The next reply for this purpose and turn.

        Raises:
            RepliesUnusable: there is none, or it was recorded for another question.
        """
        with self._lock:
            entry = self._take(request)
        return entry.reply_to(request).model_copy(update={"origin": self._origin})

    def count_tokens(self, request: Request) -> int:
        """What the prompt was billed as when the next reply was recorded, else a guess."""
        with self._lock:
            fitting = self._fitting(request)
        prompt_tokens = fitting[0].reply.usage.prompt_tokens if fitting else 0
        return prompt_tokens or request.guessed_tokens

    def _fitting(self, request: Request) -> list[Entry]:
        request_digest = digest(request)
        left = self._left.get((request.purpose, request.turn_number), [])
        return [entry for entry in left if entry.digest in (None, request_digest)]

    def _take(self, request: Request) -> Entry:
        left = self._left[request.purpose, request.turn_number]
        fitting = self._fitting(request)
        if not fitting:
            turn = f"`{request.purpose}`, turn {request.turn_number}"
            why = (
                f"the reply for {turn} was recorded for another question"
                if left
                else f"no reply is left for {turn}"
            )
            raise _unusable(self._path, why)
        left.remove(fitting[0])
        return fitting[0]


class RecordingModel(ModelBehind):
    """Another model, each of whose replies is written to a file that `ReplayModel` reads. Safe to use from several threads."""

    def __init__(self, model: Model, path: Path, redactor: Redactor) -> None:
        """Begin a file, or go on with one that this program recorded.

        Raises:
            RepliesUnusable: the file holds something else, or cannot be written.
        """
        super().__init__(model)
        self._redactor = redactor
        self._lock = threading.Lock()
        try:
            if path.exists() and path.stat().st_size:
                if _read(path)[0].kind is not Origin.RECORDED:
                    raise _unusable(
                        path, "it holds scripted replies, and recorded ones must not stand among them"
                    )
                self._file = path.open("ab", buffering=0)
            else:
                self._file = path.open("wb", buffering=0)
                self._file.write(_line(Header(kind=Origin.RECORDED)))
        except OSError as error:
            raise _unusable(path, error.strerror or str(error)) from error

    def reply(self, request: Request) -> ModelReply:
        """The other model's reply, written down.

        Raises:
            ModelFailed: there is no whole reply; nothing is written.
        """
        reply = self._model.reply(request)
        entry = Entry(
            purpose=request.purpose,
            turn=request.turn_number,
            digest=digest(request),
            nonce=request.nonce,
            reply=reply,
        )
        with self._lock:
            self._file.write(_line(entry, self._redactor))
        return reply

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(model: BaseModel, redactor: Redactor | None = None) -> bytes:
    data = model.model_dump(mode="json", by_alias=True)
    return orjson.dumps(redactor.redact_object(data) if redactor else data, option=orjson.OPT_APPEND_NEWLINE)


def _read(path: Path) -> tuple[Header, list[Entry]]:
    try:
        first, *rest = path.read_bytes().splitlines()
        header = Header.model_validate_json(first)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except ValueError as error:
        raise _unusable(path, "its first line does not say what it is") from error
    entries = []
    for number, line in enumerate(rest, start=2):
        try:
            entries.append(Entry.model_validate_json(line))
        except ValidationError as error:
            raise _unusable(path, f"line {number}: {mistakes_by_key(error)[0]}") from error
    return header, entries


def _unusable(path: Path, why: str) -> RepliesUnusable:
    return RepliesUnusable(
        f"{path} cannot be used as a file of replies",
        why=why,
        what_to_do=f"Record one with a key: --record {path.name}\n"
        f'or begin one with: {{"format": "{FORMAT}", "version": 1, "kind": "scripted"}}',
    )
