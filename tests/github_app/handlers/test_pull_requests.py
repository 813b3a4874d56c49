"""From a change to the pull request, and every round of its review: what is seen on the issue and where it was asked."""

import base64
import dataclasses
import hashlib
import json

import pytest
from inline_snapshot import snapshot

from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.conversation.wording.published import pull_request_text
from github_app.ports.github import ArtifactRefused, GitHubRefused, GitHubUnavailable, UnpublishableChange
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.change import FileChange, blob_of
from pipeline.contract.decision_text import parse_decisions
from pipeline.contract.identity import review_sha256
from pipeline.contract.ticket import TicketFact
from pipeline.contract.yaml_source import read_yaml
from tests.github_app.conversation.questions import COMMIT, asked, blocked, confirmation, two_routes
from tests.github_app.fakes.world import (
    EVIL_BOT,
    OCTOCAT,
    PULL_REQUEST,
    STRANGER,
    WRITER,
    World,
    a_change,
    a_failure,
    a_ticket,
)


@pytest.fixture
def world():
    return World()


@pytest.fixture
def published(world):
    """A world whose pull request is open, after one question."""
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("2")
    world.says("/decide", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    world.new_comments()
    return world


def revision_of(world, at=-1):
    return json.loads(world.dispatched[at]["revise"])


def test_a_change_becomes_one_commit_and_one_draft_and_is_told_on_the_issue(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("2")
    world.says("/decide", WRITER)
    world.new_comments()
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert world.state() is State.PUBLISHED
    commit, _ = world.code.commits.values()
    assert commit.branch == "askfirst/418-limit-the-action-endpoint"
    assert [file.path for file in commit.files] == ["app/api/stream.py"]
    [(title, body)] = world.code.opened
    assert title == "Limit the action endpoint"
    assert body.replace(str(world.last_run()), "<run>").rpartition("\n\n<!-- askfirst:v1")[0] == snapshot("""\
Closes #418

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.

### Why

The stream endpoint takes any number of requests.

### Asked and answered

- Which route should get the rate limit? — **`POST /actions/stream`**, by `octocat`

### Kept for later tickets

- `route:POST /actions/stream` rather than `route:POST /actions`, by `hubot-keeper` on 2026-11-24

`/decide` asked for this: later tickets that leave the same open are not asked again once it is merged. It is a commit of its own, in `.github/askfirst/decisions.yml`: drop it, or remove the entry later, to be asked again.

### Assumed

- Ten a minute are enough.

### Tests

| tests run | result |  |
|---|---|---|
| `pytest -q` | passed | 12 passed |

No model was called. Run [<run>](https://github.com/acme/orders/actions/runs/<run>).

<sub>A draft until somebody has read it. To have it changed, request changes in a review or comment `/revise` and a sentence.</sub>\
""")
    [told] = world.new_comments()
    assert told == snapshot("""\
**The change is there: [#419](https://github.com/acme/orders/pull/419)**. It is a draft: read it, and mark it ready. To have it changed, request changes in a review there, or comment `/revise` and a sentence.

**The model's replies were scripted:** no model wrote this change. It shows the wiring, not quality.\
""")
    assert "askfirst:needs-answer" not in world.the_issue.labels


def test_an_answer_about_the_code_is_offered_for_later_tickets_in_a_commit_of_its_own(published):
    _, kept = published.code.commits.values()
    [file] = kept.files
    assert f"{kept.message}\n\n{file.path}\n{file.content.decode()}" == snapshot("""\
Keep what was answered in #418 for later tickets

askfirst will not ask this again once it is merged. Drop this commit if it holds for one ticket only.

.github/askfirst/decisions.yml
# Answers that hold for every ticket. askfirst reads this file from the base branch.
# Of two entries about the same candidates the last one counts. To be asked again, remove an entry.
version: 1
decisions:
  - slot: entry_route
    candidates:
    - route:POST /actions
    - route:POST /actions/stream
    choice: route:POST /actions/stream
    decided_by: hubot-keeper
    decided_in: 418
    decided_at: 2026-11-24
""")
    [(_, body)] = published.code.opened
    assert body[body.index("### Kept") : body.index("### Assumed")] == snapshot("""\
### Kept for later tickets

- `route:POST /actions/stream` rather than `route:POST /actions`, by `hubot-keeper` on 2026-11-24

`/decide` asked for this: later tickets that leave the same open are not asked again once it is merged. It is a commit of its own, in `.github/askfirst/decisions.yml`: drop it, or remove the entry later, to be asked again.

""")
    assert published.record.pull_request.head == list(published.code.commits)[-1]


def answered(world, reply, who=OCTOCAT):
    """A world whose pull request is open, after one question and this reply."""
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says(reply, who)
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    return [body for _, body in world.code.opened]


@pytest.mark.parametrize(
    "reply", ["2", "go", "2, for ever", "/answer limit both, 10 per minute each\n/decide"]
)
def test_nothing_is_kept_for_later_tickets_that_nobody_decides_or_that_names_nothing(world, reply):
    [body] = answered(world, reply, WRITER)
    assert "### Kept" not in body
    assert len(world.code.commits) == 1


def test_what_is_asked_after_code_of_the_repository_ran_decides_nothing_for_later_tickets(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes(stage="coder"))
    world.says("2\n/decide", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert len(world.code.commits) == 1


@pytest.mark.parametrize("there", ["not: [a file of decisions", "version: 1\ndecisions: nonsense\n"])
def test_a_file_of_decisions_that_cannot_be_read_keeps_no_change_back(world, there):
    world.code.decisions = there
    [body] = answered(world, "2\n/decide", WRITER)
    assert "### Kept" not in body
    assert (len(world.code.commits), world.state()) == (1, State.PUBLISHED)


def test_an_answer_that_is_on_file_already_is_not_written_again(published):
    _, kept = published.code.commits.values()
    again = World()
    again.code.decisions = kept.files[0].content.decode()
    answered(again, "2\n/decide", WRITER)
    assert len(again.code.commits) == 1


def test_a_revision_does_not_bring_back_a_decision_that_a_person_took_off_the_branch(published):
    published.code.pushed = "e" * 40
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    *_, last = published.code.commits.values()
    assert [file.path for file in last.files] == ["app/api/stream.py"]


def test_without_the_app_a_pull_request_says_that_nobody_watches_its_checks(published):
    for waiting, is_said in ((None, False), ((), True), (("CI",), True)):
        message = pull_request_text(
            published.record, a_ticket(), a_change().work, 11, "acme/orders", (), waiting
        )
        assert ("No check of this pull request is watched" in GitHubMarkdown().render(message)) is is_said


@pytest.mark.parametrize("reply", ["/decide 2", "2\n\n/decide", "/answer 2\n/decide", "/decide go"])
def test_decide_keeps_the_answer_that_it_stands_beside(world, reply):
    answered(world, reply, WRITER)
    assert len(world.code.commits) == 2


def test_the_author_without_write_access_answers_and_decides_nothing(world):
    answered(world, "2\n/decide")
    assert len(world.code.commits) == 1
    assert "`/decide` takes write access" in "".join(world.ours())


def test_a_stranger_decides_nothing_before_or_after_the_answer(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("/decide 2", STRANGER)
    assert world.state() is State.ASKING
    world.says("2")
    before = world.ours()
    world.says("/decide", STRANGER)
    assert world.ours() == before
    assert world.record.given.keep is None


def test_decide_alone_before_any_answer_is_not_understood(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("/decide", WRITER)
    assert world.state() is State.ASKING
    assert world.dispatched == []


def test_a_ticket_without_a_pull_request_shows_the_entry_to_add(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("/decide 2", WRITER)
    world.new_comments()
    world.run_ends(world.last_run(), a_ticket())
    *_, told = world.new_comments()
    entry = told[told.index("`- {") + 3 : told.rindex("}`") + 1]
    assert (
        parse_decisions(read_yaml(f"version: 1\ndecisions:\n- {entry}\n".encode()))[0].decided_by
        == WRITER.login
    )


def test_another_answer_is_not_kept_by_the_decision_about_the_first_one(world):
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    world.says("/decide 2", WRITER)
    world.says("/answer 1")
    world.run_ends(world.last_run(), a_ticket(), change=a_change())
    assert len(world.code.commits) == 1


def test_all_that_a_revision_asked_is_kept_also_where_it_failed_in_between(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="model"))
    published.says("2", on_pull_request=True)
    published.says("/decide", WRITER, on_pull_request=True)
    published.run_ends(published.last_run(), a_failure())
    published.reviews("Once more")
    published.run_ends(published.last_run(), asked(slot="caller"))
    published.says("2\n/decide", WRITER, on_pull_request=True)
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    *_, last = published.code.commits.values()
    assert [line for line in last.files[0].content.decode().splitlines() if "slot" in line] == [
        "  - slot: entry_route", "  - slot: model", "  - slot: caller",
    ]  # fmt: skip


def test_what_a_revision_asked_is_kept_too(published):
    published.reviews("Please name the limit")
    published.run_ends(published.last_run(), asked(slot="model"))
    published.says("2", on_pull_request=True)
    published.says("/decide", WRITER, on_pull_request=True)
    published.run_ends(published.last_run(), a_ticket(), change=a_change())
    *_, last = published.code.commits.values()
    assert last.files[0].content.decode().count("decided_by: hubot-keeper") == 2


TESTS = {"command": "make test", "exit_code": 1, "seconds": 2.0, "passed": 11, "failed": 1}


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ({"replies": "recorded"}, "**The model's replies were recorded:** they were given to an earlier run"),
        ({"tests": TESTS}, "| `make test` | **failed** | 11 passed, 1 failed |"),
        ({"tests": TESTS | {"passed": None, "failed": None}}, "| `make test` | **failed** | exit code 1 |"),
        (
            {"tests": TESTS | {"exit_code": None}},
            "| `make test` | **failed** | was ended, because it took too long or too much |",
        ),
        (
            {"review": ("src/a.py:3: `limit` may be zero",)},
            "### What the reviewing agent remarks\n\n- `src/a.py:3`: `limit` may be zero",
        ),
        (
            {"dollars": 0.25, "model": "a-model", "replies": "model"},
            "Model calls: $0.25 (`a-model`). Run [",
        ),
        (
            {"dollars": None, "model": "a-model", "replies": "model"},
            "Model calls: price unknown (`a-model`). Run [",
        ),
    ],
)
def test_a_reader_is_told_whose_words_a_change_is_made_of_how_its_tests_ended_and_its_price(
    world, work, said
):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(**work))
    [(_, body)] = world.code.opened
    assert said in body


def test_what_an_earlier_ticket_decided_is_told_where_the_change_is_reviewed(world):
    world.labels_it()
    decided = a_ticket().model_copy(
        update={"decisions": ("POST /actions, as decided in #123 by octocat on 2026-11-22.",)}
    )
    world.run_ends(world.label_run(), decided, change=a_change())
    [(_, body)] = world.code.opened
    assert body[body.index("### Decided") : body.index("### Assumed")] == snapshot("""\
### Decided earlier, so not asked

- POST `/actions`, as decided in `#123` by octocat on 2026-11-22.

""")


def test_facts_of_any_stage_are_shown_where_the_change_is_reviewed(world):
    world.labels_it()
    owned = a_ticket().model_copy(update={"facts": (TicketFact(name="Code owners", value="@octocat"),)})
    world.run_ends(world.label_run(), owned, change=a_change())
    [(_, body)] = world.code.opened
    assert "### Facts\n\n- Code owners: `＠octocat`\n" in body


def test_words_of_a_model_in_this_run_need_no_warning(world):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(replies="model", model="a-model"))
    [(_, body)] = world.code.opened
    assert "replies were" not in body + world.new_comments()[-1]


def test_where_nobody_told_how_a_change_came_about_nothing_is_made_up(world):
    world.labels_it()
    untold = a_change().model_copy(update={"work": None})
    world.run_ends(world.label_run(), a_ticket(), change=untold)
    [(_, body)] = world.code.opened
    assert "Limit the action endpoint. You chose it." in body
    for words in ("### Tests", "### Assumed", "Model calls", "replies were"):
        assert words not in body
    world.reviews("Please name the limit")
    world.run_ends(world.last_run(), a_ticket(), change=untold)
    assert "### Tests" not in world.ours_in_review()[-1]


def test_the_message_of_the_commit_names_issue_and_run_and_closes_nothing(world):
    world.labels_it()
    change = a_change().model_copy(
        update={"message": "Fixes #7, closes GH-8 and acme/other#9 @claude [skip ci]\n\nFixes #1"}
    )
    world.run_ends(world.label_run(), a_ticket(), change=change)
    [commit] = world.code.commits.values()
    assert commit.message.replace(str(world.last_run()), "<run>") == snapshot("""\
Fixes ＃7, closes GH‑8 and acme∕other＃9 ＠claude ［skip ci］

The model's replies were scripted.

For #418, by askfirst run <run>.1\
""")


@pytest.mark.parametrize("replies", ["scripted", "recorded", "model"])
def test_a_commit_that_no_model_wrote_says_so_itself(world, replies):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(replies=replies))
    [commit] = world.code.commits.values()
    assert (f"The model's replies were {replies}." in commit.message) is (replies != "model")


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
    assert [one["choice"] for one in json.loads(inputs["answers"])["answers"]] == [
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
    assert "GitHub answered “404" in told


def test_a_reviewer_can_cancel_a_revision(published):
    published.reviews("Please name the limit")
    run = published.last_run()
    published.says("/cancel", OCTOCAT, on_pull_request=True)
    assert published.state() is State.REVISING
    published.says("/cancel", WRITER, on_pull_request=True)
    assert published.cancelled == [run]
    assert published.state() is State.PUBLISHED


REFUSED = {
    "workflow": (a_change(".github/workflows/ci.yml"), ".github/workflows/ci.yml"),
    "lock file": (a_change("package-lock.json"), "lock file"),
    "empty": (a_change().model_copy(update={"files": ()}), "it changes nothing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_attack_26_a_change_that_must_not_be_is_refused_visibly_and_once(world, case):
    change, word = REFUSED[case]
    world.labels_it()
    payload = world.run_ends(world.label_run(), a_ticket(), change=change)
    world.deliver("workflow_run", payload)
    [told] = world.new_comments()
    assert told.startswith("**I have not published the change:**")
    assert word in told
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def test_a_path_that_takes_an_approval_is_published_when_exactly_it_was_approved(world):
    world.labels_it()
    result = blob_of("100644", b"limit = 10\n")
    subject = {
        "tool": "edit_file",
        "arguments": {"path": "package-lock.json"},
        "occurrence": 1,
        "result": result,
    }
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    assert world.record.given.answer.verdict == "approve"
    both = a_change("package-lock.json").model_copy(
        update={
            "files": tuple(
                FileChange(path=path, content=base64.b64encode(b"limit = 10\n"))
                for path in ("package-lock.json", "yarn.lock")
            )
        }
    )
    world.run_ends(world.last_run(), a_ticket(), change=both)
    assert "yarn.lock" in world.new_comments()[-1]
    world.runs[world.last_run()] = dataclasses.replace(world.runs[world.last_run()], attempt=2)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert world.state() is State.PUBLISHED
    [(_, body)] = world.code.opened
    assert "### Decided by a person" in body
    assert "by `hubot-keeper`" in body


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "package-lock.json"}),
        ("edit_file", {"path": "CODEOWNERS", "old": "x", "new": "package-lock.json"}),
        ("run_command", {"command": "package-lock.json"}),
    ],
)
def test_attack_33_the_approval_of_one_call_lets_no_other_file_be_changed(world, tool, arguments):
    world.labels_it()
    subject = {"tool": tool, "arguments": arguments, "occurrence": 1}
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert "lock file" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


