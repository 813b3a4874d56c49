"""What happens while the App is down, or while its store is lost, is taken up when it is back."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandbox.served_app import ServedApp
from tests.github_app.served.test_serve import ASKED, READY, wait_for_label

if TYPE_CHECKING:
    from sandbox.world.state import Issue
    from tests.github_app.served.conftest import World


@pytest.fixture
def open_issue(own_world: "World") -> "Issue":
    issue = own_world.github.open_issue(own_world.orders, "Add a dry_run flag", "to the bulk action")
    own_world.github.label(issue)
    wait_for_label(own_world, issue, ASKED)
    return issue


def test_a_reply_sent_while_the_app_was_down_and_its_store_was_lost_starts_one_run(
    own_world: "World", open_issue: "Issue", tmp_path: Path
) -> None:
    assert own_world.app.stop() == 0
    shutil.rmtree(tmp_path / "data")
    own_world.github.faults.lose_delivery("issue_comment")
    own_world.github.comment(open_issue, "2")
    with ServedApp(own_world.github, tmp_path) as again:
        wait_for_label(own_world, open_issue, READY)
        log = again.log()
    assert [comment.via_app for comment in own_world.github.comments(open_issue)] == [True, False, True]
    assert [run.event for run in own_world.github.runs(own_world.orders)] == ["issues", "workflow_dispatch"]
    assert "Traceback" not in log
