"""A ticket of Jira: what is shown there by Atlassian's own schema, and what people comment there, signed by its webhook."""

import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from github_app.intake.signature import has_signature
from github_app.surfaces.adf import plain_text
from tests.contract.adf_schema import HOW_TO_GET_SCHEMA, adf_validator
from tests.github_app.conversation.questions import (
    asked,
    candidate,
    many_routes,
)
from tests.github_app.fakes.jira import (
    AUTHOR,
    BOT,
    KEEPER,
    NOBODY,
    SECRET,
    JiraSite,
    signed,
    written,
)
from tests.github_app.surfaces.golden_files import GOLDEN

TWO = "route:POST /actions/stream"


def test_a_conversation_reads_like_this_on_the_ticket() -> None:
    site = JiraSite()
    site.writes(written("2"))
    site.writes(written("1"), KEEPER)
    assert site.told() == snapshot(
        [
            """\
@557058:0c70ca7 Which route should get the rate limit?
The ticket says “rate-limit the action endpoint”.
Two routes fit, and no word in the ticket picks one.
1. POST /actions · app/api/actions.py lines 41–58 (default)
2. POST /actions/stream · app/api/stream.py lines 22–47
Reply 1, 2, go for 1, /answer and one sentence. A comment here is enough.
acme/orders#418 · Nothing is written yet. Until 8 December.
""",
            """\
Answered by octocat on jira: POST /actions/stream
acme/orders#418 · Which route should get the rate limit?
""",
            "@557058:4bbe1 octocat has answered on jira already: POST /actions/stream. To change it, reply /answer on GitHub.\n",
        ]
    )


def test_every_comment_is_a_document_by_atlassians_schema() -> None:
    validator = adf_validator()
    if validator is None:
        pytest.skip(HOW_TO_GET_SCHEMA)
    for path in GOLDEN.glob("jira_*.json"):
        validator.validate(json.loads(path.read_text(encoding="utf-8")))
    assert not validator.is_valid({"type": "doc", "version": 1, "content": [{"type": "text", "text": "2"}]})


def paragraphs(*inline: dict[str, Any]) -> dict[str, Any]:
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": list(inline)}]}


def said(text: str, *marks: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "marks": [{"type": mark} for mark in marks]}


def block(kind: str, *content: dict[str, Any], **attrs: Any) -> dict[str, Any]:
    return {"type": kind, "content": list(content), "attrs": attrs}


def doc(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "doc", "version": 1, "content": list(blocks)}


ONE_AS_A_LIST = block("orderedList", block("listItem", *written("that one")["content"]), order=2)


@pytest.mark.parametrize(
    "body",
    [
        "2", "2\n\n{quote}1. POST /actions{quote}", "bq. 1\n2", f"[~accountid:{BOT}] 2", "{{POST /actions/stream}}",
        written("2"), written("/answer 2"), written("POST /actions/stream"), doc(ONE_AS_A_LIST),
        paragraphs(said("2", "strong")), paragraphs(said("1", "strike"), said(" 2")), paragraphs(said("POST /actions/stream", "code")),
        paragraphs({"type": "mention", "attrs": {"id": BOT}}, said(" 2")),
        doc(block("blockquote", *written("1")["content"]), *written("2")["content"]),
        doc(block("codeBlock", said("1")), *written("2")["content"]),
        doc(block("expand", *written("1")["content"]), *written("2")["content"]),
        doc(block("panel", *written("2")["content"])), paragraphs(said("2"), {"type": "hardBreak"}, said("please")),
    ],
)  # fmt: skip
def test_a_comment_is_read_as_a_comment_on_github_would_be(body: Any) -> None:
    site = JiraSite()
    site.writes(body)
    assert f'"{TWO}"' in site.world.dispatched[0]["answers"]


@pytest.mark.parametrize("kind", ["orderedList", "doc", "table", "unknown", 3, None])
@pytest.mark.parametrize("attrs", [{}, {"order": "2"}, {"order": 1e400}, {"order": 2.0}, [], None])
def test_a_document_that_is_odd_is_read_as_far_as_it_goes(kind: Any, attrs: Any) -> None:
    node = {
        "type": kind,
        "attrs": attrs,
        "content": [{"type": "paragraph", "content": [said("x"), 3, {"text": "y"}]}, "z"],
    }
    assert plain_text(node) in {"x", "1. x", "2. x", ""}


def test_talk_on_the_ticket_is_left_alone() -> None:
    site = JiraSite()
    before = site.told()
    site.writes(written("Shall we do this in the next sprint?"), NOBODY)
    site.writes(paragraphs({"type": "mention", "attrs": {"id": KEEPER}}, said(" 2 or 1, what do you think?")))
    site.writes(written("word " * 100))
    assert (site.told(), site.world.dispatched) == (before, [])
    site.writes(written("2"))
    before = site.told()
    site.writes(written("Thanks, nice!"), KEEPER)
    assert site.told() == before


