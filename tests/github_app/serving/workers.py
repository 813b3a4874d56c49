"""A worker of the App on a GitHub in memory that withholds comments, and the queue and inventory beside it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from github_app.conversation.transcript import Comment
from github_app.counting import Counts
from github_app.intake.delivery import conversation_key, parse_delivery
from github_app.ports.github import GitHubUnavailable, Place, Repository
from github_app.ports.inventory import AttemptPage, DeliveryAttempt
from github_app.serving.worker import Worker
from github_app.storage.delivery import Delivery
from github_app.sweep.sweep import Sweep
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.people import REPOSITORY
from tests.github_app.fakes.world import World


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

    def waits(self, conversation: str) -> bool:
        return any(delivery.conversation == conversation for delivery in self.accepted.values())


class Inventory:
    """A GitHub on which nothing was missed but what a test puts in. `failing` are the numbers of requests that fail."""

    def __init__(self) -> None:
        self.failed: list[tuple[DeliveryAttempt, dict[str, Any]]] = []
        self.runs: list[dict[str, Any]] = []
        self.issues: list[int] = []
        self.failing: set[int] = set()
        self.requests = 0

    def attempts(self, cursor: str | None) -> AttemptPage:
        """One attempt per page: a cursor counts them."""
        self._request()
        place = int(cursor or 0)
        newest_first = [attempt for attempt, _ in reversed(self.failed)]
        is_last = place + 1 >= len(newest_first)
        return AttemptPage(newest_first[place : place + 1], None if is_last else str(place + 1))

    def payload(self, delivery_id: int) -> dict[str, Any]:
        self._request()
        return next(payload for attempt, payload in self.failed if attempt.id == delivery_id)

    def _request(self) -> None:
        self.requests += 1
        if self.requests in self.failing:
            raise GitHubUnavailable("500")

    def installations(self) -> Iterator[int]:
        yield REPOSITORY.installation_id

    def repositories(self, installation_id: int) -> list[Repository]:
        return [REPOSITORY]

    def open_issues(self, repository: Repository, label: str) -> Iterator[int]:
        yield from self.issues

    def ended_runs(self, repository: Repository, since: datetime) -> Iterator[dict[str, Any]]:
        yield from self.runs


def an_attempt(number: int, event: str = "issues") -> DeliveryAttempt:
    """The failed attempt to bring `guid-<number>`, which came so many seconds after the others."""
    delivered_at = datetime(2026, 11, 24, 8, tzinfo=UTC) + timedelta(seconds=number)
    return DeliveryAttempt(number, f"guid-{number}", event, delivered_at, is_acknowledged=False)


def a_worker(
    world: World,
    queue: Queue | None = None,
    inventory: Inventory | None = None,
    on_refusal: Callable[[str], None] = lambda _advice: None,
) -> Worker:
    queue = queue or Queue()
    sweep = Sweep(inventory or Inventory(), queue, world.conversations, world.clock)
    return Worker(world.app, queue, sweep, Counts(), on_refusal=on_refusal)


def works_off(worker: Worker, queue: Queue) -> None:
    """Do what was accepted, and what comes of it."""
    done: set[str] = set()
    while fresh := [delivery for delivery in queue.accepted.values() if delivery.id not in done]:
        for delivery in fresh:
            worker.do(delivery)
            done.add(delivery.id)


def delivery(event: str, payload: dict[str, Any], delivery_id: str = "one") -> Delivery:
    parsed = parse_delivery(event, payload)
    assert parsed is not None
    return Delivery(delivery_id, event, conversation_key(parsed), payload)


def asking(world: World) -> Delivery:
    world.labels_it()
    return delivery("workflow_run", world.run_ends(world.label_run(), two_routes(), deliver=False))
