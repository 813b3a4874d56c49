"""Checks of the pull request: a red one that was green on the base is mended twice at most, and nobody is overtaken."""

import json

import pytest
from inline_snapshot import snapshot

from github_app.conversation.checks import Check
from github_app.conversation.record import State
from github_app.ports.github import GitHubRefused
from tests.github_app.conversation.questions import asked
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.world import World

GREEN = Check("test", "success", 70)


def red(job_id=71, name="test"):
    return Check(name, "failure", job_id)


def base(world, *checks):
    """What the checks of the base say."""
    assert world.record.pull_request is not None
    world.checks[world.record.pull_request.base_commit] = list(checks)


@pytest.fixture
def world():
    """A world whose pull request is open, on a base where `test` is green."""
    world = World()
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change())
    base(world, GREEN)
    world.new_comments()
    return world


def mend(world, text="limit = 11\n"):
    """The run that is going ends with another change."""
    change = a_change()
    file = change.files[0].model_copy(update={"content": text.encode()})
    world.run_ends(world.last_run(), a_ticket(), change=change.model_copy(update={"files": (file,)}))


def revision_of(world):
    return json.loads(world.dispatched[-1]["revise"])


def test_a_check_is_compared_with_that_of_the_same_app(world):
    """`test` of another App is red on the base, that of Actions is green: the change broke the latter."""
    other = Check("test", "failure", None, "other-ci")
    base(world, Check("test", "success", 70, "github-actions"), other)
    world.checks_end(Check("test", "failure", 71, "github-actions"), other)
    assert revision_of(world)["failed"]["jobs"] == [71]
    names = [(check.name, check.verdict.value) for check in world.record.checks]
    assert names == [("test (github-actions)", "broken"), ("test (other-ci)", "red before")]


def test_red_mended_red_again_mended_and_red_a_third_time_stops(world):
    world.checks_end(red(71))
    first = world.record.pull_request.head
    assert revision_of(world)["failed"] == {"commit": first, "jobs": [71]}
    assert world.dispatched[-1]["commit"] == first
    mend(world, "limit = 11\n")
    second = world.record.pull_request.head
    assert second != first
    world.checks_end(red(72))
    assert revision_of(world)["failed"] == {"commit": second, "jobs": [72]}
    mend(world, "limit = 12\n")
    world.checks_end(red(73))
    assert (world.state(), len(world.dispatched)) == (State.PUBLISHED, 2)
    said = [comment for comment in world.ours_in_review() if "changed it again" not in comment]
    runs = [str(run) for run in world.record.runs]
    assert [comment.replace(runs[0], "RUN").replace(runs[1], "RUN") for comment in said] == snapshot(
        [
            "`test` fails here and passes on the base. I work on it from the end of the log: revision 1 of 2, run [RUN](https://github.com/acme/orders/actions/runs/RUN). A push onto the branch stops me.",
            "`test` fails here and passes on the base. I work on it from the end of the log: revision 2 of 2, run [RUN](https://github.com/acme/orders/actions/runs/RUN). A push onto the branch stops me.",
            "**I stop here:** `test` fails after 2 revisions. A person should go on. To have me go on, comment `/revise` and a sentence.",
        ]
    )


def test_green_checks_start_nothing_and_nothing_is_said(world):
    world.checks_end(GREEN)
    assert (world.state(), world.dispatched, world.ours_in_review()) == (State.PUBLISHED, [], [])


@pytest.mark.parametrize(
    "on_base",
    [[red(60)], [], [Check("test", None, 60)], [Check("test", "skipped", 60)], [GREEN, red(60)]],
    ids=["red", "none", "running", "skipped", "red and green"],
)
def test_a_check_that_did_not_pass_on_the_base_is_not_charged(world, on_base):
    base(world, *on_base)
    world.checks_end(red())
    assert (world.state(), world.dispatched) == (State.PUBLISHED, [])


def test_of_two_red_checks_only_the_one_that_the_change_broke_is_mended(world):
    base(world, GREEN, red(60, "lint"))
    world.checks_end(red(71), red(72, "lint"))
    assert revision_of(world)["failed"]["jobs"] == [71]


@pytest.mark.parametrize(
    "check",
    [Check("test", "failure", None), Check("test", "startup_failure", 71)],
    ids=["service", "never began"],
)
def test_a_check_without_a_log_is_left_to_people_and_costs_no_revision(world, check):
    world.checks_end(check)
    assert world.dispatched == []


def test_a_revision_waits_until_no_job_runs_any_more(world):
    world.checks_end(red(71), Check("lint", None, 72))
    assert world.dispatched == []
    world.checks_end(red(71), Check("lint", "success", 72), Check("manual review", None, None))
    assert revision_of(world)["failed"]["jobs"] == [71]


def test_a_revision_waits_for_a_job_of_the_same_name_too(world):
    world.checks_end(red(71), Check("test", None, 72))
    assert world.dispatched == []
    world.checks_end(red(71), red(72))
    assert revision_of(world)["failed"]["jobs"] == [72]


def test_a_check_that_appears_twice_counts_as_red_if_one_of_them_is(world):
    world.checks_end(GREEN, red(71), Check("test", "success", 72))
    assert revision_of(world)["failed"]["jobs"] == [71]


