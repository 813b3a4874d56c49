"""A file of JSON lines of one type that only grows, such as a transcript or `gate.jsonl`: redacted, and readable after a kill."""

import os
import threading
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

import orjson
from pydantic import BaseModel, TypeAdapter, ValidationError

from pipeline.domain.errors import RunDirectoryUnusable
from pipeline.run_record.redaction import Redactor

Line = TypeVar("Line", bound=BaseModel)

_PIECE = 1 << 16


class LineFile(Generic[Line]):
    """Reads and appends lines. Safe to use from several threads.

    A secret never reaches the file: a line that holds one is written redacted, and is read back so.
    """

    def __init__(self, path: Path, lines: TypeAdapter[Line], redactor: Redactor) -> None:
        """Name the file; it is made by the first line, and its folder before that."""
        self._path, self._lines, self._redactor = path, lines, redactor
        self._lock = threading.Lock()

    def read(self) -> tuple[Line, ...]:
        """All whole lines; a last one that a crash tore is left out. None where there is no file.

        Raises:
            RunDirectoryUnusable: a line is not of this type, or the file cannot be read.
        """
        lines = []
        for number, line in enumerate(self._whole().splitlines(), start=1):
            try:
                lines.append(self._lines.validate_json(line))
            except ValidationError as error:
                raise self._unusable(f"line {number}: {error.errors()[0]['msg']}") from error
        return tuple(lines)

    def append(self, line: Line) -> None:
        """Write a line at once, after cutting off a last one that a crash tore.

        Raises:
            RunDirectoryUnusable: the disk refuses.
        """
        data = self._redactor.redact_object(line.model_dump(mode="json"))
        with self._lock:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with self._path.open("a+b", buffering=0) as file:
                    file.truncate(_end_of_whole_lines(file))
                    file.write(orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE))
            except OSError as error:
                raise self._unusable(error.strerror or str(error)) from error

    def _whole(self) -> bytes:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._unusable(error.strerror or str(error)) from error
        whole, newline, _ = data.rpartition(b"\n")
        return whole + newline

    def _unusable(self, why: str) -> RunDirectoryUnusable:
        return RunDirectoryUnusable(
            f"{self._path} cannot be used",
            why=why,
            what_to_do="Start anew in another directory: --run-directory DIR",
        )


def _end_of_whole_lines(file: BinaryIO) -> int:
    """Where the last whole line ends: read from the end, because a transcript is long and grows line by line."""
    end = file.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - _PIECE)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
