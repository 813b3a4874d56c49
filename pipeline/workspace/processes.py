"""Start a program on the worktree: confined, alone in its group, with an end to its time and to its output."""

import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pipeline.workspace.environment import readable_folders, tool_environment
from pipeline.workspace.paths import Refused

_LAUNCHER = Path(__file__).with_name("confined_start.py")
_LOOK = 0.05
_GRACE = 1.0
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds of a process with all that it starts, and how many bytes of its output are kept."""

    seconds: float = 600.0
    output_bytes: int = 32 << 10


@dataclass(frozen=True)
class Finished:
    """How a process ended. `exit_code` is that of the program, 128 and more for a signal, None if it took too long.

    `output` is what it wrote, both streams in their order: the first and the last part of it, and between them a line
    that says how many bytes (`left_out`) are missing.
    """

    command: tuple[str, ...]
    exit_code: int | None
    seconds: float
    output: str
    left_out: int

    def for_model(self) -> str:
        """The result as a model reads it."""
        how = f"took longer than {self.seconds:.0f} s and was ended"
        if self.exit_code is not None:
            how = f"exit code {self.exit_code} after {self.seconds:.1f} s"
        return f"{' '.join(self.command)}: {how}\n{self.output}"


class Processes:
    """Runs programs in one tree. `ours` is our own environment, of which they see next to nothing."""

    def __init__(
        self, tree: Path, *, home: Path, temporary: Path, ours: Mapping[str, str], limits: Limits
    ) -> None:
        self._tree = tree
        self._limits = limits
        self._environment = tool_environment(ours, home=home, temporary=temporary, tree=tree)
        writable = [str(tree), str(home), str(temporary), "/dev/shm"]  # noqa: S108 - semaphores lie there
        self._folders = ("\n".join(readable_folders(ours)), "\n".join(writable))

    def run(self, words: Sequence[str], *, seconds: float | None = None) -> Finished:
        """Run a program with the tree as its working directory, and wait for its end.

        When it has ended, or taken longer than `seconds` (at most the limit), whatever it has left running is killed.

        Raises:
            Refused: there is no such program.
        """
        program = self._program(words[0])
        allowed = min(seconds or self._limits.seconds, self._limits.seconds)
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_LAUNCHER), *self._folders, program, *words],
            cwd=self._tree,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o022,
        )
        kept = _Kept(self._limits.output_bytes)
        try:
            in_time = _follow(process, kept, started + allowed)
        finally:
            _end_all(process)
        return Finished(
            command=tuple(words),
            exit_code=process.returncode if in_time else None,
            seconds=time.perf_counter() - started,
            output=kept.text(),
            left_out=kept.left_out,
        )

    def _program(self, word: str) -> str:
        if "/" in word:
            found = shutil.which(str(self._tree / word))
        else:
            found = shutil.which(word, path=self._environment["PATH"])
        if found is None:
            raise Refused(f"There is no program `{word}`, neither in the tree nor on PATH.")
        return found


class _Kept:
    """The head and the tail of an output, in bounded memory."""

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.left_out = 0

    def add(self, data: bytes) -> None:
        """Take the next piece."""
        room = self._half - len(self._head)
        self._head += data[:room]
        rest = data[room:]
        if not rest:
            return
        self._tail.append(rest)
        self._tail_size += len(rest)
        while self._tail_size > self._half:
            oldest = self._tail.popleft()
            drop = min(len(oldest), self._tail_size - self._half)
            self._tail_size -= drop
            self.left_out += drop
            if drop < len(oldest):
                self._tail.appendleft(oldest[drop:])

    def text(self) -> str:
        """Both parts. What is no UTF-8, such as a character that was cut, becomes the replacement character."""
        gap = f"\n[{self.left_out} bytes left out]\n".encode() if self.left_out else b""
        return (bytes(self._head) + gap + b"".join(self._tail)).decode("utf-8", "replace")


def _follow(process: subprocess.Popen[bytes], kept: _Kept, deadline: float) -> bool:
    """Read until the program has ended; False if it has not by then.

    What it started may hold the pipe open after it: such a process is killed, and not waited for.
    """
    assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
    ended_at: float | None = None
    with selectors.DefaultSelector() as selector, process.stdout as pipe:
        os.set_blocking(pipe.fileno(), False)
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            now = time.perf_counter()
            if ended_at is None and process.poll() is not None:
                ended_at = now
                _end_all(process)
            if now >= deadline or (ended_at is not None and now >= ended_at + _GRACE):
                return ended_at is not None
            if not selector.select(timeout=min(_LOOK, deadline - now)):
                continue
            data = pipe.read(_CHUNK)
            if data:
                kept.add(data)
            elif data == b"":
                break
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=max(0.0, deadline - time.perf_counter()))
    return process.returncode is not None


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End everything that the process started, and the process itself."""
    if process.poll() is None:
        # The launcher ends what left the group; it must be asked while it lives.
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_GRACE)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
