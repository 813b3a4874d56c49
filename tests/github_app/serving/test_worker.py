"""The worker's edge: what becomes of a delivery that cannot be done now, and what the log says of it."""

import logging
import threading
from contextlib import ExitStack
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from github_app.counting import Counts
from github_app.health.probes import Probing
from github_app.ports.github import AccessWithheld, AppRefused, GitHubUnavailable, NotYet
from github_app.serving.lanes import Lanes
from github_app.serving.worker import Vitals
from github_app.storage.delivery import RetryLater, Wait
from github_app.storage.health import Health
from github_app.sweep.sweep import sweep_delivery
from tests.github_app.fakes.people import REPOSITORY
from tests.github_app.fakes.world import World
from tests.github_app.serving.workers import Queue, WithholdingWorld, a_worker, asking, delivery

WITHHELD = AccessWithheld("POST … answered 403", "Grant issues: write to the App")


def test_what_github_withholds_is_kept_said_once_and_done_when_it_is_granted(
    world: WithholdingWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    ended, worker, world.problem = asking(world), a_worker(world), WITHHELD
    for _ in range(3):
        with pytest.raises(RetryLater, match="Grant issues: write") as caught:
            worker.do(ended)
        assert caught.value.kind is Wait.WITHHELD
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    world.problem = None
    worker.do(ended)
    assert len(world.ours()) == 1


@pytest.mark.process
def test_an_app_that_github_refuses_is_not_ready_until_a_sweep_succeeds(
    world: WithholdingWorld, store_url: str
) -> None:
    health, pulse = Health(store_url), threading.Event()
    vitals, probing = Vitals(health, Counts(), pulse), Probing(store_url)
    worker, ended = a_worker(world, on_refusal=vitals.note_refusal), asking(world)
    pulse.set()
    vitals.tell_if_due()
    assert probing.problems() == []

    world.problem = AppRefused("POST … answered 401", "Compare ASKFIRST_PRIVATE_KEY with the App's page")
    with pytest.raises(RetryLater):
        worker.do(ended)
    vitals.tell_if_due()
    assert probing.problems() == snapshot(["Compare ASKFIRST_PRIVATE_KEY with the App's page."])
    worker.do(sweep_delivery("conversations", world.clock))
    vitals.tell_if_due()
    assert len(probing.problems()) == 1
    worker.do(sweep_delivery("deliveries", world.clock))
    vitals.tell_if_due()
    assert probing.problems() == []
    for opened in (health, probing.health()):
        opened.close()


def test_a_withheld_comment_is_not_taken_for_one_that_was_sent(world: WithholdingWorld) -> None:
    ended, worker, world.problem = asking(world), a_worker(world), WITHHELD
    with pytest.raises(RetryLater):
        worker.do(ended)
    assert world.record.sent is None
    world.problem = None
    slept = world.clock.slept
    worker.do(ended)
    assert world.clock.slept == slept


def test_a_comment_without_an_answer_is_looked_for_only_when_github_shows_it(world: WithholdingWorld) -> None:
    ended, worker, world.problem = asking(world), a_worker(world), GitHubUnavailable("502")
    with pytest.raises(RetryLater) as caught:
        worker.do(ended)
    assert caught.value.kind is Wait.OUTAGE
    assert world.record.sent is not None
    world.problem = None
    worker.do(ended)
    assert world.clock.slept == pytest.approx(3.0)
    assert world.record.sent is None


@pytest.mark.parametrize("action", ["unsuspend", "new_permissions_accepted"])
def test_a_grant_wakes_what_waits_in_the_installation(world: World, action: str) -> None:
    queue = Queue()
    granted = {"action": action, "installation": {"id": REPOSITORY.installation_id}}
    a_worker(world, queue).do(delivery("installation", granted))
    assert queue.woken == [REPOSITORY.installation_id]


def test_one_404_for_a_comment_that_github_has_just_announced_loses_no_reply(world: WithholdingWorld) -> None:
    a_worker(world).do(asking(world))
    payload = world.says("2", deliver=False)
    payload["comment"]["created_at"] = world.clock.now().isoformat()
    world.hidden = 1
    worker = a_worker(world)
    with pytest.raises(RetryLater) as caught:
        worker.do(delivery("issue_comment", payload))
    assert (caught.value.kind, caught.value.seconds) == (Wait.TURN, 3.0)
    world.clock.passes(3)
    worker.do(delivery("issue_comment", payload))
    assert len(world.dispatched) == 1


def test_a_clock_that_is_behind_githubs_loses_no_reply_to_one_404(world: WithholdingWorld) -> None:
    a_worker(world).do(asking(world))
    payload = world.says("2", deliver=False)
    payload["comment"]["created_at"] = (world.clock.now() + timedelta(seconds=50)).isoformat()
    world.hidden = 1
    with pytest.raises(RetryLater):
        a_worker(world).do(delivery("issue_comment", payload))


def test_a_comment_that_is_gone_for_longer_was_deleted(
    world: WithholdingWorld, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    a_worker(world).do(asking(world))
    payload = world.says("2", deliver=False)
    payload["comment"]["created_at"] = world.clock.now().isoformat()
    world.clock.passes(60)
    world.hidden = 1
    a_worker(world).do(delivery("issue_comment", payload))
    assert world.dispatched == []
    comment_id = payload["comment"]["id"]
    assert f"comment {comment_id} on acme/orders#418 is not read: it is gone" in caplog.messages


def test_a_run_that_github_lists_half_a_minute_late_is_not_started_twice() -> None:
    world = World()
    world.run_shown_after = timedelta(seconds=30)
    worker = a_worker(world)
    worker.do(asking(world))
    reply = delivery("issue_comment", world.says("2", deliver=False))
    with pytest.raises(RetryLater):
        worker.do(reply)
    worker.do(reply)
    assert len(world.dispatched) == 1
    assert world.record.given is not None
    assert world.record.given.run_id == world.last_run()


def test_a_burst_of_one_installation_leaves_room_for_the_others() -> None:
    lanes = Lanes(width=2)
    with lanes.enter(1, "a"), lanes.enter(1, "b"):
        with pytest.raises(NotYet) as first, lanes.enter(1, "c"):
            pass
        with pytest.raises(NotYet) as second, lanes.enter(1, "d"):
            pass
        assert 0 < (first.value.retry_after or 0) < (second.value.retry_after or 0)
        with lanes.enter(2, "other"), lanes.enter(None, "none"):
            pass
    with lanes.enter(1, "c"):
        pass


def test_bursts_of_many_installations_leave_room_for_one_that_has_nothing_in_hand() -> None:
    lanes, busy = Lanes(width=2, at_once=8), ExitStack()
    with busy:
        for delivery_id in ("a", "b"):
            busy.enter_context(lanes.enter(1, delivery_id))
            busy.enter_context(lanes.enter(2, delivery_id))
        for quiet in (3, 4, 5, 6):
            busy.enter_context(lanes.enter(quiet, "first"))
        with pytest.raises(NotYet), lanes.enter(3, "second"):
            pass
    with lanes.enter(3, "first"), lanes.enter(3, "second"):
        pass