@pytest.mark.parametrize(
    "subject",
    [
        {"tool": "create_file", "arguments": {"path": "package-lock.json"}, "occurrence": 1},
        {
            "tool": "create_file",
            "arguments": {"path": "package-lock.json"},
            "occurrence": 1,
            "result": blob_of("100644", b"[]"),
        },
        {
            "tool": "change_file",
            "arguments": {
                "path": "package-lock.json",
                "mode": "100755",
                "sha256": hashlib.sha256(b"limit = 10\n").hexdigest(),
            },
            "occurrence": 1,
        },
    ],
    ids=["no content", "other content", "other mode"],
)
def test_attack_34_an_approval_publishes_no_other_content_than_was_approved(world, subject):
    world.labels_it()
    world.run_ends(world.label_run(), confirmation(subject=subject))
    world.says("1", WRITER)
    world.run_ends(world.last_run(), a_ticket(), change=a_change("package-lock.json"))
    assert "lock file" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def with_package_json(scripts):
    content = json.dumps({"scripts": scripts}).encode()
    file = FileChange(path="package.json", content=base64.b64encode(content))
    return a_change().model_copy(update={"files": (*a_change().files, file)})


def test_attack_37_a_new_install_hook_is_not_published_unapproved(world):
    world.code.base_files["package.json"] = '{"scripts": {"test": "jest"}}'
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=with_package_json({"postinstall": "node evil.js"}))
    assert "installation would run something new (postinstall)" in world.new_comments()[-1]
    assert (world.code.commits, world.state()) == ({}, State.FAILED)


