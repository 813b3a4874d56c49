"""The parts of a run: a question or a kill ends one, and the run goes on in another process. The journal holds them all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.run_record.events import RunFinished, RunStarted, StageEnded
from pipeline.run_record.journal import JournalEntry, read_journal


@dataclass(frozen=True)
class RunPart:
    """What one part took: seconds of wall-clock time, and dollars, None where no model was called."""

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
