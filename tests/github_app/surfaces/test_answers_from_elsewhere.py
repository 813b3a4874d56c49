"""Questions that are asked on GitHub and answered elsewhere: one conversation, one run, and everybody is told."""

import json

import pytest

from github_app.conversation.effects import TimerName
from github_app.conversation.record import State
from github_app.ports.github import GitHubRefused
from github_app.surface_settings import SurfaceSettings
from pipeline.contract.clarification import Clarification
from tests.github_app.conversation.questions import (
    FORMAT,
    WHO,
    a_plan,
    already_there,
    asked,
    two_routes,
)
from tests.github_app.fakes.endings import a_ticket
from tests.github_app.fakes.surfaces import SETTINGS, Surfaces
from tests.github_app.fakes.world import World

TWO = "route:POST /actions/stream"


def test_a_question_goes_to_every_surface_with_links_choices_and_addresses(surfaces: Surfaces) -> None:
    for name in ("n8n", "pager"):
        (message,) = surfaces.received(name)
        assert message["type"] == "question.asked"
        data = message["data"]
        assert Clarification.model_validate(data["clarification"]).question.id == two_routes().question.id
        assert [choice["id"] for choice in data["choices"]] == ["route:POST /actions", TWO]
        comment = surfaces.world.record.question_comment_id
        assert (
            data["links"]["question"] == f"https://github.com/acme/orders/issues/418#issuecomment-{comment}"
        )
        assert data["links"]["places"][TWO].endswith("/app/api/stream.py#L22-L47")
    accounts = [reply["account"] for reply in surfaces.received()[0]["data"]["replies"]]
    assert accounts == ["octo@example", "hubot@example", "stranger@example"]


def test_an_answer_from_elsewhere_starts_one_run_and_github_shows_who_answered_where(
    surfaces: Surfaces,
) -> None:
    world = surfaces.world
    answer = surfaces.says("2")
    assert (answer.status, answer.text) == (202, "Taken. What becomes of it stands on the issue.")
    (inputs,) = world.dispatched
    (travels,) = json.loads(inputs["answers"])["answers"]
    assert (travels["choice"], travels["answered_by"]) == (TWO, "octocat")
    question, passed_on = world.ours()
    assert "**Answered by `octocat` on `n8n`:** 2, `POST /actions/stream` ([reply](" in question
    assert passed_on == "`octocat` replied on `n8n`:\n\n**2**, `POST /actions/stream`"
    assert (travels["comment_id"], "rocket") in world.reactions
    world.run_ends(world.last_run(), a_ticket())
    assert world.state() is State.READY


def test_every_surface_is_told_that_it_was_answered(surfaces: Surfaces) -> None:
    surfaces.says("go")
    for name in ("n8n", "pager"):
        answered = surfaces.received(name)[-1]
        assert answered["type"] == "question.answered"
        assert answered["data"]["answer"] == {
            "login": "octocat",
            "surface": "n8n",
            "text": "POST /actions",
            "not_passed_on": None,
        }


def test_an_answer_on_github_is_told_to_the_surfaces(surfaces: Surfaces) -> None:
    surfaces.world.says("2")
    answer = surfaces.received()[-1]["data"]["answer"]
    assert answer == {
        "login": "octocat",
        "surface": None,
        "text": "POST /actions/stream",
        "not_passed_on": None,
    }


def test_a_choice_may_be_sent_by_its_id(surfaces: Surfaces) -> None:
    assert surfaces.knocks(surfaces.address(), {"choice": TWO}).status == 202
    surfaces.works()
    assert TWO in surfaces.world.dispatched[0]["answers"]


def test_several_choices_are_an_answer_where_the_question_takes_several(world: World) -> None:
    surfaces = Surfaces(world)
    several = two_routes()
    question = several.question.model_copy(update={"multiple": True})
    world.labels_it()
    world.run_ends(world.label_run(), several.model_copy(update={"question": question}))
    assert surfaces.received()[0]["data"]["multiple"] is True
    surfaces.says("both")
    (travels,) = json.loads(world.dispatched[0]["answers"])["answers"]
    assert travels["choices"] == ["route:POST /actions", TWO]
    assert world.ours()[1].endswith("**1**, `POST /actions` and **2**, `POST /actions/stream`")
    assert surfaces.received()[-1]["data"]["answer"]["text"] == "POST /actions and POST /actions/stream"


