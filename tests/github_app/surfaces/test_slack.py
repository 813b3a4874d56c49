"""A channel of Slack: what is shown there by Slack's own rules, and what people press and write, signed by its own SDK."""

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from slack_sdk.signature import SignatureVerifier

from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.slack_door import is_signed
from pipeline.contract.clarification import Clarification
from pipeline.contract.wire import question_id
from tests.github_app.conversation.questions import (
    FORMAT,
    WHO,
    a_plan,
    asked,
    candidate,
    many_routes,
    plan_point,
    several_points,
    two_routes,
)
from tests.github_app.fakes.people import OCTOCAT, WRITER
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World
from tests.github_app.surfaces.golden_files import golden
from tests.github_app.surfaces.shown_questions import QUESTIONS, confirmation

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
SETTINGS = SurfaceSettings.model_validate(
    {
        "public_url": "https://askfirst.example",
        "surfaces": [
            {"name": "slack", "kind": "slack", "channel": "C012AB3CD", "token": "xoxb-token-of-the-tests", "secret": SECRET}
        ],
        "people": [
            {"login": OCTOCAT.login, "id": OCTOCAT.id, "accounts": {"slack": "U0OCTOCAT"}},
            {"login": WRITER.login, "id": WRITER.id, "accounts": {"slack": "U0KEEPER"}},
        ],
    }
)  # fmt: skip
HOSTILE = "<!channel> <@U0BOSS> <https://evil.example|go> *bold* &amp; @here"


class Channel:
    """The channel, its people, and Slack, which signs what they do."""

    def __init__(self, question: Clarification | None = None) -> None:
        self.world = World()
        self.surfaces = Surfaces(self.world, SETTINGS)
        self.world.labels_it()
        self.world.run_ends(self.world.label_run(), question or two_routes())

    def calls(self) -> list[dict[str, Any]]:
        return self.surfaces.received("slack")

    def message(self) -> dict[str, Any]:
        """The question as Slack shows it."""
        return next(call for call in self.calls() if call["method"] == "chat.postMessage")

    def elements(self) -> dict[str, dict[str, Any]]:
        """What can be pressed, by its action."""
        blocks = self.message()["blocks"]
        return {
            element["action_id"]: element
            for block in blocks
            for element in block.get("elements", [])
            if "action_id" in element
        }

    def presses(self, action_id: str, member: str = "U0OCTOCAT", **changes: Any) -> DoorAnswer:
        return self.interacts(
            {"action_id": action_id, "value": self.elements()[action_id]["value"]}, member, **changes
        )

    def writes(self, words: str, member: str = "U0OCTOCAT") -> DoorAnswer:
        return self.interacts({"action_id": "words", "type": "plain_text_input", "value": words}, member)

    def interacts(
        self,
        action: dict[str, Any],
        member: str,
        *,
        secret: str = SECRET,
        age: float = 0.0,
        kind: str = "block_actions",
    ) -> DoorAnswer:
        payload = {
            "type": kind, "user": {"id": member, "name": "x"}, "actions": [action],
            "message": {"blocks": self.message()["blocks"]}, "response_url": "https://hooks.slack.com/x",
        }  # fmt: skip
        body = urlencode({"payload": json.dumps(payload)})
        timestamp = str(int(self.world.clock.now().timestamp() - age))
        answer = self.surfaces.signed_door.take(
            "slack", signed(timestamp, body.encode(), secret), body.encode()
        )
        self.surfaces.works()
        return answer


def signed(timestamp: str, body: bytes, secret: str = SECRET) -> dict[str, str]:
    """The headers with which Slack sends a body."""
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    return {"x-slack-request-timestamp": timestamp, "x-slack-signature": str(signature)}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_looks_like_this(kind: str) -> None:
    channel = Channel(QUESTIONS[kind])
    golden(f"slack_{kind}", channel.message(), channel.elements()["cancel"]["value"])


def test_an_answered_question_loses_its_buttons_where_it_stands() -> None:
    channel = Channel()
    channel.presses("choose:2")
    call = channel.calls()[-1]
    assert (call["method"], call["channel"], call["ts"]) == ("chat.update", "C012AB3CD", "1764.0001")
    golden("slack_answered", call)


def test_pressing_a_button_starts_one_run_as_the_person_behind_the_member() -> None:
    channel = Channel()
    answer = channel.presses("choose:2")
    assert (answer.status, answer.text) == (200, "")
    (inputs,) = channel.world.dispatched
    assert '"choice":"route:POST /actions/stream"' in inputs["answers"]
    assert "**Answered by `octocat` on `slack`:** 2, `POST /actions/stream`" in channel.world.ours()[0]


