"""Start a program on the worktree: confined, alone in its group, with an end to its time, its output and its memory."""

import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from pipeline.confinement.confinement import Confinement, Reach
from pipeline.workspace.environment import named_paths, readable_folders, tool_environment, with_programs
from pipeline.workspace.paths import CallRefused
from pipeline.workspace.process_tree import usage_of
from pipeline.workspace.worktree import Worktree

_LOOK = 0.05
_GRACE = 1.0
_ENDING = 5.0  # longer than it takes to end hundreds of processes on a busy machine
_CHUNK = 1 << 16


def _most_memory() -> int:
    """Three quarters of the machine's memory: the rest is for the process that watches the command."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4 * 3


@dataclass(frozen=True)
class ProcessLimits:
    """Of a process with all that it starts: wall-clock seconds, bytes of memory, processes and threads at a time.

    `output_bytes` is how much of its output is kept; more does not end it.
    """

    seconds: float = 600.0
    output_bytes: int = 32 << 10
    memory_bytes: int = field(default_factory=_most_memory)
    tasks: int = 4096


@dataclass(frozen=True)
class ProcessResult:
    """How a process ended. `exit_code` is that of the program, 128 and more for a signal.

    It is None for one that was ended because it went over a limit; `too_much` says over which, as `took longer than 5 s`.
    `output` is what it wrote, both streams in their order: the first and the last part of it, and between them a line
    that says how many bytes (`left_out`) are missing. Of a process that was given a standard input it is what that wrote
    to its standard output, and `errors` the rest.
    """

    command: tuple[str, ...]
    exit_code: int | None
    seconds: float
    output: str
    left_out: int
    too_much: str | None = None
    errors: str = ""

    def for_model(self) -> str:
        """The result as a model reads it."""
        how = f"exit code {self.exit_code} after {self.seconds:.1f} s"
        if self.too_much is not None:
            how = f"{self.too_much} and was ended"
        return f"{' '.join(self.command)}: {how}\n{self.output}"


class Processes:
    """Runs programs in the tree of one worktree. `ours` is our own environment, of which they see next to nothing.

    Where they are not `online`, tool chains are told to do without a network, whether or not there is one.
    """

    def __init__(
        self,
        worktree: Worktree,
        *,
        ours: Mapping[str, str],
        limits: ProcessLimits,
        confinement: Confinement,
        online: bool = False,
    ) -> None:
        self._worktree = worktree
        self._tree = worktree.tree
        self._limits = limits
        self._confinement = confinement
        packages = worktree.packages
        inside, outside = (
            None if packages.programs is None else root / packages.programs
            for root in (worktree.tree, packages.checkout)
        )
        self._environment = tool_environment(
            with_programs(ours, inside),
            home=worktree.home,
            temporary=worktree.temporary,
            tree=worktree.tree,
            online=online,
        )
        places = with_programs(ours, outside)
        writable = [str(worktree.tree), str(worktree.home), str(worktree.temporary), "/dev/shm"]  # noqa: S108 - semaphores lie there
        self._reach = Reach(
            root=worktree.root,
            readable=(*readable_folders(places), *packages.readable),
            writable=tuple(writable),
            link_paths=tuple(named_paths(places)),
        )

    @property
    def seconds(self) -> float:
        """How long a program may run."""
        return self._limits.seconds

    def run(
        self,
        words: Sequence[str],
        *,
        seconds: float | None = None,
        network: bool = False,
        read_only: bool = False,
        standard_input: bytes | None = None,
        output_bytes: int | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> ProcessResult:
        """Run a program with the tree as its working directory, and wait for its end.

        When it has ended, or gone over a limit (`seconds` is at most the limit), whatever it has left running is killed.
        With `network` it has that of the machine; a program that is `read_only` can write temporary files and nothing else.
        `output_bytes` takes the place of the limit; `variables` are added to its environment.

        Raises:
            CallRefused: there is no such program, or this machine cannot keep it from writing or from the network.
        """
        confinement, reach = self._confinement, self._reach
        if read_only:
            if not (confinement.sockets and (confinement.namespaces or confinement.landlock)):
                raise CallRefused(
                    "This machine cannot keep code from writing into the tree, or from the network, so none is run. "
                    "Write a test, and run that."
                )
            temporary, places = str(self._worktree.temporary), (str(self._tree), str(self._worktree.home))
            reach = replace(reach, readable=(*reach.readable, *places), writable=(temporary,))
        self._worktree.add_git()
        program = self._program(words[0])
        limit = min(seconds or self._limits.seconds, self._limits.seconds)
        start_time = time.perf_counter()
        # A file, because a pipe would have to be written to while the outputs are read.
        with tempfile.TemporaryFile() as input_file:
            input_file.write(standard_input or b"")
            input_file.seek(0)
            process = subprocess.Popen(
                [
                    *confinement.start(reach, tasks=self._limits.tasks, network=network),
                    program,
                    *words,
                ],
                cwd=self._tree,
                env={**self._environment, **(variables or {})},
                stdin=subprocess.DEVNULL if standard_input is None else input_file,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if standard_input is None else subprocess.PIPE,
                start_new_session=True,
                umask=0o022,
            )
        kept = output_bytes or self._limits.output_bytes
        output_, errors = _BoundedOutput(kept), _BoundedOutput(kept)
        try:
            too_much = _follow(process, output_, errors, _Watch(process.pid, self._limits, limit))
        finally:
            _end_all(process)
        return ProcessResult(
            command=tuple(words),
            exit_code=process.returncode if too_much is None else None,
            seconds=time.perf_counter() - start_time,
            output=output_.text(),
            left_out=output_.left_out,
            too_much=too_much,
            errors=errors.text(),
        )

    def _program(self, word: str) -> str:
        if "/" in word:
            path = shutil.which(str(self._tree / word))
        else:
            path = shutil.which(word, path=self._environment["PATH"])
        if path is None:
            raise CallRefused(f"There is no program `{word}`, neither in the tree nor on PATH.")
        return path


class _BoundedOutput:
    """The head and the tail of an output, in bounded memory."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
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
        """Both parts. Bytes that are not UTF-8, such as a cut character, become the replacement character."""
        gap = f"\n[{self.left_out} bytes left out]\n".encode() if self.left_out else b""
        return (bytes(self._head) + gap + b"".join(self._tail)).decode("utf-8", "replace")


