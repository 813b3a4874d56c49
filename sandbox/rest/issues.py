"""Issues, comments, labels, reactions."""

import re

from sandbox.access import COMMENT, READ_ISSUES, TRIAGE_ISSUES, may_change
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.clock import stamp
from sandbox.world.refusals import Invalid, NotFound
from sandbox.world.state import Label

routes = Routes()

ISSUE = f"{REPOSITORY}/issues/<int:issue_number>"
COMMENTS = f"{REPOSITORY}/issues/comments/<int:comment_id>"


@routes("GET", f"{REPOSITORY}/issues", READ_ISSUES)
def list_issues(call: ApiCall) -> Page:
    """Issues and pull requests, newest first; open ones unless `state` says otherwise."""
    state = call.query.get("state", "open")
    label_names = {name.lower() for name in call.query.get("labels", "").split(",") if name}
    issues = [
        issue
        for issue in reversed(call.repository.issues.values())
        if state in ("all", issue.state) and label_names <= {label.name.lower() for label in issue.labels}
    ]
    return Page([call.documents.issue(call.repository, issue) for issue in issues])


@routes("GET", ISSUE, READ_ISSUES)
def get_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """One issue."""
    issue = call.conversations.issue(call.repository, issue_number)
    return ApiAnswer(document=call.documents.issue(call.repository, issue))


@routes("GET", f"{ISSUE}/timeline", READ_ISSUES)
def list_timeline(call: ApiCall, issue_number: int) -> Page:
    """Issues and pull requests that name this one; GitHub has more kinds of events."""
    conversations, repository = call.conversations, call.repository
    issue = conversations.issue(repository, issue_number)
    named = re.compile(rf"(?:#|GH-|/issues/){issue_number}(?!\d)")
    events = [
        {
            "event": "cross-referenced",
            "created_at": stamp(pull.created_at),
            "updated_at": stamp(pull.created_at),
            "actor": call.documents.account(pull.user),
            "source": {"type": "issue", "issue": call.documents.issue(repository, pull)},
        }
        for pull in repository.issues.values()
        if pull is not issue and named.search(f"{pull.title}\n{pull.body or ''}")
    ]
    return Page(events)


@routes("GET", f"{ISSUE}/comments", READ_ISSUES)
def list_comments(call: ApiCall, issue_number: int) -> Page:
    """The comments of an issue, oldest first; `since` leaves out what was not changed after it."""
    issue = call.conversations.issue(call.repository, issue_number)
    since = call.query.get("since", "")
    comments = [comment for comment in issue.comments if (stamp(comment.updated_at) or "") >= since]
    return Page([call.documents.comment(call.repository, issue, comment) for comment in comments])


@routes("POST", f"{ISSUE}/comments", COMMENT)
def create_comment(call: ApiCall, issue_number: int) -> ApiAnswer:
    """Comment on an issue or pull request."""
    issue = call.conversations.issue(call.repository, issue_number)
    comment = call.conversations.add_comment(call.repository, issue, call.actor, call.required_text("body"))
    return ApiAnswer(201, call.documents.comment(call.repository, issue, comment))


@routes("GET", COMMENTS, READ_ISSUES)
def get_comment(call: ApiCall, comment_id: int) -> ApiAnswer:
    """One comment."""
    issue, comment = call.conversations.find_comment(call.repository, comment_id)
    return ApiAnswer(document=call.documents.comment(call.repository, issue, comment))


@routes("PATCH", COMMENTS, COMMENT)
def update_comment(call: ApiCall, comment_id: int) -> ApiAnswer:
    """Edit a comment."""
    issue, comment = call.conversations.find_comment(call.repository, comment_id)
    may_change(call.world, call.repository, call.token, comment.user)
    call.conversations.edit_comment(call.repository, comment_id, call.actor, call.required_text("body"))
    return ApiAnswer(document=call.documents.comment(call.repository, issue, comment))


@routes("POST", f"{ISSUE}/reactions", COMMENT)
def react_to_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """React to an issue: 201, or 200 if the same reaction was there."""
    issue = call.conversations.issue(call.repository, issue_number)
    reaction, new = call.conversations.react(issue.reactions, call.actor, call.required_text("content"))
    return ApiAnswer(201 if new else 200, call.documents.reaction(reaction))


@routes("POST", f"{COMMENTS}/reactions", COMMENT)
def react_to_comment(call: ApiCall, comment_id: int) -> ApiAnswer:
    """React to a comment."""
    _, comment = call.conversations.find_comment(call.repository, comment_id)
    reaction, new = call.conversations.react(comment.reactions, call.actor, call.required_text("content"))
    return ApiAnswer(201 if new else 200, call.documents.reaction(reaction))


@routes("GET", f"{ISSUE}/labels", READ_ISSUES)
def list_labels(call: ApiCall, issue_number: int) -> Page:
    """The labels of an issue."""
    return _labels(call, call.conversations.issue(call.repository, issue_number).labels)


@routes("POST", f"{ISSUE}/labels", TRIAGE_ISSUES)
def add_labels(call: ApiCall, issue_number: int) -> Page:
    """Add labels; both shapes that clients send are taken, a list and an object."""
    issue = call.conversations.issue(call.repository, issue_number)
    labels = call.items if call.items is not None else call.body.get("labels", [])
    call.conversations.add_labels(call.repository, issue, call.actor, _names(labels))
    return _labels(call, issue.labels)


@routes("DELETE", f"{ISSUE}/labels/<path:name>", TRIAGE_ISSUES)
def remove_label(call: ApiCall, issue_number: int, name: str) -> Page:
    """Take a label off."""
    issue = call.conversations.issue(call.repository, issue_number)
    call.conversations.remove_label(call.repository, issue, call.actor, name)
    return _labels(call, issue.labels)


@routes("POST", f"{REPOSITORY}/labels", TRIAGE_ISSUES)
def create_label(call: ApiCall) -> ApiAnswer:
    """Make a label that the repository does not have."""
    name = call.required_text("name")
    if name.lower() in call.repository.labels:
        raise Invalid("Validation Failed", [{"resource": "Label", "code": "already_exists", "field": "name"}])
    label = call.world.label(call.repository, name)
    label.color = call.text("color") or label.color
    label.description = call.text("description")
    return ApiAnswer(201, call.documents.label(call.repository, label))


@routes("GET", f"{REPOSITORY}/labels/<path:name>", READ_ISSUES)
def get_label(call: ApiCall, name: str) -> ApiAnswer:
    """A label of the repository."""
    return ApiAnswer(document=call.documents.label(call.repository, _label(call, name)))


def _label(call: ApiCall, name: str) -> Label:
    if name.lower() not in call.repository.labels:
        raise NotFound
    return call.repository.labels[name.lower()]


def _labels(call: ApiCall, labels: list[Label]) -> Page:
    return Page([call.documents.label(call.repository, label) for label in labels])


def _names(labels: object) -> list[str]:
    items = labels if isinstance(labels, list | tuple) else []
    return [str(item["name"] if isinstance(item, dict) else item) for item in items]
