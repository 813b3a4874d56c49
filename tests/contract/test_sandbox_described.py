"""The checker finds departures, the page names the routes that it does not know, webhooks look like GitHub's."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox import Sandbox
from sandbox.rest.routes import ApiRoute
from sandbox.server import ROUTES, HttpExchange
from sandbox.world.state import Issue
from tests.contract.github_description import FIXTURES, HOW_TO_GET, GitHubDescription, github_description

PAGE = Path(__file__).parents[2] / "docs" / "app.md"


@pytest.fixture
def description() -> GitHubDescription:
    found = github_description()
    if found is None:
        pytest.skip(HOW_TO_GET)
    return found


def exchange(
    method: str, path: str, status: int, sent: object = None, got: object = None, **query: str
) -> HttpExchange:
    def encode(document: object) -> bytes:
        return b"" if document is None else json.dumps(document).encode()

    return HttpExchange(method, path, query, {}, encode(sent), None, status, {}, encode(got))


REACTION = {
    "id": 1,
    "node_id": "x",
    "user": None,
    "content": "eyes",
    "created_at": "2026-08-22T09:30:00Z",
}
REACT = "/repos/acme/orders/issues/1/reactions"


def test_what_is_described_passes(description: GitHubDescription) -> None:
    assert description.problems(exchange("POST", REACT, 201, {"content": "eyes"}, REACTION)) == []
    assert description.problems(exchange("POST", "/no/such/route", 201, {"content": 1}, 7)) == []


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (exchange("POST", REACT, 201, {"content": "shrug"}, REACTION), "'shrug' is not one of"),
        (exchange("POST", REACT, 201, {}, REACTION), "'content' is a required property"),
        (
            exchange("POST", REACT, 201, {"content": "eyes"}, {**REACTION, "id": "1"}),
            "'1' is not of type 'integer'",
        ),
        (
            exchange("POST", REACT, 201, {"content": "eyes"}, {**REACTION, "created_at": "today"}),
            "not a 'date-time'",
        ),
        (exchange("POST", REACT, 202, {"content": "eyes"}, REACTION), "the status is not described"),
        (exchange("POST", REACT, 404, None, {"error": "no"}), "not of type|required"),
        (
            exchange("GET", "/repos/acme/orders/actions/runs", 200, None, None, colour="red"),
            "unknown query parameter",
        ),
        (exchange("DELETE", "/installation/token", 204, None, {}), "there is a body"),
        (exchange("PUT", "/repos/acme/orders/issues/comments/1/pin", 200), "not of type|None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_departure_is_found(description: GitHubDescription, bad: HttpExchange, problem: str) -> None:
    found = "\n".join(description.problems(bad))
    assert any(part in found for part in problem.split("|")), found


def name_of(route: ApiRoute) -> str:
    """Method and path as GitHub writes them: `GET /repos/{owner}/{repo}`."""
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.path)
    return f"{route.method} {path}"


def test_the_page_names_every_route_of_the_sandbox_that_is_not_described(
    description: GitHubDescription,
) -> None:
    undescribed = {
        name
        for name in map(name_of, ROUTES)
        if description.operation(*re.sub(r"\{\w+\}", "1", name).split()) is None
    }
    assert set(re.findall(r"`([A-Z]+ /repos/\S+)`", PAGE.read_text(encoding="utf-8"))) == undescribed


def missing_keys(example: Any, made: Any, path: str = "") -> list[str]:
    """What GitHub's example has and ours has not, where both are objects."""
    found: list[str] = []
    if isinstance(example, dict) and isinstance(made, dict):
        for name, value in example.items():
            if name not in made:
                found.append(f"{path}/{name}")
            else:
                found += missing_keys(value, made[name], f"{path}/{name}")
    return found


def comment_and_change(github: Sandbox, issue: Issue) -> None:
    comment = github.comment(issue, "2?")
    github.edit_comment(issue, comment, "2")
    github.delete_comment(issue, comment)


def label_and_unlabel(github: Sandbox, issue: Issue) -> None:
    github.label(issue, "bug")
    github.unlabel(issue, "bug")


DOINGS: dict[str, Callable[[Sandbox, Issue], None]] = {
    "issues.opened": lambda *_: None,
    "issues.labeled": lambda github, issue: github.label(issue, "bug"),
    "issues.unlabeled": label_and_unlabel,
    "issues.edited": lambda github, issue: github.edit_issue(issue, body="Other"),
    "issue_comment.created": comment_and_change,
    "issue_comment.edited": comment_and_change,
    "issue_comment.deleted": comment_and_change,
    "workflow_run.requested": lambda github, issue: github.label(issue),
    "workflow_run.completed": lambda github, issue: github.label(issue),
    "installation.created": lambda *_: None,
}

NOT_MADE = {"/repository/custom_properties", "/issue/draft"}
"""Parts of GitHub's examples that the sandbox leaves out."""


@pytest.mark.process
@pytest.mark.smoke
@pytest.mark.parametrize("name", DOINGS)
def test_a_webhook_has_what_githubs_example_has(name: str) -> None:
    if not FIXTURES.is_file():
        pytest.skip(HOW_TO_GET)
    example = json.loads(FIXTURES.read_text(encoding="utf-8"))[name]
    event, _, action = name.partition(".")
    with Sandbox.start(program=lambda _folders: ["true"]) as github:
        issue = github.open_issue(github.create_repository(), "Title", "Body")
        DOINGS[name](github, issue)
        github.wait_until_quiet(settle=0)
        sent = next(d for d in github.deliveries.attempts if (d.event, d.action) == (event, action))
    made = json.loads(sent.body)
    example.get("installation", {}).pop("permissions", None)
    assert [key for key in missing_keys(example, made) if key not in NOT_MADE] == []
    assert made["installation"]["id"]
    assert made["sender"]["type"] in ("User", "Organization")
