"""A run of tests that SIGTERM ends takes along every process that its tests have started."""

import os
import signal
from pathlib import Path
from types import FrameType


def end_descendants_on_sigterm() -> None:
    """Handle SIGTERM in this process; without `/proc` (macOS) only this process ends."""
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    # All are stopped before the first one dies. A process that ran on could start another one, and a child whose parent
    # is dead belongs to process 1 and is no longer found.
    stopped: set[int] = set()
    while running := descendants(os.getpid()) - stopped:
        for pid in running:
            _send(pid, signal.SIGSTOP)
        stopped |= running
    for pid in stopped:
        _send(pid, signal.SIGKILL)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def descendants(ancestor: int) -> set[int]:
    """The ids of all processes below one."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # "4711 (the name) S 42 …": the name may hold anything, the parent's id is the second field behind it.
            parent = int(path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    below: set[int] = set()
    waiting = [ancestor]
    while waiting:
        waiting += (added := [pid for pid in children.get(waiting.pop(), []) if pid not in below])
        below |= set(added)
    return below
