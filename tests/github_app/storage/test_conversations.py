"""Only who read the last version may write the next, however many try at once."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_app.conversation.effects import TimerName
from github_app.conversation.record import Conversation, State
from github_app.ports.conversations import TimerDue
from github_app.ports.github import Place, Repository
from github_app.storage.conversations import StoredConversations
from github_app.storage.database import without_nul
from github_app.storage.timers import timer_due


@pytest.fixture
def store(store_url: str) -> Iterator[StoredConversations]:
    store = StoredConversations(store_url)
    yield store
    store.close()


def test_what_was_put_comes_back(store: StoredConversations) -> None:
    one = Conversation(repository_id=7, issue=418, version=1, state=State.ASKING, rounds=2)
    assert store.get(7, 418) is None
    assert store.put(one)
    assert store.get(7, 418) == one
    assert store.get(8, 418) is None


def test_a_record_with_a_nul_breaks_no_query(store: StoredConversations) -> None:
    """Whoever writes a repository's artifact writes into the record."""
    record = Conversation(repository_id=7, issue=418, version=1, state=State.ASKING, author="oct\0cat")
    assert store.put(record)
    assert store.in_states(frozenset({State.ASKING})) == [
        record.model_copy(update={"author": "oct\ufffdcat"})
    ]


@given(st.text(alphabet='\0\\u0"n'))
def test_json_without_nul_differs_in_nothing_else(text: str) -> None:
    assert json.loads(without_nul(json.dumps([text]))) == [text.replace("\0", "\ufffd")]


def test_a_version_that_does_not_follow_the_stored_one_is_not_stored(store: StoredConversations) -> None:
    first = Conversation(repository_id=7, issue=418, version=1)
    assert store.put(first)
    assert not store.put(first.model_copy(update={"state": State.CLOSED}))
    assert not store.put(first.model_copy(update={"version": 3}))
    assert store.get(7, 418) == first
    assert store.put(first.model_copy(update={"version": 2, "state": State.READY}))


def test_a_record_that_nobody_stored_cannot_be_continued(store: StoredConversations) -> None:
    assert not store.put(Conversation(repository_id=7, issue=418, version=2))
    assert store.get(7, 418) is None


def test_of_many_who_write_the_same_version_at_once_one_wins(store: StoredConversations) -> None:
    won: list[int] = []

    def write(number: int) -> None:
        for version in range(1, 11):
            record = Conversation(repository_id=7, issue=418, version=version, starts=number)
            if store.put(record):
                won.append(version)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(1, 11))


def test_a_run_is_known_by_the_issue_that_it_was_dispatched_for(store: StoredConversations) -> None:
    assert store.put(Conversation(repository_id=7, issue=418, version=1, runs=(11,)))
    assert store.put(Conversation(repository_id=7, issue=418, version=2, runs=(11, 12)))
    assert store.issue_of_run(7, 12) == 418
    assert store.issue_of_run(8, 12) is None
    assert store.issue_of_run(7, 13) is None


def test_a_refused_record_leaves_no_run_behind(store: StoredConversations) -> None:
    assert not store.put(Conversation(repository_id=7, issue=418, version=5, runs=(99,)))
    assert store.issue_of_run(7, 99) is None


PLACE = Place(Repository(1, 7, "acme/orders", "main"), 418)


class StoppedClock:
    def __init__(self) -> None:
        self.time = datetime(2026, 8, 22, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def test_a_timer_comes_back_as_it_was_set(store_url: str) -> None:
    from github_app.storage.deliveries import Deliveries
    from github_app.storage.timers import StoredTimers

    deliveries = Deliveries(store_url)
    clock = StoppedClock()
    timers = StoredTimers(deliveries, clock)
    for _ in range(2):
        timers.set(PLACE, TimerName.REMINDER, "q-1", clock.now() + timedelta(days=3))
    timers.set(PLACE, TimerName.EXPIRY, "q-1", clock.now() + timedelta(days=14))
    timers.cancel(PLACE, TimerName.EXPIRY, "q-1")
    [waiting] = deliveries._client.list_workflows(status="DELAYED")
    assert waiting.queue_partition_key == "7#418"
    assert waiting.input is not None
    event, _, payload, *_ = waiting.input["args"]
    assert event == "timer"
    assert timer_due(payload) == TimerDue(PLACE, TimerName.REMINDER, "q-1")
    deliveries.close()
