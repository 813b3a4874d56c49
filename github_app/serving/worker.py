"""The worker's edge: a stored delivery becomes our own words again and is dispatched; GitHub's moods become waiting."""

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Protocol

from github_app.app import App
from github_app.counting import DELIVERIES, Counts
from github_app.dispatch import dispatch, dispatch_surface_reply, dispatch_timer
from github_app.intake.delivery import InstallationDelivery, parse_delivery
from github_app.logs import FIELDS
from github_app.ports.github import AccessWithheld, AppRefused, GitHubUnavailable, NotYet, Place, Repository
from github_app.ports.surfaces import SurfaceMisconfigured, SurfaceReply, SurfaceUnavailable
from github_app.serving.lanes import Lanes
from github_app.storage.conversations import StoredConversations
from github_app.storage.costs import StoredCosts
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery, RetryLater, Wait
from github_app.storage.engine import Chore, work
from github_app.storage.health import GITHUB, REFUSAL, REPOSITORY, WORKER, Health
from github_app.storage.surface_rows import MESSAGE_EVENT, REPLY_EVENT, StoredMessageReferences
from github_app.storage.timers import TIMER_EVENT, timer_due
from github_app.sweep.comparison import compare
from github_app.sweep.sweep import (
    COMPARE_EVENT,
    CONVERSATIONS_EVERY,
    DELIVERIES_EVERY,
    SWEEP_EVENT,
    Sweep,
    sweep_delivery,
    sweep_key,
)
from pipeline.contract.version import VERSION

_log = logging.getLogger(__name__)

_GRANTS = frozenset({"created", "unsuspend", "new_permissions_accepted"})
"""Actions of the event `installation` after which GitHub may allow what it has withheld."""
_SAY_AGAIN_SECONDS = 3600.0
_TELL_EVERY, _LOOK_EVERY = 5.0, 0.5
_FORGET_EVERY = 86_400.0
_CLAIM_EVERY = 60.0


@dataclass
class Vitals:
    """What the worker tells of itself: that it lives, when GitHub has answered (which sets `github`), and what it has counted."""

    health: Health
    counts: Counts
    github: threading.Event
    names: dict[int, str] = field(default_factory=dict)
    _refusal: str | None = None
    _told_refusal: str | None = None
    _due: float = 0.0
    _knows_github: bool = False

    def note_refusal(self, advice: str) -> None:
        """GitHub takes no request of the App, and what to do about it; "" when it takes them again."""
        self._refusal = advice

    def tell_if_due(self) -> None:
        """Write it down every few seconds, and at once when GitHub has answered for the first time: then the App is ready."""
        is_first_answer = not self._knows_github and self.github.is_set()
        if is_first_answer or self._refusal != self._told_refusal or time.monotonic() >= self._due:
            self._due = time.monotonic() + _TELL_EVERY
            self._tell()

    def _tell(self) -> None:
        self.health.tell(WORKER, {"version": VERSION, "pid": os.getpid()})
        if (advice := self._refusal) is not None and advice != self._told_refusal:
            self.health.tell(REFUSAL, {"advice": advice})
            self._told_refusal = advice
        if self.github.is_set():
            self.github.clear()
            self.health.tell(GITHUB, {"at": self.health.now()})
            self._knows_github = True
        self.counts.write(self.health.add)
        for repository_id in list(self.names):
            self.health.tell(f"{REPOSITORY}{repository_id}", {"full_name": self.names[repository_id]})
            del self.names[repository_id]


def run(
    database_url: str,
    app: App,
    sweep: Sweep,
    vitals: Vitals,
    until: threading.Event,
    polling_seconds: float,
    retention: timedelta,
) -> None:
    """Do stored deliveries until the event is set. See `work` for what happens to those that fail.

    What has ended is forgotten after the retention.
    """
    deliveries = Deliveries(database_url)

    def order(sweep_kind: str) -> None:
        if not deliveries.waits(sweep_key(sweep_kind)):
            deliveries.accept(sweep_delivery(sweep_kind, app.clock))

    def forget() -> None:
        before = app.clock.now() - retention
        rows, conversations = deliveries.forget(before), StoredConversations(database_url)
        records = conversations.forget(before)
        conversations.close()
        references = StoredMessageReferences(database_url)
        references.forget(before)
        costs = StoredCosts(database_url)
        costs.forget(before)
        costs.close()
        references.close()
        if rows or records:
            _log.info("forgot %s deliveries and %s conversations that ended before %s", rows, records, before)

    chores = [
        Chore("signs of life", _LOOK_EVERY, vitals.tell_if_due),
        shared_chore("retention", _FORGET_EVERY, forget, vitals.health),
    ]
    chores += [
        shared_chore(f"sweep of {sweep_kind}", every, partial(order, sweep_kind), vitals.health)
        for sweep_kind, every in (("deliveries", DELIVERIES_EVERY), ("conversations", CONVERSATIONS_EVERY))
    ]
    deliveries.wake_withheld()
    worker = Worker(app, deliveries, sweep, vitals.counts, vitals.names, vitals.note_refusal)
    try:
        work(database_url, worker.do, until, polling_seconds=polling_seconds, chores=chores)
    finally:
        deliveries.close()


def shared_chore(name: str, every: float, do: Callable[[], None], health: Health) -> Chore:
    """A chore that is done once for all workers: by each at its start, and then by the first who sees that it is due."""
    is_first = True

    def do_if_due() -> None:
        nonlocal is_first
        if health.claim(name, every) or is_first:
            do()
            is_first = False

    return Chore(name, min(every, _CLAIM_EVERY), do_if_due)