def test_all_of_them_is_a_button_where_the_question_takes_several() -> None:
    assert "choose:all" not in Channel().elements()
    several = two_routes()
    question = several.question.model_copy(update={"multiple": True})
    channel = Channel(several.model_copy(update={"question": question}))
    channel.presses("choose:all")
    assert (
        '"choices":["route:POST /actions","route:POST /actions/stream"]'
        in channel.world.dispatched[0]["answers"]
    )


def test_words_and_enter_are_an_answer_in_words() -> None:
    channel = Channel()
    channel.writes("both of them, ten a minute each")
    assert "text_sha256" in channel.world.dispatched[0]["answers"]
    assert "/answer both of them, ten a minute each" in channel.world.ours()[1]


def test_a_plan_is_taken_with_a_button_or_changed_with_a_letter_in_the_field() -> None:
    channel = Channel(a_plan(WHO, FORMAT))
    channel.presses("choose:go")
    assert '"points":{"1":"a","2":"b"}' in channel.world.dispatched[0]["answers"]
    channel = Channel(a_plan(WHO, FORMAT))
    channel.writes("2a 3b")
    assert '"points":{"1":"b","2":"c"}' in channel.world.dispatched[0]["answers"]
    assert channel.world.ours()[1].endswith("2a (Admins), 3b (Both)")


def test_an_option_of_a_plan_has_a_button_only_where_no_other_point_is_decided_with_it() -> None:
    assert not {"choose:2a", "choose:1b"} & Channel(a_plan(WHO, FORMAT)).elements().keys()
    channel = Channel(a_plan(WHO))
    channel.presses("choose:2a")
    assert '"points":{"1":"b"}' in channel.world.dispatched[0]["answers"]


def test_a_plan_that_is_too_long_for_slack_is_answered_on_github() -> None:
    long = plan_point(1, "Who?", *((f"{letter * 400}", letter * 499) for letter in "abcd"))
    channel = Channel(a_plan(long))
    assert channel.elements() == {}
    assert "answer on GitHub" in json.dumps(channel.message())


def test_the_stop_button_stops() -> None:
    channel = Channel()
    channel.presses("cancel")
    assert channel.world.dispatched == []
    assert "Stopped" in channel.calls()[-1]["blocks"][1]["text"]["text"]


def test_two_members_press_at_once_and_the_second_is_told_alone() -> None:
    channel = Channel()
    channel.presses("choose:2")
    assert channel.presses("choose:1", "U0KEEPER").status == 200
    assert len(channel.world.dispatched) == 1
    last_call = channel.calls()[-1]
    assert (last_call["method"], last_call["user"], last_call["thread_ts"]) == (
        "chat.postEphemeral",
        "U0KEEPER",
        "1764.0001",
    )
    assert last_call["blocks"][0]["text"]["text"].startswith("octocat has answered on slack already")


def test_a_member_whom_nobody_mapped_is_told_so_and_starts_nothing() -> None:
    channel = Channel()
    channel.presses("choose:2", "U0STRANGER")
    channel.presses("choose:2", "U0STRANGER")
    assert channel.world.dispatched == []
    calls = [call for call in channel.calls() if call["method"] == "chat.postEphemeral"]
    assert [call["user"] for call in calls] == ["U0STRANGER"]
    assert (
        calls[0]["text"]
        == "The App's settings do not say who you are on GitHub, so nothing was done with your reply. Reply on GitHub."
    )


def test_an_approval_takes_the_role_of_the_person() -> None:
    channel = Channel(confirmation())
    assert "words" not in channel.elements()
    channel.presses("choose:1")
    assert channel.world.dispatched == []
    channel.presses("choose:1", "U0KEEPER")
    assert '"verdict":"approve"' in channel.world.dispatched[0]["answers"]


def test_a_call_is_approved_only_where_it_can_be_seen_whole() -> None:
    channel = Channel(confirmation())
    assert any(
        '"command": "x"' in block["text"]["text"]
        for block in channel.message()["blocks"]
        if block["type"] == "section"
    )
    long = confirmation().question.subject
    assert long is not None
    subject = {**long, "arguments": {"command": "x" * 3_000 + "; rm -rf ~"}}
    ids = [candidate.id for candidate in confirmation().candidates]
    question = confirmation().question.model_copy(
        update={"subject": subject, "id": question_id("ConfirmationNeeded", "confirmation", ids, subject)}
    )
    channel = Channel(confirmation().model_copy(update={"question": question}))
    assert channel.elements() == {}
    assert "decide on GitHub" in str(channel.message()["blocks"])


