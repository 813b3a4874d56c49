"""Several questions on one ticket, sessions that end or are opened beside another, and keys that change: no reply is lost silently."""

import pytest
from inline_snapshot import snapshot

from github_app.conversation.reply_token import ReplyToken
from github_app.ports.github import Place
from github_app.surfaces.thread_pick import AskedThere, pick
from tests.github_app.conversation.questions import asked, candidate
from tests.github_app.fakes import jira
from tests.github_app.fakes.jira import JiraSite, written
from tests.github_app.fakes.linear import Workspace
from tests.github_app.fakes.people import REPOSITORY, SECRET
from tests.github_app.fakes.slack import Channel
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World
from tests.github_app.surfaces.shown_questions import LONG_PLAN

FORMATS = asked(
    text="Which formats?",
    candidates=(candidate("csv", "CSV", "app/x.py", (1, 2)), candidate("json", "JSON", "app/y.py", (1, 2))),
    default="csv",
)


def asks_about_another_issue(world: World, surfaces: Surfaces, issue: int = 419) -> None:
    """A second issue, which names the same ticket, has a question, too."""
    world.clock.passes()
    record = world.record.model_copy(update={"issue": issue, "question": FORMATS, "version": 1})
    assert world.conversations.put(record)
    surfaces.announcements.question_changed(Place(REPOSITORY, issue), record)
    surfaces.sends()


def stored(surfaces: Surfaces) -> list[tuple[int, str]]:
    """Replies that were taken: for which issue, and their words."""
    return [(reply.issue, reply.text) for reply in surfaces.replies.values()]


@pytest.fixture
def site() -> JiraSite:
    site = JiraSite()
    asks_about_another_issue(site.world, site.surfaces)
    return site


def test_a_reply_that_may_be_for_two_questions_is_for_none_and_its_writer_is_told_so(site: JiraSite) -> None:
    site.writes(written("2"))
    assert stored(site.surfaces) == []
    assert site.told()[-1] == snapshot(
        "@557058:0c70ca7 2 questions are open here, so begin with the issue that you mean: “#419 go” answers acme/orders#419 (“Which formats?”); “#418 go” answers acme/orders#418 (“Which route should get the rate limit?”).\n"
    )


@pytest.mark.parametrize("words", ["#418 2", "#418: 2", "acme/orders#418 – 2"])
def test_a_reply_that_names_an_issue_answers_the_question_of_that_issue(site: JiraSite, words: str) -> None:
    site.writes(written(words))
    assert stored(site.surfaces) == [(418, "2")]


def test_both_questions_of_a_ticket_are_answered_one_after_the_other(site: JiraSite) -> None:
    site.writes(written("#419 JSON"))
    site.writes(written("#418 /answer limit both"))
    assert stored(site.surfaces) == [(419, "JSON"), (418, "/answer limit both")]


def test_talk_beside_two_questions_is_left_alone(site: JiraSite) -> None:
    before = site.told()
    site.writes(written("Shall we do this in the next sprint?"), jira.NOBODY)
    assert (site.told(), stored(site.surfaces)) == (before, [])


def test_a_number_with_a_hash_is_a_choice_where_one_question_is_open() -> None:
    site = JiraSite()
    site.writes(written("#2"))
    assert len(site.world.dispatched) == 1


def there(issue: int, repository: str = "acme/orders", *, is_open: bool = True) -> AskedThere:
    token = ReplyToken(
        installation_id=1, repository_id=hash(repository), full_name=repository, default_branch="main", issue=issue, turn="t",
        surface="jira", account="", person_id=0, expires_at="2026-12-08T09:00:00Z",
    )  # fmt: skip
    return AskedThere(token, "Which?", is_open, takes_replies=True)


@pytest.mark.parametrize(
    ("questions", "words", "issue", "rest"),
    [
        ([there(1)], "2", 1, "2"),
        ([there(2)], "#2, thanks", 2, "#2, thanks"),
        ([there(2), there(1)], "#2, thanks", 2, "thanks"),
        ([there(2), there(1)], "#3 2", None, "#3 2"),
        ([there(2), there(1)], "2", None, "2"),
        ([there(2), there(1, is_open=False)], "go", 2, "go"),
        ([there(2), there(1, is_open=False)], "acme/orders#1 go", 1, "go"),
        ([there(2, is_open=False), there(1, is_open=False)], "go", 2, "go"),
        ([there(7), there(7, "acme/web")], "#7 go", None, "#7 go"),
        ([there(7), there(7, "acme/web")], "ACME/web#7 go", 7, "go"),
    ],
)  # fmt: skip
def test_a_reply_is_for_the_only_open_question_or_for_the_issue_that_it_names(
    questions: list[AskedThere], words: str, issue: int | None, rest: str
) -> None:
    picked = pick(questions, words)
    assert (picked.question.token.issue if picked.question else None, picked.words) == (issue, rest)


