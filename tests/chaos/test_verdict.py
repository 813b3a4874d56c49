"""The judge of `make chaos` sees what it is there to see."""

import json

import pytest
from inline_snapshot import snapshot

from tests.chaos.verdict import ConversationEnd, Try, Verdict, judge, tries

UNDISTURBED = ConversationEnd(
    "1#1",
    comments=2,
    runs=[("issues", 2), ("workflow_dispatch", 0)],
    labels=frozenset({"askfirst", "askfirst:ready"}),
)


def an_end(comments: int = 2, runs: int = 2, labels: frozenset[str] = UNDISTURBED.labels) -> ConversationEnd:
    """One with so many comments of the App and so many runs."""
    its_runs = [*UNDISTURBED.runs, ("workflow_dispatch", 0)][:runs]
    return ConversationEnd("1#7", comments, its_runs, labels)


def verdict_on(end: ConversationEnd) -> Verdict:
    return judge([end], UNDISTURBED, {}, [])


def test_a_conversation_like_an_undisturbed_one_is_well() -> None:
    assert verdict_on(an_end()).holds


@pytest.mark.parametrize("end", [an_end(comments=1), an_end(runs=1), an_end(labels=frozenset({"askfirst"}))])
def test_what_is_missing_is_lost(end: ConversationEnd) -> None:
    assert verdict_on(end).lost
    assert not verdict_on(end).doubled


@pytest.mark.parametrize("end", [an_end(comments=3), an_end(runs=3)])
def test_what_is_there_too_often_is_doubled(end: ConversationEnd) -> None:
    assert verdict_on(end).doubled


def test_a_delivery_that_no_worker_did_is_lost() -> None:
    log = [Try("1#1", "a", "done", 1.0, 2.0), Try("1#1", "b", "unavailable", 3.0, 4.0)]
    verdict = judge([], UNDISTURBED, {"a": "issues labeled", "b": "issue_comment created"}, log)
    assert verdict.lost == snapshot(("delivery b (issue_comment created) was never done",))


def test_two_tries_at_once_in_one_conversation_overlap_and_in_two_they_do_not() -> None:
    log = [
        Try("1#1", "a", "done", 1.0, 2.0),
        Try("1#2", "b", "done", 1.5, 2.5),
        Try("1#1", "c", "unavailable", 1.9, 3.0),
        Try("1#1", "d", "done", 3.0, 3.1),
    ]
    assert judge([], UNDISTURBED, {}, log).overlapping == snapshot(("1#1: c began 0.100 s before a ended",))


def test_a_long_try_overlaps_with_every_short_one_in_it() -> None:
    log = [
        Try("1#1", "long", "done", 1.0, 9.0),
        Try("1#1", "b", "done", 2.0, 3.0),
        Try("1#1", "c", "done", 5.0, 6.0),
    ]
    assert len(judge([], UNDISTURBED, {}, log).overlapping) == 2


def test_a_try_is_read_from_its_line_and_a_line_that_a_kill_cut_off_is_passed_over() -> None:
    line = {
        "time": "2026-11-23T16:22:59.500+00:00",
        "message": "put off: POST /x answered 502: of 3 (issues of 12#3: guid-1)",
        "outcome": "unavailable",
        "ms": 1500,
        "delivery": "guid-1",
    }
    [read] = tries(
        [json.dumps(line), json.dumps(line)[:40], "gunicorn says this", json.dumps({"message": "x"})]
    )
    assert (read.conversation, read.delivery, round(read.ended - read.began, 3)) == ("12#3", "guid-1", 1.5)
