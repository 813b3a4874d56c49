"""A delivery that was put off keeps its turn, and one that nobody will do any more has none."""

import time
from typing import TYPE_CHECKING

from github_app.storage.delivery import ReplayOutcome

if TYPE_CHECKING:
    from tests.github_app.storage.conftest import Bench


def test_a_delivery_that_was_put_off_keeps_its_turn(bench: "Bench") -> None:
    """A later reply must not win over one that was acknowledged earlier."""
    bench.accept("first", told="later")
    bench.accept("second")
    bench.accept("of another", conversation="1#2")
    bench.worker()
    bench.wait_for("second")
    done = [line["id"] for line in bench.log() if line["what"] == "done"]
    assert done == ["of another", "first", "second"]


def test_what_waits_behind_a_delivery_that_is_replayed_is_done_too(bench: "Bench") -> None:
    bench.worker()
    bench.accept("kept", told="withheld")
    bench.wait_for("kept", "begun")
    while not bench.deliveries.is_known("kept~0001"):
        time.sleep(0.05)
    bench.accept("behind")
    while not bench.deliveries.is_known("behind~0001"):
        time.sleep(0.05)
    deadline = time.monotonic() + 180
    while bench.deliveries.replay("kept") is not ReplayOutcome.ORDERED:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    bench.wait_for("behind")
    assert [line["id"] for line in bench.log() if line["what"] == "done"] == ["kept", "behind"]


def test_a_delivery_that_waits_and_that_nobody_will_do_holds_up_nothing(bench: "Bench") -> None:
    """Somebody has cancelled its row by hand."""
    bench.worker()
    bench.accept("gone", told="withheld")
    while not bench.deliveries.is_known("gone~0001"):
        time.sleep(0.05)
    bench.deliveries.cancel("gone")
    bench.accept("after")
    bench.wait_for("after", seconds=120)
    assert bench.deliveries.waiting_deliveries() == []