# -- sessions of Linear --------------------------------------------------------------------------------------------


def bodies(workspace: Workspace) -> list[tuple[str, str]]:
    return [(activity["content"]["type"], activity["content"]["body"]) for activity in workspace.told()]


def test_a_session_that_is_opened_beside_an_open_question_says_so_and_takes_the_answer() -> None:
    workspace = Workspace()
    workspace.calls_us()
    assert bodies(workspace)[1:] == snapshot(
        [
            (
                "elicitation",
                "Open: `acme/orders#418` (“Which route should get the rate limit?”). It stands in full in an earlier session of this ticket, and on GitHub. Reply 1, 2, go for 1, `/answer` and one sentence.",
            )
        ]
    )
    workspace.writes("2")
    assert len(workspace.world.dispatched) == 1
    assert workspace.told()[-1]["agentSessionId"] == workspace.session


def test_a_session_of_which_we_never_heard_takes_the_answer_about_its_ticket() -> None:
    workspace = Workspace()
    workspace.opens()
    workspace.writes("7")
    assert bodies(workspace)[-1][1].startswith("That is no answer to the question.")
    assert workspace.told()[-1]["agentSessionId"] == workspace.session
    workspace.writes("2")
    assert len(workspace.world.dispatched) == 1


def test_who_writes_where_nothing_is_asked_is_told_so() -> None:
    workspace = Workspace()
    workspace.opens("ENG-8")
    workspace.writes("2")
    assert workspace.world.dispatched == []
    assert bodies(workspace)[-1] == snapshot(
        (
            "response",
            "No question is open here, so nothing was done with your reply. Questions stand here when an issue on GitHub names this ticket and gets the label askfirst.",
        )
    )


def test_a_question_whose_session_is_gone_stands_in_a_new_one() -> None:
    workspace = Workspace(asks=False)
    workspace.calls_us()
    workspace.told()
    workspace.sessions.clear()
    workspace.asks()
    assert [kind for kind, _ in bodies(workspace)] == ["thought", "elicitation"]
    workspace.writes("2")
    assert len(workspace.world.dispatched) == 1


def test_an_ending_whose_session_is_gone_is_said_in_a_new_one() -> None:
    workspace = Workspace()
    workspace.sessions.clear()
    workspace.world.says("2")
    assert bodies(workspace)[-1][1].startswith("Answered by octocat on GitHub")
    assert len(workspace.sessions) == 1


# -- keys ----------------------------------------------------------------------------------------------------------

NEW = b"the new key of the tests"


@pytest.mark.parametrize("where", ["slack", "jira", "linear"])
def test_a_question_from_before_a_rotation_takes_its_answer(where: str) -> None:
    if where == "slack":
        channel = Channel()
        value = channel.elements()["choose:2"]["value"]
        channel.surfaces.rotates((NEW, SECRET))
        channel.interacts({"action_id": "choose:2", "value": value}, "U0OCTOCAT")
        assert len(channel.world.dispatched) == 1
        return
    place: JiraSite | Workspace = JiraSite() if where == "jira" else Workspace()
    place.surfaces.rotates((NEW, SECRET))
    place.writes("2")
    assert len(place.world.dispatched) == 1


def test_a_button_from_before_the_key_before_says_where_to_answer() -> None:
    channel = Channel()
    channel.elements()
    channel.surfaces.rotates((NEW,))
    channel.presses("choose:2")
    assert channel.world.dispatched == []
    told = channel.calls()[-1]
    assert (told["method"], told["user"]) == ("chat.postEphemeral", "U0OCTOCAT")
    assert told["text"] == snapshot(
        "This message is from before the App's keys or settings were changed, so nothing was done with your reply. Its link leads to GitHub: reply there."
    )


def test_a_button_of_a_question_that_is_over_since_days_says_so() -> None:
    channel = Channel()
    channel.elements()
    channel.world.clock.passes(15 * 86_400)
    channel.presses("choose:2")
    assert channel.calls()[-1]["text"] == snapshot(
        "This question was open until its last day, and that is over. If it is still wanted, reply on GitHub."
    )


def test_a_reply_on_a_ticket_to_a_question_that_cannot_be_seen_whole_says_where_to_answer() -> None:
    site = JiraSite(LONG_PLAN)
    site.writes(written("go"))
    assert site.told()[-1] == snapshot(
        "@557058:0c70ca7 This question is too long to be shown here, so it is answered on GitHub only. Nothing was done with your reply.\n"
    )
