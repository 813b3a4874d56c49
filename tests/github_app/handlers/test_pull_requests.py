"""From a change to the pull request: the commit, the draft, its text, and the answers that it keeps for later tickets."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.record import State
from github_app.conversation.wording.published import pull_request_text
from github_app.surfaces.github_markdown import GitHubMarkdown
from pipeline.contract.decision_text import parse_decisions
from pipeline.contract.ticket import TicketFact
from pipeline.contract.yaml_source import read_yaml
from tests.github_app.conversation.questions import asked, two_routes
from tests.github_app.fakes.endings import a_change, a_failure, a_ticket
from tests.github_app.fakes.people import OCTOCAT, STRANGER, WRITER
from tests.github_app.fakes.world import World


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
            published.record, a_ticket(), a_change().work, 11, "acme/orders", (), waiting,
            pull_request=published.record.pull_request,
        )  # fmt: skip
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


TESTS = {"command": "make test", "green": False, "exit_code": 1, "seconds": 2.0, "passed": 11, "failed": 1}


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
            "Model calls, in all runs so far: $0.25 (`a-model`). Run [",
        ),
        (
            {"dollars": None, "model": "a-model", "replies": "model"},
            "Model calls, in all runs so far: price unknown (`a-model`). Run [",
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
Fixes ＃7, closes GH‑8 and acme/other＃9 ＠claude (skip ci)

The model's replies were scripted.

For #418, by askfirst run <run>.1\
""")


@pytest.mark.parametrize("replies", ["scripted", "recorded", "model"])
def test_a_commit_that_no_model_wrote_says_so_itself(world, replies):
    world.labels_it()
    world.run_ends(world.label_run(), a_ticket(), change=a_change(replies=replies))
    [commit] = world.code.commits.values()
    assert (f"The model's replies were {replies}." in commit.message) is (replies != "model")
