"""Read the files of a tree into facts, alone or in several processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple, TypeVar

from pipeline.code_registry.all_languages import language_of
from pipeline.code_registry.entries import FileFailure
from pipeline.code_registry.facts import FileFacts, FileUnfit, TooDeep, TooSlow
from pipeline.code_registry.failures import FAULTS, failure_of
from pipeline.code_registry.rows import to_bytes
from pipeline.code_registry.tree import FileRefused, Sources, blob_id

PROCESSES = 2
READ_AT_ONCE = 2_000_000
"""Bytes of source that one process reads at a time."""
LINKED_AT_ONCE = 4_000_000
"""Bytes of source that one process links at a time: what it needs in memory grows with it, and so does what it has to
find out only once.
"""


class Refused(NamedTuple):
    """A file without facts, and why. `lasting`: the next time it would be the same. `failure`: the reader itself failed."""

    path: str
    reason: str
    lasting: bool
    failure: FileFailure | None = None


class Wanted(NamedTuple):
    """A file to read. `hashed`: the id of its content as it was a moment ago; git's word is taken where it is None."""

    path: str
    hashed: str | None


class Read(NamedTuple):
    """The facts of a file, also as they are written. `sure`: they are of the content that was hashed."""

    facts: FileFacts
    written: bytes
    sure: bool


class ReadPart(NamedTuple):
    """The files of a part whose facts were written to `file`: path, first byte, how many, and whether they are sure."""

    file: Path
    where: tuple[tuple[str, int, int, bool], ...]
    refused: tuple[Refused, ...]


class _Task(NamedTuple):
    root: Path
    wanted: tuple[Wanted, ...]
    file: Path


def read_facts(sources: Sources, wanted: Wanted) -> Read | Refused:
    """The facts of a file, or the reason why there are none."""
    path = wanted.path
    language = language_of(path)
    if language is None:
        return Refused(path, "no language", lasting=True)
    try:
        data = sources.read(path)
        facts = language.extract(data)
        return Read(facts, to_bytes(facts), sure=wanted.hashed is None or wanted.hashed == blob_id(data))
    except (FileUnfit, FileRefused) as unfit:
        return Refused(path, str(unfit), lasting=not isinstance(unfit, TooSlow))
    except UnicodeEncodeError:
        return Refused(path, "characters that are no text", lasting=True)
    except RecursionError:
        return Refused(path, str(TooDeep("nested too deep to be read")), lasting=True)
    except FAULTS as error:
        failure = failure_of(path, error)
        return Refused(path, f"askfirst failed to read it: {failure.error}", lasting=True, failure=failure)


def started() -> None:
    """Nothing but what this module imports: asked of a process as soon as it is known that it will be needed."""


def read_in_parts(
    root: Path, parts: Sequence[Sequence[Wanted]], folder: Path, pool: Executor
) -> Iterator[ReadPart]:
    """Read files in several processes, which write the facts into `folder`."""
    tasks = [_Task(root, tuple(part), folder / f"read-{number}") for number, part in enumerate(parts)]
    return pool.map(_read_part, tasks)


_T = TypeVar("_T")


def parts_of(files: Sequence[_T], sizes: Sequence[int], at_once: int) -> list[list[_T]]:
    """Files that lie next to each other, in parts of at most about `at_once` bytes: as many for each process, of one size,
    so that none has to wait for another.
    """
    whole = sum(sizes)
    rounds = -(-whole // (at_once * PROCESSES)) or 1
    size = whole / (rounds * PROCESSES)
    parts: list[list[_T]] = []
    seen = 0
    for file, own in zip(files, sizes, strict=True):
        if seen >= size * len(parts):
            parts.append([])
        parts[-1].append(file)
        seen += own
    return parts


def _read_part(task: _Task) -> ReadPart:
    where: list[tuple[str, int, int, bool]] = []
    refused: list[Refused] = []
    sources = Sources(task.root)
    with task.file.open("wb") as stream:
        for wanted in task.wanted:
            read = read_facts(sources, wanted)
            if isinstance(read, Refused):
                refused.append(read)
            else:
                where.append((wanted.path, stream.tell(), len(read.written), read.sure))
                stream.write(read.written)
    return ReadPart(task.file, tuple(where), tuple(refused))
