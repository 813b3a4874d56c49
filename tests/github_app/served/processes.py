"""The processes of a served App, one by one, so that they can be killed."""

import os
import signal
from pathlib import Path

from sandbox.served_app import ServedApp


def processes(app: ServedApp) -> dict[str, int]:
    """The process ids of `web` and `worker`, as far as they are running."""
    parent = app.process.pid
    named = {}
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        named["worker" if b"worker" in command else "web"] = int(child)
    return named


def kill(app: ServedApp, name: str) -> None:
    """End `web` or `worker` without a chance to finish anything."""
    os.kill(processes(app)[name], signal.SIGKILL)
