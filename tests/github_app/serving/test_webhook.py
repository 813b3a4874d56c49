"""The door: what comes in unsigned, too large or unreadable is stored nowhere; what is acknowledged is stored."""

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import pytest
from flask.testing import FlaskClient
from inline_snapshot import snapshot
from sqlalchemy.exc import OperationalError
from werkzeug.test import TestResponse

from github_app.intake.delivery import UnusableDelivery
from github_app.serving.web import LARGEST_DELIVERY, Probes, create_application

SECRET = "a webhook secret of some length"
BEFORE = "the webhook secret before the rotation"
GUID = "72d3162e-cc78-11e3-81ab-4c9367dc0958"


class Shelf:
    """Keeps what is taken; broken, it takes nothing."""

    def __init__(self) -> None:
        self.deliveries: list[tuple[str, str, Mapping[str, Any]]] = []
        self.broken = False
        self.rejected: list[int] = []

    def take(self, event: str, delivery_id: str, payload: Mapping[str, Any]) -> None:
        if self.broken:
            raise OperationalError("INSERT", {"body": "what octocat wrote"}, Exception("the disk is full"))
        if payload.get("action") == "unknown to us":
            raise UnusableDelivery("issues: repository: Field required")
        self.deliveries.append((event, delivery_id, payload))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def client(shelf: Shelf) -> FlaskClient:
    probes = Probes(
        problems=lambda: ["The database does not answer."] if shelf.broken else [],
        metrics=lambda: "askfirst_ready 1\n",
        on_rejected=lambda: shelf.rejected.append(1),
    )
    return create_application((SECRET, BEFORE), shelf.take, probes).test_client()


def post(client: FlaskClient, body: bytes, **headers: str) -> TestResponse:
    """A delivery as GitHub sends it; a header set to "" is left out."""
    given = {
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": GUID,
        "X-Hub-Signature-256": "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest(),
        "Content-Type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    return client.post("/webhook", data=body, headers={name: value for name, value in given.items() if value})


def test_a_signed_delivery_is_stored_and_then_acknowledged(client: FlaskClient, shelf: Shelf) -> None:
    answer = post(client, b'{"action": "labeled"}')
    assert (answer.status_code, answer.text) == (202, "stored\n")
    assert shelf.deliveries == [("issues", GUID, {"action": "labeled"})]


@pytest.mark.parametrize("signature", ["", "sha256=" + "0" * 64, "sha256=", "nonsense"])
def test_attack_11_a_missing_or_wrong_signature_is_401_and_stores_nothing(
    client: FlaskClient, shelf: Shelf, signature: str
) -> None:
    assert post(client, b"{}", X_Hub_Signature_256=signature).status_code == 401
    assert shelf.deliveries == []


def test_attack_11_a_sha1_signature_alone_is_401_and_stores_nothing(
    client: FlaskClient, shelf: Shelf
) -> None:
    sha1 = "sha1=" + hmac.new(SECRET.encode(), b"{}", hashlib.sha1).hexdigest()
    assert post(client, b"{}", X_Hub_Signature_256="", X_Hub_Signature=sha1).status_code == 401
    assert post(client, b"{}", X_Hub_Signature_256=sha1).status_code == 401
    assert shelf.deliveries == []


def test_attack_11_the_signature_is_checked_before_anything_is_parsed(client: FlaskClient) -> None:
    assert post(client, b"[" * 100_000, X_Hub_Signature_256="").status_code == 401
    reformatted = json.dumps({"action": "labeled"}, indent=1).encode()
    of_another_form = hmac.new(SECRET.encode(), b'{"action": "labeled"}', hashlib.sha256).hexdigest()
    assert post(client, reformatted, X_Hub_Signature_256=f"sha256={of_another_form}").status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"a": NaN}',
        b"payload=%7B%7D",
        b"\xff",
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
)
def test_a_body_that_is_no_json_object_is_400(client: FlaskClient, shelf: Shelf, body: bytes) -> None:
    assert post(client, body).status_code == 400
    assert shelf.deliveries == []


@pytest.mark.parametrize("guid", ["", "a b", "../../etc", "x" * 101, "~", "\xe9"])
def test_a_delivery_without_a_plain_id_is_400(client: FlaskClient, shelf: Shelf, guid: str) -> None:
    assert post(client, b"{}", X_GitHub_Delivery=guid).status_code == 400
    assert shelf.deliveries == []


def test_a_delivery_without_an_event_is_400(client: FlaskClient) -> None:
    assert post(client, b"{}", X_GitHub_Event="").status_code == 400


def test_a_body_above_the_limit_is_413_and_is_not_read(client: FlaskClient, shelf: Shelf) -> None:
    assert post(client, bytes(LARGEST_DELIVERY + 1)).status_code == 413
    assert shelf.deliveries == []


def test_a_delivery_that_cannot_be_stored_is_not_acknowledged(
    client: FlaskClient, shelf: Shelf, caplog: pytest.LogCaptureFixture
) -> None:
    shelf.broken = True
    assert post(client, b'{"action": "labeled"}').status_code == 503
    assert caplog.messages == snapshot(
        [
            "did not store 72d3162e-cc78-11e3-81ab-4c9367dc0958: the database answers: the disk is full. GitHub keeps a delivery as failed, and the next sweep takes it up."
        ]
    )
    unready = client.get("/readyz")
    assert (unready.status_code, unready.text) == (503, "The database does not answer.\n")
    assert client.get("/healthz").status_code == 200
    shelf.broken = False
    assert client.get("/readyz").text == "ready\n"


def test_prometheus_reads_the_metrics(client: FlaskClient) -> None:
    answer = client.get("/metrics")
    assert (answer.status_code, answer.text) == (200, "askfirst_ready 1\n")
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"


@pytest.mark.parametrize(
    ("secret", "status"), [(SECRET, 202), (BEFORE, 202), ("a third webhook secret", 401)]
)
def test_during_a_rotation_either_secret_proves_a_delivery(
    client: FlaskClient, secret: str, status: int
) -> None:
    signature = "sha256=" + hmac.new(secret.encode(), b"{}", hashlib.sha256).hexdigest()
    assert post(client, b"{}", X_Hub_Signature_256=signature).status_code == status


def test_a_rejected_signature_is_counted(client: FlaskClient, shelf: Shelf) -> None:
    post(client, b"{}", X_Hub_Signature_256="")
    post(client, b"{}")
    assert len(shelf.rejected) == 1


def test_a_delivery_that_lacks_a_field_is_refused_with_its_name_so_that_github_shows_it(
    client: FlaskClient,
) -> None:
    answer = post(client, b'{"action": "unknown to us"}')
    assert (answer.status_code, answer.text) == (400, "issues: repository: Field required\n")


def test_other_paths_and_methods_lead_nowhere(client: FlaskClient) -> None:
    assert client.get("/webhook").status_code == 405
    assert client.get("/").status_code == 404
