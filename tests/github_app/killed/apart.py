"""The App as a process manager runs it: web server and worker each for itself, so that each can be killed."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from sandbox import Sandbox
from sandbox.served_app import app_environment, free_port


class Apart:
    """`askfirst-app web` and `askfirst-app worker`, started, killed and started again one by one."""

    def __init__(self, github: Sandbox, directory: Path, settings: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.environment = {**app_environment(github, directory, self.port), **(settings or {})}
        self._log = directory / "app.log"
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        """Start `web` or `worker`, or one of several (`worker-1`), in a process group of its own."""
        command = [str(Path(sys.executable).with_name("askfirst-app")), name.partition("-")[0]]
        with self._log.open("ab") as log:
            self._running[name] = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self, name: str) -> None:
        """End it and all that it has started, without a chance to finish anything; returns when it is dead."""
        process = self._running.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        while name == "web" and self._listens():
            time.sleep(0.01)

    def _listens(self) -> bool:
        """Whether somebody takes connections: those whom the web server has started may die a little later than it."""
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        except OSError:
            return False
        return True

    def is_running(self, name: str) -> bool:
        """Whether it was started and not killed."""
        return name in self._running

    def stop(self) -> dict[str, int]:
        """End what runs in good order; its exit codes."""
        for process in self._running.values():
            process.terminate()
        return {name: process.wait(timeout=120) for name, process in self._running.items()}

    def answers(self) -> bool:
        """Whether the web server takes deliveries."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                return True
        except OSError:
            return False

    def log(self) -> str:
        """What all processes have said so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")
