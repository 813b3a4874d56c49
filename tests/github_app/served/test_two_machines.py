"""Two machines on one Postgres: a conversation from a file goes on there, and a machine that is lost is not missed."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from github_app.storage.database import single_connections
from tests.github_app.killed.apart import Apart
from tests.github_app.served.test_serve import ASKED, READY, wait_for_label

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github_app.served.conftest import World
    from tests.postgres_server import PostgresServer

_EXECUTORS = "SELECT 'worker-' || objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 6001002"
_IN_HAND = (
    "SELECT executor_id FROM dbos.workflow_status WHERE status = 'PENDING' AND queue_partition_key = '{}#{}'"
)


def ask(url: str, query: str) -> list[str]:
    with single_connections(url).connect() as connection:
        return [str(row[0]) for row in connection.exec_driver_sql(query)]


def wait_until(condition: Callable[[], bool], seconds: float = 180.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.kill
def test_a_conversation_that_began_on_sqlite_ends_on_two_machines_of_which_one_is_lost(
    own_world: "World", postgres: "PostgresServer", tmp_path: "Path"
) -> None:
    github = own_world.github
    issue = github.open_issue(own_world.orders, "Add a dry_run flag", "to the bulk action")
    github.label(issue)
    wait_for_label(own_world, issue, ASKED)
    assert own_world.app.stop() == 0

    url = postgres.new_database(is_prepared=False)
    (tmp_path / "apart").mkdir()
    app = Apart(github, tmp_path / "apart", {"ASKFIRST_DATABASE_URL": url})
    app.start("web")
    wait_until(app.answers)
    machines: dict[str, str] = {}
    for machine in ("worker-1", "worker-2"):
        app.start(machine)
        wait_until(lambda: len(ask(url, _EXECUTORS)) > len(machines))
        [executor] = set(ask(url, _EXECUTORS)) - machines.keys()
        machines[executor] = machine
    github.webhook_url = f"http://127.0.0.1:{app.port}/webhook"
    lost: list[str] = []

    def lose_the_machine_at_work() -> None:
        [executor] = ask(url, _IN_HAND.format(own_world.orders.id, issue.number))
        lost.append(machines[executor])
        app.kill(machines[executor])

    github.faults.interrupt("POST /repos/*/dispatches", lose_the_machine_at_work, after_effect=True)
    github.comment(issue, "2")
    wait_for_label(own_world, issue, READY)
    assert [comment.via_app for comment in github.comments(issue)] == [True, False, True]
    assert [run.event for run in github.runs(own_world.orders)] == ["issues", "workflow_dispatch"]
    assert len(lost) == 1
    assert set(app.stop().values()) == {0}
    assert "Traceback" not in app.log()
