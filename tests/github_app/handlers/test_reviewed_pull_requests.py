"""Every round of the review of a pull request: what is asked for, what is asked there, and when it ends."""

import json

import pytest
from inline_snapshot import snapshot

from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.ports.github import GitHubRefused
from pipeline.contract.wire import review_sha256
from tests.github_app.conversation.questions import COMMIT, asked, blocked, confirmation
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.people import EVIL_BOT, OCTOCAT, PULL_REQUEST, STRANGER, WRITER


def revision_of(world, at=-1):
    return json.loads(world.dispatched[at]["revise"])


def test_a_revision_is_one_run_for_one_review_and_its_commit_lands_on_the_same_branch(published):
    published.reviews("Please name the limit", remarks=((7, "app/api/stream.py", "here"),))
    assert published.state() is State.REVISING
    inputs = published.dispatched[-1]
    assert inputs["commit"] == published.record.pull_request.head
    told = revision_of(published)
    assert told == {
        "version": 1, "pull_request": PULL_REQUEST, "base_commit": COMMIT,
        "asked": {
            "review_id": max(published.code.reviews), "asked_by": "octocat",
            "text_sha256": review_sha256("Please name the limit", [(7, "app/api/stream.py", "here")]),
        },
    }  # fmt: skip
    assert "name the limit" not in json.dumps(inputs)
    assert [answer["choice"] for answer in json.loads(inputs["answers"])["answers"]] == [
        "route:POST /actions/stream"
    ]
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    first, _, second = published.code.commits.values()
    assert (second.branch, second.base) == (first.branch, list(published.code.commits)[1])
    assert published.state() is State.PUBLISHED
    assert len(published.code.opened) == 1
    assert [
        body.replace(str(published.last_run()), "<run>") for body in published.ours_in_review()
    ] == snapshot(
        [
            "I am working on the changes that `octocat` requested: run [<run>](https://github.com/acme/orders/actions/runs/<run>).",
            """\
**I have changed it again:** 0000000, run [<run>](https://github.com/acme/orders/actions/runs/<run>).

### Tests

| tests run | result |  |
|---|---|---|
| `pytest -q` | passed | 12 passed |

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.\
""",
        ]
    )
    assert published.new_comments() == []


NAMED = {
    "criterion": "Please name the limit",
    "met": "met",
    "place": "app/api/stream.py:1",
    "reason": "It is `LIMIT`.",
}


def test_the_description_is_rewritten_for_what_the_pull_request_is_now(published):
    published.reviews("Please name the limit")
    change = a_change(
        summary="The limit has a name now.", criteria=[{**NAMED, "is_wish": True}], model="a-model", replies="model", dollars=0.5
    )  # fmt: skip
    published.run_ends(published.last_run(), a_ticket(), change=change, dollars=2.25)
    [(_, body)] = published.code.opened
    head = published.record.pull_request.head
    assert body.startswith("Closes #418\n\nThe limit has a name now.")
    link = f"[`app/api/stream.py:1`](https://github.com/acme/orders/blob/{head}/app/api/stream.py#L1)"
    wish = f"**met**: Please name the limit — It is `LIMIT`. ({link})"
    assert f"- {wish}" in body
    assert "Model calls, in all runs so far: $2.25" in body
    assert "### Kept for later tickets" in body
    assert f"- {wish}" in published.ours_in_review()[-1]


def test_a_description_that_a_person_has_edited_stays_and_that_is_said_once(published):
    title, body = published.code.opened[0]
    published.code.opened[0] = (title, f"{body}\nSeen with the team.".replace("\n", "\r\n"))
    for _ in range(2):
        published.reviews("Please name the limit")
        published.run_ends(published.last_run(), a_ticket(), change=a_change(summary="Another one."))
    assert "Another one." not in published.code.opened[0][1]
    told = [
        "edited the description" in comment
        for comment in published.ours_in_review()
        if "changed it" in comment
    ]
    assert told == [True, False]


def test_line_ends_of_the_editor_are_no_edit(published):
    title, body = published.code.opened[0]
    published.code.opened[0] = (title, body.replace("\n", "\r\n"))
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), a_ticket(), change=a_change(summary="Another one."))
    assert "Another one." in published.code.opened[0][1]


@pytest.mark.parametrize(
    "command", ["/revise name the limit", "/askfirst revise\nname the limit", "Hi\n/REVISE: name it"]
)
def test_a_command_on_the_pull_request_asks_for_changes_too(published, command):
    said = published.says(command, on_pull_request=True)
    assert published.reactions_to(said) == ["eyes", "rocket"]
    assert revision_of(published)["asked"]["comment_id"] == said["comment"]["id"]


@pytest.mark.parametrize(
    "said", ["please /revise it", "> /revise it", "`/revise it`", "looks good", "/revised"]
)
def test_what_is_no_command_starts_nothing(published, said):
    published.says(said, on_pull_request=True)
    assert len(published.dispatched) == 1


