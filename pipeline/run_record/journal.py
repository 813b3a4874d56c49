"""`journal.jsonl`: one line for each thing that happened in a run, written at once and never changed."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson
from pydantic import ValidationError, model_validator

from pipeline.domain.errors import RunDirectoryUnusable
from pipeline.domain.models import FrozenModel
from pipeline.run_record.events import (
    AnyEvent,
    ChildAnswered,
    ChildAsked,
    Event,
    RunFinished,
    RunStarted,
    StageEnded,
)
from pipeline.run_record.redaction import Redactor

Listener = Callable[[Event], None]
"""Is told of each event after it was written, redacted, one at a time and in order. It must not write to the journal."""


class JournalEntry(FrozenModel):
    """One line. `seq` counts from 1 without gaps, over a resumed run too; `time` is UTC.

    On the line itself the event's fields are on the same level as `seq` and `time`, so that a person can read and filter it.
    """

    seq: int
    time: datetime
    event: AnyEvent

    @model_validator(mode="before")
    @classmethod
    def _from_line(cls, line: object) -> object:
        if not isinstance(line, dict):
            return line
        event_fields = {key: value for key, value in line.items() if key not in {"seq", "time"}}
        return {"seq": line.get("seq"), "time": line.get("time"), "event": event_fields}


@dataclass(frozen=True)
class JournalContents:
    """All whole lines of a journal. `is_torn` says that a crash cut the last line off, which is left out.

    `size` is the length of the whole lines in bytes.
    """

    entries: tuple[JournalEntry, ...]
    is_torn: bool
    size: int


class Journal:
    """Appends events to a file and tells listeners. Safe to use from several threads.

    Each line is one unbuffered write, so that a killed process leaves every line that was written before. A lost
    *machine* may lose the last lines: the journal is no database, and waiting for the disk would cost more than a stage.
    """

    def __init__(self, path: Path, redactor: Redactor, *, listeners: Sequence[Listener] = ()) -> None:
        """Open a journal, or go on with one that is there, after cutting off a last line that a crash tore.

        Raises:
            RunDirectoryUnusable: the file cannot be written, or is no journal.
        """
        self._redactor = redactor
        self._listeners = tuple(listeners)
        self._lock = threading.Lock()
        self._seq = 0
        try:
            if path.exists():
                contents = read_journal(path)
                self._seq = len(contents.entries)
            self._file = path.open("ab", buffering=0)
            if self._seq or path.stat().st_size:
                self._file.truncate(contents.size)
        except OSError as error:
            raise RunDirectoryUnusable(
                f"{path} cannot be written",
                why=error.strerror or str(error),
                what_to_do="Choose another one: --run-directory DIR",
            ) from error

    def write(self, event: Event) -> None:
        """Append one event."""
        with self._lock:
            data = event.model_dump(mode="json")
            clean = self._redactor.redact_object(data)
            self._seq += 1
            line = {"seq": self._seq, "time": datetime.now(UTC), **clean}
            self._file.write(orjson.dumps(line, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE))
            if not self._listeners:
                return
            if clean is not data:
                event = type(event).model_validate(clean)
            for listener in self._listeners:
                listener(event)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_journal(path: Path) -> JournalContents:
    """Read a journal, also one of a run that was killed.

    Raises:
        RunDirectoryUnusable: a line other than a torn last one is no journal entry.
        OSError: the file cannot be read.
    """
    data = path.read_bytes()
    whole, newline, rest = data.rpartition(b"\n")
    lines = whole.split(b"\n") if newline else []
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(JournalEntry.model_validate_json(line))
        except ValidationError as error:
            raise RunDirectoryUnusable(
                f"{path}:{number} is not a journal entry",
                why=error.errors()[0]["msg"],
                what_to_do="Start anew in another directory: --run-directory DIR",
            ) from error
    return JournalContents(entries=tuple(entries), is_torn=bool(rest), size=len(whole) + len(newline))


def asked_by_agents(path: Path) -> tuple[ChildAsked | ChildAnswered, ...]:
    """What agents asked that other agents had started, and the answers, over all processes of a run.

    Raises:
        RunDirectoryUnusable: the journal is damaged.
        OSError: the file cannot be read.
    """
    if b'"event":"child_' not in path.read_bytes():
        return ()  # most runs have none, and need not pay for reading every line
    events = (entry.event for entry in read_journal(path).entries)
    return tuple(event for event in events if isinstance(event, ChildAsked | ChildAnswered))


@dataclass(frozen=True)
class RunPart:
    """What one part of a run took. A question or a kill ends a part. `dollars` is None where no model was called."""

    seconds: float
    dollars: float | None


def earlier_parts(journal: Path) -> tuple[RunPart, ...]:
    """The parts of a run before the last one. Of a part that was killed only the stages that ended have a cost.

    Raises:
        RunDirectoryUnusable: the journal is damaged.
        OSError: the file cannot be read.
    """
    parts = list(_split(read_journal(journal).entries))
    return tuple(_part_of(entries) for entries in parts[:-1])


def total_of(amounts: Iterable[float | None]) -> float | None:
    """The sum of what is known; None where nothing is."""
    known_amounts = [amount for amount in amounts if amount is not None]
    return sum(known_amounts) if known_amounts else None


def _split(entries: Iterable[JournalEntry]) -> Iterator[list[JournalEntry]]:
    """The entries of each part. A part ends with `run_finished`; one that was killed, before the next `run_started`."""
    part: list[JournalEntry] = []
    for entry in entries:
        if isinstance(entry.event, RunStarted) and any(
            isinstance(earlier.event, RunStarted) for earlier in part
        ):
            yield part
            part = []
        part.append(entry)
        if isinstance(entry.event, RunFinished):
            yield part
            part = []
    if part:
        yield part


def _part_of(entries: list[JournalEntry]) -> RunPart:
    stage_ends = (entry.event for entry in entries if isinstance(entry.event, StageEnded))
    return RunPart(
        seconds=(entries[-1].time - entries[0].time).total_seconds(),
        dollars=total_of(event.dollars for event in stage_ends),
    )
