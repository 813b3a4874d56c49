"""Conversations from label to end, with everything that can go wrong between two people and two programs."""

import pytest

from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.ports.github import GitHubRefused
from tests.github_app.conversation.questions import already_there, asked, candidate, two_routes
from tests.github_app.fakes.endings import a_failure, a_ticket
from tests.github_app.fakes.people import PLACE, STRANGER, WRITER

TWO = "route:POST /actions/stream"


def test_a_question_is_asked_once_and_its_answer_starts_one_run(world):
    world.labels_it()
    assert (None, "eyes") in world.reactions
    world.run_ends(world.label_run(), two_routes())
    (question,) = world.new_comments()
    assert question.startswith("**@octocat, which route should get the rate limit?**")
    assert "askfirst:needs-answer" in world.the_issue.labels
    assert {name for name, _ in world.set_timers} == {TimerName.REMINDER, TimerName.EXPIRY}

    reply = world.says("2")
    assert world.reactions_to(reply) == ["eyes", "rocket"]
    (inputs,) = world.dispatched
    assert inputs["issue"] == "418"
    assert f'"choice":"{TWO}"' in inputs["answers"]
    assert "askfirst:needs-answer" not in world.the_issue.labels
    assert world.set_timers == {}
    assert "Answered by `octocat`:" in world.ours()[0]
    assert f"actions/runs/{world.last_run()}" in world.ours()[0]

    world.run_ends(world.last_run(), a_ticket())
    (ready,) = world.new_comments()
    assert ready.startswith("**The ticket is ready: Limit the action endpoint**")
    assert "askfirst:ready" in world.the_issue.labels
    assert world.state() is State.READY


def test_a_clear_ticket_is_answered_with_the_ticket(world):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket())
    assert len(world.new_comments()) == 1
    assert world.dispatched == []


def test_the_label_in_other_letters_starts_and_ends_a_conversation_as_it_does_the_workflow(world):
    world.labels_it(label="AskFirst")
    assert world.state() is State.RUNNING
    world.unlabels_it(label="AskFirst")
    assert world.state() is State.STOPPED


@pytest.fixture
def ready(world):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket())
    world.new_comments()
    assert "askfirst:ready" in world.the_issue.labels
    return world


def test_a_ready_ticket_is_ready_no_more_once_its_issue_is_edited(ready):
    for _ in range(2):
        ready.edits_the_issue("Only for admins.")
    (notice,) = ready.new_comments()
    assert "after it was ready" in notice
    assert "askfirst:ready" not in ready.the_issue.labels
    ready.labels_it()
    assert ready.state() is State.RUNNING


@pytest.mark.parametrize("is_unlabelled", [False, True])
def test_of_a_ticket_without_the_ready_label_no_edit_says_that_it_was_ready(world, is_unlabelled):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(ready=is_unlabelled))
    world.remove_label(PLACE, "askfirst:ready")
    world.new_comments()
    world.edits_the_issue("Only for admins.")
    (notice,) = world.new_comments()
    assert "**The ticket was edited** after my run had ended." in notice
    assert "askfirst:ready" not in notice
    assert world.state() is State.STOPPED


def test_who_takes_the_label_off_a_ready_ticket_takes_both_off(ready):
    ready.unlabels_it()
    assert ready.the_issue.labels == set()
    assert ready.new_comments() == []
    assert ready.state() is State.STOPPED


def test_a_label_of_somebody_who_may_not_leaves_a_ready_ticket_ready(ready):
    ready.labels_it(STRANGER)
    assert len(ready.new_comments()) == 1
    assert "askfirst:ready" in ready.the_issue.labels
    assert ready.state() is State.READY


def test_a_ticket_without_targets_is_not_labelled_ready(world):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(ready=False))
    (comment,) = world.new_comments()
    assert "I do not know which code this is about." in comment
    assert "askfirst:ready" not in world.the_issue.labels


def test_both_starts_one_run_for_all_candidates_where_the_question_takes_several(world):
    several = two_routes().model_copy(
        update={"question": two_routes().question.model_copy(update={"multiple": True})}
    )
    world.labels_it()
    world.run_ends(world.label_run(), several)
    assert "**`both`** takes them together" in world.new_comments()[0]
    world.says("both")
    (inputs,) = world.dispatched
    assert f'"choices":["route:POST /actions","{TWO}"]' in inputs["answers"]
    assert "1, `POST /actions` and 2, `POST /actions/stream`" in world.ours()[0]
    world.says("/answer 1")
    assert '"choice":"route:POST /actions"' in world.dispatched[-1]["answers"]


def test_go_takes_the_default(open_question):
    open_question.says("go")
    assert '"choice":"route:POST /actions"' in open_question.dispatched[0]["answers"]


