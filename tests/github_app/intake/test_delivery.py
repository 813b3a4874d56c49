"""Webhook payloads become our words: the fields that are used, in their places, and nothing else."""

import json

import pytest

from github_app.intake.delivery import (
    CommentDelivery,
    InstallationDelivery,
    IssueDelivery,
    ReviewDelivery,
    RunDelivery,
    UnusableDelivery,
    conversation_key,
    issue_of_branch,
    parse_delivery,
    run_name_parts,
)

USER = {"id": 1, "login": "octocat", "type": "User", "avatar_url": "https://avatars.example/1"}
ENVELOPE = {
    "installation": {"id": 55, "node_id": "x"},
    "repository": {"id": 712345678, "full_name": "acme/orders", "default_branch": "main", "private": True},
    "sender": USER,
}
ISSUE = {
    "number": 418, "title": "Limit", "body": None, "state": "open", "locked": False, "user": USER,
    "updated_at": "2026-11-24T09:00:00Z", "labels": [{"name": "askfirst", "color": "fff"}], "assignees": [USER],
}  # fmt: skip
COMMENT = {"id": 9, "body": "2", "user": USER, "performed_via_github_app": {"id": 7, "slug": "askfirst"}}
RUN = {
    "id": 11, "run_attempt": 2, "path": ".github/workflows/askfirst.yml", "event": "issues", "head_sha": "a" * 40,
    "display_title": "askfirst #418 ", "conclusion": "success", "head_branch": "main", "head_repository": {"id": 712345678},
    "actor": USER, "created_at": "2026-11-24T09:00:05Z",
}  # fmt: skip
PAYLOADS = {
    "issues": {**ENVELOPE, "action": "labeled", "issue": ISSUE, "label": {"name": "askfirst"}},
    "issue_comment": {**ENVELOPE, "action": "edited", "issue": ISSUE, "comment": COMMENT, "changes": {"body": {"from": "1"}}},
    "workflow_run": {**ENVELOPE, "action": "completed", "workflow_run": RUN},
    "pull_request_review": {**ENVELOPE, "action": "submitted", "pull_request": {"number": 5, "head": {"ref": "askfirst/418-limit-it"}}, "review": {"id": 6}},
    "check_suite": {**ENVELOPE, "action": "completed", "check_suite": {"id": 3, "head_branch": "askfirst/418-limit-it", "head_sha": "a" * 40}},
    "installation": {"action": "created", "installation": {"id": 55}},
}  # fmt: skip


def test_an_issue_is_read():
    delivery = parse_delivery("issues", json.dumps(PAYLOADS["issues"]).encode())
    assert isinstance(delivery, IssueDelivery)
    assert (delivery.issue.number, delivery.issue.body, delivery.sender.id) == (418, None, 1)
    assert delivery.label is not None
    assert delivery.label.name == "askfirst"


def test_a_comment_is_read_with_what_it_said_before():
    delivery = parse_delivery("issue_comment", PAYLOADS["issue_comment"])
    assert isinstance(delivery, CommentDelivery)
    assert delivery.comment.performed_via_github_app is not None
    assert delivery.comment.performed_via_github_app.id == 7
    assert delivery.changes is not None
    assert delivery.changes.body is not None
    assert delivery.changes.body.text == "1"


def test_a_run_is_read():
    delivery = parse_delivery("workflow_run", PAYLOADS["workflow_run"])
    assert isinstance(delivery, RunDelivery)
    assert (delivery.workflow_run.run_attempt, delivery.workflow_run.actor is not None) == (2, True)


def test_a_review_and_an_installation_are_known():
    assert isinstance(parse_delivery("pull_request_review", PAYLOADS["pull_request_review"]), ReviewDelivery)
    assert isinstance(parse_delivery("installation", PAYLOADS["installation"]), InstallationDelivery)


