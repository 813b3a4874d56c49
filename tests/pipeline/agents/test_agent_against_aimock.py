"""An agent with the real client against a real server: its tool loop."""

from contextlib import closing
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
