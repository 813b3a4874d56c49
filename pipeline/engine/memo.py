"""Remembers results of stages, so that a resumed run pays for nothing twice and rolls no dice again.

A result is known by a key: the key of the stage's body and the keys of the results that it needs. If nothing that it could
depend on has changed, the key is the same; if anything has, the keys of everything behind it are different too.

Results lie in `stages/<id>/output.json`, those of a `repeat` in `stages/<id>/round-<n>/output.json`. They are read from run directories of earlier runs, or from an unpacked memo
artifact, which holds the content of such a `stages` folder. Damaged or foreign content is left alone
and computed again; whether a memo may be read at all (its digest, its run) is decided before it comes here.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson
from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from pipeline.contract.version import FORMAT
from pipeline.domain.models import FrozenModel
from pipeline.run_record.events import Event, MemoIgnored, ResultNotStored, StageReused
from pipeline.run_record.run_directory import STAGES, RunDirectory, stage_output_path

_MAX_BYTES = 256 << 20
_SKIP_MARK = "skipped"


class StoredResult(FrozenModel):
    """The envelope in which a stage's output lies on the disk."""

    version: Literal[1] = FORMAT
    stage: str
    round: int | None = None
    key: str
    output: JsonValue


@dataclass(frozen=True)
class MemoEntry:
    """What the memo has for a stage: an output or None, and what to write into the journal about it."""

    output: BaseModel | None
    events: tuple[Event, ...]


class Memo:
    """Reads results from `sources`, the first that fits, and keeps new ones in the run directory."""

    def __init__(self, directory: RunDirectory, sources: Sequence[Path] = ()) -> None:
        self._directory = directory
        self._sources = tuple(sources)

    def recall(self, stage: str, model: type[BaseModel], key: str, round_: int | None = None) -> MemoEntry:
        """The stored result of a stage (in a round) under this key, as its model, if there is a good one."""
        events: list[Event] = []
        for source in self._sources:
            path = _path_in(source, stage, round_)
            if not path.is_file():
                continue
            output = _read(path, stage, model, key)
            if isinstance(output, str):
                events.append(MemoIgnored(stage=stage, round=round_, source=str(source), reason=output))
                continue
            # The run's own memo must be whole, because the next resumption reads nothing else.
            if source != self._directory.path:
                events += self.keep(stage, key, output, round_)
            event = StageReused(stage=stage, round=round_, key=key, source=str(source))
            return MemoEntry(output, (*events, event))
        return MemoEntry(None, tuple(events))

    def keep(self, stage: str, key: str, output: BaseModel, round_: int | None = None) -> tuple[Event, ...]:
        """Store a result, unless it holds a secret or cannot be written as JSON; the events say so.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        try:
            text = output.model_dump_json()
        except PydanticSerializationError as error:
            reason = f"it cannot be written as JSON: {error}"
            return (ResultNotStored(stage=stage, round=round_, reason=reason),)
        if self._directory.redactor.would_alter(text):
            return (ResultNotStored(stage=stage, round=round_, reason="it holds a secret"),)
        round_field = {} if round_ is None else {"round": round_}
        envelope = {
            "version": FORMAT,
            "stage": stage,
            **round_field,
            "key": key,
            "output": orjson.Fragment(text),
        }
        self._directory.write_stage_output(stage, orjson.dumps(envelope), round_=round_)
        return ()


def result_key(body_key: str, needs: Sequence[tuple[str, str | None]], *, round_: int | None = None) -> str:
    """Key of a result: of the body's key and, for each need in order, its id and its result's key (None: skipped).

    The round is a part of it: in the next round, a model is asked again.
    """
    head = [body_key] if round_ is None else [body_key, f"round {round_}"]
    parts = [*head, *(part for need, key in needs for part in (need, key or _SKIP_MARK))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def content_key(output: BaseModel) -> str:
    """Key of a result that is known by what it says, for a stage without a key of its own.

    A result that cannot be written as JSON is like no other one, so that nothing behind it is reused.
    """
    try:
        text = output.model_dump_json()
    except PydanticSerializationError:
        text = uuid.uuid4().hex
    return hashlib.sha256(text.encode()).hexdigest()


def _path_in(source: Path, stage: str, round_: int | None) -> Path:
    stages = source / STAGES
    return stage_output_path(stages if stages.is_dir() else source, stage, round_)


def _read(path: Path, stage: str, model: type[BaseModel], key: str) -> BaseModel | str:
    """The output, or why there is none."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            return f"it is larger than {_MAX_BYTES} bytes"
        result = StoredResult.model_validate(orjson.loads(path.read_bytes()))
        if result.stage != stage:
            return f"it is a result of stage '{result.stage}'"
        if result.key != key:
            return "it was made from other inputs, or by another version"
        return model.model_validate_json(orjson.dumps(result.output))
    except orjson.JSONDecodeError:
        return "it is not JSON"
    except ValidationError as error:
        return f"it does not have the right shape: {error.errors()[0]['msg']}"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
