"""What an operator does to an App over the years, in the middle of a conversation: restore a backup, change its secrets."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandbox.app_registration import new_private_key
from sandbox.served_app import ServedApp
from tests.github_app.served.conftest import World
from tests.github_app.served.test_serve import ASKED, READY, wait_for_label

if TYPE_CHECKING:
    from sandbox.world.state import Issue

PROGRAM = str(Path(sys.executable).with_name("askfirst-app"))


def askfirst_app(app: ServedApp, *arguments: str) -> str:
    command = [PROGRAM, *arguments]
    return subprocess.run(command, env=app.environment, capture_output=True, text=True, check=True).stdout


def wait_until(app: ServedApp, condition: Callable[[], bool], seconds: float = 180.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, app.log()
        time.sleep(0.2)


@pytest.fixture
def open_issue(own_world: World) -> "Issue":
    issue = own_world.github.open_issue(own_world.orders, "Add a dry_run flag", "to the bulk action")
    own_world.github.label(issue)
    wait_for_label(own_world, issue, ASKED)
    return issue


def test_a_backup_from_before_the_answer_is_put_back_and_converges(
    own_world: World, open_issue: "Issue", tmp_path: Path
) -> None:
    github = own_world.github
    askfirst_app(own_world.app, "backup", str(tmp_path / "copy.sqlite"))
    github.comment(open_issue, "2")
    wait_for_label(own_world, open_issue, READY)
    assert own_world.app.stop() == 0
    before = [comment.body for comment in github.comments(open_issue)]

    database = tmp_path / "data" / "askfirst.sqlite"
    for left in database.parent.glob("askfirst.sqlite*"):
        left.unlink()
    (tmp_path / "copy.sqlite").rename(database)
    with ServedApp(github, tmp_path) as again:
        wait_until(again, lambda: "No conversation is open." in askfirst_app(again, "list"))
        github.wait_until_quiet(timeout=180)
        assert "Traceback" not in again.log()
    assert [comment.body for comment in github.comments(open_issue)] == before
    assert [run.event for run in github.runs(own_world.orders)] == ["issues", "workflow_dispatch"]
    assert github.labels(open_issue) == {"askfirst", READY}


def test_all_three_secrets_are_changed_in_the_middle_of_a_conversation(
    own_world: World, open_issue: "Issue", tmp_path: Path
) -> None:
    """As docs/app.md says it: both values are taken, GitHub changes over, and the old ones are taken out."""
    github, world = own_world.github, own_world
    assert world.app.stop() == 0
    second_key = tmp_path / "second.pem"
    second_key.write_text(new_private_key(), encoding="ascii")
    github.app.other_keys = (second_key.read_text(),)
    new = {
        "ASKFIRST_WEBHOOK_SECRET": "the webhook secret after the rotation",
        "ASKFIRST_MARKER_KEY": "the marker key after the rotation",
        "ASKFIRST_PRIVATE_KEY_FILE": str(second_key),
    }
    names = ("ASKFIRST_WEBHOOK_SECRET", "ASKFIRST_MARKER_KEY")
    both = {**new, **{f"{name}_BEFORE": world.app.environment[name] for name in names}}
    with ServedApp(github, tmp_path, both) as app:
        github.comment(open_issue, "2")
        wait_for_label(World(github, app, world.orders), open_issue, READY)
        assert [comment.via_app for comment in github.comments(open_issue)] == [True, False, True]

    github.app.webhook_secret = new["ASKFIRST_WEBHOOK_SECRET"]
    github.app.private_key_pem, github.app.other_keys = second_key.read_text(), ()
    with ServedApp(github, tmp_path, new) as app:
        another = github.open_issue(world.orders, "Add a verbose flag", "to the bulk action")
        github.label(another)
        wait_for_label(World(github, app, world.orders), another, ASKED)
        assert "without a valid signature" not in app.log()
        assert "WARNING" not in app.log()