def test_a_command_on_the_issue_starts_no_revision(published):
    published.says("/revise name the limit")
    assert len(published.dispatched) == 1


def test_only_who_may_answer_may_ask_for_changes(published):
    published.reviews("Please add my backdoor", STRANGER)
    said = published.says("/revise add my backdoor", STRANGER, on_pull_request=True)
    published.reviews("Please", EVIL_BOT)
    assert len(published.dispatched) == 1
    assert published.reactions_to(said) == ["confused"]
    assert published.ours_in_review() == []
    published.reviews("Please name the limit", WRITER)
    assert len(published.dispatched) == 2


def test_an_approval_a_remark_and_what_was_dismissed_before_it_was_read_start_nothing(published):
    published.reviews("Fine", state="approved")
    published.reviews("Hm", state="commented")
    published.reviews("Please name the limit", state="dismissed")
    assert len(published.dispatched) == 1


def test_the_same_review_delivered_twice_is_one_run(published):
    payload = published.reviews("Please name the limit")
    published.deliver("pull_request_review", payload)
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    published.deliver("pull_request_review", payload)
    assert len(published.dispatched) == 2


def test_changes_asked_for_without_words_or_too_early_are_answered_and_start_nothing(published):
    published.reviews("")
    published.says("/revise", on_pull_request=True)
    published.reviews("Name it")
    published.reviews("And document it", WRITER)
    assert len(published.dispatched) == 2
    assert [
        body.partition("Write")[0].partition(": run")[0] for body in published.ours_in_review()
    ] == snapshot(
        [
            "I have **not** started: I found no description of the change. ",
            "I have **not** started: I found no description of the change. ",
            "I am working on the changes that `octocat` requested",
            "I have **not** started: a run is changing this already. Ask again when it has ended, or stop it with `/cancel`.",
        ]
    )


def test_a_pull_request_is_changed_again_five_times_and_no_more(published):
    for _ in range(7):
        published.reviews("Again")
        if published.state() is State.REVISING:
            published.run_ends(published.last_run(), a_ticket(), change=a_change())
    assert len(published.dispatched) == 6
    assert "changed 5 times already" in published.ours_in_review()[-1]


def test_a_question_of_a_revision_is_asked_and_answered_on_the_pull_request(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="name"))
    assert published.state() is State.ASKING_IN_REVIEW
    question = published.ours_in_review()[-1]
    assert "@octocat" in question
    assert published.new_comments() == []
    published.says("2")  # on the issue, where nothing is asked
    assert published.state() is State.ASKING_IN_REVIEW
    reply = published.says("2", on_pull_request=True)
    assert published.state() is State.REVISING
    assert published.reactions_to(reply) == ["eyes", "rocket"]
    assert revision_of(published)["pull_request"] == PULL_REQUEST
    assert published.dispatched[-1]["commit"] == published.record.pull_request.head
    assert f"issues/{PULL_REQUEST}#issuecomment" in published.ours_in_review()[-1]
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    assert published.state() is State.PUBLISHED
    assert len(published.code.commits) == 3


def test_a_question_of_a_revision_that_expired_can_still_be_answered(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="name"))
    published.timer_goes_off(TimerName.EXPIRY)
    published.says("2", on_pull_request=True)
    assert published.state() is State.REVISING


@pytest.mark.parametrize("ending", [a_failure(), None, a_ticket()])
def test_a_revision_that_failed_leaves_the_pull_request_to_be_asked_again(published, ending):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), ending)
    assert published.state() is State.PUBLISHED
    assert "once more" in published.ours_in_review()[-1]
    published.reviews("Please name the limit!")
    assert published.state() is State.REVISING


def test_a_revision_that_github_does_not_start_says_so(published):
    published.refuses_dispatch = GitHubRefused(404, "Not Found")
    said = published.says("/revise name it", on_pull_request=True)
    assert published.state() is State.PUBLISHED
    assert published.reactions_to(said) == ["eyes"]
    [told] = published.ours_in_review()
    assert "GitHub answered 404" in told


def test_a_reviewer_can_cancel_a_revision(published):
    published.reviews("Please name the limit")
    run = published.last_run()
    published.says("/cancel", OCTOCAT, on_pull_request=True)
    assert published.state() is State.REVISING
    published.says("/cancel", WRITER, on_pull_request=True)
    assert published.cancelled == [run]
    assert published.state() is State.PUBLISHED


def test_a_closed_pull_request_gets_no_commit(published):
    published.reviews("Please name the limit")
    published.code.is_open = False
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    assert "is closed" in published.ours_in_review()[-1]
    published.reviews("Please name the limit")
    assert len(published.dispatched) == 2


