"""`askfirst mcp` as a coding agent starts it: a process at the other end of its standard streams."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult

from tests.journeys.commands import SCRIPT
from tests.journeys.conftest import scrubbed

TICKET = "# Add a dry_run flag to the bulk action\n\nPlease add a `dry_run` flag: nothing is written.\n"


@pytest.mark.smoke
@pytest.mark.parametrize("generation", ["auto", "legacy"])
def test_a_client_starts_it_asks_and_ends_it(orders: Path, tmp_path: Path, generation: Any) -> None:
    async def choose(context: object, params: Any) -> ElicitResult:
        assert params.requested_schema["properties"]["choice"]["default"] == "route:POST /actions"
        return ElicitResult(action="accept", content={"choice": "route:POST /actions/stream"})

    async def conversation() -> Any:
        process = StdioServerParameters(
            command=str(SCRIPT), args=["mcp", "--repository", str(orders)], env=scrubbed(HOME=str(tmp_path))
        )
        async with Client(process, mode=generation, elicitation_callback=choose) as client:
            return await client.call_tool("ask_first", {"ticket": TICKET})

    result = asyncio.run(conversation())
    assert result.structured_content["ends_with"] == "ticket"
    (target,) = result.structured_content["document"]["targets"]
    assert target["id"] == "route:POST /actions/stream"
    assert json.loads(result.content[0].text) == result.structured_content
