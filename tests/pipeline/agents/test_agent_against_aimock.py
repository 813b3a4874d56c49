"""An agent with the real client against a real server: its tool loop, and a kill that costs nothing twice."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pipeline.agents.task import AgentCompleted
from pipeline.llm.client import ModelClient
from pipeline.llm.services import service_of
from tests.pipeline.agents.agent_world import World
from tests.pipeline.llm.aimock_server import Aimock

pytestmark = pytest.mark.npm

USED = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def calls(turn: int, name: str, **arguments: Any) -> dict[str, Any]:
    made = {"id": f"toolu_{turn}", "name": name, "arguments": arguments}
    return {"match": {"turnIndex": turn}, "response": {"toolCalls": [made], "usage": USED}}


STORY = (
    calls(0, "read_file", path="src/app.py"),
    calls(1, "edit_file", path=".github/workflows/ci.yml", old="a", new="b"),
    calls(2, "edit_file", path="src/app.py", old="False", new="True"),
    calls(3, "complete", summary="the flag is on"),
)


def test_an_agent_reads_is_denied_edits_and_completes(messages_server: Aimock) -> None:
    messages_server.answers(*STORY)
    world = World()
    with closing(
        ModelClient(service_of({"ANTHROPIC_API_KEY": "made-up", "ANTHROPIC_BASE_URL": messages_server.url}))
    ) as model:
        ending = world.start(model).run()
    assert isinstance(ending, AgentCompleted)
    assert ending.output.model_dump() == {"summary": "the flag is on"}
    assert world.tree.files == {"src/app.py": "flag = True\n"}
    assert [line.tier for line in world.decisions] == ["allow", "deny", "allow"]
    assert ending.spend.usage.output_tokens == 80
    assert len(messages_server.asked()) == 4


def test_a_killed_process_goes_on_and_asks_nothing_twice(messages_server: Aimock, tmp_path: Path) -> None:
    messages_server.answers(*STORY)

    def process(last: int) -> subprocess.CompletedProcess[str]:
        line = [
            sys.executable,
            "-m",
            "tests.pipeline.agents.agent_process",
            messages_server.url,
            str(tmp_path),
            str(last),
        ]
        return subprocess.run(
            line, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[3], check=False
        )

    assert process(last=0).returncode == -signal.SIGKILL
    assert len(messages_server.asked()) == 1
    assert process(last=1).returncode == -signal.SIGKILL
    assert len(messages_server.asked()) == 3
    ended = process(last=9)
    assert ended.returncode == 0, ended.stderr
    assert "the flag is on" in ended.stdout
    assert len(messages_server.asked()) == 4
