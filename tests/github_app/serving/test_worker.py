"""The worker's edge: what becomes of a delivery that cannot be done now, and what the log says of it."""

import dataclasses
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest

from github_app.conversation.record import State
from github_app.conversation.transcript import Comment
from github_app.counting import Counts
from github_app.intake.delivery import conversation_key, parse_delivery
from github_app.ports.github import AccessWithheld, GitHubUnavailable, NotYet, Place, Repository
from github_app.ports.inventory import FailedDelivery
from github_app.serving.lanes import Lanes
from github_app.serving.worker import Worker
from github_app.storage.deliveries import Delivery, RetryLater
from github_app.storage.waiting import Wait
from github_app.sweep.sweep import Sweep, sweep_delivery, sweep_key
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.world import PLACE, REPOSITORY, World


class WithholdingWorld(World):
    """A GitHub that withholds comments as long as it is told to, and shows a new one late."""

    def __init__(self) -> None:
        super().__init__()
        self.problem: GitHubUnavailable | None = None
        self.hidden = 0

    def post(self, place: Place, body: str) -> int:
        if self.problem is not None:
            raise self.problem
        return super().post(place, body)

    def comment(self, place: Place, comment_id: int) -> Comment | None:
        self.hidden -= 1
        return None if self.hidden >= 0 else super().comment(place, comment_id)


@dataclass
class Queue:
    """The part of the engine that the worker's edge calls: keeps what it is told."""

    woken: list[int] = field(default_factory=list)
    accepted: dict[str, Delivery] = field(default_factory=dict)

    def wake(self, installation_id: int) -> int:
        self.woken.append(installation_id)
        return 0

    def accept(self, delivery: Delivery) -> None:
        self.accepted.setdefault(delivery.id, delivery)

    def is_known(self, delivery_id: str) -> bool:
        return delivery_id in self.accepted


class Inventory:
    """A GitHub on which nothing was missed but what a test puts in."""

    def __init__(self) -> None:
        self.failed: list[tuple[FailedDelivery, dict[str, Any]]] = []
        self.runs: list[dict[str, Any]] = []
        self.issues: list[int] = []
        self.fails_after_the_first = 0

    def failed_deliveries(self, since: datetime) -> Iterator[FailedDelivery]:
        yield from (delivery for delivery, _ in self.failed)

    def payload(self, delivery_id: int) -> dict[str, Any]:
        return next(payload for delivery, payload in self.failed if delivery.id == delivery_id)

    def repositories(self) -> Iterator[Repository]:
        yield REPOSITORY
        if self.fails_after_the_first:
            self.fails_after_the_first -= 1
            raise GitHubUnavailable("502")

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        yield from self.issues

    def ended_runs(self, repository: Repository, since: datetime) -> Iterator[dict[str, Any]]:
        yield from self.runs


def a_worker(world: World, queue: Queue | None = None, inventory: Inventory | None = None) -> Worker:
    queue = queue or Queue()
    sweep = Sweep(inventory or Inventory(), queue, world.conversations, world.clock)
    return Worker(world.app, queue, sweep, Counts())


def works_off(worker: Worker, queue: Queue) -> None:
    """Do what was accepted, and what comes of it."""
    done: set[str] = set()
    while fresh := [delivery for delivery in queue.accepted.values() if delivery.id not in done]:
        for delivery in fresh:
            worker.do(delivery)
            done.add(delivery.id)


@pytest.fixture
def world() -> WithholdingWorld:
    return WithholdingWorld()


def delivery(event: str, payload: dict[str, Any], delivery_id: str = "one") -> Delivery:
    parsed = parse_delivery(event, payload)
    assert parsed is not None
    return Delivery(delivery_id, event, conversation_key(parsed), payload)


def asking(world: World) -> Delivery:
    world.labels_it()
    return delivery("workflow_run", world.run_ends(world.label_run(), two_routes(), deliver=False))


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


def test_a_comment_that_is_gone_for_longer_was_deleted(world: WithholdingWorld) -> None:
    a_worker(world).do(asking(world))
    payload = world.says("2", deliver=False)
    payload["comment"]["created_at"] = world.clock.now().isoformat()
    world.clock.passes(60)
    world.hidden = 1
    a_worker(world).do(delivery("issue_comment", payload))
    assert world.dispatched == []