def test_a_plan_is_sent_whole_and_answered_as_on_github(world: World) -> None:
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), a_plan(WHO, FORMAT))
    data = surfaces.received()[0]["data"]
    assert [point["text"] for point in data["clarification"]["question"]["points"]] == [
        "Who may ask?",
        "What is answered?",
    ]
    assert data["how_to_reply"] == (
        'POST {"reply": "go"} to your address. Reply go for the plan as it stands, 2a to change a point (several: 2a, 1b), or'
        " /answer and one sentence."
    )
    assert surfaces.says("2").status == 422
    surfaces.says("3b")
    (travels,) = json.loads(world.dispatched[0]["answers"])["answers"]
    assert (travels["points"], travels["answered_by"]) == ({"1": "a", "2": "c"}, "octocat")
    assert world.ours()[1] == "`octocat` replied on `n8n`:\n\n3b (Both), the rest as planned"
    assert surfaces.received()[-1]["data"]["answer"]["text"] == "3b (Both), the rest as planned"


def test_two_answers_to_a_plan_from_one_person_are_two_answers(world: World) -> None:
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), a_plan(WHO, FORMAT))
    token = surfaces.address()
    assert [surfaces.knocks(token, {"reply": reply}).status for reply in ("2a", "1b")] == [202, 202]
    surfaces.works()
    assert len(world.dispatched) == 1
    assert surfaces.received()[-1]["data"]["why"].startswith(
        "octocat has answered on n8n already: 2a (Admins)"
    )


def test_nobody_answers_in_time_and_the_surfaces_are_told(surfaces: Surfaces) -> None:
    surfaces.world.timer_goes_off(TimerName.EXPIRY)
    assert surfaces.received()[-1]["data"]["closed"] == "expired"


@pytest.mark.parametrize(
    "trailer",
    [
        "On Tue, Nov 24, 2026 at 10:39 AM, askfirst[bot] <notifications@github.com> wrote:",
        "On Tue, Nov 24, 2026 at 10:39 AM, askfirst[bot] <notifications@github.com>\nwrote:",
        "Am Di., 24. Nov. 2026 um 10:39 Uhr schrieb askfirst[bot] <notifications@github.com>:",
        "Le mar. 24 nov. 2026 à 10:39, askfirst[bot] <notifications@github.com> a écrit :",
        "-----Original Message-----\nFrom: askfirst[bot] <notifications@github.com>\nSent: Tuesday",
        "Sent from my iPhone\n\nOn 24 Nov 2026, at 10:39, askfirst[bot] <notifications@github.com> wrote:",
    ],
)
def test_a_mail_is_a_comment_and_the_question_that_it_quotes_answers_nothing(
    surfaces: Surfaces, trailer: str
) -> None:
    """GitHub makes a comment of a mail that answers its notification, with all that the mail program put below."""
    world = surfaces.world
    question = world.the_comments[world.record.question_comment_id or 0].body
    quoted = "\n".join(f"> {line}" for line in question.splitlines())
    world.says(f"{trailer}\n{quoted}")
    assert world.dispatched == []
    world.says(
        f"2\n\n{trailer}\n{quoted}\n\n—\nReply to this email directly, view it on GitHub, or unsubscribe.\n"
    )
    assert TWO in world.dispatched[0]["answers"]
    assert surfaces.received()[-1]["data"]["answer"]["surface"] is None


# -- attacks -------------------------------------------------------------------------------------------------------


def test_two_surfaces_answer_at_once_and_one_run_starts(surfaces: Surfaces) -> None:
    first = surfaces.knocks(surfaces.address(), {"reply": "2"})
    second = surfaces.knocks(surfaces.address("hubot", "pager"), {"reply": "1"})
    assert (first.status, second.status) == (202, 202)
    surfaces.works()
    assert len(surfaces.world.dispatched) == 1
    assert len(surfaces.world.ours()) == 2
    refused = surfaces.received("pager")[-1]
    assert refused["type"] == "reply.refused"
    assert refused["data"]["account"] == "hubot"
    assert refused["data"]["why"].startswith("octocat has answered on n8n already: POST /actions/stream.")


def test_a_surface_and_github_answer_at_once_and_one_run_starts(surfaces: Surfaces) -> None:
    assert surfaces.knocks(surfaces.address(), {"reply": "2"}).status == 202
    surfaces.world.says("1")
    surfaces.works()
    assert len(surfaces.world.dispatched) == 1
    assert surfaces.received()[-1]["data"]["why"].startswith("octocat has answered already: POST /actions.")


def test_a_reply_that_is_sent_again_starts_no_second_run_and_is_no_refusal(surfaces: Surfaces) -> None:
    token = surfaces.address()
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    surfaces.works()
    surfaces.works()
    assert len(surfaces.world.dispatched) == 1
    assert {message["type"] for message in surfaces.received()} == {"question.asked", "question.answered"}


