"""A signal may come at any step of the main thread."""

import os
import signal
from collections.abc import Iterator

import pytest

from github_app.serving.stop_signal import stop_event


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_comes_while_the_event_is_locked_sets_it(number: signal.Signals) -> None:
    event = stop_event()
    with event._cond:  # type: ignore[attr-defined]  # as inside of `event.wait`
        os.kill(os.getpid(), number)
        assert not event.is_set()
    assert event.wait(30)
