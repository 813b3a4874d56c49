"""`askfirst` started by a fork of a process that has imported it: imports take a second, and tests of kills start it often.

What starts is a process with an id, arguments, an environment, streams and an end of its own. Two servers take turns, and
each has a hash seed of its own: what depends on the order of a set differs between a run and its resumption.
"""

import atexit
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from tests.journeys import fork_server

ROOT = Path(__file__).parents[2]


class Forked:
    """A process of `askfirst`, as `subprocess.Popen` would have started it: its output goes into files."""

    returncode: int | None = None

    def __init__(
        self,
        arguments: Sequence[str | Path],
        environment: Mapping[str, str],
        stdin: str = "",
        module: str = "pipeline.cli",
    ) -> None:
        self._end = threading.Lock()
        self._written = _new_file(), _new_file()
        request = {
            "module": module,
            "arguments": ["askfirst", *map(str, arguments)],
            "environment": dict(environment),
        }
        reading, writing = os.pipe()
        with tempfile.TemporaryFile() as given:
            given.write(stdin.encode())
            given.seek(0)
            streams = [given.fileno(), *self._written]
            socket.send_fds(next(_servers()), [json.dumps(request).encode()], [*streams, writing])
        os.close(writing)
        self._report = os.fdopen(reading)
        self.pid = int(self._report.readline())

    def kill(self) -> None:
        """End it without a chance to finish anything."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code, which is negative where a signal ended it."""
        with self._end:
            if self.returncode is None:
                with self._report:
                    self.returncode = int(self._report.readline())
            return self.returncode

    def communicate(self) -> tuple[str, str]:
        """What it has written to standard output and to standard error, once it has ended. May be called once."""
        self.wait()
        texts = []
        for file in self._written:
            os.lseek(file, 0, os.SEEK_SET)
            with os.fdopen(file, encoding="utf-8") as stream:
                texts.append(stream.read())
        return texts[0], texts[1]


def _new_file() -> int:
    descriptor, path = tempfile.mkstemp()
    Path(path).unlink()
    return descriptor


@cache
def _servers() -> Iterator[socket.socket]:
    """Two servers in turns, for as long as the tests run."""
    return itertools.cycle([_server("1"), _server("2")])


def _server(hash_seed: str) -> socket.socket:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", fork_server.__name__, str(theirs.fileno())],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYDANTIC_DISABLE_PLUGINS": "__all__"},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
