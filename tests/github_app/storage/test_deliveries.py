"""Attack 12: what was accepted is done once, whatever is killed, repeated or wrong."""

import json
import resource
import sqlite3
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from inline_snapshot import snapshot
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError, OperationalError, SQLAlchemyError

from github_app.storage.database import (
    DatabaseUnusable,
    connect,
    engine_table,
    is_transient,
    prepare,
    refuse_old_sqlite,
)
from github_app.storage.deliveries import Deliveries, _Arrivals
from github_app.storage.delivery import Delivery, ReplayOutcome, RetryLater, Wait
from github_app.storage.engine import _attempt, _retry_write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.github_app.storage.conftest import Bench


def full_disk() -> OperationalError:
    return OperationalError("INSERT", {}, Exception("database or disk is full"))


def test_attack_12_the_same_delivery_twice_is_done_once(bench: "Bench") -> None:
    bench.accept("one")
    bench.accept("one")
    bench.worker()
    bench.wait_for("one")
    bench.accept("one")
    bench.accept("after")
    bench.wait_for("after")
    assert bench.count("one", "begun") == 1


def test_attack_12_a_delivery_whose_worker_was_killed_is_done_again_and_before_what_came_later(
    bench: "Bench",
) -> None:
    bench.accept("one", seconds=1.0)
    bench.accept("later", seconds=0)
    worker = bench.worker()
    bench.wait_for("one", "begun")
    worker.kill()
    worker.wait()
    assert bench.count("one", "done") == 0
    bench.worker()
    bench.wait_for("later")
    assert [(line["id"], line["what"]) for line in bench.log()] == snapshot(
        [
            ("one", "begun"),
            ("one", "begun"),
            ("one", "done"),
            ("later", "begun"),
            ("later", "done"),
        ]
    )


def test_attack_12_a_delivery_that_failed_is_shown_as_stuck_and_a_redelivery_tries_again(
    bench: "Bench",
) -> None:
    bench.worker()
    bench.accept("bad", conversation="1#7", told="fail")
    bench.wait_for("bad", "begun", times=4)
    deadline = time.monotonic() + 180
    while not bench.deliveries.stuck_deliveries() and time.monotonic() < deadline:
        time.sleep(0.05)
    [stuck] = bench.deliveries.stuck_deliveries()
    assert (stuck.id, stuck.event, stuck.conversation, stuck.status) == ("bad", "issues", "1#7", "ERROR")
    assert stuck.error == snapshot("delivery bad (issues) is stuck: ValueError: a mistake in the program")
    bench.accept("bad", conversation="1#7", told="fail")
    bench.wait_for("bad", "begun", times=5)


def test_a_rate_limit_puts_a_delivery_off_and_it_is_done_once(file_bench: "Bench") -> None:
    file_bench.worker()
    file_bench.accept("limited", told="later")
    file_bench.wait_for("limited")
    file_bench.accept("limited", told="later")
    file_bench.accept("after")
    file_bench.wait_for("after")
    assert file_bench.count("limited", "done") == 1
    assert file_bench.deliveries.waiting_deliveries() == []


def test_what_an_operator_must_grant_is_listed_as_stuck_and_done_when_it_is_granted(bench: "Bench") -> None:
    bench.worker()
    bench.accept("kept", told="withheld", installation={"id": 55})
    bench.wait_for("kept", "begun")
    deadline = time.monotonic() + 180
    while not bench.deliveries.stuck_deliveries() and time.monotonic() < deadline:
        time.sleep(0.05)
    [stuck] = bench.deliveries.stuck_deliveries()
    assert (stuck.id, stuck.status, stuck.error) == ("kept", "WAITING", "Grant issues: write to the App")
    assert bench.deliveries.wake(54) == 0
    while not bench.count("kept", "done"):
        assert bench.deliveries.wake(55) in {0, 1}
        time.sleep(0.1)
    assert time.monotonic() < deadline
    while bench.deliveries.stuck_deliveries():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_waits_for_an_operator_is_tried_at_once_when_a_worker_starts(file_bench: "Bench") -> None:
    """So is what waits behind it."""
    first = file_bench.worker()
    file_bench.accept("kept", told="withheld")
    file_bench.wait_for("kept", "begun")
    while not file_bench.deliveries.is_known("kept~0001"):
        time.sleep(0.05)
    file_bench.accept("behind")
    while not file_bench.deliveries.is_known("behind~0001"):
        time.sleep(0.05)
    first.kill()
    first.wait()
    file_bench.deliveries.wake_withheld()
    file_bench.worker()
    file_bench.wait_for("kept")
    file_bench.wait_for("behind")


def test_deliveries_of_one_conversation_are_done_in_turn_and_others_side_by_side(bench: "Bench") -> None:
    for number in range(3):
        bench.accept(f"mine-{number}", conversation="1#1", seconds=0.4)
    bench.accept("other", conversation="1#2", seconds=0.4)
    bench.worker()
    for number in range(3):
        bench.wait_for(f"mine-{number}")
    bench.wait_for("other")
    log = bench.log()
    mine = [line["what"] for line in log if line["id"].startswith("mine")]
    assert mine == ["begun", "done"] * 3
    last_of_mine = max(line["at"] for line in log if line["id"].startswith("mine"))
    assert next(line["at"] for line in log if line["id"] == "other") < last_of_mine - 0.4


