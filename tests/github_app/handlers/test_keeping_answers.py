"""The box in a question that keeps its answer for later tickets, and `/decide` that comes too late."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.record import State
from tests.github_app.conversation.questions import asked, blocked, confirmation, two_routes
from tests.github_app.fakes.endings import a_change, a_ticket
from tests.github_app.fakes.people import STRANGER, WRITER
from tests.github_app.fakes.world import World

EMPTY = "- [ ] keep this answer for later tickets"
TICKED = "- [x] keep this answer for later tickets"


@pytest.fixture
def world():
    """A world in which a question of two routes is open."""
    world = World()
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    return world


def tick(world, who=WRITER, *, box=(EMPTY, TICKED)):
    """What GitHub does when somebody clicks on a box of the question's comment."""
    comment_id = world.record.question_comment_id
    return world.edits_comment(comment_id, world.the_comments[comment_id].body.replace(*box), who)


def kept(world):
    """The commits that propose a decision."""
    return [
        commit for commit in world.code.commits.values() if commit.files[0].path.endswith("decisions.yml")
    ]


def test_a_question_about_the_code_has_the_box_and_others_have_none():
    for question, boxes in [
        (two_routes(), 1),
        (blocked(), 0),
        (confirmation(), 0),
        (asked(slot="reading"), 0),
    ]:
        world = World()
        world.labels_it()
        world.run_ends(world.label_run(), question)
        assert world.ours()[0].count(EMPTY) == boxes


def test_a_box_ticked_before_the_answer_keeps_it(world):
    tick(world)
    assert f"{TICKED}, wished by `hubot-keeper`" in world.ours()[0]
    assert world.state() is State.ASKING
    world.says("2")
    assert "**Kept for later tickets**" in world.ours()[0]
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    [commit] = kept(world)
    assert b"decided_by: hubot-keeper" in commit.files[0].content


def test_a_box_ticked_after_the_answer_keeps_it(world):
    world.says("2")
    assert EMPTY in world.ours()[0]
    tick(world)
    assert "**Kept for later tickets**" in world.ours()[0]
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert len(kept(world)) == 1


def test_nothing_is_kept_that_nobody_ticked_or_that_was_cleared_again(world):
    tick(world)
    tick(world, box=(TICKED, EMPTY))
    assert EMPTY in world.ours()[0]
    world.says("2")
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert kept(world) == []


@pytest.mark.parametrize("when", ["before", "after"])
def test_whoever_has_no_write_access_keeps_nothing_by_the_box(world, when):
    if when == "after":
        world.says("2")
    tick(world, STRANGER)
    if when == "before":
        assert EMPTY in world.ours()[0]
        world.says("2")
    assert "**Kept for later tickets**" not in world.ours()[0]
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert kept(world) == []


def test_a_tick_that_is_delivered_twice_is_one(world):
    payload = tick(world)
    version = world.record.version
    world.deliver("issue_comment", payload)
    assert world.record.version == version


def test_an_edit_of_our_question_that_touches_no_box_says_nothing(world):
    before = world.record
    comment_id = world.record.question_comment_id
    world.edits_comment(comment_id, "Approved. 2", WRITER)
    world.edits_comment(comment_id, f"{TICKED}\n\n{TICKED}", WRITER)
    assert world.record == before
    assert world.dispatched == []


def test_the_next_question_begins_with_an_empty_box(world):
    tick(world)
    world.says("2")
    world.run_ends(world.last_run(), asked(slot="model"))
    assert world.record.keep_wished_by is None
    assert EMPTY in world.ours()[-1]


@pytest.fixture
def published(world):
    world.says("2")
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    world.new_comments()
    return world


@pytest.mark.parametrize("on_pull_request", [False, True])
def test_decide_after_the_pull_request_is_open_says_what_to_do_once(published, on_pull_request):
    for _ in range(2):
        published.says("/decide", WRITER, on_pull_request=on_pull_request)
    assert published.new_comments() == []
    told = [text for text in published.ours_in_review() if "later tickets" in text]
    assert told == snapshot(
        [
            "**Not kept for later tickets:** the pull request is open, and what it keeps was settled when it was opened. To keep the answer now, add an entry to `.github/askfirst/decisions.yml`, on the branch of the pull request or with `askfirst decide` in a checkout. Next time, reply `/decide` or tick the box before the change is there."
        ]
    )
    assert kept(published) == []
    assert published.state() is State.PUBLISHED


def test_a_box_ticked_after_the_pull_request_is_open_says_what_to_do(published):
    tick(published)
    assert "the pull request is open" in "".join([*published.ours(), *published.ours_in_review()])


def test_a_stranger_is_not_told_how_to_keep_an_answer(published):
    published.says("/decide", STRANGER)
    tick(published, STRANGER)
    assert "the pull request is open" not in "".join([*published.ours(), *published.ours_in_review()])
