"""The small form of `make chaos`: about 500 deliveries, kills at any moment, and a GitHub that fails a fifth of the time."""

from pathlib import Path

import pytest

from tests.chaos.play import Scale, play
from tests.chaos.verdict import Verdict

_SECONDS = 900.0


@pytest.mark.timeout(1000)
def test_kills_and_failures_at_random_lose_nothing_double_nothing_and_overlap_nothing(tmp_path: Path) -> None:
    scale = Scale(conversations=24, kills=5, seed=18)
    outcome = play(scale, f"sqlite:///{tmp_path / 'askfirst.sqlite'}", tmp_path, print, seconds=_SECONDS)
    assert outcome.verdict == Verdict((), (), ()), outcome
    assert sum(outcome.kills.values()) == 5
    assert outcome.weather.errors > 100
