"""What a worker takes up after the App was down, or after its store was lost."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from github_app.conversation.record import State
from github_app.ports.github import GitHubUnavailable, NotYet, Repository
from github_app.serving.worker import Worker
from github_app.storage.delivery import Delivery, RetryLater, Wait
from github_app.sweep.sweep import Sweep, sweep_delivery, sweep_key
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.endings import a_ticket
from tests.github_app.fakes.payloads import run_payload
from tests.github_app.fakes.people import PLACE, REPOSITORY
from tests.github_app.serving.workers import (
    Inventory,
    Queue,
    WithholdingWorld,
    a_worker,
    an_attempt,
    asking,
    works_off,
)


def test_a_delivery_that_github_could_not_bring_is_taken_up_once(world: WithholdingWorld) -> None:
    queue, inventory = Queue(), Inventory()
    payload = world.labels_it(deliver=False)
    inventory.failed = [
        (an_attempt(1), payload),
        (an_attempt(2, "push"), {"ref": "refs/heads/main"}),
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
    inventory.failed = [(an_attempt(n), payload) for n in (1, 2)]
    worker = a_worker(world, queue, inventory)
    with pytest.raises(RetryLater):
        worker.do(sweep_delivery("deliveries", world.clock))
    assert list(queue.accepted) == at_first
    worker.do(sweep_delivery("deliveries", world.clock))
    assert sorted(queue.accepted) == ["guid-1", "guid-2"]


def tries_until_done(worker: Worker, order: Delivery) -> list[RetryLater]:
    """Why the worker put an order off, until it was done."""
    postponements: list[RetryLater] = []
    while True:
        try:
            worker.do(order)
        except RetryLater as later:
            assert len(postponements) < 100
            postponements.append(later)
        else:
            return postponements


def test_a_sweep_of_many_pages_goes_on_where_github_failed_and_does_not_count_as_failing(
    world: WithholdingWorld,
) -> None:
    queue, inventory = Queue(), Inventory()
    payload = world.labels_it(deliver=False)
    inventory.failed = [(an_attempt(n), payload) for n in range(1, 41)]
    inventory.failing = set(range(5, 120, 5))
    postponements = tries_until_done(
        a_worker(world, queue, inventory), sweep_delivery("deliveries", world.clock)
    )
    assert len(queue.accepted) == 40
    assert inventory.requests <= 40 + 40 + len(inventory.failing)
    assert {later.kind for later in postponements} == {Wait.TURN}


def test_a_sweep_that_gets_nowhere_counts_as_failing(world: WithholdingWorld) -> None:
    inventory = Inventory()
    inventory.failing = {1}
    [later] = tries_until_done(a_worker(world, None, inventory), sweep_delivery("deliveries", world.clock))
    assert later.kind is Wait.OUTAGE


def test_another_order_to_sweep_looks_at_what_failed_since(world: WithholdingWorld) -> None:
    """Another worker has done the order that this one has begun."""
    queue, inventory = Queue(), Inventory()
    payload = world.labels_it(deliver=False)
    inventory.failed = [(an_attempt(n), payload) for n in (1, 2)]
    inventory.failing = {2}
    worker = a_worker(world, queue, inventory)
    with pytest.raises(RetryLater):
        worker.do(sweep_delivery("deliveries", world.clock))
    inventory.failed.append((an_attempt(3), payload))
    world.clock.passes(60)
    worker.do(sweep_delivery("deliveries", world.clock))
    assert list(queue.accepted) == ["guid-1", "guid-2", "guid-3"]


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


class TwoInstallations(Inventory):
    """The first one, or its repository, cannot be read."""

    def __init__(self, broken: str) -> None:
        super().__init__()
        self.issues = [418]
        self.broken: str | None = broken

    def installations(self) -> Iterator[int]:
        yield from (54, 55)

    def repositories(self, installation_id: int) -> list[Repository]:
        if installation_id != 54:
            return super().repositories(installation_id)
        self._fail_if_broken("installation")
        return [replace(REPOSITORY, installation_id=54, id=9, full_name="acme/returns")]

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        if repository.id == 9:
            self._fail_if_broken("repository")
        yield from super().open_issues(repository, label)

    def _fail_if_broken(self, part: str) -> None:
        if self.broken == part:
            raise GitHubUnavailable("502")


@pytest.mark.parametrize("broken", ["installation", "repository"])
def test_a_repository_that_cannot_be_read_costs_itself_alone_and_is_tried_again_by_itself(
    world: WithholdingWorld, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    inventory, queue = TwoInstallations(broken), Queue()
    worker = a_worker(world, queue, inventory)
    worker.do(sweep_delivery("conversations", world.clock))
    world.clock.passes(3600)
    worker.do(sweep_delivery("conversations", world.clock))
    read = [delivery.conversation for delivery in queue.accepted.values() if delivery.event == "compare"]
    assert read == [f"{REPOSITORY.id}#418"] * 2
    assert [record.getMessage().partition(" the sweep")[0] for record in caplog.records] == ["put aside"]
    (aside,) = [delivery for delivery in queue.accepted.values() if delivery.event == "sweep"]
    assert aside.installation_id == 54
    with pytest.raises(RetryLater):
        worker.do(aside)
    inventory.broken = None
    worker.do(aside)
    assert [delivery.conversation for delivery in queue.accepted.values()][-1] == "9#418"


def test_a_sweep_that_waits_holds_up_no_sweep_of_the_other_kind(world: WithholdingWorld) -> None:
    orders = [sweep_delivery(kind, world.clock) for kind in ("deliveries", "conversations")]
    assert len({order.conversation for order in orders}) == 2
    assert [order.conversation for order in orders] == [sweep_key("deliveries"), sweep_key("conversations")]


def test_a_sweep_that_is_begun_again_has_nothing_compared_twice(world: WithholdingWorld) -> None:
    queue = Queue()
    worker = a_worker(world, queue)
    worker.do(asking(world))
    order = sweep_delivery("conversations", world.clock)
    for _ in range(3):
        worker.do(order)
        world.clock.passes(60)
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
    inventory.runs = [run_payload(world, world.last_run())["workflow_run"]]
    world.says("2", deliver=False)
    worker.do(sweep_delivery("conversations", world.clock))
    compared = next(delivery for delivery in queue.accepted.values() if delivery.event == "compare")
    worker.do(compared)
    assert world.set_timers == timers
    assert world.record.question == before.question
    works_off(worker, queue)
    assert len(world.ours()) == 1
    assert len(world.dispatched) == 1


def test_a_store_from_a_backup_is_brought_up_to_what_our_comments_remember(world: WithholdingWorld) -> None:
    a_worker(world).do(asking(world))
    copy = dict(world.conversations.rows)
    world.says("2")
    world.run_ends(world.last_run(), a_ticket())
    said, record = world.ours(), world.record
    assert record.state is State.READY

    world.conversations.rows = copy
    queue, inventory = Queue(), Inventory()
    inventory.issues = [418]
    worker = a_worker(world, queue, inventory)
    queue.accept(sweep_delivery("conversations", world.clock))
    works_off(worker, queue)
    assert (world.record.state, world.record.answers) == (State.READY, record.answers)
    assert (world.ours(), len(world.dispatched)) == (said, 1)


def test_the_comments_are_read_again_by_the_first_comparison_of_a_worker_only(
    world: WithholdingWorld,
) -> None:
    queue, inventory = Queue(), Inventory()
    inventory.issues = [418]
    worker = a_worker(world, queue, inventory)
    for _ in range(2):
        world.clock.passes(3600)
        worker.do(sweep_delivery("conversations", world.clock))
    assert [delivery.payload["is_first"] for delivery in queue.accepted.values()] == [True, False]


def test_a_repository_that_the_list_does_not_name_is_left_out_of_both_sweeps(world: WithholdingWorld) -> None:
    queue, inventory = Queue(), Inventory()
    inventory.issues = [418]
    inventory.failed = [(an_attempt(1), world.labels_it(deliver=False))]
    sweep = Sweep(inventory, queue, world.conversations, world.clock, lambda name: name != "acme/orders")
    assert (sweep.failed_deliveries("one"), sweep.conversations("two"), queue.accepted) == (0, 0, {})
    allowing = Sweep(inventory, queue, world.conversations, world.clock, lambda name: name == "acme/orders")
    allowing.failed_deliveries("one")
    allowing.conversations("two")
    assert [delivery.event for delivery in queue.accepted.values()] == ["issues", "compare"]
