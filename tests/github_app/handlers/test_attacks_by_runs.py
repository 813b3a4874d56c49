"""Attacks 13 to 16 and 33 of the security page, by what a run carries: a forged, foreign or lost result is not believed."""

import pytest

from github_app.conversation.record import State
from github_app.ports.github import ArtifactRefused, Ending
from tests.github_app.conversation.questions import (
    COMMIT,
    a_plan,
    asked,
    candidate,
    plan_point,
    two_routes,
)
from tests.github_app.fakes.endings import a_ticket
from tests.github_app.fakes.people import WRITER


@pytest.mark.parametrize(
    "fields",
    [
        {"head_repository": {"id": 999}},
        {"head_repository": None},
        {"path": ".github/workflows/other.yml"},
        {"path": ".github/workflows/askfirst.yml.evil@main"},
        {"event": "pull_request"},
        {"event": "pull_request_target"},
        {"event": "push"},
        {"event": "workflow_dispatch"},
        {"head_branch": "feature"},
        {"display_title": "askfirst #418 and more"},
        {"display_title": "x askfirst #418"},
        {"conclusion": "skipped"},
    ],
    ids=str,
)
def test_attack_13_a_run_of_another_kind_is_ignored_whatever_it_carries(world, fields):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes(), **fields)
    assert world.new_comments() == []
    assert world.state() is State.RUNNING


def test_attack_13_what_a_cancelled_run_carries_is_not_looked_at(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes(), conclusion="cancelled")
    (told,) = world.new_comments()
    assert "it was cancelled on GitHub" in told
    assert "Which route" not in told


def test_attack_13_a_path_with_a_ref_is_still_our_workflow(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes(), path=".github/workflows/askfirst.yml@refs/heads/main")
    assert len(world.new_comments()) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("issue", 419),
        ("repository", "acme/other"),
        ("run_id", "1"),
        ("attempt", 2),
        ("nonce", "0" * 32),
        ("ticket_sha256", "0" * 64),
        ("commit", "0" * 39 + "1"),
    ],
)
@pytest.mark.parametrize("document", [two_routes(), a_ticket()], ids=["question", "ticket"])
def test_attack_14_an_artifact_that_names_something_else_is_refused(world, field, value, document):
    world.labels_it()
    run = world.label_run()
    foreign = world.identity(run).model_copy(update={field: value})
    payload = world.run_ends(run, document, deliver=False)
    world.endings[run, 1] = Ending(document.model_copy(update={"run": foreign}), "sha256:0")
    world.deliver("workflow_run", payload)
    (told,) = world.new_comments()
    assert told.startswith("**The run produced no usable result:**")
    assert world.the_issue.labels == {"askfirst"}


def test_attack_14_a_question_whose_id_is_not_its_hash_is_refused(world):
    world.labels_it()
    question = two_routes()
    forged = question.model_copy(
        update={"candidates": (*question.candidates, candidate("route:DELETE /", "DELETE /", "x.py", (1, 2)))}
    )
    world.run_ends(world.label_run(), forged)
    (told,) = world.new_comments()
    assert "is not the hash of what it asks" in told


@pytest.mark.parametrize(
    "points",
    [
        [plan_point(1, "Who?", ("Everybody", "x" * 501), ("Admins", "y"))],
        [plan_point(n, "Who? " * 90, ("Everybody", "x" * 499), ("Admins", "y" * 499)) for n in range(1, 16)],
    ],
    ids=["one text", "all of them"],
)
def test_a_plan_that_a_comment_would_cut_is_not_put_to_anybody(world, points):
    world.labels_it()
    world.run_ends(world.label_run(), a_plan(*points))
    (told,) = world.new_comments()
    assert "is too long to be shown whole" in told


def test_attack_16_an_artifact_that_is_gone_or_bad_is_told_once(world):
    world.labels_it()
    run = world.label_run()
    payload = world.run_ends(run, None)
    world.deliver("workflow_run", payload)
    (told,) = world.new_comments()
    assert "or its artifact has expired" in told


def test_attack_16_an_artifact_that_must_not_be_used_is_told_once(world):
    world.labels_it()
    run = world.label_run()
    world.endings[run, 1] = ArtifactRefused("it holds 2 members")
    world.run_ends(run, None)
    (told,) = world.new_comments()
    assert "it holds `2`" in told or "it holds 2 members" in told


def test_attack_16_a_question_that_is_lost_with_the_store_and_its_artifact_is_told_once(open_question):
    open_question.conversations.rows.clear()
    open_question.endings.clear()
    open_question.says("2")
    open_question.says("2")
    (told,) = open_question.new_comments()
    assert "the question that it asked has expired with its artifact" in told
    assert open_question.dispatched == []


def test_attack_33_a_run_for_another_answer_is_not_taken(open_question):
    open_question.says("2")
    mine = open_question.last_run()
    other = open_question.new_run("workflow_dispatch", f"askfirst #418 {'a' * 32}", WRITER)
    open_question.run_ends(other, a_ticket())
    assert open_question.state() is State.RUNNING
    open_question.run_ends(mine, a_ticket())
    assert open_question.state() is State.READY


@pytest.mark.parametrize("stage", ["coder", "reviewer", "change", "work", "a stage of their own"])
def test_attack_33_a_memo_of_a_run_that_ran_the_repositorys_code_is_not_taken(open_question, stage):
    first = open_question.record.memo
    open_question.says("2")
    assert open_question.dispatched[0]["memo_run_id"] == str(first.run_id)
    late = asked(slot="late", stage=stage, candidates=(candidate("a", "a", "a.py", (1, 2)),))
    open_question.run_ends(open_question.last_run(), late)
    assert open_question.record.memo == first
    assert open_question.dispatched[0]["commit"] == COMMIT
