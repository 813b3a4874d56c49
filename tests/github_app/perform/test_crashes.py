"""A crash at every effect boundary, one after the other: nothing is lost and nothing is done twice."""

from collections import Counter

import pytest

from github_app.conversation.checks import Check
from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.dispatch import dispatch_timer
from github_app.perform import BOUNDARIES
from github_app.ports.conversations import TimerDue
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.people import BUILDS, PLACE, WRITER, Crash
from tests.github_app.fakes.world import World


def _until_it_works(world, event, payload):
    """Deliver, and deliver again after a crash, as the durable inbox does."""
    try:
        world.deliver(event, payload)
    except Crash:
        world.deliver(event, payload)


def _until_the_next_day_works(world):
    """The timer of a run that had to wait for the next day, gone off again after a crash."""
    due = TimerDue(PLACE, TimerName.START, world.record.postponed_start.timer)
    world.clock.time = world.set_timers.pop((due.name, due.about))
    try:
        dispatch_timer(due, world.app)
    except Crash:
        dispatch_timer(due, world.app)


def _whole_conversation(world):
    _until_it_works(world, "issue_comment", world.says("@askfirst", WRITER, deliver=False))
    _until_it_works(world, "issue_comment", world.says("@askfirst mind the limit", WRITER, deliver=False))
    _until_it_works(world, "issues", world.labels_it(deliver=False))
    world.workflow = BUILDS
    run = world.label_run()
    world.dollars_per_day = 0.0
    _until_it_works(world, "workflow_run", world.run_goes(run, "queued", deliver=False))
    world.dollars_per_day = None
    _until_the_next_day_works(world)
    _until_it_works(world, "workflow_run", world.run_goes(run, "queued", deliver=False))
    _until_it_works(world, "workflow_run", world.run_goes(run, deliver=False))
    _until_it_works(world, "workflow_run", world.run_ends(run, two_routes(), deliver=False))
    _until_it_works(world, "issue_comment", world.says("1?", deliver=False))
    _until_it_works(world, "issue_comment", world.says("2", deliver=False))
    _until_it_works(world, "issue_comment", world.says("/answer 1", deliver=False))
    _until_it_works(
        world, "workflow_run", world.run_ends(world.last_run(), a_ticket(), change=a_change(), deliver=False)
    )
    world.checks[world.record.pull_request.base_commit] = [Check("test", "success", 70)]
    red = world.checks_end(Check("test", "failure", 71), deliver=False)
    _until_it_works(world, "check_suite", red)
    _until_it_works(world, "workflow_run", world.run_ends(world.last_run(), a_failure(), deliver=False))
    _until_it_works(world, "pull_request_review", world.reviews("Name the limit", deliver=False))
    _until_it_works(
        world, "workflow_run", world.run_ends(world.last_run(), a_ticket(), change=a_change(), deliver=False)
    )


def _what_is_seen(world):
    """All that a person sees in the end."""
    return (
        [body.split("\n")[0][:60] for body in world.ours()],
        sorted(str(reaction) for reaction in world.reactions),
        len(world.dispatched),
        len(world.cancelled),
        list(world.code.commits),
        len(world.code.opened),
        sorted(world.the_issue.labels),
        sorted(world.set_timers),
        world.state(),
        world.record.outbox,
    )


def _undisturbed():
    world = World()
    _whole_conversation(world)
    return world


CHECKPOINTS = _undisturbed().checkpoints


@pytest.mark.parametrize(
    "crash_at", range(len(CHECKPOINTS)), ids=[f"{n}_{name}" for n, name in enumerate(CHECKPOINTS)]
)
def test_a_crash_is_not_to_be_seen(crash_at):
    world = World()
    world.crash_at = crash_at
    _whole_conversation(world)
    assert world.crash_at is None, "the crash did not happen"
    undisturbed = _undisturbed()
    assert _what_is_seen(world)[1:] == _what_is_seen(undisturbed)[1:]
    assert Counter(_kinds(world)) == Counter(_kinds(undisturbed))


def _kinds(world):
    return [body.split(" ")[0] for body in (*world.ours(), *world.ours_in_review())]


def test_a_crash_is_tried_at_every_kind_of_boundary_of_a_conversation():
    assert set(CHECKPOINTS) <= set(BOUNDARIES)
    untouched = {name.split()[-1] for name in BOUNDARIES} - {name.split()[-1] for name in CHECKPOINTS}
    assert untouched == set(), f"no crash was tried around {untouched}"


def test_another_reply_after_a_crash_does_not_start_a_second_run():
    world = World()
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    reply = world.says("2", deliver=False)
    world.checkpoints.clear()
    world.crash_at = 2  # the reaction is noted; the run is not looked for yet
    with pytest.raises(Crash):
        world.deliver("issue_comment", reply)
    world.says("1")
    world.deliver("issue_comment", reply)
    assert len(world.dispatched) == 1
    assert '"choice":"route:POST /actions/stream"' in world.dispatched[0]["answers"]
    assert world.state() is State.RUNNING


def test_recovery_waits_before_it_looks():
    world = World()
    world.labels_it()
    ended = world.run_ends(world.label_run(), two_routes(), deliver=False)
    world.checkpoints.clear()
    world.crash_at = 2  # the question is posted, and nobody has written that down
    with pytest.raises(Crash):
        world.deliver("workflow_run", ended)
    slept = world.clock.slept
    world.deliver("workflow_run", ended)
    assert world.clock.slept > slept
    assert len(world.ours()) == 1
