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
from pipeline.code_registry.tree import FileRefused, FileSources, blob_id

PROCESSES = 2
READ_AT_ONCE = 2_000_000
"""Bytes of source that one process reads at a time."""
LINKED_AT_ONCE = 4_000_000
"""Bytes of source that one process links at a time: what it needs in memory grows with it, and so does what it has to
find out only once.
"""


class UnreadableFile(NamedTuple):
    """A file without facts, and why. `lasting`: the next time it would be the same. `failure`: the reader itself failed."""

    path: str
    reason: str
    lasting: bool
    failure: FileFailure | None = None


class ReadRequest(NamedTuple):
    """A file to read. `blob_hash`: the id of its content as it was a moment ago; git's word is taken where it is None."""

    path: str
    blob_hash: str | None


class FileReading(NamedTuple):
    """The facts of a file, also as they are written. `sure`: they are of the content that was hashed."""

    facts: FileFacts
    data: bytes
    sure: bool


class ReadPart(NamedTuple):
    """The files of a part whose facts were written to `file`: path, first byte, how many, and whether they are sure."""

    file: Path
    spans: tuple[tuple[str, int, int, bool], ...]
    unreadable: tuple[UnreadableFile, ...]


class _Task(NamedTuple):
    root: Path
    requests: tuple[ReadRequest, ...]
    file: Path


def read_facts(sources: FileSources, request: ReadRequest) -> FileReading | UnreadableFile:
    """The facts of a file, or the reason why there are none."""
    path = request.path
    language = language_of(path)
    if language is None:
        return UnreadableFile(path, "no language", lasting=True)
    try:
        data = sources.read(path)
        facts = language.extract(data)
        return FileReading(
            facts, to_bytes(facts), sure=request.blob_hash is None or request.blob_hash == blob_id(data)
        )
    except (FileUnfit, FileRefused) as unfit:
        return UnreadableFile(path, str(unfit), lasting=not isinstance(unfit, TooSlow))
    except UnicodeEncodeError:
        return UnreadableFile(path, "characters that are no text", lasting=True)
    except RecursionError:
        return UnreadableFile(path, str(TooDeep("nested too deep to be read")), lasting=True)
    except FAULTS as error:
        failure = failure_of(path, error)
        return UnreadableFile(
            path, f"askfirst failed to read it: {failure.error}", lasting=True, failure=failure
        )


def warm_up() -> None:
    """Nothing but what this module imports: asked of a process as soon as it is known that it will be needed."""


def read_in_parts(
    root: Path, parts: Sequence[Sequence[ReadRequest]], folder: Path, pool: Executor
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
    bytes_so_far = 0
    for file, file_size in zip(files, sizes, strict=True):
        if bytes_so_far >= size * len(parts):
            parts.append([])
        parts[-1].append(file)
        bytes_so_far += file_size
    return parts


def _read_part(task: _Task) -> ReadPart:
    spans: list[tuple[str, int, int, bool]] = []
    unreadable: list[UnreadableFile] = []
    sources = FileSources(task.root)
    with task.file.open("wb") as stream:
        for request in task.requests:
            read = read_facts(sources, request)
            if isinstance(read, UnreadableFile):
                unreadable.append(read)
            else:
                spans.append((request.path, stream.tell(), len(read.data), read.sure))
                stream.write(read.data)
    return ReadPart(task.file, tuple(spans), tuple(unreadable))
