"""Several workers on one Postgres database, as on several machines: nothing lost, nothing twice, and one after another."""

import random
import signal
import subprocess
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from inline_snapshot import snapshot

from github_app.serving.worker import shared_chore
from github_app.storage.conversations import StoredConversations
from github_app.storage.database import (
    DatabaseUnusable,
    copy_to,
    prepare,
    refuse_missing,
    refuse_wrong_clock,
    single_connections,
)
from github_app.storage.deliveries import Deliveries, _arguments, _options
from github_app.storage.delivery import Delivery, History
from github_app.storage.health import Health
from github_app.storage.pace import SharedPace
from github_app.storage.store_clock import StoreClock

if TYPE_CHECKING:
    from pathlib import Path

    from tests.github_app.storage.conftest import Bench
    from tests.postgres_server import PostgresServer

_HOLD_THE_CLAIM_OF_FIRST = """
CREATE FUNCTION hold_the_claim() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF NEW.workflow_uuid = 'first' AND NEW.status = 'PENDING' THEN PERFORM pg_advisory_xact_lock(42); END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER hold_the_claim BEFORE UPDATE ON dbos.workflow_status FOR EACH ROW EXECUTE FUNCTION hold_the_claim();
"""
_CLAIM_IS_HELD = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted"
_SLOT_HOLDERS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 6001002 AND granted"


def ask(bench: "Bench", statement: str) -> list[int]:
    """The first column of what the server answers, if it answers rows."""
    server = single_connections(bench.url)
    with server.connect() as connection:
        result = connection.exec_driver_sql(statement)
        return [row[0] for row in result] if result.returns_rows else []


def wait_for_workers(bench: "Bench", number: int) -> None:
    deadline = time.monotonic() + 180
    while len(ask(bench, _SLOT_HOLDERS)) != number:
        assert time.monotonic() < deadline
        time.sleep(0.1)


def overlaps(bench: "Bench") -> list[str]:
    return [line["id"] for line in bench.log() if line["what"] == "overlap"]


def test_a_conversation_is_never_in_two_hands_though_the_queue_hands_it_out_twice(
    server_bench: "Bench",
) -> None:
    """While one worker claims a delivery, one with an earlier turn comes in, and the other worker claims that."""
    bench = server_bench
    ask(bench, _HOLD_THE_CLAIM_OF_FIRST)
    bench.worker()
    bench.worker()
    wait_for_workers(bench, 2)
    with single_connections(bench.url).connect() as holder:
        holder.exec_driver_sql("SELECT pg_advisory_lock(42)")
        bench.accept("first")
        while not ask(bench, _CLAIM_IS_HELD):
            time.sleep(0.01)
        earlier = Delivery("earlier turn", "issues", "1#1", {"seconds": 2.0})
        bench.deliveries._client.enqueue(
            {**_options(earlier, earlier.id, 0), "priority": 1}, *_arguments(earlier, History(0))
        )
        bench.wait_for("earlier turn", "begun")
    bench.wait_for("first")
    assert overlaps(bench) == []
    assert bench.deliveries.is_known("first~0001")


def test_what_a_machine_had_in_hand_that_never_returns_is_done_by_one_that_lives(
    server_bench: "Bench",
) -> None:
    bench = server_bench
    workers = {worker.pid: worker for worker in (bench.worker(), bench.worker())}
    wait_for_workers(bench, 2)
    bench.accept("one", told="once", seconds=0.5)
    bench.accept("behind")
    bench.wait_for("one", "begun")
    workers[bench.log()[0]["pid"]].kill()
    bench.wait_for("behind", seconds=120)
    assert (bench.count("one", "begun"), bench.count("one", "done"), overlaps(bench)) == (2, 1, [])


def test_a_worker_that_loses_its_lock_ends_and_what_it_had_in_hand_is_done_by_another(
    server_bench: "Bench",
) -> None:
    bench = server_bench
    first = bench.worker()
    bench.accept("one", seconds=3.0)
    bench.wait_for("one", "begun")
    ask(bench, _SLOT_HOLDERS.replace("SELECT pid", "SELECT pg_terminate_backend(pid)"))
    assert first.wait(timeout=120) == 3
    assert first.stderr is not None
    assert b"the connection that holds this worker's locks is gone" in first.stderr.read()
    assert bench.count("one", "done") == 0
    bench.worker()
    bench.wait_for("one")