def test_attack_37_what_runs_on_installation_is_named_first_in_the_pull_request(world):
    world.code.base_files["package.json"] = '{"scripts": {"postinstall": "node build.js"}}'
    world.labels_it()
    same_hook = with_package_json({"postinstall": "node build.js", "test": "jest"})
    world.run_ends(world.label_run(), a_ticket(), change=same_hook)
    [(_, body)] = world.code.opened
    named = body.index(
        "### Read these first: they run on installation or in CI\n\n- `package.json`: its scripts run"
    )
    assert named < body.index("### Why")


@pytest.mark.parametrize(("path", "may_ask"), [("Makefile", False), ("app/api/stream.py", True)])
def test_attack_36_the_author_without_write_access_has_no_change_revised_that_runs_by_itself(
    world, path, may_ask
):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(path))
    world.reviews("Please name the limit")
    world.says("/revise name the limit", on_pull_request=True)
    assert (world.state() is State.REVISING) is may_ask
    world.reviews("Please name the limit", WRITER)
    assert world.state() is State.REVISING


def test_attack_14_a_change_that_was_altered_after_the_run_is_refused(world):
    world.labels_it()
    world.code.unavailable_after_commit = True
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    with pytest.raises(GitHubUnavailable):
        world.deliver("workflow_run", payload)
    world.endings[run, 1] = dataclasses.replace(world.endings[run, 1], digest="1" * 64)
    world.deliver("workflow_run", payload)
    [told] = world.new_comments()
    assert "was altered after the run had ended" in told
    assert world.code.opened == []


