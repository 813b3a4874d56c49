"""What GitHub withholds is kept, listed with what to grant, and done as soon as it is granted."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.github_app.served.test_serve import ASKED, wait_for_label

if TYPE_CHECKING:
    from tests.github_app.served.conftest import World


def stuck(world: "World") -> list[dict[str, Any]]:
    command = [str(Path(sys.executable).with_name("askfirst-app")), "stuck", "--json"]
    result = subprocess.run(command, env=world.app.environment, capture_output=True, text=True)
    listed: list[dict[str, Any]] = json.loads(result.stdout)
    assert result.returncode == bool(listed)
    return listed


def wait_until_stuck(world: "World") -> list[dict[str, Any]]:
    deadline = time.monotonic() + 60
    while not (listed := stuck(world)):
        assert time.monotonic() < deadline, world.app.log()
        time.sleep(0.2)
    return listed


def test_a_permission_that_is_missing_is_named_and_everything_goes_on_when_it_is_granted(
    world: "World",
) -> None:
    installation = world.github.world.installation_of(world.orders)
    assert installation is not None
    installation.permissions["issues"] = "read"
    issue = world.github.open_issue(world.orders, "Add a dry_run flag", "to the bulk action")
    world.github.label(issue)
    listed = wait_until_stuck(world)
    assert {delivery["status"] for delivery in listed} == {"WAITING"}
    assert "Grant issues: write to the App" in listed[0]["error"]
    assert f"/settings/installations/{installation.id}" in listed[0]["error"]
    installation.permissions["issues"] = "write"
    granted = {"action": "new_permissions_accepted", "installation": {"id": installation.id}}
    world.github.deliveries.send("installation", json.dumps(granted).encode(), headers=lambda proper: proper)
    wait_for_label(world, issue, ASKED)
    assert len(world.github.comments(issue)) == 1
    assert stuck(world) == []
    lines = [line for line in world.app.log().splitlines() if "Grant issues: write" in line]
    assert len(lines) == 1
    assert "Traceback" not in world.app.log()