def test_free_text_travels_as_the_comment_and_its_hash(open_question):
    reply = open_question.says("/answer limit both, 10 per minute each")
    answers = open_question.dispatched[0]["answers"]
    assert "text_sha256" in answers
    assert str(reply["comment"]["id"]) in answers
    assert "limit both" not in answers


def test_what_stands_beside_a_choice_is_shown_and_goes_nowhere(open_question):
    open_question.says("2 — and please also log the client id")
    assert "log the client" not in str(open_question.dispatched)
    assert "I passed on only the choice." in open_question.ours()[0]


def test_words_beside_a_command_are_shown_and_go_nowhere(open_question):
    open_question.says("please rename it to preview\n/go")
    assert "rename" not in str(open_question.dispatched)
    assert (
        "Your reply also says “please rename it to preview”. I passed on only the choice. To pass it on, reply `/answer`"
        " and everything in one text." in open_question.ours()[0]
    )


def test_words_above_an_answer_in_words_are_shown_and_go_nowhere(open_question):
    open_question.says("Rename it.\n\n/answer limit both")
    assert "“Rename it.”. I passed on only what follows `/answer`." in open_question.ours()[0]


def test_a_reply_that_is_not_understood_is_hinted_at_once(open_question):
    first, second = open_question.says("2?"), open_question.says("hm, is it 1?")
    (hint,) = open_question.new_comments()
    assert "as a question to me, so I have **not** started" in hint
    assert open_question.reactions_to(first) == open_question.reactions_to(second) == ["confused"]
    assert open_question.dispatched == []


def test_a_reply_that_is_edited_into_an_answer_counts(open_question):
    reply = open_question.says("2?")
    open_question.edits_comment(reply["comment"]["id"], "2")
    assert len(open_question.dispatched) == 1


def test_a_late_second_answer_changes_nothing_and_is_told_so_once(open_question):
    open_question.says("2")
    open_question.says("1", WRITER)
    open_question.says("1", WRITER)
    assert len(open_question.dispatched) == 1
    (told,) = open_question.new_comments()
    assert "has an answer already" in told


def test_an_explicit_second_answer_stops_the_run_and_starts_another(open_question):
    open_question.says("2")
    first = open_question.last_run()
    open_question.says("/answer 1")
    assert open_question.cancelled == [first]
    assert len(open_question.dispatched) == 2
    open_question.run_ends(first, a_ticket())
    assert open_question.state() is State.RUNNING
    open_question.run_ends(open_question.last_run(), a_ticket())
    assert open_question.state() is State.READY


def test_a_run_that_somebody_cancels_on_github_leaves_nobody_waiting(open_question):
    open_question.says("2")
    open_question.run_ends(open_question.last_run(), None, conclusion="cancelled")
    (told,) = open_question.new_comments()
    assert told.startswith("**The run produced no usable result:** it was cancelled on GitHub.")
    assert open_question.state() is State.FAILED


def test_the_cancelled_run_of_a_replaced_answer_says_nothing(open_question):
    open_question.says("2")
    replaced = open_question.last_run()
    open_question.says("/answer 1")
    open_question.run_ends(replaced, None, conclusion="cancelled")
    assert (open_question.state(), open_question.new_comments()) == (State.RUNNING, [])


def test_cancel_stops(open_question):
    open_question.says("/cancel")
    assert open_question.state() is State.STOPPED
    assert "Stopped by `octocat`" in open_question.ours()[0]
    open_question.says("2")
    assert open_question.dispatched == []


def test_existing_code_ends_the_conversation_without_a_run(world):
    world.labels_it()
    world.run_ends(world.label_run(), already_there())
    world.says("1")
    assert (world.state(), world.dispatched) == (State.STOPPED, [])
    assert "Nothing will be built" in world.ours()[0]


@pytest.mark.parametrize(
    ("words", "field"), [("3", '"choice":"build_anyway"'), ("/answer 2 keys must expire", "text_sha256")]
)
def test_existing_code_can_be_built_upon(world, words, field):
    world.labels_it()
    world.run_ends(world.label_run(), already_there())
    world.says(words)
    assert field in world.dispatched[0]["answers"]


def test_a_bare_choice_that_needs_a_sentence_is_asked_for_it(world):
    world.labels_it()
    world.run_ends(world.label_run(), already_there())
    world.new_comments()
    world.says("2")
    (hint,) = world.new_comments()
    assert "`/answer 2` and one sentence" in hint
    assert world.dispatched == []


def test_several_rounds_keep_their_answers(open_question):
    open_question.says("2")
    second = asked(
        slot="effect", text="What should happen over the limit?", stage="semantics",
        candidates=(candidate("plan:a", "429", "app/a.py", (1, 2)), candidate("plan:b", "queue", "app/b.py", (1, 2))),
    )  # fmt: skip
    open_question.run_ends(open_question.last_run(), second)
    assert len(open_question.new_comments()) == 1
    open_question.says("1")
    answers = open_question.dispatched[1]["answers"]
    assert TWO in answers
    assert "plan:a" in answers


