"""Read the files of a tree into facts, alone or in several processes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from mmap import mmap
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, TypeVar

from pipeline.code_registry.all_languages import LANGUAGES, language_of
from pipeline.code_registry.entries import FileFailure
from pipeline.code_registry.facts import FileFacts
from pipeline.code_registry.failures import FAULTS, failure_of
from pipeline.code_registry.parsing import (
    MOST_SECONDS,
    TOO_SLOW,
    FileUnfit,
    TooDeep,
    TooSlow,
    lift_limit,
    limit_processor_time,
    reason_of,
)
from pipeline.code_registry.rows import to_bytes
from pipeline.code_registry.tree import FileRefused, FileSources, blob_id

PROCESSES = 2
READ_AT_ONCE = 2_000_000
"""Bytes of source that one process reads at a time."""
LINKED_AT_ONCE = 2_000_000
"""Bytes of source that one process links at a time: what it needs in memory grows with it, and so does what it has to
find out only once.
"""
_POSITION_BYTES = 8
_FORK = get_context("fork")


class PartLost(RuntimeError):
    """A process that read files ended without a word, and no file is to blame."""


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
    most_seconds: float


def read_source(sources: FileSources, path: str) -> bytes | UnreadableFile:
    """The content of a file, or the reason why it is not read."""
    try:
        return sources.read(path)
    except FileRefused as refusal:
        return UnreadableFile(path, str(refusal), lasting=True)


def read_facts(request: ReadRequest, data: bytes) -> FileReading | UnreadableFile:
    """The facts of a file with some content, or the reason why there are none. It may hang or end the process, as tree-sitter
    may.
    """
    path = request.path
    language = language_of(path)
    if language is None:
        return UnreadableFile(path, "no language", lasting=True)
    try:
        facts = language.extract(data)
        return FileReading(
            facts, to_bytes(facts), sure=request.blob_hash is None or request.blob_hash == blob_id(data)
        )
    except FileUnfit as unfit:
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


def abandoned_file(path: str, reason: str) -> UnreadableFile:
    """A file that the parser did not come back from."""
    return UnreadableFile(path, reason, lasting=False)


def warm_up() -> None:
    """Nothing but what this module imports: asked of a process as soon as it is known that it will be needed."""


def read_in_parts(
    root: Path,
    parts: Sequence[Sequence[ReadRequest]],
    folder: Path,
    pool: Executor,
    *,
    most_seconds: float = MOST_SECONDS,
) -> Iterator[ReadPart]:
    """Read files in several processes, which write the facts into `folder`. They have one thread each: they are forked."""
    tasks = [
        _Task(root, tuple(part), folder / f"read-{number}", most_seconds) for number, part in enumerate(parts)
    ]
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
    """Read a part in a child of this process, again without each file that the child did not survive."""
    for language in LANGUAGES:
        if any(language_of(request.path) is language for request in task.requests):
            language.extract(b"")  # loads the grammar, once for all children
    abandoned_files: list[UnreadableFile] = []
    while True:
        skipped_paths = {file.path for file in abandoned_files}
        requests = tuple(request for request in task.requests if request.path not in skipped_paths)
        with mmap(-1, _POSITION_BYTES) as position:
            part = _read_in_child(task._replace(requests=requests), position)
            if isinstance(part, ReadPart):
                return part._replace(unreadable=(*part.unreadable, *abandoned_files))
            abandoned_files.append(abandoned_file(requests[int.from_bytes(position[:])].path, part))


def _read_in_child(task: _Task, position: mmap) -> ReadPart | str:
    """A part, or why the child ended at the file whose number stands in `position`."""
    receiver, sender = _FORK.Pipe(duplex=False)
    child = _FORK.Process(target=_send_part, args=(task, position, sender))
    child.start()
    sender.close()
    try:
        with receiver:
            answer: ReadPart | OSError = receiver.recv()
    except EOFError:
        child.join()
        if child.exitcode is None or child.exitcode >= 0:
            raise PartLost(f"the process that reads files ended with exit code {child.exitcode}") from None
        return reason_of(child.exitcode, TOO_SLOW)
    child.join()
    if isinstance(answer, OSError):
        raise answer
    return answer


def _send_part(task: _Task, position: mmap, sender: Connection) -> None:
    try:
        part = _read_files(task, position)
    except OSError as error:
        sender.send(error)
    else:
        sender.send(part)


def _read_files(task: _Task, position: mmap) -> ReadPart:
    spans: list[tuple[str, int, int, bool]] = []
    unreadable: list[UnreadableFile] = []
    sources = FileSources(task.root)
    with task.file.open("wb") as stream:
        for number, request in enumerate(task.requests):
            position[:] = number.to_bytes(_POSITION_BYTES)
            limit_processor_time(task.most_seconds)
            source = read_source(sources, request.path)
            read = source if isinstance(source, UnreadableFile) else read_facts(request, source)
            if isinstance(read, UnreadableFile):
                unreadable.append(read)
            else:
                spans.append((request.path, stream.tell(), len(read.data), read.sure))
                stream.write(read.data)
        lift_limit()
    return ReadPart(task.file, tuple(spans), tuple(unreadable))
