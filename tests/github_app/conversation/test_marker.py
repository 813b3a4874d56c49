"""The hidden line of a comment: it comes back as it was written, and refuses everything else."""

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_app.conversation.marker import SignedMarkers, progress, read, run_nonce
from github_app.conversation.record import Conversation, State

SECRET = b"secret"
RECORD = Conversation(
    repository_id=712345678, issue=418, version=3, state=State.ASKING, ticket_sha256="ab" * 32
)
LINE = SignedMarkers(7, SECRET).line("question:q-1:11.1", RECORD, with_record=True)
HOME = {"repository_id": 712345678, "issue": 418}


def test_a_marker_comes_back():
    said = read(f"Hello\n\n{LINE}", SECRET, **HOME)
    assert said is not None
    assert said.key == "question:q-1:11.1"
    assert said.record == RECORD


def test_a_marker_is_one_short_invisible_line():
    assert re.fullmatch(r"<!-- askfirst:v1 [A-Za-z0-9+/=]+ [A-Za-z0-9+/=]{24} -->", LINE)
    assert "--" not in LINE.removeprefix("<!--").removesuffix("-->")
    assert len(LINE) < 400


@pytest.mark.parametrize(
    ("body", "secret", "home"),
    [
        (LINE, b"another secret", HOME),
        (LINE, SECRET, {**HOME, "issue": 419}),
        (LINE, SECRET, {**HOME, "repository_id": 1}),
        (f"{LINE}\nand more", SECRET, HOME),
        (f"> {LINE} x", SECRET, HOME),
        (LINE.replace("askfirst:v1", "askfirst:v2"), SECRET, HOME),
        ("<!-- askfirst:v1 AAAA AAAAAAAAAAAAAAAAAAAAAA== -->", SECRET, HOME),
        ("", SECRET, HOME),
    ],
)
def test_a_marker_from_elsewhere_is_refused(body, secret, home):
    assert read(body, secret, **home) is None


@given(st.integers(0, len(LINE) - 1), st.sampled_from("Aa0+/="))
def test_a_changed_marker_is_refused(at, letter):
    changed = LINE[:at] + letter + LINE[at + 1 :]
    assert changed == LINE or read(changed, SECRET, **HOME) is None


def test_a_changed_payload_with_the_old_signature_is_refused():
    _, _, payload, mac, _ = LINE.split(" ")
    forged = base64.b64encode(base64.b64decode(payload).replace(b"asking", b"failed")).decode()
    assert read(LINE.replace(payload, forged), SECRET, **HOME) is None
    assert mac in LINE


def test_of_two_records_the_one_that_acted_upon_a_reply_holds_whoever_wrote_last():
    hinted = RECORD.model_copy(update={"hinted": True, "version": 9, "rounds": 1})
    answered = RECORD.model_copy(update={"taken": (77,), "version": 4, "rounds": 1})
    asked_again = RECORD.model_copy(update={"version": 5, "rounds": 2})
    assert max((hinted, answered), key=progress) is answered
    assert max((answered, asked_again), key=progress) is asked_again


def test_a_nonce_belongs_to_one_reply_to_one_question():
    nonces = {
        run_nonce(secret, repository, issue, question, comment)
        for secret in (b"a", b"b") for repository in (1, 2) for issue in (1, 2) for question in ("q-1", "q-2") for comment in (1, 2)
    }  # fmt: skip
    assert len(nonces) == 32
    assert all(re.fullmatch(r"[0-9a-f]{32}", nonce) for nonce in nonces)