@pytest.mark.parametrize("wrong", [{"secret": "another secret of Slack"}, {"age": 301}, {"age": -301}])
def test_a_request_that_is_not_signed_or_too_old_is_refused(wrong: dict[str, Any]) -> None:
    channel = Channel()
    assert channel.presses("choose:2", **wrong).status == 401
    assert channel.world.dispatched == []


@pytest.mark.parametrize("timestamp", ["9" * 5_000, "", "-1", "1e9", "²", "99999999999999999999"])
def test_a_timestamp_that_is_none_is_refused(timestamp: str) -> None:
    assert not is_signed(SECRET, timestamp, "v0=", b"", 1_764_000_000.0)


def test_our_check_is_the_one_of_the_sdk() -> None:
    signature = SignatureVerifier(SECRET).generate_signature(timestamp="1764000000", body="a=ü")
    assert is_signed(SECRET, "1764000000", str(signature), "a=ü".encode(), 1_764_000_000.0)
    assert not is_signed(SECRET, "1764000000", str(signature), b"a=u", 1_764_000_000.0)


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ({"action_id": "choose:2", "value": "made up"}, "block_actions"), ({"action_id": "choose:2"}, "block_actions"),
        ({"action_id": "other", "value": "x"}, "block_actions"), ({"action_id": "choose:2"}, "view_submission"),
    ],
)  # fmt: skip
def test_what_is_no_button_of_ours_is_acknowledged_and_does_nothing(
    action: dict[str, Any], kind: str
) -> None:
    channel = Channel()
    assert channel.interacts(action, "U0OCTOCAT", kind=kind).status == 200
    assert channel.world.dispatched == []


def test_a_body_that_is_no_interaction_is_refused() -> None:
    channel = Channel()
    now = str(int(channel.world.clock.now().timestamp()))
    for body in (b"", b"payload=", b"payload=[]", b"&".join([b"a=b"] * 20)):
        assert channel.surfaces.signed_door.take("slack", signed(now, body), body).status == 400
    assert channel.surfaces.signed_door.take("other", {}, b"").status == 404


def test_words_of_others_are_no_markup_and_reach_nobody() -> None:
    hostile = asked(
        text=HOSTILE,
        candidates=(candidate("a", HOSTILE, "app/<x>|y.py", (1, 2)), candidate("b", "B", "b.py", (1, 2))),
    )
    message = Channel(hostile).message()
    written = json.dumps([block for block in message["blocks"] if block["type"] == "context"])
    assert "<!channel>" not in written
    assert "<@U0BOSS>" not in written
    assert "app/&lt;x&gt; y.py lines 1" in written
    assert message["text"].startswith("acme/orders#418: &lt;!channel&gt;")
    assert message["link_names"] is False


def test_many_choices_fit_into_what_slack_takes() -> None:
    elements = Channel(many_routes(40)).elements()
    assert len([action_id for action_id in elements if action_id.startswith("choose:")]) == 10
    assert all(len(element["value"]) <= 2_000 for element in elements.values() if "value" in element)


def test_an_error_of_slack_waits_and_a_message_that_is_gone_does_not() -> None:
    channel = Channel()
    channel.surfaces.slack_error = "not_in_channel"
    channel.surfaces.sends()
    assert len(channel.surfaces.waiting) == 1
    channel.surfaces.slack_error = "message_not_found"
    channel.surfaces.sends()
    assert channel.surfaces.waiting == {}


def test_several_points_are_shown_below_the_question_and_no_button_decides_one_of_them() -> None:
    channel = Channel(several_points())
    told = json.dumps(channel.message(), ensure_ascii=False)
    assert (
        told.index("1. Everybody") < told.index("b. What happens to the eleventh?") < told.index("2c: 300 s")
    )
    assert not {"choose:1", "choose:2", "choose:2b"} & channel.elements().keys()
    channel.writes("2, c: 30 s")
    assert '"q-limit":"30 s"' in channel.world.dispatched[0]["answers"]
    channel = Channel(several_points())
    channel.presses("choose:go")
    assert '"q-limit":"option-1"' in channel.world.dispatched[0]["answers"]
