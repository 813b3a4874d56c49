"""A channel of Slack: what is shown there by Slack's own rules, and what people press and write, signed by its own SDK."""

import json
from typing import Any

import pytest
from slack_sdk.signature import SignatureVerifier

from github_app.surfaces.slack_door import is_signed
from tests.github_app.conversation.questions import (
    FORMAT,
    WHO,
    a_plan,
    asked,
    candidate,
    many_routes,
    several_points,
    two_routes,
)
from tests.github_app.fakes.slack import SECRET, Channel, signed
from tests.github_app.surfaces.golden_files import golden

HOSTILE = "<!channel> <@U0BOSS> <https://evil.example|go> *bold* &amp; @here"


def test_an_answered_question_loses_its_buttons_where_it_stands() -> None:
    channel = Channel()
    channel.presses("choose:2")
    call = channel.calls()[-1]
    assert (call["method"], call["channel"], call["ts"]) == ("chat.update", "C012AB3CD", "1764.0001")
    golden("slack_answered", call)


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


def test_a_plan_is_taken_with_a_button() -> None:
    channel = Channel(a_plan(WHO, FORMAT))
    channel.presses("choose:go")
    assert '"points":{"1":"a","2":"b"}' in channel.world.dispatched[0]["answers"]


def test_an_option_of_a_plan_has_a_button_only_where_no_other_point_is_decided_with_it() -> None:
    assert not {"choose:2a", "choose:1b"} & Channel(a_plan(WHO, FORMAT)).elements().keys()
    channel = Channel(a_plan(WHO))
    channel.presses("choose:2a")
    assert '"points":{"1":"b"}' in channel.world.dispatched[0]["answers"]


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