class LaggingWorld(World):
    """A GitHub that starts a run, does not answer, and shows the run in its list only after a while."""

    def __init__(self, lag: float) -> None:
        super().__init__()
        self.lag = lag

    @property
    def app(self) -> Any:
        app = super().app
        lagging: Any = _Lagging(self, app.workflows)
        return replace(app, workflows=lagging)


@dataclass
class _Lagging:
    world: LaggingWorld
    workflows: Any

    def dispatch(self, repository: Any, inputs: Any) -> int | None:
        self.workflows.dispatch(repository, inputs)
        raise GitHubUnavailable("got no answer")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.workflows, name)

    def step(self, repository: Any, run_id: int) -> Any:
        return self.workflows.step(repository, run_id)

    def source(self, repository: Any, commit: str) -> Any:
        return self.workflows.source(repository, commit)

    def find(self, repository: Any, run_name: str) -> Any:
        run = self.workflows.find(repository, run_name)
        if run is None:
            return None
        age = (self.world.clock.now() - self.world.created[run.id]).total_seconds()
        return run if age > self.world.lag else None


def test_a_run_that_github_lists_half_a_minute_late_is_not_started_twice() -> None:
    world = LaggingWorld(lag=30)
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


def test_a_delivery_that_github_could_not_bring_is_taken_up_once(world: WithholdingWorld) -> None:
    queue, inventory = Queue(), Inventory()
    payload = world.labels_it(deliver=False)
    inventory.failed = [
        (FailedDelivery(1, "guid-1", "issues"), payload),
        (FailedDelivery(2, "guid-2", "push"), {"ref": "refs/heads/main"}),
    ]
    worker = a_worker(world, queue, inventory)
    for _ in range(2):
        worker.do(sweep_delivery("deliveries", world.clock))
    assert list(queue.accepted) == ["guid-1"]
    works_off(worker, queue)
    assert world.state() is State.RUNNING


class SecondReading(Inventory):
    """The payloads of odd deliveries are readable from the second time on."""

    def __init__(self, problem: GitHubUnavailable) -> None:
        super().__init__()
        self._problem = problem
        self._read: set[int] = set()

    def payload(self, delivery_id: int) -> dict[str, Any]:
        if delivery_id % 2 and delivery_id not in self._read:
            self._read.add(delivery_id)
            raise self._problem
        return super().payload(delivery_id)


@pytest.mark.parametrize(
    ("problem", "at_first"),
    [(GitHubUnavailable("500"), ["guid-2"]), (NotYet("a rate limit", retry_after=60), [])],
)
def test_a_missed_delivery_that_cannot_be_read_holds_up_others_only_where_github_asks_to_wait(
    world: WithholdingWorld, problem: GitHubUnavailable, at_first: list[str]
) -> None:
    queue, inventory = Queue(), SecondReading(problem)
    payload = world.labels_it(deliver=False)
    inventory.failed = [(FailedDelivery(n, f"guid-{n}", "issues"), payload) for n in (1, 2)]
    worker = a_worker(world, queue, inventory)
    with pytest.raises(RetryLater):
        worker.do(sweep_delivery("deliveries", world.clock))
    assert list(queue.accepted) == at_first
    worker.do(sweep_delivery("deliveries", world.clock))
    assert sorted(queue.accepted) == ["guid-1", "guid-2"]


def test_a_reply_sent_while_the_app_was_down_is_taken_up(world: WithholdingWorld) -> None:
    queue, inventory = Queue(), Inventory()
    worker = a_worker(world, queue, inventory)
    worker.do(asking(world))
    world.says("let me think", deliver=False)
    world.says("2", deliver=False)
    for _ in range(2):
        world.clock.passes(60)
        worker.do(sweep_delivery("conversations", world.clock))
        works_off(worker, queue)
    assert len(world.dispatched) == 1
    hints = [body for body in world.ours() if "I say this once per question" in body]
    assert (len(hints), len(world.ours())) == (1, 2)