class _Watch:
    """Looks, from time to time, whether a process with all that it has started is still within its limits."""

    def __init__(self, root: int, limits: ProcessLimits, seconds: float) -> None:
        self._root, self._limits, self._seconds = root, limits, seconds
        self._looked_at = time.perf_counter()
        self.deadline = self._looked_at + seconds

    def too_much(self) -> str | None:
        """Which limit it has gone over, in words."""
        now = time.perf_counter()
        if now >= self.deadline:
            return f"took longer than {self._seconds:g} s"
        if now < self._looked_at + _LOOK:
            return None
        self._looked_at = now
        usage = usage_of(self._root)
        if usage.memory_bytes > self._limits.memory_bytes:
            return f"used more than {self._limits.memory_bytes >> 20} MiB of memory"
        if usage.tasks > self._limits.tasks:
            return f"ran more than {self._limits.tasks} processes and threads at once"
        return None


def _follow(
    process: subprocess.Popen[bytes], output: _BoundedOutput, errors: _BoundedOutput, watch: _Watch
) -> str | None:
    """Read until the program has ended, or has gone over a limit; the words for that limit then.

    What it started may hold the pipe open after it: such a process is killed, and not waited for.
    """
    assert process.stdout is not None  # noqa: S101 - it was opened as a pipe
    ended_at: float | None = None
    pipes = {process.stdout: output} | ({process.stderr: errors} if process.stderr is not None else {})
    with ExitStack() as cleanup:
        selector = cleanup.enter_context(selectors.DefaultSelector())
        for pipe in pipes:
            os.set_blocking(cleanup.enter_context(pipe).fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            now = time.perf_counter()
            if ended_at is None and process.poll() is not None:
                ended_at = now
                _end_all(process)
            if ended_at is None and (too_much := watch.too_much()):
                return too_much
            if ended_at is not None and now >= ended_at + _GRACE:
                return None
            ready = {key.fileobj for key, _ in selector.select(min(_LOOK, max(0.0, watch.deadline - now)))}
            for pipe in pipes.keys() & ready:
                data = pipe.read(_CHUNK)
                if data:
                    pipes[pipe].add(data)
                elif data == b"":
                    selector.unregister(pipe)
    return _waited_for(process, watch)


def _waited_for(process: subprocess.Popen[bytes], watch: _Watch) -> str | None:
    """Wait for a program that prints nothing any more, while it is within its limits."""
    while process.poll() is None:
        if too_much := watch.too_much():
            return too_much
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_LOOK)
    return None


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """End everything that the process started, and the process itself."""
    if process.poll() is None:
        # The launcher ends what left the group; it must be asked while it lives.
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=_ENDING)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
