"""The pure parts: what is read from a workflow file and from a job's outputs, and that shown text is harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Sandbox
from sandbox.actions.job import read_outputs
from sandbox.actions.workflow_file import parse_workflow, render_run_name
from sandbox.pages.text import render_markdown
from sandbox.sandbox import WORKFLOW_FILE
from tests.sandbox.clients import app_jwt, call

OWN_TAGS = {
    "a", "blockquote", "br", "code", "details", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul", "kbd", "b", "i",
}  # fmt: skip
PIECES = st.sampled_from(
    ["<", ">", "<!--", "-->", "<script>", "</details>", "<details>", " onload=x", '"', "`", "[a](", ")", "\n", "\n\n",
     "javascript:", "http://x.y/", "&lt;", "|", "- ", "> ", "<img src=x", "é", "1"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_text_brings_a_tag_or_an_address_of_its_own_making(text: str) -> None:
    shown = render_markdown(text, "http://127.0.0.1/acme/orders", lambda *_: None)
    for tag, attributes in re.findall(r"<\s*/?\s*([a-zA-Z!]\w*)([^>]*)>", shown):
        assert tag.lower() in OWN_TAGS
        assert re.fullmatch(r"\s*/?|\s(href|title|style|start|class)=\"[^\"]*\".*", attributes)
    assert not re.search(r"href=\"\s*javascript:", shown)


def test_outputs_are_read_as_the_runner_reads_them() -> None:
    text = (
        "outcome=clarification\nannotation<<END-1\n::notice::a=b\nsecond line\nEND-1\nexit-code=2\nempty=\n"
    )
    assert read_outputs(text) == {
        "outcome": "clarification",
        "annotation": "::notice::a=b\nsecond line",
        "exit-code": "2",
        "empty": "",
    }


@pytest.mark.parametrize(
    ("contexts", "name"),
    [
        ({"inputs": {"issue": "7", "nonce": "abc"}, "github": {"event": {}}}, "askfirst #7 abc"),
        ({"inputs": {}, "github": {"event": {"issue": {"number": 7}}}}, "askfirst #7"),
    ],
)
def test_a_run_is_named_by_number_and_nonce(contexts: dict[str, object], name: str) -> None:
    workflow = parse_workflow("askfirst.yml", WORKFLOW_FILE.read_text(encoding="utf-8"))
    assert workflow.types == {"issues": ("labeled",)}
    assert render_run_name(workflow, contexts) == name


@pytest.mark.parametrize("text", ["", "- a list", "on: [push", "on: push", "name: x"])
def test_a_file_that_is_no_such_workflow_triggers_nothing(text: str) -> None:
    workflow = parse_workflow("askfirst.yml", text)
    assert (workflow.types, workflow.inputs) == ({}, None)


def test_the_list_of_deliveries_is_read_on_by_cursor(github: Sandbox) -> None:
    issue = github.open_issue(github.create_repository(), "Title", "Body")
    for number in range(40):
        github.comment(issue, str(number))
    address = f"{github.api_url}/app/hook/deliveries"
    first = call("GET", address, token=app_jwt(github))
    following = re.fullmatch(r'<(\S+cursor=2)>; rel="next"', first.headers["Link"])
    assert following is not None
    second = call("GET", following[1], token=app_jwt(github))
    ids = [item["id"] for item in first.document + second.document]
    assert ids == sorted(ids, reverse=True)
    assert len(ids) == len(github.deliveries.attempts)
