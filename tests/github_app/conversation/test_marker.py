"""The hidden line of a comment: it comes back as it was written, and refuses everything else."""

import base64
import hashlib
import hmac
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_app.conversation.marker import SignedMarkers, is_readable, progress, read, run_nonce
from github_app.conversation.record import Conversation, Exchange, PendingAnswer, State
from github_app.job.environment import JobEnvironment
from github_app.job.markers import JobMarkers
from github_app.ports.github import Repository
from pipeline.contract.answers import Answer

SECRET = b"secret"
RECORD = Conversation(
    repository_id=712345678, issue=418, version=3, state=State.ASKING, ticket_sha256="ab" * 32
)
LINE = SignedMarkers(7, SECRET).line("question:q-1:11.1", RECORD, with_record=True)
NONE: Any = None
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


def chinese(letters: int, seed: int) -> str:
    """Text in which nothing repeats, so that little is saved by packing it."""
    digest = hashlib.shake_256(b"%d" % seed).digest(2 * letters)
    pairs = zip(digest[::2], digest[1::2], strict=True)
    return "".join(chr(0x4E00 + (256 * high + low) % 20_000) for high, low in pairs)


def with_chinese_answers(count: int) -> Conversation:
    """A record after so many answers, each as long as the App keeps one."""
    answers = tuple(
        Answer(question_id=f"q-{n}", slot="plan", points={"1": "b"}, label=chinese(600, n), comment_id=n)
        for n in range(1, count + 1)
    )
    exchanges = tuple(
        Exchange(question=chinese(120, n + 100), answer=chinese(120, n + 200), login="octocat")
        for n in range(count)
    )
    pending = PendingAnswer(answer=answers[0], login="octocat", said=chinese(200, 0), beside=chinese(600, -1))
    return RECORD.model_copy(update={"answers": answers, "exchanges": exchanges, "given": pending})


@pytest.mark.parametrize("count", [1, 3])
def test_long_answers_in_chinese_come_back(count: int) -> None:
    record = with_chinese_answers(count)
    said = read(SignedMarkers(7, SECRET).line("k", record, with_record=True), SECRET, **HOME)
    assert said is not None
    assert said.record == record


def test_a_comment_whose_record_is_too_long_is_known_as_ours_all_the_same() -> None:
    line = SignedMarkers(7, SECRET).line("k", with_chinese_answers(20), with_record=True)
    said = read(line, SECRET, **HOME)
    assert said is not None
    assert (said.key, said.record) == ("k", None)


def test_a_job_leaves_a_record_that_is_too_long_for_a_comment_to_its_artifact(tmp_path: Path) -> None:
    repository = Repository(0, HOME["repository_id"], "acme/orders", "main")
    job = JobEnvironment(
        "publish", "issues", {}, repository, 11, 1, "token", SECRET, tmp_path, tmp_path / "output"
    )
    record = with_chinese_answers(20)
    markers = JobMarkers(job, workflows=NONE, artifacts=NONE)
    said = read(markers.line("k", record, with_record=True), SECRET, **HOME)
    assert said is not None
    assert markers.record(said) == record
    assert len(list(job.records.iterdir())) == 1


def test_a_payload_that_unpacks_to_a_flood_is_refused() -> None:
    flood = base64.b64encode(zlib.compress(b"{" * 8_000_000, 9))
    mac = base64.b64encode(hmac.new(SECRET, b"marker\0" + flood, hashlib.sha256).digest()[:16])
    line = f"<!-- askfirst:v1 {flood.decode()} {mac.decode()} -->"
    assert is_readable(line)
    assert read(line, SECRET, **HOME) is None


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
