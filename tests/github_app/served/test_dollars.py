"""A repository that has spent the dollars of its day starts nothing more, says so, and goes on when it may."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import ReplayOutcome
from sandbox import Sandbox
from sandbox.actions.job import JobFolders
from sandbox.served_app import ServedApp
from tests.github_app.served.conftest import World, scripted_run
from tests.github_app.served.test_serve import ASKED, READY, wait_for_label

LIMIT = "ASKFIRST_DOLLARS_PER_DAY"


class CostlyRuns:
    """Each run tells that it has cost $0.60. Runs hang while `hang` is set."""

    hang = False

    def __call__(self, folders: JobFolders) -> Sequence[str]:
        return ["sleep", "60"] if self.hang else ["env", "SCRIPTED_DOLLARS=0.6", *scripted_run(folders)]


def wait_until(world: World, holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, world.app.log()
        time.sleep(0.05)


def open_conversations(app: ServedApp) -> str:
    program = str(Path(sys.executable).with_name("askfirst-app"))
    return subprocess.run([program, "list"], env=app.environment, capture_output=True, text=True).stdout


def replay(app: ServedApp, timer: str) -> None:
    deliveries = Deliveries(f"sqlite:///{app.environment['ASKFIRST_DATA_DIRECTORY']}/askfirst.sqlite")
    assert deliveries.replay(timer) is ReplayOutcome.ORDERED
    deliveries.close()


def test_after_the_days_dollars_a_reply_waits_and_a_labels_run_is_cancelled_until_they_may_go_on(
    tmp_path: Path,
) -> None:
    runs = CostlyRuns()
    with Sandbox.start(program=runs) as github:
        orders = github.create_repository("orders")
        first, second = (github.open_issue(orders, f"Add dry_run {n}", "to the bulk action") for n in (1, 2))
        with ServedApp(github, tmp_path, {LIMIT: "0.50"}) as app:
            world = World(github, app, orders)
            github.label(first)
            wait_for_label(world, first, ASKED)
            runs.hang = True
            github.label(second)
            github.comment(first, "2")
            wait_until(world, lambda: bool(github.comments(second)) and len(github.comments(first)) == 3)
            github.wait_until_quiet(timeout=180)
            assert [run.conclusion for run in github.runs(orders)] == ["success", "cancelled"]
            notices = [github.comments(first)[-1].body, github.comments(second)[-1].body]
            assert ["has used $0.60 of its $0.50 daily budget" in body for body in notices] == [
                True,
                True,
            ]
            listed = open_conversations(app)
            assert f"acme/orders#{first.number}  running  waits for the dollars of" in listed
            assert listed.count("  $0.60") == 1
            assert "acme/orders has spent $0.60 today (UTC)." in listed
            assert listed.count("waits for the dollars of") == 2
        runs.hang = False
        with ServedApp(github, tmp_path, {LIMIT: "5"}) as app:
            world = World(github, app, orders)
            tomorrow = datetime.now(UTC).date() + timedelta(days=1)
            for issue in (first, second):
                replay(app, f"timer:{orders.id}#{issue.number}:start:{tomorrow}")
            wait_for_label(world, first, READY)
            wait_for_label(world, second, ASKED)
            assert [(run.event, run.attempt) for run in github.runs(orders)] == [
                ("issues", 1), ("issues", 2), ("workflow_dispatch", 1),
            ]  # fmt: skip
            assert "Traceback" not in app.log()
