"""What an App does over the years: forget what has ended, be copied and put back, change its secrets."""

import json
import stat
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from github_app.conversation.marker import SignedMarkers
from github_app.conversation.record import Conversation, State
from github_app.conversation.transcript import Comment
from github_app.ports.conversations import RunCost
from github_app.settings import SettingsIncomplete, read_settings
from github_app.storage.conversations import StoredConversations
from github_app.storage.costs import StoredCosts
from github_app.storage.database import DatabaseUnusable, copy_to, prepare
from github_app.storage.deliveries import Deliveries
from github_app.storage.delivery import Delivery
from tests.github_app.fakes.people import APP_BOT, APP_ID
from tests.github_app.test_settings import GOOD

if TYPE_CHECKING:
    from tests.github_app.storage.conftest import Bench

NOW = datetime.now(UTC)


@pytest.fixture
def store(store_url: str) -> Iterator[StoredConversations]:
    store = StoredConversations(store_url)
    yield store
    store.close()


def a_record(issue: int, state: State) -> Conversation:
    return Conversation(repository_id=7, issue=issue, version=1, state=state, runs=(issue,))


def test_what_a_run_has_cost_is_kept_once_counted_once_and_forgotten_in_the_end(store_url: str) -> None:
    counted: list[float] = []
    costs, today, earlier = StoredCosts(store_url, counted.append), NOW.date(), NOW.date() - timedelta(days=1)
    for cost in (
        RunCost(7, 11, 1, today, 0.5), RunCost(7, 11, 1, today, 9.0), RunCost(7, 11, 2, today, 0.25),
        RunCost(7, 12, 1, earlier, 4.0), RunCost(8, 13, 1, today, 1.0), RunCost(7, 14, 1, today, 0.0),
    ):  # fmt: skip
        costs.add(cost)
    assert costs.of_repositories(today) == {7: 0.75, 8: 1.0}
    assert (costs.on_day(7, today), costs.on_day(9, today)) == (0.75, 0.0)
    assert counted == [0.5, 0.25, 4.0, 1.0]
    assert [costs.of_run(7, 11, 1), costs.of_run(7, 14, 1), costs.of_run(7, 14, 2)] == [0.5, 0.0, None]
    costs.forget(NOW)
    assert (costs.on_day(7, earlier), costs.on_day(7, today)) == (0.0, 0.75)
    costs.close()


def test_what_has_ended_is_forgotten_and_what_is_open_never(store: StoredConversations) -> None:
    store.put(a_record(1, State.READY))
    store.put(a_record(2, State.ASKING))
    assert store.forget(NOW - timedelta(days=90)) == 0
    assert store.forget(datetime.now(UTC) + timedelta(seconds=1)) == 1
    assert store.get(7, 1) is None
    assert store.issue_of_run(7, 1) is None
    assert store.get(7, 2) is not None
    assert store.issue_of_run(7, 2) == 2


def test_deliveries_that_ended_are_forgotten_and_those_that_wait_are_not(bench: "Bench") -> None:
    bench.deliveries.timer(Delivery("timer", "timer", "1#1", {}), 3600)
    bench.accept("done")
    bench.worker()
    bench.wait_for("done")
    deadline = time.monotonic() + 180
    while not bench.deliveries.forget(datetime.now(UTC) + timedelta(seconds=1)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not bench.deliveries.is_known("done")
    assert bench.deliveries.is_known("timer")


def test_a_backup_of_a_file_in_use_is_put_back_whole(sqlite_url: str, tmp_path: Path) -> None:
    store, deliveries = StoredConversations(sqlite_url), Deliveries(sqlite_url)
    deliveries.accept(Delivery("before", "issues", "7#1", {}))
    store.put(a_record(1, State.ASKING))
    copy = tmp_path / "restored" / "askfirst.sqlite"
    copy.parent.mkdir()
    copy_to(sqlite_url, copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    store.put(a_record(2, State.ASKING))
    with pytest.raises(DatabaseUnusable, match="not written over"):
        copy_to(sqlite_url, copy)
    prepare(f"sqlite:///{copy}")
    restored, again = StoredConversations(f"sqlite:///{copy}"), Deliveries(f"sqlite:///{copy}")
    assert restored.get(7, 1) == a_record(1, State.ASKING)
    assert restored.get(7, 2) is None
    assert again.is_known("before")
    for opened in (store, restored, deliveries, again):
        opened.close()


def test_after_a_rotation_comments_of_the_key_before_are_still_ours() -> None:
    old = SignedMarkers(APP_ID, b"the key before the rotation")
    line = old.line("question:q", a_record(1, State.ASKING), with_record=True)
    comment = Comment(1, APP_BOT, f"Which route?\n\n{line}", NOW, NOW, APP_ID)
    rotated = SignedMarkers(APP_ID, b"the key after the rotation", b"the key before the rotation")
    [(_, said)] = rotated.ours([comment], repository_id=7, issue=1)
    assert said.key == "question:q"
    assert rotated.line("k", a_record(1, State.ASKING), with_record=False) != old.line(
        "k", a_record(1, State.ASKING), with_record=False
    )
    done = SignedMarkers(APP_ID, b"the key after the rotation")
    assert list(done.ours([comment], repository_id=7, issue=1)) == []


def test_settings_of_the_years_have_defaults_and_are_checked() -> None:
    settings = read_settings(GOOD)
    assert (settings.retention_days, settings.allow_list, settings.webhook_secret_before) == (90, (), "")
    assert settings.allows("anybody/anything")
    with pytest.raises(SettingsIncomplete) as caught:
        read_settings({**GOOD, "ASKFIRST_RETENTION_DAYS": "2", "ASKFIRST_WEBHOOK_SECRET_BEFORE": "short"})
    assert len(caught.value.problems) == 2


def test_a_list_of_organisations_and_repositories_shuts_out_the_others() -> None:
    settings = read_settings({**GOOD, "ASKFIRST_ALLOW": "Acme, octocat/hello-world"})
    allowed = ["acme/orders", "ACME/x", "octocat/Hello-World"]
    assert all(settings.allows(name) for name in allowed)
    assert not any(settings.allows(name) for name in ["octocat/other", "acme-evil/orders", "evil/acme"])
    assert json.dumps(settings.allow_list) == '["acme", "octocat/hello-world"]'