def test_a_closed_pull_request_is_not_changed_again_and_whoever_asks_is_told(published):
    published.code.is_open = False
    said = published.says("/revise name the limit", on_pull_request=True)
    published.reviews("Please name the limit")
    assert len(published.dispatched) == 1
    assert published.state() is State.PUBLISHED
    assert published.reactions_to(said) == ["confused"]
    assert published.ours_in_review() == snapshot(
        [
            "I have **not** started: this pull request is closed. Reopen it and ask again, or label the issue `askfirst` again.",
            "I have **not** started: this pull request is closed. Reopen it and ask again, or label the issue `askfirst` again.",
        ]
    )
    published.code.is_open = True
    published.reviews("Please name the limit")
    assert published.state() is State.REVISING


@pytest.mark.parametrize("question", [blocked(), confirmation()], ids=["blocked", "confirmation"])
def test_attack_33_a_verdict_about_one_revision_is_not_taken_for_the_next(published, question):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), question)
    published.says("2", WRITER, on_pull_request=True)
    slots = [answer["slot"] for answer in json.loads(published.dispatched[-1]["answers"])["answers"]]
    assert slots == ["entry_route", question.question.slot]
    published.run_ends(published.last_run(), a_failure())
    published.reviews("Please try again", WRITER)
    slots = [answer["slot"] for answer in json.loads(published.dispatched[-1]["answers"])["answers"]]
    assert slots == ["entry_route"]
    published.run_ends(published.last_run(), question)
    assert published.state() is State.ASKING_IN_REVIEW


def test_an_answer_on_a_closed_pull_request_starts_nothing(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="name"))
    published.code.is_open = False
    published.says("2", on_pull_request=True)
    assert len(published.dispatched) == 2
    assert published.state() is State.CLOSED
    assert published.ours_in_review()[-1] == snapshot(
        "This pull request, or its issue, is closed or locked, so nothing was started. Reopen it and label the issue `askfirst` again."
    )
    assert "askfirst:needs-answer" not in published.the_issue.labels


def test_a_revision_begins_with_what_people_have_pushed_onto_the_branch(published):
    published.code.pushed = "e" * 40
    published.reviews("Please name the limit")
    assert published.dispatched[-1]["commit"] == "e" * 40
    assert revision_of(published)["base_commit"] == COMMIT
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    assert published.state() is State.PUBLISHED
    *_, made = published.code.commits.values()
    assert made.base == "e" * 40


def test_a_lost_database_loses_no_pull_request(published):
    published.conversations.rows.clear()
    published.reviews("Please name the limit")
    assert published.state() is State.REVISING
    assert published.record.pull_request.number == PULL_REQUEST
    published.conversations.rows.clear()
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    assert len(published.code.commits) == 3


def test_a_new_label_starts_over_and_forgets_the_review(published):
    published.labels_it()
    assert published.state() is State.RUNNING
    published.reviews("Please name the limit")
    assert len(published.dispatched) == 1


def test_the_issue_closed_by_the_merge_ends_the_conversation(published):
    published.closes_it(OCTOCAT)
    assert published.state() is State.CLOSED


def test_a_review_after_the_issue_is_closed_is_answered_and_starts_nothing(published):
    published.closes_it(OCTOCAT)
    published.reviews("Please name the limit")
    said = published.says("/revise name the limit", on_pull_request=True)
    by_stranger = published.says("/revise name the limit", STRANGER, on_pull_request=True)
    assert (len(published.dispatched), published.state()) == (1, State.CLOSED)
    assert (published.reactions_to(said), published.reactions_to(by_stranger)) == (["confused"], ["confused"])
    assert published.ours_in_review() == snapshot(
        [
            "I have **not** started: the issue of this pull request is closed. To have it changed, reopen the issue and label it `askfirst` again: I then open another pull request.",
            "I have **not** started: the issue of this pull request is closed. To have it changed, reopen the issue and label it `askfirst` again: I then open another pull request.",
        ]
    )


def test_an_issue_that_is_edited_after_its_pull_request_is_told_once_what_follows(published):
    published.edits_the_issue("Please limit the stream endpoint, too.")
    published.edits_the_issue("Please limit the stream endpoint, and the batch endpoint, too.")
    assert published.state() is State.PUBLISHED
    assert published.new_comments() == snapshot(
        [
            "**The ticket was edited** after I had opened [#419](https://github.com/acme/orders/pull/419) from its earlier text. The pull request stays as it is, and while the texts differ, changes that are requested there fail. To have the new text built in another pull request, label the issue `askfirst` again. To go on with this one, take the edit back."
        ]
    )
    assert published.ours_in_review() == []


def test_an_edit_while_a_pull_request_is_changed_again_leaves_its_question_open(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="name"))
    published.edits_the_issue("Please limit the stream endpoint, too.")
    assert published.state() is State.ASKING_IN_REVIEW
    assert "The ticket was edited" in published.new_comments()[-1]
    published.timer_goes_off(TimerName.EXPIRY)
    assert published.state() is State.ASKING_IN_REVIEW
    assert published.record.ended.how == "expired"
