"""Keep the processes of the App alive: the web server and one worker. When we end, they end.

For one machine without a process manager. Where there is one (systemd, Kubernetes), let it run `askfirst-app web` and
`askfirst-app worker` instead.
"""

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

_log = logging.getLogger(__name__)

_LOOK_EVERY = 0.2
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0
_STEADY_AFTER = 60.0
"""Seconds after which a process counts as well, so that its next death is again followed by a short wait."""
_REFUSAL = 1
"""Exit code of a command that cannot start with its settings."""
_GRACE = 30.0
"""Seconds a process has to finish what is in hand, before it is killed. What is in hand is durable either way."""


@dataclass
class _Child:
    """One process to keep alive."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    is_first: bool = True
    wait: float = _FIRST_WAIT
    not_before: float = field(default=0.0)


def supervise(commands: Mapping[str, Sequence[str]], until: threading.Event) -> bool:
    """Run each command and start it again when it ends, until the event is set; then end them all.

    A process that dies soon after its start is started again after a wait that doubles up to half a minute. False, and
    everything ended at once, if the first process of a command refuses to start: somebody is looking, and its message
    says what to do.
    """
    children = [_Child(name, command) for name, command in commands.items()]
    try:
        while not until.is_set():
            if not all(_look_after(child) for child in children):
                return False
            until.wait(_LOOK_EVERY)
    finally:
        _end(children)
    return True


def _look_after(child: _Child) -> bool:
    """See to it that a process runs; False if it refused to."""
    now = time.monotonic()
    if child.process is not None:
        code = child.process.poll()
        if code is None:
            return True
        if code == _REFUSAL and child.is_first and now - child.started_at < _STEADY_AFTER:
            child.process = None
            return False
        child.wait = (
            _FIRST_WAIT if now - child.started_at > _STEADY_AFTER else min(child.wait * 2, _LONGEST_WAIT)
        )
        child.not_before = now + child.wait
        child.process = None
        _log.error("%s ended with code %s; starting it again in %.1f s", child.name, code, child.wait)
    if now >= child.not_before:
        # Unsafe only where other threads hold locks at the fork; the supervisor has one thread.
        end_with_us = partial(end_with_parent, os.getpid())
        child.process = subprocess.Popen(child.command, preexec_fn=end_with_us)  # noqa: PLW1509
        child.is_first = not child.started_at
        child.started_at = now
    return True


def _end(children: Sequence[_Child]) -> None:
    """Ask every process to end, all at once, and kill what is left after the grace."""
    running = [child.process for child in children if child.process is not None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + _GRACE
    for process in running:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def end_with_parent(parent: int) -> None:
    """In a child, before its program starts: let Linux end it when the process `parent` is killed without a chance to.

    Linux signals a death that comes later. If the parent died between the fork and this call, the child ends here:
    otherwise it would keep the port, and each new `serve` would fail on it.
    """
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
