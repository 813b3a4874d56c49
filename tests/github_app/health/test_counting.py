"""Counts survive a store that cannot be written, and read as Prometheus wants them."""

import logging
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from github_app.counting import ANSWER_SECONDS, DELIVERIES, QUESTIONS, Counts, count_changes, exposition
from github_app.serving.web import RejectedSignatures
from github_app.storage.conversations import StoredConversations
from github_app.storage.health import Health
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.world import World


def test_what_the_store_does_not_take_is_counted_again() -> None:
    counts = Counts()
    counts.add(DELIVERIES, event="issues", outcome="done")

    def full(_values: Mapping[str, float]) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        counts.write(full)
    counts.add(DELIVERIES, event="issues", outcome="done")
    assert counts.drain() == {'askfirst_deliveries_total{event="issues",outcome="done"}': 2.0}
    assert counts.drain() == {}


def test_the_text_has_help_type_and_cumulative_buckets() -> None:
    counts = Counts()
    counts.observe(ANSWER_SECONDS, 700.0)
    text = exposition(counts.drain())
    assert text.startswith("# HELP askfirst_answer_seconds Seconds from a question to its answer.\n")
    assert "# TYPE askfirst_answer_seconds histogram\n" in text
    assert 'askfirst_answer_seconds_bucket{le="600"}' not in text
    assert 'askfirst_answer_seconds_bucket{le="3600"} 1\n' in text
    assert 'askfirst_answer_seconds_bucket{le="+Inf"} 1\n' in text
    assert "askfirst_answer_seconds_sum 700\n" in text


def test_a_label_holds_only_plain_characters() -> None:
    counts = Counts()
    counts.add(DELIVERIES, event='issues"} 1\nevil{')
    assert list(counts.drain()) == ['askfirst_deliveries_total{event="issues1evil"}']


def test_a_question_and_its_answer_are_counted_once_with_the_time_between() -> None:
    world, counts = World(), Counts()
    world.labels_it()
    idle = world.record
    world.run_ends(world.label_run(), two_routes())
    asking = world.record
    world.clock.passes(120)
    world.says("go")
    for old, new in ((idle, asking), (asking, world.record)):
        count_changes(counts, old, new, world.clock.now())
    counted = counts.drain()
    assert counted[f'{QUESTIONS}{{became="asked"}}'] == 1
    assert counted[f'{QUESTIONS}{{became="defaulted"}}'] == 1
    assert counted[f"{ANSWER_SECONDS}_sum"] == pytest.approx(125, abs=5)


@pytest.mark.process
def test_signs_of_life_and_counts_are_shared_by_processes(store_url: str) -> None:
    StoredConversations(store_url).close()
    one, other = Health(store_url), Health(store_url)
    for _ in range(2):
        one.add({"askfirst_runs_total": 2.0})
    one.tell("worker", {"pid": 7})
    assert other.counts() == {"askfirst_runs_total": 4.0}
    note = other.note("worker")
    assert note is not None
    assert note.value == {"pid": 7}
    assert datetime.now(UTC) - datetime.fromtimestamp(note.at, UTC) < timedelta(minutes=1)
    assert other.note("github") is None
    assert (other.queue_age(), other.deliveries(), other.conversations()) == (0.0, {}, {})
    one.close()
    other.close()


def test_rejected_signatures_are_said_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    rejected = RejectedSignatures()
    rejected.report()
    for _ in range(5):
        rejected.add()
        rejected.report()
    assert [record.getMessage().split(" ")[0] for record in caplog.records] == ["1"]
    rejected = RejectedSignatures(every=0.0)
    for _ in range(3):
        rejected.add()
    rejected.report()
    assert caplog.records[-1].getMessage().startswith("3 requests without a valid signature.")


def test_rejected_signatures_are_said_for_each_door(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    rejected = RejectedSignatures()
    for advice in ("Look at GitHub.", "Look at Slack.", "Look at Slack."):
        rejected.add(advice)
    rejected.report()
    assert [record.getMessage() for record in caplog.records] == [
        "1 request without a valid signature. Look at GitHub.",
        "2 requests without a valid signature. Look at Slack.",
    ]
