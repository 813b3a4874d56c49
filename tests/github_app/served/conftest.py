"""The whole App as an operator starts it, `askfirst-app serve`, against a GitHub on 127.0.0.1."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from github_app.sandbox import Sandbox
from github_app.sandbox.actions.job import JobFolders
from github_app.sandbox.server import Exchange
from github_app.sandbox.world.state import Repository
from tests.contract.github_description import github_description

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("scripted_run.py")


def scripted_run(folders: JobFolders) -> Sequence[str]:
    return [sys.executable, str(SCRIPT), str(folders.run_directory)]


class Served:
    """The processes of the App, which can be killed one by one."""

    def __init__(self, github: Sandbox, directory: Path) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            port = listener.getsockname()[1]
        key = directory / "app.pem"
        key.write_text(github.app.private_key_pem, encoding="ascii")
        environment = {
            "PYTHONPATH": str(ROOT), "HOME": str(directory), "ASKFIRST_DATA_DIRECTORY": str(directory / "data"),
            "ASKFIRST_APP_ID": str(github.app.id), "ASKFIRST_CLIENT_ID": github.app.client_id,
            "ASKFIRST_PRIVATE_KEY_FILE": str(key), "ASKFIRST_WEBHOOK_SECRET": github.app.webhook_secret,
            "ASKFIRST_MARKER_KEY": "a marker key of some length", "GITHUB_API_URL": github.api_url,
            "ASKFIRST_PORT": str(port), "ASKFIRST_SECONDS_BETWEEN_WRITES": "0", "ASKFIRST_POLLING_SECONDS": "0.1",
        }  # fmt: skip
        self._log = directory / "serve.log"
        with self._log.open("wb") as log:
            command = [sys.executable, "-m", "github_app.cli", "serve"]
            self.process = subprocess.Popen(command, env=environment, stderr=log)
        self._wait_for(f"http://127.0.0.1:{port}/healthz")
        github.webhook_url = f"http://127.0.0.1:{port}/webhook"

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def processes(self) -> dict[str, int]:
        """The process ids of `web` and `worker`."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        named = {}
        for child in children:
            command = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            named["worker" if b"worker" in command else "web"] = int(child)
        return named

    def kill(self, name: str) -> None:
        os.kill(self.processes()[name], signal.SIGKILL)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=120)

    def _wait_for(self, address: str) -> None:
        deadline = time.monotonic() + 120
        while True:
            try:
                with urllib.request.urlopen(address, timeout=5):
                    return
            except OSError:
                assert self.process.poll() is None, self.log()
                assert time.monotonic() < deadline, self.log()
                time.sleep(0.1)


class World:
    """GitHub, the App that serves it, and one repository."""

    def __init__(self, github: Sandbox, app: Served) -> None:
        self.github = github
        self.app = app
        self.orders: Repository = github.create_repository()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    description = github_description()
    problems: list[str] = []

    def check(exchange: Exchange) -> None:
        problems.extend(description.problems(exchange) if description else ())

    with Sandbox.start(program=scripted_run, environment={"PYTHONPATH": str(ROOT)}, observer=check) as github:
        app = Served(github, tmp_path)
        try:
            yield World(github, app)
        finally:
            app.stop()
        assert problems == []
        assert app.process.returncode == 0, app.log()