def test_a_run_that_ended_while_the_app_was_down_is_taken_up(world: WithholdingWorld) -> None:
    queue, inventory = Queue(), Inventory()
    world.labels_it()
    ended = world.run_ends(world.label_run(), two_routes(), deliver=False)
    inventory.runs = [ended["workflow_run"]]
    worker = a_worker(world, queue, inventory)
    for _ in range(2):
        world.clock.passes(60)
        worker.do(sweep_delivery("conversations", world.clock))
        works_off(worker, queue)
    assert world.state() is State.ASKING
    assert len(world.ours()) == 1


class TwoRepositories(Inventory):
    """The first one cannot be read."""

    def repositories(self) -> Iterator[Repository]:
        yield dataclasses.replace(REPOSITORY, id=9, full_name="acme/broken")
        yield REPOSITORY

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        if repository.id == 9:
            raise GitHubUnavailable("502")
        yield from self.issues


def test_a_repository_that_cannot_be_read_holds_up_no_other(world: WithholdingWorld) -> None:
    inventory, queue = TwoRepositories(), Queue()
    inventory.issues = [418]
    sweep = Sweep(inventory, queue, world.conversations, world.clock)
    with pytest.raises(GitHubUnavailable):
        sweep.conversations("now")
    assert [delivery.conversation for delivery in queue.accepted.values()] == [f"{REPOSITORY.id}#418"]


def test_a_sweep_that_waits_holds_up_no_sweep_of_the_other_kind(world: WithholdingWorld) -> None:
    orders = [sweep_delivery(kind, world.clock) for kind in ("deliveries", "conversations")]
    assert len({order.conversation for order in orders}) == 2
    assert [order.conversation for order in orders] == [sweep_key("deliveries"), sweep_key("conversations")]


def test_a_sweep_that_is_begun_again_has_nothing_compared_twice(world: WithholdingWorld) -> None:
    """The second of two repositories cannot be read: the sweep begins again and again, and meets the first one each time."""
    queue, inventory = Queue(), Inventory()
    worker = a_worker(world, queue, inventory)
    worker.do(asking(world))
    inventory.fails_after_the_first = 3
    order = sweep_delivery("conversations", world.clock)
    for _ in range(3):
        with pytest.raises(RetryLater):
            worker.do(order)
        world.clock.passes(60)
    worker.do(order)
    assert [delivery.event for delivery in queue.accepted.values()] == ["compare"]
    worker.do(sweep_delivery("conversations", world.clock))
    assert [delivery.event for delivery in queue.accepted.values()] == ["compare", "compare"]


@pytest.mark.parametrize(
    ("what", "state"), [("closed", State.CLOSED), ("unlabeled", State.STOPPED), ("edited", State.STOPPED)]
)
def test_what_happened_to_an_issue_while_the_app_was_down_is_seen(
    world: WithholdingWorld, what: str, state: State
) -> None:
    queue = Queue()
    worker = a_worker(world, queue)
    worker.do(asking(world))
    if what == "closed":
        world.closes_it(deliver=False)
    elif what == "unlabeled":
        world.remove_label(PLACE, "askfirst")
    else:
        world.the_issue = replace(world.the_issue, body="Something else.")
    worker.do(sweep_delivery("conversations", world.clock))
    works_off(worker, queue)
    assert world.state() is state


def test_a_store_that_was_lost_is_built_again_with_its_timers_and_asks_nothing_twice(
    world: WithholdingWorld,
) -> None:
    queue, inventory = Queue(), Inventory()
    worker = a_worker(world, queue, inventory)
    worker.do(asking(world))
    before = world.record
    timers = dict(world.set_timers)
    assert len(timers) == 2
    world.conversations.rows.clear()
    world.set_timers.clear()
    inventory.issues = [PLACE.issue]
    inventory.runs = [world._run_payload(world.last_run())["workflow_run"]]
    world.says("2", deliver=False)
    worker.do(sweep_delivery("conversations", world.clock))
    compared = next(delivery for delivery in queue.accepted.values() if delivery.event == "compare")
    worker.do(compared)
    assert world.set_timers == timers
    assert world.record.question == before.question
    works_off(worker, queue)
    assert len(world.ours()) == 1
    assert len(world.dispatched) == 1