def test_a_spent_token_is_refused_with_what_was_answered(surfaces: Surfaces) -> None:
    token = surfaces.address()
    surfaces.says("2")
    answer = surfaces.knocks(token, {"reply": "1"})
    assert answer.status == 409
    assert answer.text.startswith("octocat has answered on n8n already: POST /actions/stream.")


def test_a_token_is_spent_although_github_started_no_run(surfaces: Surfaces) -> None:
    token = surfaces.address()
    surfaces.world.refuses_dispatch = GitHubRefused(403, "no")
    surfaces.says("2")
    assert surfaces.world.state() is State.ASKING
    assert surfaces.knocks(token, {"reply": "2"}).status == 409
    surfaces.world.refuses_dispatch = None
    assert surfaces.says("2").status == 202
    assert len(surfaces.world.dispatched) == 1


def test_a_token_of_another_question_is_refused(surfaces: Surfaces) -> None:
    token, world = surfaces.address(), surfaces.world
    world.says("2")
    world.run_ends(world.last_run(), asked(slot="model", default="route:POST /actions"))
    assert world.state() is State.ASKING
    assert surfaces.knocks(token, {"reply": "2"}).status == 409
    assert surfaces.knocks(surfaces.address(), {"reply": "2"}).status == 202


@pytest.mark.parametrize(
    "change", [lambda t: t[:-2] + "AA", lambda t: "A" + t[1:], lambda t: t.partition(".")[0], lambda _: "é"]
)
def test_a_token_that_was_altered_is_refused(surfaces: Surfaces, change) -> None:
    assert surfaces.knocks(change(surfaces.address()), {"reply": "2"}).status == 401
    assert surfaces.replies == {}


def test_a_token_is_of_no_use_after_its_time(surfaces: Surfaces) -> None:
    token = surfaces.address()
    surfaces.world.clock.passes(15 * 24 * 3600)
    answer = surfaces.knocks(token, {"reply": "2"})
    assert (answer.status, answer.text) == (410, "This reply address is too old. Reply on GitHub.")


def test_a_stranger_is_told_so_and_nothing_is_said_on_github(surfaces: Surfaces) -> None:
    assert surfaces.says("2", "stranger@example").status == 202
    assert (surfaces.world.dispatched, len(surfaces.world.ours())) == ([], 1)
    assert surfaces.received()[-1]["data"]["why"].startswith("You may not answer this question")


def test_people_who_are_not_mapped_are_only_shown_the_question(world: World) -> None:
    nobody = SurfaceSettings.model_validate({**SETTINGS.model_dump(), "people": []})
    surfaces = Surfaces(world, nobody)
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    data = surfaces.received()[0]["data"]
    assert (data["replies"], data["how_to_reply"]) == ([], "Reply on GitHub.")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * (5 * 1024 * 1024), 413), (b"\xff", 400), (b"[]", 400), (b"{}", 400), (b'{"reply": 2}', 400),
        (b'{"reply": "1", "choice": "x"}', 400), (b'{"choice": "route:DELETE /"}', 422), (b'{"reply": "2?"}', 422),
        (b'{"reply": "1 and 2"}', 422), (b'{"reply": ""}', 422), (b'{"reply": "7"}', 422), (b"[" * 60_000, 400),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_at_the_door_and_the_address_stays_good(
    surfaces: Surfaces, body: bytes, status: int
) -> None:
    token = surfaces.address()
    assert surfaces.knocks(token, body).status == status
    assert surfaces.replies == {}
    assert surfaces.knocks(token, {"reply": "2"}).status == 202


def test_too_many_words_are_refused_where_they_would_be_cut(surfaces: Surfaces) -> None:
    answer = surfaces.knocks(surfaces.address(), {"reply": f"/answer {'word ' * 101}"})
    assert (answer.status, answer.text) == (422, "At most 500 characters from here. Say more on GitHub.")


def test_an_option_that_needs_words_is_refused_without_them(world: World) -> None:
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), already_there())
    assert surfaces.knocks(surfaces.address(), {"choice": "falls_short"}).status == 422


def test_a_reply_to_an_issue_that_was_closed_meanwhile_is_refused(surfaces: Surfaces) -> None:
    token = surfaces.address()
    surfaces.world.closes_it(deliver=False)
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    surfaces.works()
    assert surfaces.world.dispatched == []
    assert surfaces.received()[-1]["data"]["why"].startswith(
        "The issue is closed or locked, so nothing was done"
    )