@pytest.mark.kill
def test_150_deliveries_and_4_kills_of_2_workers_lose_double_and_overlap_nothing(
    server_bench: "Bench",
) -> None:
    bench, seed = server_bench, random.randrange(10_000)
    print(f"seed {seed}")
    dice = random.Random(seed)
    workers: list[subprocess.Popen[bytes]] = [bench.worker(), bench.worker()]
    wait_for_workers(bench, 2)
    ids = [f"delivery-{number}" for number in range(150)]
    kills = sorted(dice.sample(range(20, 150), 4))
    for number, delivery_id in enumerate(ids):
        bench.accept(delivery_id, conversation=f"1#{dice.randrange(20)}", told="once", seconds=0.03)
        if dice.random() < 0.05:
            bench.accept(dice.choice(ids[: number + 1]), told="once")
        if number in kills:
            victim = dice.randrange(2)
            workers[victim].kill()
            workers[victim] = bench.worker()
        time.sleep(0.02)
    for delivery_id in ids:
        bench.wait_for(delivery_id, seconds=120)
    done = Counter(line["id"] for line in bench.log() if line["what"] == "done")
    assert (done.keys() - set(ids), {i: n for i, n in done.items() if n > 1}, overlaps(bench)) == (
        set(),
        {},
        [],
    )
    wait_for_workers(bench, 2)  # one that was killed last may still be replaced
    for worker in workers:
        worker.send_signal(signal.SIGTERM)
    assert [worker.wait(timeout=180) for worker in workers] == [0, 0]


def test_machines_that_start_at_once_make_the_tables_once(postgres: "PostgresServer") -> None:
    url = postgres.new_database(is_prepared=False)
    problems: list[Exception] = []
    together = threading.Barrier(6)

    def start() -> None:
        try:
            prepare(url)
            together.wait(60)
            StoredConversations(url).close()
        except (sa.exc.SQLAlchemyError, DatabaseUnusable) as problem:
            problems.append(problem)

    threads = [threading.Thread(target=start) for _ in range(together.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_machines_share_one_pace_for_each_installation(postgres: "PostgresServer") -> None:
    url = postgres.new_database()
    one, other = SharedPace(url, 60.0), SharedPace(url, 60.0)
    turns = [pace.ask(7, is_receipt=True) for pace in (one, other) * 4]
    assert [seconds for seconds, _ in turns] == pytest.approx([0.0] * 5 + [60.0, 120.0, 180.0], abs=5)
    assert other.ask(8, is_receipt=False) == (0.0, True)
    seconds, is_ours = one.ask(8, is_receipt=False)
    assert not is_ours
    assert seconds == pytest.approx(60.0, abs=5)
    assert one.ask(8, is_receipt=True) == (0.0, True)
    unpaced = SharedPace(url, 0.0)
    unpaced.wait(7)
    for pace in (one, other, unpaced):
        pace.close()


def test_the_order_is_that_of_the_servers_clock(postgres: "PostgresServer") -> None:
    """A machine whose clock is wrong by an hour must not bring its deliveries before those of others."""
    url = postgres.new_database()
    clock, machine = StoreClock(url), time.time()
    assert clock.now() == pytest.approx(machine, abs=5)
    clock._ahead += 3600
    deliveries = Deliveries(url)
    deliveries.clock = clock
    deliveries.accept(Delivery("one", "issues", "1#1", {}))
    [row] = deliveries._client.list_workflows()
    assert row.input is not None
    assert row.input["args"][-1]["turn"] / 1000 == pytest.approx(machine + 3600, abs=5)
    deliveries.close()


def test_a_machine_whose_clock_is_wrong_is_refused_with_what_to_do() -> None:
    refuse_wrong_clock(machine=1000.0, server=1030.0)
    with pytest.raises(DatabaseUnusable) as refused:
        refuse_wrong_clock(machine=8200.0, server=1000.0)
    assert str(refused.value) == snapshot(
        "The clock of this machine is 7200 s ahead of that of the database, and timers would go off at the wrong time. Set it: timedatectl set-ntp true"
    )
    with pytest.raises(DatabaseUnusable, match="7200 s behind that of the database"):
        refuse_wrong_clock(machine=1000.0, server=8200.0)


def test_a_chore_for_all_is_done_by_each_at_its_start_and_then_by_one(store_url: str) -> None:
    done: list[str] = []
    one, other = Health(store_url), Health(store_url)
    first = shared_chore("retention", 3600.0, lambda: done.append("first"), one)
    second = shared_chore("retention", 3600.0, lambda: done.append("second"), other)
    for chore in (first, second, first, second):
        chore.due = 0.0
        chore.look()
    assert done == ["first", "second"]
    assert one.claim("retention", every=0.0)
    assert not other.claim("retention", every=3600.0)
    one.close()
    other.close()


def test_a_server_that_cannot_be_used_is_said_with_what_to_do_and_without_the_password(
    postgres: "PostgresServer",
) -> None:
    url = postgres.url("missing").replace("askfirst@", "askfirst:a-password@")
    for look in (prepare, refuse_missing):
        with pytest.raises(DatabaseUnusable) as refused:
            look(url)
        assert 'database "missing" does not exist' in str(refused.value)
        assert "a-password" not in str(refused.value)
    with pytest.raises(DatabaseUnusable, match="there is no database at"):
        refuse_missing(postgres.new_database(is_prepared=False))


def test_a_backup_of_a_server_names_the_tool_of_postgres(tmp_path: "Path") -> None:
    with pytest.raises(DatabaseUnusable, match="pg_dump --format=custom"):
        copy_to("postgresql://askfirst@127.0.0.1/askfirst", tmp_path / "copy")
