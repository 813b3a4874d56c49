"""Read the files of a tree into facts, in processes of their own: a source on which the parser hangs or crashes takes only
its process along.
"""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from struct import Struct
from tempfile import TemporaryFile

from pipeline.code_registry.all_languages import language_of
from pipeline.code_registry.entries import FileFailure, Value
from pipeline.code_registry.failures import FAULTS, failure_of
from pipeline.code_registry.languages.grammars import TooDeep
from pipeline.code_registry.rows import from_bytes, to_bytes
from pipeline.code_registry.tree import FileRefused, FileSources, blob_id
from pipeline.domain.errors import ParserUnavailable

WORTH_TWO_PROCESSES = 300
"""Files from which a second process saves more than its start costs."""
MOST_SECONDS = 1.5
"""Seconds of processor time after which a file is given up: the kernel ends a process that is still at the same file."""
_TOO_SLOW = f"not read within {MOST_SECONDS} s"
_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[1:]; from pipeline.code_registry.reading import answer; answer()"
)
_READY = b"r"
_SIZE = Struct("<I")
"""What stands before each answer: how many bytes it has."""


class ReadRequest(Value, frozen=True):
    """A file to read. `blob`: the id of its content as it was a moment ago; git's word is taken where it is None."""

    path: str
    blob: str | None


class FileReading(Value, frozen=True, tag=1):
    """The stored form of a file's facts. `sure`: they describe the hashed content."""

    data: bytes
    sure: bool


class UnreadableFile(Value, frozen=True, tag=2):
    """A file without facts, and why. `lasting`: the next time it would be the same. `failure`: the reader itself failed."""

    reason: str
    lasting: bool
    failure: FileFailure | None = None


ReadResult = tuple[str, FileReading | UnreadableFile]
"""The path of a file and what became of it."""
ReadFiles = Callable[[Path, Sequence[ReadRequest]], Iterable[ReadResult]]
"""Reads files of a tree, in any order."""


class _Task(Value, frozen=True):
    root: str
    requests: tuple[ReadRequest, ...]
    most_seconds: float


class _Answer(Value, frozen=True):
    reading: FileReading | UnreadableFile


def read_here(root: Path, requests: Sequence[ReadRequest]) -> Iterator[ReadResult]:
    """Read files in this process, of which it is known that the parser comes back from them."""
    sources = FileSources(root)
    for request in requests:
        yield request.path, _read(sources, request)


def read_apart(
    root: Path,
    requests: Sequence[ReadRequest],
    *,
    most_seconds: float = MOST_SECONDS,
    python: str = sys.executable,
) -> Iterator[ReadResult]:
    """Read files in one or two processes, which are started again after each file that they did not survive.

    Raises:
        ParserUnavailable: such a process does not start.
    """
    count = 2 if len(requests) >= WORTH_TWO_PROCESSES else 1
    with ThreadPoolExecutor(count) as aside:
        parts = [
            aside.submit(
                lambda part: list(_read_part(root, part, python, most_seconds)), requests[number::count]
            )
            for number in range(count)
        ]
        for part in parts:
            yield from part.result()


def answer() -> None:
    """What such a process does: it takes a task from its standard input, and gives an answer for each file.

    It makes no garbage, and leaves all it holds to the system when it ends.
    """
    gc.disable()
    task = from_bytes(sys.stdin.buffer.read(), _Task)
    answers = sys.stdout.buffer
    sources = FileSources(Path(task.root))
    answers.write(_READY)
    for request in task.requests:
        limit_processor_time(task.most_seconds)
        data = to_bytes(_Answer(_read(sources, request)))
        answers.write(_SIZE.pack(len(data)))
        answers.write(data)
        answers.flush()
    os._exit(0)


def _read(sources: FileSources, request: ReadRequest) -> FileReading | UnreadableFile:
    path = request.path
    language = language_of(path)
    if language is None:
        return UnreadableFile("no language", lasting=True)
    try:
        data = sources.read(path)
        facts = to_bytes(language.extract(data))
        return FileReading(facts, sure=request.blob is None or request.blob == blob_id(data))
    except (FileRefused, TooDeep) as refusal:
        return UnreadableFile(str(refusal), lasting=True)
    except UnicodeEncodeError:
        return UnreadableFile("characters that are no text", lasting=True)
    except RecursionError:
        return UnreadableFile("nested too deep to be read", lasting=True)
    except FAULTS as error:
        failure = failure_of(path, error)
        return UnreadableFile(f"askfirst failed to read it: {failure.error}", lasting=True, failure=failure)


def _read_part(
    root: Path, requests: Sequence[ReadRequest], python: str, most_seconds: float
) -> Iterator[ReadResult]:
    at = 0
    while at < len(requests):
        task = _Task(str(root), tuple(requests[at:]), most_seconds)
        for reading in _answers(task, python):
            yield requests[at].path, reading
            at += 1


def _answers(task: _Task, python: str) -> Iterator[FileReading | UnreadableFile]:
    """The answers of one process: for as many files as it survives, and for the one that it does not."""
    # Without the current folder in the path of modules (-I): it is often the checkout, whose code is never run.
    command = [python, "-I", "-c", _PROGRAM, *sys.path]
    with TemporaryFile() as task_file, TemporaryFile() as errors:
        task_file.write(to_bytes(task))
        task_file.seek(0)
        try:
            process = subprocess.Popen(command, stdin=task_file, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise _unavailable(str(error)) from error
        with process:
            answers = process.stdout or BytesIO()
            try:
                if answers.read(1) != _READY:
                    process.wait()
                    errors.seek(0)
                    raise _unavailable(errors.read().decode(errors="replace"))
                for _ in task.requests:
                    size = answers.read(_SIZE.size)
                    data = answers.read(*_SIZE.unpack(size)) if len(size) == _SIZE.size else b""
                    if not data:
                        yield UnreadableFile(_reason_of(process.wait()), lasting=False)
                        return
                    yield from_bytes(data, _Answer).reading
            finally:
                process.kill()


def limit_processor_time(seconds: float) -> None:
    """End this process after so many seconds of processor time from now on. A handler in Python would wait for the C code
    to come back; the default action of the signal does not.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _reason_of(exit_code: int) -> str:
    """Why a process that ended while it read a file did so."""
    if exit_code == -signal.SIGPROF:
        return _TOO_SLOW
    if exit_code < 0:
        return f"the parser broke off: {signal.Signals(-exit_code).name}"
    return f"the parser broke off: exit code {exit_code}"


def _unavailable(errors: str) -> ParserUnavailable:
    return ParserUnavailable(
        "The process that reads sources does not start, so no code can be read.",
        why="".join(errors.strip().splitlines()[-1:]),
        what_to_do=(
            "See what is missing: python -c "
            "'import tree_sitter, tree_sitter_go, tree_sitter_python, tree_sitter_typescript'"
        ),
    )