def test_a_timer_goes_off_though_nobody_ran_meanwhile_and_a_cancelled_one_never_does(bench: "Bench") -> None:
    first = bench.worker()
    bench.accept("warm")
    bench.wait_for("warm")
    for timer in ("kept", "cancelled", "kept"):
        bench.deliveries.timer(Delivery(timer, "timer", "1#1", {}), 2.0)
    bench.deliveries.cancel("cancelled")
    bench.deliveries.cancel("never set")
    first.kill()
    first.wait()
    time.sleep(2.2)
    bench.worker()
    bench.wait_for("kept")
    bench.accept("after")
    bench.wait_for("after")
    assert bench.count("kept", "begun") == 1
    assert bench.count("cancelled", "begun") == 0


def test_a_delivery_is_replayed_only_when_it_has_ended(bench: "Bench") -> None:
    bench.accept("one")
    assert bench.deliveries.replay("one") is ReplayOutcome.IN_HAND
    assert bench.deliveries.replay("unheard of") is ReplayOutcome.UNKNOWN
    bench.worker()
    bench.wait_for("one")
    deadline = time.monotonic() + 30
    while bench.deliveries.replay("one") is not ReplayOutcome.ORDERED:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    bench.wait_for("one", times=2)


def test_a_second_worker_on_the_same_database_refuses_to_start_until_the_first_is_dead(
    file_bench: "Bench",
) -> None:
    first = file_bench.worker()
    file_bench.accept("one")
    file_bench.wait_for("one")
    second = file_bench.worker()
    assert second.wait(timeout=180) != 0
    assert second.stderr is not None
    assert b"SecondWorker: another worker holds" in second.stderr.read()
    first.kill()
    first.wait()
    file_bench.worker()
    file_bench.accept("two")
    file_bench.wait_for("two")


def test_a_worker_that_is_told_to_end_finishes_what_it_has_in_hand(file_bench: "Bench") -> None:
    worker = file_bench.worker()
    file_bench.accept("long", seconds=1.5)
    file_bench.wait_for("long", "begun")
    worker.terminate()
    assert worker.wait(timeout=180) == 0
    assert file_bench.count("long", "done") == 1
    file_bench.worker()
    file_bench.accept("after")
    file_bench.wait_for("after")
    assert file_bench.count("long", "begun") == 1


def test_a_worker_that_is_told_to_end_does_not_wait_for_what_hangs(file_bench: "Bench") -> None:
    file_bench.accept("one", seconds=60)
    worker = file_bench.worker()
    file_bench.wait_for("one", "begun")
    began = time.monotonic()
    worker.terminate()
    assert worker.wait(timeout=50) == 0
    assert time.monotonic() - began < 40


def test_a_delivery_whose_worker_ends_while_the_store_refuses_is_done_by_the_next(
    file_bench: "Bench",
) -> None:
    worker = file_bench.worker()
    file_bench.accept("one")
    file_bench.wait_for("one")
    file_bench.accept("two", told="later", seconds=1.0)
    file_bench.wait_for("two", "begun")
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))
    time.sleep(1.5)
    worker.terminate()
    assert worker.wait(timeout=180) == 0
    file_bench.worker()
    file_bench.wait_for("two")


def test_a_disk_that_was_full_for_a_while_strands_nothing(file_bench: "Bench") -> None:
    """The end of a delivery that cannot be written leaves a row that counts as running, and that nobody runs."""
    worker = file_bench.worker()
    file_bench.accept("in hand", seconds=1.0)
    file_bench.accept("behind")
    file_bench.wait_for("in hand", "begun")
    a_few_pages, unlimited = 8192, resource.RLIM_INFINITY
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (a_few_pages, unlimited))
    file_bench.wait_for("in hand")
    time.sleep(1.5)
    assert file_bench.count("behind", "begun") == 0
    resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    file_bench.wait_for("behind", seconds=120)
    assert file_bench.deliveries.stuck_deliveries() == []


def test_what_is_stored_is_json_and_never_code(bench: "Bench") -> None:
    bench.accept("one", text="grüß")
    store = connect(bench.url)
    status = engine_table(store, "workflow_status", "serialization")
    with store.connect() as connection:
        inputs = connection.execute(
            select(engine_table(store, "workflow_input", "inputs").c.inputs)
        ).scalar_one()
        assert connection.execute(select(status.c.serialization)).scalar_one() == "portable_json"
    store.dispose()
    turn = json.loads(inputs)["positionalArgs"][-1]["turn"]
    assert json.loads(inputs)["positionalArgs"] == [
        "issues",
        "1#1",
        {"text": "grüß"},
        {"turn": turn, "postponements": 0, "failures": 0, "since": 0.0},
    ]
    assert abs(turn / 1000 - time.time()) < 60