@pytest.mark.parametrize(
    ("event", "action"),
    [("issues", "typed"), ("issues", "opened"), ("issue_comment", "pinned"), ("workflow_run", "waiting")],
)
def test_an_action_that_is_not_ours_is_let_go(event, action):
    assert parse_delivery(event, {**PAYLOADS[event], "action": action}) is None


@pytest.mark.parametrize("event", ["push", "ping", "issue_dependencies", ""])
def test_an_event_that_is_not_ours_is_let_go(event):
    assert parse_delivery(event, {"zen": "x"}) is None


@pytest.mark.parametrize(
    ("event", "missing"),
    [
        ("issues", "issue"),
        ("issues", "sender"),
        ("issue_comment", "comment"),
        ("workflow_run", "installation"),
    ],
)
def test_a_delivery_that_lacks_what_we_need_says_what(event, missing):
    payload = {key: value for key, value in PAYLOADS[event].items() if key != missing}
    with pytest.raises(UnusableDelivery, match=f"{event}: {missing}: "):
        parse_delivery(event, payload)


@pytest.mark.parametrize(
    ("event", "key"),
    [
        ("issues", "712345678#418"),
        ("issue_comment", "712345678#418"),
        ("workflow_run", "712345678#418"),
        ("pull_request_review", "712345678#418"),
        ("check_suite", "712345678#418"),
        ("installation", "installation:55"),
    ],
)
def test_deliveries_of_one_conversation_have_one_key(event, key):
    delivery = parse_delivery(event, PAYLOADS[event])
    assert delivery is not None
    assert conversation_key(delivery) == key


def test_what_is_said_on_a_pull_request_waits_for_the_issue_that_led_to_it():
    on_pull_request = {**ENVELOPE, "action": "created", "issue": {**ISSUE, "number": 5, "pull_request": {}}, "comment": COMMENT}  # fmt: skip
    delivery = parse_delivery("issue_comment", on_pull_request)
    assert delivery is not None
    assert conversation_key(delivery, lambda _id, _number: 418) == "712345678#418"
    assert conversation_key(delivery) == "712345678#5"


@pytest.mark.parametrize(
    "branch",
    ["main", "askfirst/0-x", "askfirst/418", "x/askfirst/418-x", "askfirst/418-x/y", "askfirst/418-X"],
)
def test_a_branch_that_is_not_called_as_ours_names_no_issue(branch):
    assert issue_of_branch(branch) is None


def test_a_run_without_our_name_belongs_to_no_conversation():
    other = {**PAYLOADS["workflow_run"], "workflow_run": {**RUN, "display_title": "CI"}}
    delivery = parse_delivery("workflow_run", other)
    assert delivery is not None
    assert conversation_key(delivery) == "712345678#other"


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("askfirst #418 ", (418, None)),
        ("askfirst #418", (418, None)),
        (f"askfirst #418 {'a' * 32}", (418, "a" * 32)),
        ("askfirst #418 now", None),
        ("askfirst #0", None),
        ("askfirst #418\n", None),
        (f"askfirst #418 {'A' * 32}", None),
        ("x askfirst #418", None),
        ("askfirst #٤١٨", None),
        ("", None),
    ],
)
def test_a_run_name_is_exactly_ours_or_it_is_not(title, parts):
    assert run_name_parts(title) == parts


def test_starts_of_other_workflows_are_not_stored():
    payload = {**PAYLOADS["workflow_run"], "action": "in_progress"}
    assert parse_delivery("workflow_run", payload) is not None
    payload["workflow_run"] = {**RUN, "display_title": "CI"}
    assert parse_delivery("workflow_run", payload) is None


@pytest.mark.parametrize("branch", ["main", "askfirst/418", "feature/askfirst/418-limit-it", None])
def test_checks_of_other_branches_are_not_stored(branch):
    payload = {**PAYLOADS["check_suite"], "check_suite": {"id": 3, "head_branch": branch}}
    assert parse_delivery("check_suite", payload) is None
