"""What the runs of a repository may cost on one day: what is counted, what waits for the next day, how it goes on."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.conversation.starting import start_at
from github_app.daily_budget import day_of, spent_day
from github_app.ports.conversations import RunCost
from github_app.ports.github import ArtifactRefused, GitHubRefused
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.people import REPOSITORY, WRITER
from tests.github_app.fakes.world import World

TODAY = date(2026, 11, 24)
MOMENTS = st.floats(1.7e9, 2e9).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))


@pytest.fixture
def world() -> World:
    """A labelled issue in a repository that may spend $20.00 a day."""
    world = World()
    world.dollars_per_day = 20.0
    world.labels_it()
    return world


def others_spend(world: World, dollars: float) -> None:
    """Runs about other issues of the repository tell what they have cost."""
    day = world.clock.now().date()
    world.costs.add(RunCost(REPOSITORY.id, len(world.costs.rows), 1, day, dollars))


def is_asked(world: World) -> None:
    world.run_ends(world.label_run(), two_routes())
    world.new_comments()


@given(dollars=st.floats(0, 100), limit=st.floats(0.01, 100), now=MOMENTS, issue=st.integers(1))
def test_a_day_is_spent_when_its_limit_is_reached_and_the_next_one_begins_within_a_day(
    dollars: float, limit: float, now: datetime, issue: int
) -> None:
    spent = spent_day(dollars, limit, day_of(now))
    assert (spent is None) == (dollars < limit)
    if spent is not None:
        assert timedelta(0) < spent.until - now <= timedelta(days=1)
        assert spent.until.timetz() == datetime.min.replace(tzinfo=UTC).timetz()
        assert timedelta(0) <= start_at(spent.until, issue) - spent.until < timedelta(hours=1)


def test_what_a_run_tells_is_counted_once_on_the_day_on_which_it_ended(world: World) -> None:
    run = world.label_run()
    ended_at = datetime(2026, 11, 23, 23, 59, tzinfo=UTC).isoformat()
    payload = world.run_ends(run, a_failure(), dollars=1.25, updated_at=ended_at)
    world.deliver("workflow_run", payload)
    assert [(row.day, row.dollars) for row in world.costs.rows.values()] == [(date(2026, 11, 23), 1.25)]


@pytest.mark.parametrize(
    "told", [None, ArtifactRefused("it is no plain zip archive"), GitHubRefused(404, "Not Found")]
)
def test_a_run_that_tells_no_cost_ends_as_it_would_and_counts_nothing(
    world: World, told: ArtifactRefused | GitHubRefused | None
) -> None:
    run = world.label_run()
    if told is not None:
        world.costs_in_records[run, 1] = told
    world.run_ends(run, two_routes())
    assert world.state() is State.ASKING
    assert world.costs.on_day(REPOSITORY.id, TODAY) == 0


def test_a_run_of_a_fork_or_of_another_workflow_counts_nothing(world: World) -> None:
    run = world.label_run()
    world.run_ends(run, None, dollars=99.0, head_repository={"id": 1})
    world.run_ends(run, None, dollars=99.0, path=".github/workflows/other.yml")
    assert world.costs.rows == {}


def test_a_reply_after_the_days_dollars_starts_its_run_on_the_next_day(world: World) -> None:
    is_asked(world)
    others_spend(world, 20.5)
    reply = world.says("2")
    assert (world.state(), world.dispatched) == (State.RUNNING, [])
    assert world.reactions_to(reply) == ["eyes"]
    assert world.new_comments() == snapshot(
        [
            "**Paused until tomorrow:** this repository has used $20.50 of its $20.00 daily budget. The next run has not started. It starts by itself on 2026-11-25, in the first hour after 00:00 UTC. To stop it, comment `/cancel`. The operator of this App can set another limit (`ASKFIRST_DOLLARS_PER_DAY`)."
        ]
    )
    assert "The run starts on 2026-11-25 (UTC)." in world.ours()[0]
    assert list(world.set_timers.values()) == [datetime(2026, 11, 25, 0, 58, tzinfo=UTC)]
    world.timer_goes_off(TimerName.START)
    assert [inputs["issue"] for inputs in world.dispatched] == ["418"]
    assert "Taken up by run" in world.ours()[0]
    world.run_ends(world.last_run(), a_ticket())
    assert world.state() is State.READY


def test_a_run_that_a_label_starts_after_the_days_dollars_is_cancelled_and_run_again_on_the_next_day(
    world: World,
) -> None:
    others_spend(world, 20.0)
    run = world.label_run()
    world.run_goes(run, "queued")
    world.run_goes(run)
    assert (world.state(), world.cancelled) == (State.RUNNING, [run])
    [notice] = world.new_comments()
    assert f"Run [{run}]" in notice
    cancelled = world.run_ends(run, None, conclusion="cancelled")
    world.timer_goes_off(TimerName.START)
    world.deliver("workflow_run", cancelled)
    assert world.runs[run].attempt == 2
    world.run_goes(run)
    world.run_ends(run, two_routes())
    assert (world.state(), world.cancelled) == (State.ASKING, [run])


def test_a_run_that_had_ended_before_it_could_be_cancelled_counts(world: World) -> None:
    others_spend(world, 20.0)
    run = world.label_run()
    world.run_goes(run)
    world.run_ends(run, two_routes())
    assert world.state() is State.ASKING
    world.timer_goes_off(TimerName.START)
    assert (world.state(), world.runs[run].attempt) == (State.ASKING, 1)


def test_what_waits_waits_for_another_day_where_this_one_is_spent_too(world: World) -> None:
    is_asked(world)
    others_spend(world, 20.0)
    world.says("2")
    world.clock.time = datetime(2026, 11, 25, 0, 1, tzinfo=UTC)
    others_spend(world, 20.0)
    world.timer_goes_off(TimerName.START)
    assert world.dispatched == []
    assert len(world.new_comments()) == 2
    world.timer_goes_off(TimerName.START)
    assert world.clock.now().date() == date(2026, 11, 26)
    assert len(world.dispatched) == 1


def test_a_labels_run_waits_for_another_day_where_this_one_is_spent_too(world: World) -> None:
    others_spend(world, 20.0)
    run = world.label_run()
    world.run_goes(run)
    world.clock.time = datetime(2026, 11, 25, 0, 1, tzinfo=UTC)
    others_spend(world, 20.0)
    world.timer_goes_off(TimerName.START)
    assert (world.runs[run].attempt, len(world.new_comments())) == (1, 2)
    world.timer_goes_off(TimerName.START)
    assert world.runs[run].attempt == 2


def test_another_answer_while_the_day_is_spent_is_the_one_that_starts_and_is_said_once(world: World) -> None:
    is_asked(world)
    others_spend(world, 20.0)
    world.says("1")
    world.says("/answer 2")
    assert len(world.new_comments()) == 1
    world.timer_goes_off(TimerName.START)
    assert ["POST /actions/stream" in inputs["answers"] for inputs in world.dispatched] == [True]


@pytest.mark.parametrize("how", ["cancel", "unlabel", "close"])
def test_what_waits_for_the_next_day_can_be_stopped(world: World, how: str) -> None:
    others_spend(world, 20.0)
    run = world.label_run()
    world.run_goes(run)
    match how:
        case "cancel":
            world.says("/cancel", WRITER)
        case "unlabel":
            world.unlabels_it()
        case _:
            world.closes_it()
    world.timer_goes_off(TimerName.START)
    assert world.runs[run].attempt == 1
    assert world.state() in {State.STOPPED, State.CLOSED}


def test_a_mention_and_a_revision_wait_like_a_reply(world: World) -> None:
    world.run_ends(world.label_run(), a_ticket(), change=a_change())
    others_spend(world, 20.0)
    world.says("/revise make it 20", WRITER, on_pull_request=True)
    assert (world.state(), world.dispatched) == (State.REVISING, [])
    [notice] = world.ours_in_review()
    assert notice.startswith("**Paused until tomorrow:**")
    world.timer_goes_off(TimerName.START)
    assert len(world.dispatched) == 1
    mentioned = World()
    mentioned.dollars_per_day = 1.0
    others_spend(mentioned, 1.0)
    mentioned.says("@askfirst", WRITER)
    assert [notice[:26] for notice in mentioned.new_comments()] == ["**Paused until tomorrow:**"]
    mentioned.timer_goes_off(TimerName.START)
    assert len(mentioned.dispatched) == 1


def test_a_lost_store_is_built_again_with_the_start_that_waits(world: World) -> None:
    is_asked(world)
    others_spend(world, 20.0)
    world.says("2")
    timers = dict(world.set_timers)
    world.conversations.rows.clear()
    world.set_timers.clear()
    world.says("thanks")
    assert world.set_timers == {key: at for key, at in timers.items() if key[0] is TimerName.START}


def test_a_run_that_github_does_not_run_again_has_ended_and_says_why(world: World) -> None:
    others_spend(world, 20.0)
    run = world.label_run()
    world.run_goes(run)
    world.new_comments()
    world.refuses_rerun = GitHubRefused(403, "This workflow run cannot be retried")
    world.timer_goes_off(TimerName.START)
    assert world.state() is State.FAILED
    assert "GitHub does not run it again: This workflow run cannot be retried" in world.new_comments()[0]


def test_without_a_limit_nothing_waits(world: World) -> None:
    world.dollars_per_day = None
    others_spend(world, 1e6)
    run = world.label_run()
    world.run_goes(run)
    world.run_ends(run, two_routes())
    world.says("2")
    assert (len(world.dispatched), world.cancelled) == (1, [])