def test_the_same_delivery_twice_starts_one_revision(world):
    payload = world.checks_end(red())
    world.deliver("check_suite", payload)
    world.run_ends(world.last_run(), a_failure())
    world.deliver("check_suite", payload)
    world.checks_end(red(75))
    assert (world.state(), len(world.dispatched)) == (State.PUBLISHED, 1)


def test_a_delivery_that_comes_late_is_about_the_head_as_it_stands_now(world):
    late = world.checks_end(red(), deliver=False)
    world.checks_end(red())
    mend(world)
    world.checks_end(GREEN)
    world.deliver("check_suite", late)
    assert (world.state(), len(world.dispatched)) == (State.PUBLISHED, 1)


def test_github_showing_our_earlier_commit_is_not_somebody_elses_push(world):
    earlier = world.record.pull_request.head
    late = world.checks_end(red())
    mend(world)
    world.code.pushed = earlier
    world.deliver("check_suite", late)
    assert not world.record.pull_request.is_taken_over


def test_a_persons_push_ends_our_pushing(world):
    world.code.pushed = "e" * 40
    world.checks_end(red())
    assert world.dispatched == []
    world.code.pushed = None
    world.checks_end(red())
    assert (world.state(), world.dispatched) == (State.PUBLISHED, [])
    world.reviews("Please name the limit")
    mend(world)
    world.checks_end(red(80))
    assert len(world.dispatched) == 1


def test_a_push_while_a_check_is_mended_stops_the_run_and_says_so(world):
    world.checks_end(red())
    world.code.pushed = "e" * 40
    world.checks_end(red(74))
    assert world.state() is State.PUBLISHED
    assert world.cancelled == [world.last_run()]
    assert world.ours_in_review()[-1] == snapshot(
        "**Somebody pushed onto this branch** while I worked on its checks. I have stopped, and push nothing more by myself. To have me go on, comment `/revise` and a sentence."
    )


def test_a_push_that_nobody_told_us_of_is_not_built_upon(world):
    world.checks_end(red())
    world.code.pushed = "e" * 40
    commits = len(world.code.commits)
    mend(world)
    assert (world.state(), len(world.code.commits)) == (State.PUBLISHED, commits)
    assert "somebody has pushed" in world.ours_in_review()[-1]


def test_a_push_before_a_person_asks_for_changes_ends_it_too(world):
    world.code.pushed = "e" * 40
    world.reviews("Please name the limit")
    mend(world)
    world.checks_end(red(80))
    assert len(world.dispatched) == 1


def test_a_push_while_a_persons_revision_runs_does_not_stop_that_run(world):
    world.reviews("Please name the limit")
    world.code.pushed = "e" * 40
    world.checks_end(GREEN)
    assert (world.state(), world.cancelled) == (State.REVISING, [])
    assert world.record.pull_request.is_taken_over


def test_a_mending_run_may_ask_and_goes_on_with_the_answer(world):
    world.checks_end(red())
    world.run_ends(world.last_run(), asked(slot="name"))
    assert world.state() is State.ASKING_IN_REVIEW
    world.says("2", on_pull_request=True)
    assert revision_of(world)["failed"]["jobs"] == [71]


def test_a_revision_that_github_refuses_to_start_says_why_and_counts_for_nothing(world):
    world.refuses_dispatch = GitHubRefused(404, "Not Found")
    world.checks_end(red())
    assert world.state() is State.PUBLISHED
    assert world.record.check_revisions == 0
    [said] = world.ours_in_review()
    assert "I could not start the run" in said
    world.checks_end(red())
    assert len(world.ours_in_review()) == 1


def test_what_people_ask_for_and_what_checks_ask_for_is_counted_apart(world):
    for number in range(5):
        world.reviews(f"Please use {number}")
        mend(world, f"limit = {number}\n")
    world.checks_end(red())
    assert world.state() is State.REVISING


def test_a_review_after_the_app_stopped_brings_the_red_checks_along(world):
    for job in (71, 72):
        world.checks_end(red(job))
        mend(world, f"limit = {job}\n")
    world.checks_end(red(73))
    world.reviews("Name the limit.")
    head = world.record.pull_request.head
    told = revision_of(world)
    assert (told["failed"], told["asked"]["asked_by"]) == ({"commit": head, "jobs": [73]}, "octocat")
    world.code.pushed = "e" * 40
    mend(world)
    assert "changed it again" in world.ours_in_review()[-1]
    world.code.pushed = "f" * 40
    world.reviews("Once more.")
    assert "failed" not in revision_of(world)


def test_checks_of_a_branch_that_is_only_called_like_ours_start_nothing(world):
    payload = world.checks_end(red(), deliver=False)
    payload["check_suite"]["head_branch"] = "askfirst/418-another"
    world.deliver("check_suite", payload)
    assert world.dispatched == []


def test_checks_of_a_closed_pull_request_start_nothing(world):
    world.code.is_open = False
    world.checks_end(red())
    assert world.dispatched == []


def test_a_lost_database_loses_no_count_of_revisions(world):
    world.checks_end(red(71))
    mend(world, "limit = 11\n")
    world.conversations.rows.clear()
    world.checks_end(red(72))
    mend(world, "limit = 12\n")
    world.conversations.rows.clear()
    world.checks_end(red(73))
    assert (world.state(), len(world.dispatched)) == (State.PUBLISHED, 2)
