"""The reply address over HTTP: what reaches the door, and what is shut out before it."""

import dataclasses
import io
import json
from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from flask.testing import FlaskClient
from inline_snapshot import snapshot
from slack_sdk.signature import SignatureVerifier

from github_app.conversation import reply_token
from github_app.ports.surfaces import SurfaceReply
from github_app.serving.surface_web import add_reply_doors
from github_app.serving.web import Probes, create_application
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.jira import JiraSite
from tests.github_app.fakes.jira import signed as jira_signed
from tests.github_app.fakes.slack import SECRET, Channel
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World

PROBES = Probes(problems=list, metrics=str)


@pytest.fixture
def surfaces() -> Surfaces:
    world = World()
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    return surfaces


@pytest.fixture
def client(surfaces: Surfaces) -> FlaskClient:
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    add_reply_doors(application, surfaces.door, surfaces.signed_door)
    return application.test_client()


def test_a_reply_is_stored_and_acknowledged(client: FlaskClient, surfaces: Surfaces) -> None:
    answer = client.post(f"/reply/{surfaces.address()}", json={"reply": "2"})
    assert (answer.status_code, answer.text) == (202, "Taken. What becomes of it stands on the issue.\n")
    assert len(surfaces.replies) == 1


def test_opening_the_address_answers_nothing(client: FlaskClient, surfaces: Surfaces) -> None:
    assert client.get(f"/reply/{surfaces.address()}").status_code == 405
    assert surfaces.replies == {}


class Unread(io.BytesIO):
    """A body that nobody may read."""

    def read(self, _size: int | None = -1) -> bytes:
        raise AssertionError("the body was read")


def test_a_body_of_five_megabytes_is_refused_unread(client: FlaskClient, surfaces: Surfaces) -> None:
    size = {"CONTENT_LENGTH": str(5 * 1024 * 1024)}
    answer = client.post(f"/reply/{surfaces.address()}", input_stream=Unread(), environ_overrides=size)
    assert (answer.status_code, answer.text) == (413, "A reply has at most 65536 bytes.\n")


def test_without_surfaces_there_is_no_such_address(surfaces: Surfaces) -> None:
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    assert application.test_client().post("/reply/A.B", json={"reply": "2"}).status_code == 404


def test_what_slack_sends_reaches_its_door_as_the_bytes_that_it_signed() -> None:
    channel = Channel()
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    add_reply_doors(application, channel.surfaces.door, channel.surfaces.signed_door)
    client = application.test_client()
    action = {"action_id": "choose:2", "value": channel.elements()["choose:2"]["value"]}
    payload = {"type": "block_actions", "user": {"id": "U0OCTOCAT"}, "actions": [action]}
    body = urlencode({"payload": json.dumps(payload)})
    timestamp = str(int(channel.world.clock.now().timestamp()))
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": str(
            SignatureVerifier(SECRET).generate_signature(timestamp=timestamp, body=body)
        ),
    }
    assert client.post("/surfaces/slack", data=body, headers=headers).status_code == 200
    assert len(channel.surfaces.replies) == 1
    assert client.post("/surfaces/slack", data=body + "&", headers=headers).status_code == 401
    assert client.post("/surfaces/slack", data=b"x" * (5 * 1024 * 1024), headers=headers).status_code == 413


def test_requests_without_a_valid_signature_are_reported_with_their_door_and_what_to_set(
    surfaces: Surfaces,
) -> None:
    site, rejected = JiraSite(), dict[str, str]()
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    add_reply_doors(application, site.surfaces.door, site.surfaces.signed_door, rejected.__setitem__)
    client = application.test_client()
    client.post("/surfaces/jira", data=b"{}", headers={"X-Hub-Signature": "sha256=00"})
    client.post("/surfaces/nowhere", data=b"{}")
    client.post("/reply/made.up", json={"reply": "2"})
    assert rejected == snapshot(
        {
            "jira": "They came to /surfaces/jira. If replies from there are missing, `secret` of jira in the file of ASKFIRST_SURFACES_FILE is another one than there, or this machine's clock is wrong.",
            "reply": "They came to /reply. Addresses of before a rotation are taken while ASKFIRST_MARKER_KEY_BEFORE holds the key of then.",
        }
    )


def test_a_signed_request_of_another_shape_is_refused_with_a_sentence_which_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    site = JiraSite()
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    add_reply_doors(application, site.surfaces.door, site.surfaces.signed_door)
    body = b'{"webhookEvent": "comment_created", "comment": 3}'
    headers = {"X-Hub-Signature": jira_signed(body)["x-hub-signature"]}
    answer = application.test_client().post("/surfaces/jira", data=body, headers=headers)
    assert (answer.status_code, answer.text) == snapshot(
        (
            400,
            "This is no delivery of Jira that can be read: comment: Input should be an object.\n",
        )
    )
    assert [record.getMessage() for record in caplog.records] == snapshot(
        [
            "refused a signed request to /surfaces/jira: This is no delivery of Jira that can be read: comment: Input should be an object."
        ]
    )


def test_a_store_that_fails_leaves_no_address_in_the_log(
    surfaces: Surfaces, caplog: pytest.LogCaptureFixture
) -> None:
    token = surfaces.address()
    broken = dataclasses.replace(surfaces.door, store=_full_disk)
    application = create_application(("a webhook secret of some length",), lambda *_: None, PROBES)
    add_reply_doors(application, broken, surfaces.signed_door)
    assert application.test_client().post(f"/reply/{token}", json={"reply": "2"}).status_code == 500
    assert "disk is full" in caplog.text
    assert token not in caplog.text


def _full_disk(_reply: SurfaceReply) -> None:
    raise OSError("the disk is full")


@pytest.mark.parametrize("text", ["é.é", "a." + "b" * 100_000, ".", ""])
def test_a_text_that_is_no_token_is_refused(text: str) -> None:
    with pytest.raises(reply_token.TokenRefused):
        reply_token.read(text, [b"secret"], datetime(2026, 4, 1, tzinfo=UTC))
