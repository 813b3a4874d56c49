"""One comment says where a build is, and is edited as it goes: posted once, whatever is delivered how often and when."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.checks import Check
from github_app.conversation.effects import TimerName
from github_app.conversation.progress import builds
from github_app.conversation.record import State
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.people import BUILDS, PLACE
from tests.github_app.fakes.world import World

HEADER = "| Build |"


@pytest.fixture
def world():
    """A world whose workflow goes on to a change, just labelled."""
    world = World()
    world.workflow = BUILDS
    world.labels_it()
    return world


def shown(world):
    """The one comment about the build, without its small print and with runs named."""
    [body] = [body for body in world.ours() if body.startswith(HEADER)]
    for number, run in enumerate(sorted(world.runs), start=1):
        body = body.replace(str(run), f"RUN-{number}")
    return body.partition("\n\n<sub>")[0]


def test_a_build_from_the_queue_to_its_checks_and_their_revision(world):
    run = world.label_run()
    moments = []
    world.run_goes(run, "queued")
    moments.append(shown(world))
    world.step = "Run `evil` @octocat"
    world.run_goes(run)
    moments.append(shown(world))
    world.run_ends(run, a_ticket(), change=a_change(replies="model", dollars=0.42, model="m", rounds=2))
    moments.append(shown(world))
    world.checks[world.record.pull_request.base_commit] = [Check("test", "success", 70)]
    world.checks_end(Check("test", None, 71), Check("lint", "success", 72))
    moments.append(shown(world))
    world.checks_end(Check("test", "failure", 71), Check("lint", "success", 72))
    moments.append(shown(world))
    world.run_goes(world.last_run())
    moments.append(shown(world))
    assert "\n\n".join(moments) == snapshot("""\
| Build | queued, run [RUN-1](https://github.com/acme/orders/actions/runs/RUN-1) |
|---|---|

| Build | running, step ``Run `evil` ＠octocat``, run [RUN-1](https://github.com/acme/orders/actions/runs/RUN-1) |
|---|---|

| Build | ended with a change |
|---|---|
| Last run | 2 rounds · tests: 12 passed · $0.42 |
| Pull request | [#419](https://github.com/acme/orders/pull/419) |

| Build | ended with a change |
|---|---|
| Last run | 2 rounds · tests: 12 passed · $0.42 |
| Pull request | [#419](https://github.com/acme/orders/pull/419) |
| Checks | 1 passed · `test` running |

| Build | the next run is being started |
|---|---|
| Revision | 1 of 2, because checks failed |
| Last run | 2 rounds · tests: 12 passed · $0.42 |
| Pull request | [#419](https://github.com/acme/orders/pull/419) |
| Checks | 1 passed · `test` failed, passes on the base |

| Build | running, step ``Run `evil` ＠octocat``, run [RUN-2](https://github.com/acme/orders/actions/runs/RUN-2) |
|---|---|
| Revision | 1 of 2, because checks failed |
| Last run | 2 rounds · tests: 12 passed · $0.42 |
| Pull request | [#419](https://github.com/acme/orders/pull/419) |
| Checks | 1 passed · `test` failed, passes on the base |\
""")


def test_a_workflow_that_ends_with_a_ticket_has_no_such_comment():
    world = World()
    world.labels_it()
    run = world.label_run()
    world.run_goes(run, "queued")
    world.run_goes(run)
    assert world.ours() == []


@pytest.mark.parametrize(
    ("workflow", "expected"),
    [
        ("        with:\n          definition: build\n", True),
        ("          definition: '.github/askfirst/pipeline.yml'\n", True),
        ("          definition: gate\n", False),
        ('          definition: "triage" # an example\n', False),
        ("          # definition: build\n", False),
        ("          anthropic-api-key: x\n", False),
        ("", False),
    ],
)
def test_what_a_workflow_makes_is_told_by_its_definition(workflow, expected):
    assert builds(workflow) is expected


def test_the_same_news_twice_or_late_is_no_news(world):
    run = world.label_run()
    queued = world.run_goes(run, "queued", deliver=False)
    started = world.run_goes(run)
    version = world.record.version
    world.deliver("workflow_run", started)
    world.deliver("workflow_run", queued)
    assert world.record.version == version
    world.run_ends(run, a_failure())
    version = world.record.version
    world.deliver("workflow_run", started)
    assert world.record.version == version
    assert "ended without a change" in shown(world)


def test_news_of_a_run_that_has_ended_by_now_is_no_news(world):
    run = world.label_run()
    late = world.run_goes(run, "queued", deliver=False)
    world.run_goes(run)
    ended = world.run_ends(run, a_failure(), deliver=False)
    version = world.record.version
    world.deliver("workflow_run", late)
    assert world.record.version == version
    world.deliver("workflow_run", ended)
    assert "ended without a change" in shown(world)


def test_what_changes_nothing_in_the_comment_edits_nothing(world):
    world.run_goes(world.label_run())
    edits = world.checkpoints.count("done ShowProgress")
    world.timer_goes_off(TimerName.PROGRESS)
    world.says("How nice")
    assert world.checkpoints.count("done ShowProgress") == edits


def test_a_run_that_nobody_waits_for_is_not_shown(world):
    earlier = world.label_run()
    world.labels_it()
    world.clock.passes()
    payload = world.run_goes(earlier, deliver=False)
    payload["workflow_run"]["created_at"] = "2026-11-24T08:00:00+00:00"
    world.deliver("workflow_run", payload)
    assert world.ours() == []


def test_steps_are_looked_at_while_the_run_goes_and_no_longer(world):
    run = world.label_run()
    world.run_goes(run)
    world.step = "Run tests"
    world.timer_goes_off(TimerName.PROGRESS)
    assert "step `Run tests`" in shown(world)
    version = world.record.version
    world.timer_goes_off(TimerName.PROGRESS)
    assert world.record.version > version
    world.run_ends(run, a_failure())
    world.timer_goes_off(TimerName.PROGRESS)
    assert TimerName.PROGRESS not in {name for name, _ in world.set_timers}


def test_a_second_label_and_a_lost_database_edit_the_same_comment(world):
    world.run_goes(world.label_run())
    world.run_ends(world.last_run(), a_failure())
    world.labels_it()
    world.run_goes(world.label_run())
    assert "running" in shown(world)
    world.conversations.rows.clear()
    world.run_ends(world.last_run(), two_routes())
    assert "waits for the answer" in shown(world)


def test_a_database_that_is_lost_before_the_first_edit_costs_no_second_comment(world):
    world.run_goes(world.label_run(), "queued")
    world.conversations.rows.clear()
    world.run_goes(world.last_run())
    assert "running" in shown(world)


def test_a_comment_that_somebody_has_deleted_is_not_posted_again(world):
    world.run_goes(world.label_run(), "queued")
    [comment] = world.comments(PLACE)
    del world.the_comments[comment.id]
    world.run_goes(world.last_run())
    assert (world.ours(), world.state()) == ([], State.RUNNING)


def test_a_push_of_a_person_is_shown(world):
    world.run_goes(world.label_run())
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    world.code.pushed = "e" * 40
    world.checks_end()
    assert "taken over by a push" in shown(world)
