"""Parse sources in a process of their own first: some short sources keep tree-sitter busy for hours, and nothing but the end
of its process stops it.

The files are then parsed here, one by one and as they come, except those that did not come back. To parse a small
tree twice costs less than to start a process that reads it.
"""

import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple

from pipeline.code_registry.parsing import MOST_SECONDS, reason_of
from pipeline.code_registry.parsing import TOO_SLOW as TOO_SLOW_REASON
from pipeline.code_registry.probe_process import HEAD, PARSED, PARSER_NUMBERS, READY
from pipeline.domain.errors import ParserUnavailable

_PROGRAM = (
    "import sys; sys.path[:] = sys.argv[2:]; from pipeline.code_registry.probe_process import answer; "
    "answer(sys.stdin.buffer, float(sys.argv[1]))"
)


class ProbeRequest(NamedTuple):
    """A source to parse. `language`: a name in `PARSERS`."""

    language: str
    source: bytes


Probe = Callable[[Sequence[ProbeRequest]], Iterable[str | None]]
"""For each source, in order, the reason why it must not be parsed in this process; None if it may be."""


def probe_sources(
    requests: Sequence[ProbeRequest], *, most_seconds: float = MOST_SECONDS, python: str = sys.executable
) -> Iterator[str | None]:
    """A probe by a process that is started again after each source that it did not survive.

    Raises:
        ParserUnavailable: the process does not start.
    """
    with TemporaryFile() as file:
        starts: list[int] = []
        for request in requests:
            starts.append(file.tell())
            file.write(HEAD.pack(PARSER_NUMBERS[request.language], len(request.source)))
            file.write(request.source)
        file.flush()
        # Without the current folder in the path of modules (-I): it is often the checkout, whose code is never run.
        command = [python, "-I", "-c", _PROGRAM, str(most_seconds), *sys.path]
        number = 0
        while number < len(requests):
            file.seek(starts[number])
            for reason in _reasons(command, file, len(requests) - number):
                yield reason
                number += 1


def _reasons(command: Sequence[str], file: BinaryIO, count: int) -> Iterator[str | None]:
    """The reasons of as many sources as one process survives, and of the one that it does not."""
    with TemporaryFile() as errors:
        try:
            process = subprocess.Popen(command, stdin=file, stdout=subprocess.PIPE, stderr=errors)
        except OSError as error:
            raise _unavailable(str(error)) from error
        with process:
            answers = process.stdout or BytesIO()
            try:
                if answers.read(1) != READY:
                    process.wait()
                    errors.seek(0)
                    raise _unavailable(errors.read().decode(errors="replace"))
                for _ in range(count):
                    verdict = answers.read(1)
                    if not verdict:
                        yield reason_of(process.wait(), TOO_SLOW_REASON)
                        return
                    yield None if verdict == PARSED else TOO_SLOW_REASON
            finally:
                process.kill()


def _unavailable(errors: str) -> ParserUnavailable:
    return ParserUnavailable(
        "The process that parses sources first does not start, so no code can be read.",
        why="".join(errors.strip().splitlines()[-1:]),
        what_to_do=(
            "See what is missing: python -c "
            "'import tree_sitter, tree_sitter_go, tree_sitter_python, tree_sitter_typescript'"
        ),
    )
