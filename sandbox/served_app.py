"""The App as an operator starts it, `askfirst-app serve`, served to a sandbox: for the demo and for tests."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from sandbox.sandbox import Sandbox

_START_SECONDS = 120.0
_STOP_SECONDS = 60.0


class AppNotStarted(Exception):
    """The App's process ended, or did not answer in time; the message is what it said."""


class ServedApp:
    """One `askfirst-app serve` with a database of its own. As a context manager it leaves no process behind.

    Its settings are those of an operator, but for speed: no pause between writes, and a short look for work. They are
    in `environment`, for other commands of the same App.
    """

    def __init__(self, github: Sandbox, directory: Path, settings: Mapping[str, str] | None = None) -> None:
        """Start it, wait until it answers, and tell the sandbox where to send deliveries. `settings` are added to its own.

        Raises:
            AppNotStarted: it did not start.
        """
        port = free_port()
        self._log = directory / "serve.log"
        self.environment = {**app_environment(github, directory, port), **(settings or {})}
        self.address = f"http://127.0.0.1:{port}"
        with self._log.open("wb") as log:
            command = [str(Path(sys.executable).with_name("askfirst-app")), "serve"]
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        self._wait_for(f"{self.address}/healthz")
        github.webhook_url = f"{self.address}/webhook"

    def log(self) -> str:
        """What the processes have said so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def stop(self) -> int:
        """End the App and return its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _wait_for(self, address: str) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                with urllib.request.urlopen(address, timeout=5):  # noqa: S310 - an address of our own, on 127.0.0.1
                    return
            except OSError as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    self.stop()
                    raise AppNotStarted(self.log()) from error
                time.sleep(0.1)


def app_environment(github: Sandbox, directory: Path, port: int) -> dict[str, str]:
    """The variables with which an App serves a sandbox; its files lie in the directory."""
    key = directory / "app.pem"
    key.write_text(github.app.private_key_pem, encoding="ascii")
    key.chmod(0o600)
    return {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ} | {
        "HOME": str(directory),
        "ASKFIRST_DATA_DIRECTORY": str(directory / "data"),
        "ASKFIRST_APP_ID": str(github.app.id),
        "ASKFIRST_CLIENT_ID": github.app.client_id,
        "ASKFIRST_PRIVATE_KEY_FILE": str(key),
        "ASKFIRST_WEBHOOK_SECRET": github.app.webhook_secret,
        "ASKFIRST_MARKER_KEY": "a key for a sandbox, and no secret",
        "ASKFIRST_PORT": str(port),
        "ASKFIRST_SECONDS_BETWEEN_WRITES": "0",
        "ASKFIRST_COMMENT_LAG": "0",
        "ASKFIRST_RUN_LAG": "0",
        "ASKFIRST_POLLING_SECONDS": "0.25",
        "GITHUB_API_URL": github.api_url,
    }


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