def test_a_file_lets_readers_and_a_writer_work_side_by_side(sqlite_url: str) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as connection:
        [mode] = connection.execute("PRAGMA journal_mode").fetchone()
    connection.close()
    assert mode == "wal"


def test_waits_grow_and_are_never_shorter_than_asked_for() -> None:
    assert [RetryLater("x").wait(n) for n in (0, 1, 2, 14)] == [1.0, 2.0, 4.0, 3600.0]
    assert [RetryLater("x", 90).wait(n) for n in (0, 6, 7)] == [90.0, 90.0, 128.0]
    assert RetryLater("x", 7200).wait(0) == 7200


def test_a_python_that_sqlite_is_too_old_for_is_refused_with_advice() -> None:
    with pytest.raises(DatabaseUnusable) as caught:
        refuse_old_sqlite((3, 13), (3, 40, 1))
    assert str(caught.value) == snapshot(
        "Python 3.13 comes with SQLite 3.40.1 here, and the engine needs SQLite 3.42 or newer with it. Use an image with a newer SQLite (python:3.13-slim-trixie), or Python 3.11."
    )
    refuse_old_sqlite((3, 11), (3, 40, 1))
    refuse_old_sqlite((3, 13), (3, 46, 1))


@pytest.mark.parametrize(
    "url",
    [
        "postgres://localhost/askfirst",
        "mysql://localhost/askfirst",
        "sqlite://",
        "sqlite:///:memory:",
        "askfirst.db",
    ],
)
def test_a_database_that_cannot_serve_two_processes_is_refused(url: str) -> None:
    with pytest.raises(DatabaseUnusable, match="must name an SQLite file"):
        prepare(url)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DatabaseUnusable, match="ASKFIRST_DATA_DIRECTORY"):
        prepare(f"sqlite:///{tmp_path}/file/askfirst.sqlite")


def test_an_error_of_the_store_shows_nothing_of_what_was_to_be_stored(tmp_path: Path) -> None:
    store = connect(f"sqlite:///{tmp_path}/empty.sqlite")
    with store.connect() as connection, pytest.raises(OperationalError) as refused:
        connection.execute(text("INSERT INTO nothing VALUES (:body)"), {"body": "what somebody wrote"})
    assert "what somebody wrote" not in str(refused.value)


def test_what_the_store_refuses_each_time_is_not_asked_again(tmp_path: Path) -> None:
    prepare(url := f"sqlite:///{tmp_path / 'a.sqlite'}")
    engine = connect(url)
    full = full_disk()
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (a INTEGER PRIMARY KEY)")
    with engine.connect() as connection, pytest.raises(IntegrityError) as broken_rule:
        connection.exec_driver_sql("INSERT INTO t VALUES (1), (1)")
    engine.dispose()
    assert is_transient(full)
    assert not is_transient(broken_rule.value)
    delivery, tries = Delivery("one", "issues", "1#1", {}), []

    def do(problem: SQLAlchemyError, _delivery: Delivery) -> None:
        raise problem

    def write() -> None:
        tries.append(1)
        raise broken_rule.value

    later = _attempt(partial(do, full), delivery)
    assert isinstance(later, RetryLater)
    assert later.kind is Wait.OUTAGE
    assert _attempt(partial(do, broken_rule.value), delivery) is broken_rule.value
    with pytest.raises(IntegrityError):
        _retry_write(write)
    assert tries == [1]


def test_an_engine_that_nobody_used_closes_without_connecting(tmp_path: Path) -> None:
    Deliveries(f"sqlite:///{tmp_path}/missing.sqlite").close()
    assert not (tmp_path / "missing.sqlite").exists()


@pytest.mark.parametrize(
    ("problem", "outcomes"),
    [(None, "stored stored stored"), (full_disk(), "stored stored full"), (TypeError(), "lost lost broken")],
    ids=["well", "one that the store refuses", "a mistake in the program"],
)
def test_what_arrives_while_another_is_stored_is_stored_together_and_every_sender_hears_how(
    problem: Exception | None, outcomes: str
) -> None:
    is_first_let_go, writes = threading.Event(), list[list[str]]()

    def write(deliveries: "Sequence[Delivery]") -> None:
        ids = [delivery.id for delivery in deliveries]
        writes.append(ids)
        if ids == ["first"]:
            is_first_let_go.wait(60)
        if "last" in ids and problem is not None:
            raise problem

    arrivals = _Arrivals(write)

    def send(delivery_id: str) -> str:
        try:
            arrivals.store(Delivery(delivery_id, "issues", "1#1", {}))
        except OperationalError:
            return "full"
        except TypeError:
            return "broken"
        except CancelledError:
            return "lost"
        return "stored"

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(send, "first")
        while writes != [["first"]]:
            time.sleep(0.001)
        others = []
        for number, delivery_id in enumerate(("one", "two", "last"), 1):
            others.append(pool.submit(send, delivery_id))
            while len(arrivals._pile) < number:
                time.sleep(0.001)
        is_first_let_go.set()
        assert first.result(60) == "stored"
        heard = [other.result(60) for other in others]
    assert writes[1] == ["one", "two", "last"]
    assert sorted(heard) == sorted(outcomes.split())
