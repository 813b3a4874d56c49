"""What an operator asks of the engine from the command line."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from github_app import cli
from github_app.commands import askfirst_app
from github_app.settings import CannotStart
from github_app.storage.database import prepare
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery, History, RetryLater
from github_app.storage.health import REPOSITORY, WORKER, Health

pytestmark = pytest.mark.process  # the durable engine starts `file` when it is imported


def call(directory: Path, *arguments: str) -> Result:
    runner = CliRunner(env={"ASKFIRST_DATA_DIRECTORY": str(directory)})
    return runner.invoke(askfirst_app, arguments, standalone_mode=False)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    url = f"sqlite:///{tmp_path / 'askfirst.sqlite'}"
    prepare(url)
    deliveries = Deliveries(url)
    deliveries.accept(Delivery("waiting", "issues", "7#418", {}))
    deliveries.close()
    return tmp_path


def test_where_nothing_is_stuck_it_says_so(database: Path) -> None:
    result = call(database, "stuck")
    assert (result.return_value, result.stdout) == (
        0,
        snapshot(
            "Nothing is stuck. But no worker has been heard yet: start askfirst-app worker, or look at its log.\n"
        ),
    )
    health = Health(f"sqlite:///{database / 'askfirst.sqlite'}")
    health.tell(WORKER, {})
    health.close()
    assert call(database, "stuck").stdout == "Nothing is stuck.\n"
    assert json.loads(call(database, "stuck", "--json").stdout) == []


def test_what_has_not_ended_is_not_replayed(database: Path) -> None:
    result = call(database, "replay", "waiting")
    assert result.return_value == 1
    assert result.stderr == snapshot(
        "waiting is in hand or next in line, and needs no replay. But no worker has been heard yet: start askfirst-app worker, or look at its log.\n"
    )


def test_a_delivery_that_is_not_there_is_said_with_where_ids_are_found(database: Path) -> None:
    result = call(database, "replay", "nonsense")
    assert (result.return_value, result.stderr) == (
        1,
        snapshot(
            "No delivery nonsense is in the store: it never arrived, or it ended longer ago than ASKFIRST_RETENTION_DAYS. Ids are listed by askfirst-app stuck, in the App's log, and under 'Recent deliveries' on the App's page.\n"
        ),
    )


def test_what_waits_and_needs_nobody_is_shown_where_nothing_is_stuck(database: Path) -> None:
    deliveries = Deliveries(f"sqlite:///{database / 'askfirst.sqlite'}")
    later = RetryLater("GET /repos/acme/orders/issues/1 answered 502: Server Error", 30.0)
    deliveries.put_off(Delivery("put-off", "issues", "7#418", {}), later, History(turn=1))
    deliveries.close()
    health = Health(f"sqlite:///{database / 'askfirst.sqlite'}")
    health.tell(f"{REPOSITORY}7", {"full_name": "acme/orders"})
    health.tell(WORKER, {})
    health.close()
    result = call(database, "stuck")
    shown = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-11-24 09:00", result.stdout)
    shown = re.sub(r"\d\d:\d\d:\d\d", "09:00:30", shown)
    assert (result.return_value, shown) == (
        0,
        snapshot("""\
Nothing is stuck.
put-off  waits  issues  acme/orders#418  since 2026-11-24 09:00, next try 09:00:30 (UTC)
    GET /repos/acme/orders/issues/1 answered 502: Server Error
1 delivery waits and is tried again without your doing.
"""),
    )


def test_an_order_without_a_worker_says_that_nobody_carries_it_out(database: Path) -> None:
    result = call(database, "sweep")
    assert (result.exit_code, result.stdout) == (
        0,
        snapshot(
            "Ordered: the worker looks for failed deliveries and compares every open conversation with GitHub. But no worker has been heard yet: start askfirst-app worker, or look at its log.\n"
        ),
    )


def test_a_database_that_is_not_there_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    problem = call(tmp_path / "elsewhere", "stuck").exception
    assert isinstance(problem, CannotStart)
    assert "there is no database at" in str(problem)
    assert not (tmp_path / "elsewhere").exists()


def test_a_mistyped_command_is_a_usage_error() -> None:
    assert cli.run(["stick"]) == 64
