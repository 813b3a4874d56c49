"""Requests that a vendor signed and that have another shape than it publishes: an answer of ours, and never an error."""

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from github_app.surfaces.door import DoorAnswer
from tests.github_app.fakes import jira, linear, slack
from tests.github_app.fakes.jira import JiraSite
from tests.github_app.fakes.linear import Workspace
from tests.github_app.fakes.slack import Channel

ODD: tuple[Any, ...] = (
    None,
    1,
    1e400,
    "",
    "\0",
    "\ud800",
    [],
    {},
    [None],
    [["x"]],
    {"elements": None},
    "9999-12-31T23:59:59-14:00",
)

Take = Callable[[dict[str, Any]], DoorAnswer]


def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to everything that a payload holds."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def with_value(node: Any, path: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(node)
    *way, last = path
    inner = changed
    for key in way:
        inner = inner[key]
    inner[last] = value
    return changed


def to_slack() -> tuple[dict[str, Any], Take]:
    channel = Channel()
    action = {"action_id": "words", "value": "7"}
    payload = {"type": "block_actions", "user": {"id": "U0OCTOCAT"}, "actions": [action]}
    buttons = next(block for block in channel.message()["blocks"] if block["type"] == "actions")
    payload["message"] = {"blocks": [{"type": "actions", "elements": buttons["elements"][-1:]}]}
    now = str(int(channel.world.clock.now().timestamp()))

    def take(odd: dict[str, Any]) -> DoorAnswer:
        body = urlencode({"payload": json.dumps(odd)}).encode()
        return channel.surfaces.signed_door.take("slack", slack.signed(now, body), body)

    return payload, take


def to_jira() -> tuple[dict[str, Any], Take]:
    site = JiraSite()
    text = {"type": "text", "text": "7", "marks": [{"type": "strong"}]}
    body = {"type": "doc", "content": [{"type": "orderedList", "attrs": {"order": 2}, "content": [text]}]}
    comment = {
        "self": "https://jira.example/rest/api/2/issue/10012/comment/1", "author": {"accountId": jira.AUTHOR},
        "created": "2026-11-25T09:00:00.000+0000", "body": body, "visibility": None,
    }  # fmt: skip

    def take(odd: dict[str, Any]) -> DoorAnswer:
        sent = json.dumps(odd).encode()
        return site.surfaces.signed_door.take("jira", jira.signed(sent), sent)

    return {"webhookEvent": "comment_created", "comment": comment}, take


def to_linear() -> tuple[dict[str, Any], Take]:
    workspace = Workspace()
    now = workspace.world.clock.now().timestamp() * 1000
    payload = {
        "type": "AgentSessionEvent", "action": "prompted", "appUserId": linear.OUR_ID, "webhookTimestamp": now,
        "agentSession": {"id": workspace.session, "issue": {"identifier": "ENG-7"}},
        "agentActivity": {"userId": linear.AUTHOR, "createdAt": "2026-11-25T09:00:00Z", "content": {"body": "7"}, "signal": None},
    }  # fmt: skip

    def take(odd: dict[str, Any]) -> DoorAnswer:
        sent = json.dumps(odd).encode()
        return workspace.surfaces.signed_door.take("linear", linear.signed(sent), sent)

    return payload, take


@pytest.mark.parametrize("to", [to_slack, to_jira, to_linear])
def test_whatever_stands_at_any_place_of_a_signed_request_is_answered(
    to: Callable[[], tuple[dict[str, Any], Take]],
) -> None:
    payload, take = to()
    assert take(payload).status == 200
    for path in places(payload):
        for odd in ODD:
            answer = take(with_value(payload, path, odd))
            assert answer.status in {200, 400, 401}, (path, odd)
            assert bool(answer.text) is (answer.status != 200), (path, odd)
