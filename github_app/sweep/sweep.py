"""Look for what was missed: deliveries that GitHub could not bring, and conversations that went on without us.

What a sweep finds becomes deliveries of their own ids (`run:…`, `reply:…`, `compare:…`), which wait in the queue of their
conversation like any other. So a sweep decides nothing, and finding the same thing twice is finding it once.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Protocol

from github_app.conversation.effects import LabelName
from github_app.conversation.record import OPEN_STATES, State
from github_app.intake.delivery import UnusableDelivery, conversation_key, parse_delivery, run_name_parts
from github_app.ports.conversations import Clock, Conversations
from github_app.ports.github import AccessWithheld, GitHubRefused, GitHubUnavailable, NotYet, Repository
from github_app.ports.inventory import Inventory
from github_app.storage.delivery import Delivery
from github_app.sweep.comparison import of_repository
from github_app.sweep.rounds import DeliveryRound

_log = logging.getLogger(__name__)

SWEEP_EVENT, COMPARE_EVENT = "sweep", "compare"
"""Events of our own. GitHub has none of these names."""
DELIVERIES_EVERY, CONVERSATIONS_EVERY = 600.0, 3600.0
"""Seconds between two sweeps for failed deliveries, and between two comparisons of everything."""

_KEPT_BY_GITHUB = timedelta(days=3)
_OVERLAP = timedelta(minutes=15)
_GO_ON_SECONDS = 1.0


class Inbox(Protocol):
    """Where what is found goes."""

    def accept(self, delivery: Delivery) -> None:
        """Store a delivery. The same id again does nothing more."""

    def is_known(self, delivery_id: str) -> bool:
        """Whether a delivery was accepted, whatever became of it."""

    def waits(self, conversation: str) -> bool:
        """Whether a delivery of a conversation waits."""


class OpenConversations(Conversations, Protocol):
    """The store, as far as a sweep reads it."""

    def numbers(self, repository_id: int, states: frozenset[State]) -> list[int]:
        """The issues of a repository whose conversations are in one of these states."""


def sweep_delivery(subject: str, clock: Clock) -> Delivery:
    """The order to sweep, as a delivery: `deliveries` or `conversations`."""
    key = sweep_key(subject)
    return Delivery(f"{key}:{int(clock.now().timestamp())}", SWEEP_EVENT, key, {"what": subject})


def sweep_key(subject: str) -> str:
    """The key of a conversation: one that waits for an unreadable repository does not hold up the others."""
    return f"{SWEEP_EVENT}:{subject}"


class Sweep:
    """One look around. A sweep for deliveries begins where the last one has ended; nothing older is looked at.

    If it fails in the middle, it goes on there at the next try of the same order, as long as this process lives.
    """

    def __init__(
        self,
        inventory: Inventory,
        inbox: Inbox,
        conversations: OpenConversations,
        clock: Clock,
        allows: Callable[[str], bool] = lambda _full_name: True,
    ) -> None:
        self._inventory = inventory
        self._inbox = inbox
        self._conversations = conversations
        self._clock = clock
        self._allows = allows
        self._covered: datetime | None = None
        self._round: DeliveryRound | None = None
        self._first_order: str | None = None

    def do(self, payload: Mapping[str, Any], order: str) -> None:
        """Sweep. `order` is the id of the delivery: a sweep that is begun again finds again what it found, and no more.

        Raises:
            NotYet: it has come further and was interrupted: go on soon. That does not count as a failure.
            GitHubUnavailable: do it again later.
        """
        match payload["what"]:
            case "deliveries":
                count = self.failed_deliveries(order)
            case "installation":
                count = self._of_installation(payload["installation"]["id"], payload["order"])
            case "repository":
                count = self._of_repository(Repository(**payload["repository"]), payload["order"])
            case _:
                count = self.conversations(order)
        if count:
            _log.info("sweep of %s: took up %s", payload["what"], count)

    def failed_deliveries(self, order: str) -> int:
        """Take up what GitHub could not bring; how many."""
        sweep_round, self._round = self._round, None
        if sweep_round is None or sweep_round.order != order:
            began = self._clock.now()
            since = max(began - _KEPT_BY_GITHUB, self._covered or began - _KEPT_BY_GITHUB)
            sweep_round = DeliveryRound(order, began, since)
        steps = sweep_round.steps
        try:
            self._look_for_missed(sweep_round)
        except GitHubUnavailable as problem:
            self._round = sweep_round
            if sweep_round.steps == steps or isinstance(problem, AccessWithheld):
                raise
            raise NotYet(str(problem), problem.retry_after or _GO_ON_SECONDS) from problem
        self._covered = sweep_round.began - _OVERLAP
        return sweep_round.count

    def _look_for_missed(self, sweep_round: DeliveryRound) -> None:
        while not sweep_round.is_read:
            sweep_round.add(self._inventory.attempts(sweep_round.cursor))
        first_problem = None
        for attempt in sweep_round.missed_deliveries():
            count = 0
            if not self._inbox.is_known(attempt.guid):
                try:
                    count = self._take_up(attempt.guid, attempt.event, self._inventory.payload(attempt.id))
                except GitHubUnavailable as problem:  # one delivery that cannot be read holds up no other
                    if problem.retry_after is not None:
                        raise
                    first_problem = first_problem or problem
                    continue
            sweep_round.settle(attempt.guid, count)
        if first_problem is not None:
            raise first_problem

    def conversations(self, order: str) -> int:
        """Let every open conversation be compared with GitHub, and take up runs that have ended unheard; how many.

        An installation or a repository that cannot be read becomes a delivery of its own, which is tried again and holds
        up no other.
        """
        count = 0
        self._first_order = self._first_order or order
        for installation_id in self._inventory.installations():
            try:
                count += self._of_installation(installation_id, order)
            except GitHubUnavailable as problem:
                part = {"what": "installation", "installation": {"id": installation_id}, "order": order}
                self._put_aside(f"installation:{installation_id}", part, problem)
        return count

    def _of_installation(self, installation_id: int, order: str) -> int:
        try:
            repositories = self._inventory.repositories(installation_id)
        except (AccessWithheld, GitHubRefused) as refusal:
            _log.warning("left out installation %s: %s", installation_id, refusal)
            return 0
        count = 0
        for repository in repositories:
            if not self._allows(repository.full_name):
                continue
            try:
                count += self._of_repository(repository, order)
            except GitHubUnavailable as problem:
                part = {"what": "repository", "repository": asdict(repository), "order": order}
                self._put_aside(f"repository:{repository.id}", part, problem)
        return count

    def _put_aside(self, subject: str, part: Mapping[str, Any], problem: GitHubUnavailable) -> None:
        """Let a part of a sweep be done again by itself, unless one from before still waits for that."""
        key = sweep_key(subject)
        if not self._inbox.waits(key):
            _log.warning("put aside the sweep of %s: %s", subject, problem)
            self._inbox.accept(Delivery(f"{key}:{part['order']}", SWEEP_EVENT, key, part))

    def _of_repository(self, repository: Repository, order: str) -> int:
        try:
            numbers = set(self._conversations.numbers(repository.id, OPEN_STATES))
            for label in (LabelName.START, LabelName.NEEDS_ANSWER):
                numbers |= set(self._inventory.open_issues(repository, label))
            runs = list(self._unheard_runs(repository))
        except (AccessWithheld, GitHubRefused) as refusal:
            _log.warning("left out the sweep of %s: %s", repository.full_name, refusal)
            return 0
        for number in sorted(numbers):
            key = f"{repository.id}#{number}"
            is_first = order == self._first_order
            payload = {"repository": asdict(repository), "issue": number, "is_first": is_first}
            self._inbox.accept(Delivery(f"compare:{key}:{order}", COMPARE_EVENT, key, payload))
        return sum(self._take_up(delivery_id, "workflow_run", payload) for delivery_id, payload in runs)

    def _unheard_runs(self, repository: Repository) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Runs that have ended and for which the record still waits, or of which there is no record."""
        since = self._clock.now() - _KEPT_BY_GITHUB
        for run in self._inventory.ended_runs(repository, since):
            parts = run_name_parts(str(run.get("display_title", "")))
            if parts is None:
                continue
            record = self._conversations.get(repository.id, parts[0])
            if record is None or record.state.has_run:
                sender = run.get("triggering_actor") or run.get("actor") or {}
                payload = {**of_repository("completed", repository, sender), "workflow_run": run}
                yield f"run:{repository.id}:{run.get('id')}:{run.get('run_attempt', 1)}", payload

    def _take_up(self, delivery_id: str, event: str, payload: Mapping[str, Any]) -> int:
        """Accept a delivery as the door does: only ours, and only the fields that are used."""
        try:
            delivery = parse_delivery(event, payload)
        except UnusableDelivery as unusable:
            _log.warning("left out delivery %s: %s", delivery_id, unusable)
            return 0
        if delivery is None or self._inbox.is_known(delivery_id):
            return 0
        repository = getattr(delivery, "repository", None)
        if repository is not None and not self._allows(repository.full_name):
            return 0
        fields = delivery.model_dump(mode="json", by_alias=True)
        key = conversation_key(delivery, self._conversations.issue_of_pull_request)
        self._inbox.accept(Delivery(delivery_id, event, key, fields))
        return 1