def test_a_fourth_question_is_not_asked(open_question):
    for n in range(3):
        open_question.says("1")
        more = asked(candidates=tuple(candidate(f"x:{n}{m}", f"x{n}{m}", f"{n}{m}.py", (1, 2)) for m in "ab"))
        open_question.run_ends(open_question.last_run(), more)
    assert open_question.state() is State.FAILED
    assert "Stopping after 3 questions" in open_question.ours()[-1]


def test_a_question_that_was_answered_is_not_asked_again(open_question):
    open_question.says("2")
    open_question.run_ends(open_question.last_run(), two_routes())
    (told,) = open_question.new_comments()
    assert "asked again what has been answered already" in told


def test_nobody_answers(open_question):
    open_question.timer_goes_off(TimerName.REMINDER)
    (reminder,) = open_question.new_comments()
    assert reminder.startswith("This question still waits for an answer.")
    open_question.timer_goes_off(TimerName.EXPIRY)
    assert open_question.new_comments() == []
    assert "Closed without code:" in open_question.ours()[0]
    open_question.says("2")
    assert open_question.dispatched[0]["commit"] == ""


def test_a_failed_run_says_why_and_what_to_do(world):
    world.labels_it()
    world.run_ends(world.label_run(), a_failure(), conclusion="failure")
    (comment,) = world.new_comments()
    assert "Save the file as `UTF-8`." in comment or "Save the file as UTF-8." in comment


def test_github_that_refuses_to_start_a_run_leaves_the_question_open(open_question):
    open_question.refuses_dispatch = GitHubRefused(404, "Not Found")
    reply = open_question.says("2")
    (told,) = open_question.new_comments()
    assert "I could not start the run:" in told
    assert open_question.reactions_to(reply) == ["eyes"]
    assert open_question.state() is State.ASKING
    open_question.refuses_dispatch = None
    open_question.says("2")
    assert len(open_question.dispatched) == 1


def test_a_run_id_that_github_does_not_tell_is_found_by_the_nonce(open_question):
    open_question.tells_run_id = False
    open_question.says("2")
    assert open_question.record.runs == (open_question.last_run(),)


def test_a_new_label_starts_over(open_question):
    open_question.says("2")
    open_question.run_ends(open_question.last_run(), a_ticket())
    open_question.labels_it()
    assert "askfirst:ready" not in open_question.the_issue.labels
    open_question.new_comments()
    open_question.run_ends(open_question.label_run(), two_routes())
    assert len(open_question.new_comments()) == 1
    assert open_question.record.rounds == 1


def test_the_end_of_a_run_may_come_before_its_label(world):
    label = world.labels_it(deliver=False)
    world.run_ends(world.label_run(), two_routes())
    world.deliver("issues", label)
    assert len(world.new_comments()) == 1
    assert world.state() is State.ASKING


def test_the_store_may_be_lost(open_question):
    open_question.conversations.rows.clear()
    reply = open_question.says("2")
    assert len(open_question.dispatched) == 1
    open_question.conversations.rows.clear()
    open_question.deliver("issue_comment", reply)
    assert len(open_question.dispatched) == 1
    open_question.run_ends(open_question.last_run(), a_ticket())
    assert open_question.state() is State.READY


def test_a_label_that_the_issue_had_is_not_set_again_where_the_store_is_lost(open_question):
    """Without the App nothing is stored, and the job of another reply may just be taking it off."""
    reply = open_question.says("what?")
    open_question.remove_label(PLACE, "askfirst:needs-answer")
    open_question.conversations.rows.clear()
    open_question.deliver("issue_comment", reply)
    assert "askfirst:needs-answer" not in open_question.the_issue.labels


def test_a_failed_run_can_be_run_again_on_github(world):
    import dataclasses

    world.labels_it()
    run = world.label_run()
    world.run_ends(run, a_failure())
    world.runs[run] = dataclasses.replace(world.runs[run], attempt=2)
    world.run_ends(run, two_routes())
    assert world.state() is State.ASKING


def test_taking_the_label_off_takes_the_question_back(open_question):
    open_question.unlabels_it()
    assert "Taken back:" in open_question.ours()[0]
    open_question.says("2")
    assert open_question.dispatched == []


def test_help_is_given_once(open_question):
    open_question.says("/help")
    open_question.says("/help")
    (told,) = open_question.new_comments()
    assert told.startswith("Reply **`1`** or **`2`**")


def test_people_may_talk_on_an_issue_that_is_done(open_question):
    open_question.says("2")
    open_question.run_ends(open_question.last_run(), a_ticket())
    open_question.new_comments()
    for words in ("thanks!", "ok", "👍", "I tried it, works in 2 browsers", "go"):
        open_question.says(words)
    assert open_question.new_comments() == []