def test_who_is_asked_and_writes_no_answer_is_told_once_how() -> None:
    site = JiraSite()
    site.writes(written("7"))
    site.writes(written("7"))
    assert site.told()[1:] == snapshot(
        [
            "@557058:0c70ca7 That is no answer to the question. Reply 1, 2, go for 1, /answer and one sentence.\n"
        ]
    )
    site.writes(written("2"))
    assert len(site.world.dispatched) == 1


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"x-hub-signature": ""}, {"x-hub-signature": "sha256="}, {"x-hub-signature": "é"}, signed(b"", SECRET),
        signed(b"{}", "another secret of a webhook"), {"x-hub-signature": signed(b"{}")["x-hub-signature"].replace("256", "1")},
    ],
)  # fmt: skip
def test_a_request_that_jira_did_not_sign_is_refused(headers: dict[str, str]) -> None:
    site = JiraSite()
    assert site.surfaces.signed_door.take("jira", headers, b"{}").status == 401


def test_the_signature_is_the_one_of_atlassians_documentation() -> None:
    """Its example: secret, body and header as developer.atlassian.com shows them."""
    secret, header = (
        "It's a Secret to Everybody",
        "sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9",
    )
    assert has_signature(secret, header, b"Hello World!", "sha256=")
    assert not has_signature(secret, header, b"Hello World", "sha256=")


def test_a_request_that_is_sent_again_starts_no_second_run_and_tells_nobody_anything() -> None:
    site = JiraSite()
    site.writes(written("2"))
    before = site.told()
    for _ in range(3):
        site.world.clock.passes(120)
        assert site.delivers(site.comments[1]).status == 200
    assert (site.told(), len(site.world.dispatched)) == (before, 1)


def test_an_old_comment_that_is_played_again_answers_no_later_question() -> None:
    site = JiraSite()
    site.writes(written("2"))
    old, world = site.comments[1], site.world
    world.run_ends(world.last_run(), asked(slot="model", default="route:POST /actions"))
    site.surfaces.sends()
    before = site.told()
    site.delivers(old)
    assert (len(world.dispatched), site.told()) == (1, before)
    site.writes(written("2"))
    assert len(world.dispatched) == 2


@pytest.mark.parametrize(("account", "ticket", "told"), [(AUTHOR, "OPS-13", 1), (BOT, "OPS-12", 2)])
def test_a_comment_on_another_ticket_and_our_own_answer_nothing(account: str, ticket: str, told: int) -> None:
    site = JiraSite()
    site.writes(written("2"), account, ticket)
    assert (site.world.dispatched, len(site.told())) == ([], told)


@pytest.mark.parametrize(
    "change",
    [
        {"event": "comment_updated"}, {"event": "jira:issue_updated"}, {"visibility": {"type": "role", "value": "Administrators"}},
        {"jsdPublic": False}, {"self": "https://jira.example/x"},
    ],
)  # fmt: skip
def test_what_is_no_new_comment_for_everybody_is_acknowledged_and_does_nothing(
    change: dict[str, Any],
) -> None:
    site = JiraSite()
    assert site.writes(written("2"), **change).status == 200
    assert (site.world.dispatched, len(site.told())) == ([], 1)


@pytest.mark.parametrize(
    ("change", "place"),
    [({"created": "yesterday"}, "comment.created"), ({"created": "2026-11-24T12:00:00"}, "comment.created"),
     ({"body": None}, "comment.body"), ({"author": None}, "comment.author"), ({"author": {"accountId": "\0"}}, "accountId")],
)  # fmt: skip
def test_a_new_comment_of_another_shape_is_refused_with_its_place(change: dict[str, Any], place: str) -> None:
    answer = JiraSite().writes(written("2"), **change)
    assert answer.status == 400
    assert place in answer.text


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 60_000, b'{"webhookEvent": "comment_created"}'])
def test_a_body_that_is_no_delivery_is_refused(body: bytes) -> None:
    site = JiraSite()
    answer = site.surfaces.signed_door.take("jira", signed(body), body)
    assert (answer.status, answer.text[:52]) == (
        400,
        "This is no delivery of Jira that can be read: " + answer.text[46:52],
    )


def test_words_of_others_are_text_and_nothing_else() -> None:
    hostile = "@all [~accountid:557058:4bbe1] {panel} <b> https://evil.example OPS-13"
    question = asked(
        text=hostile,
        candidates=(candidate("a", hostile, "app/<x>.py", (1, 2)), candidate("b", "B", "b.py", (1, 2))),
    )
    document = JiraSite(question).comments[0].body
    nodes = json.dumps(document)
    assert nodes.count('"mention"') == 1
    assert nodes.count('"type": "link"') == 3
    assert "https://evil.example" not in [link["attrs"]["href"] for link in links(document)]


def links(node: Any) -> list[dict[str, Any]]:
    marks = [mark for mark in node.get("marks", []) if mark["type"] == "link"]
    return marks + [link for child in node.get("content", []) for link in links(child)]


def test_many_long_choices_fit_into_a_comment() -> None:
    site = JiraSite(many_routes(40))
    assert "30 more stand on GitHub." in site.told()[0]
    assert len(site.told()[0]) < 32_000