def test_attack_33_a_change_of_another_run_is_refused(world):
    world.labels_it()
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    ending = world.endings[run, 1]
    world.endings[run, 1] = dataclasses.replace(ending, change=a_change())
    world.deliver("workflow_run", payload)
    assert "another run" in world.new_comments()[0]


def test_an_artifact_that_is_refused_when_it_is_published_is_told(world):
    world.labels_it()
    world.code.refuses = UnpublishableChange(
        "a.py was changed on main since the run read it (1111111, now 2222222)"
    )
    world.run_ends(world.label_run(), a_ticket(), change=a_change())
    assert "was changed on" in world.new_comments()[0]
    world.labels_it()
    run = world.label_run()
    payload = world.run_ends(run, a_ticket(), change=a_change(), deliver=False)
    world.endings[run, 1] = ArtifactRefused("it is too large")
    world.deliver("workflow_run", payload)
    assert "it is too large" in world.new_comments()[0]


def test_a_commit_whose_answer_was_lost_is_found_and_the_pull_request_opened_once(world):
    world.labels_it()
    world.code.unavailable_after_commit = True
    payload = world.run_ends(world.label_run(), a_ticket(), change=a_change(), deliver=False)
    with pytest.raises(GitHubUnavailable):
        world.deliver("workflow_run", payload)
    world.deliver("workflow_run", payload)
    assert (len(world.code.commits), len(world.code.opened)) == (1, 1)
    assert len(world.new_comments()) == 1


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
    slots = [one["slot"] for one in json.loads(published.dispatched[-1]["answers"])["answers"]]
    assert slots == ["entry_route", question.question.slot]
    published.run_ends(published.last_run(), a_failure())
    published.reviews("Please try again", WRITER)
    slots = [one["slot"] for one in json.loads(published.dispatched[-1]["answers"])["answers"]]
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
