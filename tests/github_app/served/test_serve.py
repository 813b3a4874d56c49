"""`askfirst-app serve` from the label to the ticket, undisturbed and with its worker killed."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.github_app.served.processes import kill, processes

if TYPE_CHECKING:
    from sandbox.world.state import Issue
    from tests.github_app.served.conftest import World

ASKED = "askfirst:needs-answer"
READY = "askfirst:ready"


def wait_for_label(world: "World", issue: "Issue", label: str, seconds: float = 240.0) -> None:
    deadline = time.monotonic() + seconds
    while label not in world.github.labels(issue):
        if time.monotonic() > deadline:
            said = [comment.body for comment in world.github.comments(issue)]
            pytest.fail(f"no label {label}; comments: {said}; log: {world.app.log()[-6000:]}")
        time.sleep(0.05)
    world.github.wait_until_quiet(timeout=180)


def test_a_label_leads_to_a_question_and_the_reply_to_a_ticket(world: "World") -> None:
    issue = world.github.open_issue(world.orders, "Add a dry_run flag", "to the bulk action")
    world.github.label(issue)
    wait_for_label(world, issue, ASKED)
    [question] = world.github.comments(issue)
    assert "which route should get the flag?" in question.body
    world.github.comment(issue, "2")
    wait_for_label(world, issue, READY)
    first, second = world.github.runs(world.orders)
    assert (first.event, second.event) == ("issues", "workflow_dispatch")
    assert "route:POST /actions/stream" in second.event_payload["inputs"]["answers"]
    assert ASKED not in world.github.labels(issue)
    assert_memory_within_limits(world)


def assert_memory_within_limits(world: "World") -> None:
    """The supervisor imports none of the App's parts, and the web server's processes share what they import."""
    supervisor = memory(world.app.process.pid)
    web = [memory(pid) for pid in family(processes(world.app)["web"])]
    assert supervisor < 16
    assert len(web) == 2
    assert sum(web) < 120


def memory(pid: int) -> float:
    """Proportional set size in MB: what processes share is divided among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))


def family(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [pid, *(int(child) for task in tasks for child in (task / "children").read_text().split())]


@pytest.mark.kill
def test_a_worker_that_is_killed_is_started_again_and_starts_no_second_run(world: "World") -> None:
    """At every other request and on its own: tests/github_app/killed."""
    world.github.faults.interrupt(
        "POST /repos/*/actions/workflows/*/dispatches", lambda: kill(world.app, "worker"), after_effect=True
    )
    issue = world.github.open_issue(world.orders, "Add a dry_run flag", "to the bulk action")
    world.github.label(issue)
    wait_for_label(world, issue, ASKED)
    assert len(world.github.comments(issue)) == 1
    world.github.comment(issue, "2")
    wait_for_label(world, issue, READY)
    assert [comment.via_app for comment in world.github.comments(issue)] == [True, False, True]
    assert [run.event for run in world.github.runs(world.orders)] == ["issues", "workflow_dispatch"]
    assert world.app.log().count("starting it again") == 1