class Queue(Protocol):
    """The deliveries, as far as the worker itself turns to them."""

    def accept(self, delivery: Delivery) -> None:
        """Store a delivery. The same id again does nothing more."""

    def wake(self, installation_id: int) -> int:
        """Let all that waits in an installation be tried at once. How many it is."""


class Worker:
    """What one process does with deliveries. May be used by several threads."""

    def __init__(
        self,
        app: App,
        queue: Queue,
        sweep: Sweep,
        counts: Counts,
        names: dict[int, str] | None = None,
        on_refusal: Callable[[str], None] = lambda _advice: None,
    ) -> None:
        """`on_refusal` hears what to do when GitHub takes no request of the App, and "" when a sweep for deliveries succeeds."""
        self._app = app
        self._queue = queue
        self._sweep = sweep
        self._counts = counts
        self._on_refusal = on_refusal
        self._names = {} if names is None else names
        self._told: dict[int, str] = {}
        self._lanes = Lanes()
        self._lock = threading.Lock()
        self._advised: dict[str, float] = {}

    def do(self, delivery: Delivery) -> None:
        """Do all that a delivery asks for. Called again with the same delivery, it does only what is missing.

        Raises:
            RetryLater: GitHub or a surface cannot be reached or wants us to wait, or withholds what an operator must grant or set.
        """
        began = time.monotonic()
        self._remember_name(delivery)
        try:
            with self._lanes.enter(delivery.installation_id, delivery.id):
                self._dispatch(delivery)
        except NotYet as early:
            self._say(logging.DEBUG, f"put off: {early}", delivery, "waits", began)
            raise RetryLater(str(early), early.retry_after, Wait.TURN) from early
        except (AccessWithheld, SurfaceMisconfigured) as withheld:
            if isinstance(withheld, AppRefused):
                self._on_refusal(withheld.advice)
            level = logging.WARNING if self._is_new(withheld.advice) else logging.DEBUG
            self._say(level, f"kept: {withheld}", delivery, "withheld", began)
            raise RetryLater(str(withheld), None, Wait.WITHHELD) from withheld
        except (GitHubUnavailable, SurfaceUnavailable) as error:
            self._say(logging.WARNING, f"put off: {error}", delivery, "unavailable", began)
            raise RetryLater(str(error), error.retry_after) from error
        self._say(logging.INFO, "did", delivery, "done", began)

    def _say(self, level: int, summary: str, delivery: Delivery, outcome: str, began: float) -> None:
        """One line about a try of a delivery, and its count."""
        self._counts.add(DELIVERIES, event=delivery.event, outcome=outcome)
        place = _place(delivery)
        fields = {
            "place": place, "event": delivery.event, "action": delivery.payload.get("action", ""),
            "outcome": outcome, "ms": round((time.monotonic() - began) * 1000), "delivery": delivery.id,
        }  # fmt: skip
        message = "%s %s of %s: %s" if outcome == "done" else "%s (%s of %s: %s)"
        arguments = (summary, delivery.event, place or delivery.conversation, delivery.id)
        _log.log(level, message, *arguments, extra={FIELDS: fields})

    def _dispatch(self, delivery: Delivery) -> None:
        if delivery.event == TIMER_EVENT:
            dispatch_timer(timer_due(delivery.payload), self._app)
            return
        if delivery.event == REPLY_EVENT:
            dispatch_surface_reply(SurfaceReply.model_validate(delivery.payload), self._app)
            return
        if delivery.event == MESSAGE_EVENT:
            if self._app.announcements is not None:
                self._app.announcements.send(delivery.payload)
            return
        if delivery.event == SWEEP_EVENT:
            self._sweep.do(delivery.payload, delivery.id)
            if delivery.conversation == sweep_key("deliveries"):
                self._on_refusal("")
            return
        if delivery.event == COMPARE_EVENT:
            self._compare(delivery)
            return
        webhook_delivery = parse_delivery(delivery.event, delivery.payload)
        if webhook_delivery is None:
            return
        if isinstance(webhook_delivery, InstallationDelivery) and webhook_delivery.action in _GRANTS:
            self._queue.wake(webhook_delivery.installation.id)
        dispatch(webhook_delivery, self._app)

    def _compare(self, delivery: Delivery) -> None:
        place = Place(Repository(**delivery.payload["repository"]), delivery.payload["issue"])
        for delivery_id, payload in compare(
            self._app, place, is_store_in_doubt=delivery.payload.get("is_first", False)
        ):
            self._queue.accept(Delivery(delivery_id, "issue_comment", delivery.conversation, payload))

    def _remember_name(self, delivery: Delivery) -> None:
        """Let operators read `acme/orders` where a record holds only an id: what it is called today."""
        repository = delivery.payload.get("repository") or {}
        repository_id, name = repository.get("id"), repository.get("full_name")
        if repository_id and name and self._told.get(repository_id) != name:
            self._told[repository_id] = self._names[repository_id] = name

    def _is_new(self, advice: str) -> bool:
        """Whether to tell the operator: once an hour, however many deliveries wait for the same."""
        now = time.monotonic()
        with self._lock:
            is_new = now - self._advised.get(advice, -_SAY_AGAIN_SECONDS) >= _SAY_AGAIN_SECONDS
            if is_new:
                self._advised[advice] = now
        return is_new


def _place(delivery: Delivery) -> str:
    """`owner/repository#number`, as far as the payload tells."""
    repository = delivery.payload.get("repository") or {}
    return f"{repository.get('full_name', '')}#{delivery.conversation.partition('#')[2]}".strip("#")
