"""Machines that run the App, each by `askfirst-app serve`, and whose processes die at any moment."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from sandbox import Sandbox
from sandbox.served_app import app_environment, free_port

ROLES = ("web", "worker", "supervisor")
_NOTICED_AFTER = 10.0


class Machine:
    """One machine. Its log is JSON lines; it outlives its processes."""

    def __init__(self, github: Sandbox, directory: Path, database_url: str) -> None:
        directory.mkdir(parents=True)
        self.port = free_port()
        self._environment = app_environment(github, directory, self.port) | {
            "ASKFIRST_DATABASE_URL": database_url,
            "ASKFIRST_LOG_FORMAT": "json",
        }
        self._log = directory / "serve.log"
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._lost_at: float | None = None

    @property
    def is_lost(self) -> bool:
        """Whether it never comes back."""
        return self._lost_at is not None

    @property
    def seems_well(self) -> bool:
        """What a load balancer thinks: it notices a lost machine after some seconds, and that a process died never."""
        return self._lost_at is None or time.monotonic() - self._lost_at < _NOTICED_AFTER

    @property
    def address(self) -> str:
        """Where it takes deliveries, if it lives."""
        return f"http://127.0.0.1:{self.port}/webhook"

    def start(self) -> None:
        """Start it as a process manager does."""
        command = [str(Path(sys.executable).with_name("askfirst-app")), "serve"]
        with self._log.open("ab") as log:
            self._supervisor = subprocess.Popen(
                command, env=self._environment, stdout=log, stderr=log, start_new_session=True
            )

    def keep_alive(self) -> None:
        """Start it again if its supervisor has ended, as a process manager does."""
        if not self.is_lost and (self._supervisor is None or self._supervisor.poll() is not None):
            self.start()

    def listens(self) -> bool:
        """Whether its web server takes connections."""
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

    def kill(self, role: str) -> bool:
        """End one of its processes (of the web server: all) without a chance to finish; whether it was running."""
        processes = self._processes().get(role, [])
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return bool(processes)

    def lose(self) -> None:
        """End all that runs on it, at once and for good."""
        self._lost_at = time.monotonic()
        if self._supervisor is not None:
            os.killpg(self._supervisor.pid, signal.SIGKILL)
            self._supervisor.wait()

    def stop(self) -> None:
        """End it in good order."""
        if self._supervisor is not None and not self.is_lost:
            self._supervisor.terminate()
            self._supervisor.wait(timeout=120)

    def log(self) -> list[str]:
        """What its processes have said so far."""
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    def _processes(self) -> dict[str, list[int]]:
        if self._supervisor is None or self._supervisor.poll() is not None:
            return {}
        processes: dict[str, list[int]] = {"supervisor": [self._supervisor.pid], "web": [], "worker": []}
        for child in _children(self._supervisor.pid):
            with suppress(OSError):
                command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                role = "worker" if b"worker" in command else "web"
                processes[role] += [child, *_children(child)]
        return processes


def _children(parent: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    except OSError:
        return []
