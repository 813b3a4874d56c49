"""Issues, comments, labels, reactions."""

import re

from sandbox.access import COMMENT, READ_ISSUES, TRIAGE_ISSUES, WRITE_ISSUES, may_change
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.clock import stamp
from sandbox.world.refusals import Invalid, NotFound
from sandbox.world.state import Label, Role

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


@routes("POST", f"{REPOSITORY}/issues", COMMENT)
def create_issue(call: ApiCall) -> ApiAnswer:
    """Open an issue. Labels are kept only if the caller may label."""
    world, repository = call.world, call.repository
    issue = call.conversations.open_issue(
        repository, call.actor, call.required_text("title"), call.text("body")
    )
    names = _names(call.body.get("labels", []))
    if call.actor.via_app or world.role(repository, call.actor.account) >= Role.TRIAGE:
        call.conversations.add_labels(repository, issue, call.actor, names)
    return ApiAnswer(201, call.documents.issue(repository, issue))


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


@routes("PATCH", ISSUE, COMMENT)
def update_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """Edit, close or reopen: the author may, and who has triage."""
    world, repository = call.world, call.repository
    issue = call.conversations.issue(repository, issue_number)
    if world.role(repository, call.token.account) < Role.TRIAGE:
        may_change(world, repository, call.token, issue.user)
    call.conversations.edit_issue(
        repository, issue, call.actor, title=call.text("title"), body=call.text("body")
    )
    if state := call.text("state"):
        call.conversations.set_issue_state(repository, issue, call.actor, state, call.text("state_reason"))
    if "labels" in call.body:
        _replace_labels(call, issue_number)
    return ApiAnswer(document=call.documents.issue(repository, issue))


@routes("PUT", f"{ISSUE}/lock", WRITE_ISSUES)
def lock_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """Close the conversation to everybody but writers."""
    issue = call.conversations.issue(call.repository, issue_number)
    call.conversations.set_lock(call.repository, issue, call.actor, is_locked=True)
    return ApiAnswer(204)


@routes("DELETE", f"{ISSUE}/lock", WRITE_ISSUES)
def unlock_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """Open the conversation again."""
    issue = call.conversations.issue(call.repository, issue_number)
    call.conversations.set_lock(call.repository, issue, call.actor, is_locked=False)
    return ApiAnswer(204)


@routes("POST", f"{ISSUE}/assignees", TRIAGE_ISSUES)
def add_assignees(call: ApiCall, issue_number: int) -> ApiAnswer:
    """Assign people."""
    issue = call.conversations.issue(call.repository, issue_number)
    call.conversations.add_assignees(call.repository, issue, call.actor, list(call.body.get("assignees", [])))
    return ApiAnswer(201, call.documents.issue(call.repository, issue))


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


@routes("DELETE", COMMENTS, COMMENT)
def delete_comment(call: ApiCall, comment_id: int) -> ApiAnswer:
    """Delete a comment."""
    _, comment = call.conversations.find_comment(call.repository, comment_id)
    may_change(call.world, call.repository, call.token, comment.user)
    call.conversations.delete_comment(call.repository, comment_id, call.actor)
    return ApiAnswer(204)


@routes("GET", f"{ISSUE}/reactions", READ_ISSUES)
def list_issue_reactions(call: ApiCall, issue_number: int) -> Page:
    """The reactions to an issue."""
    return Page(
        [
            call.documents.reaction(r)
            for r in call.conversations.issue(call.repository, issue_number).reactions
        ]
    )


@routes("POST", f"{ISSUE}/reactions", COMMENT)
def react_to_issue(call: ApiCall, issue_number: int) -> ApiAnswer:
    """React to an issue: 201, or 200 if the same reaction was there."""
    issue = call.conversations.issue(call.repository, issue_number)
    reaction, new = call.conversations.react(issue.reactions, call.actor, call.required_text("content"))
    return ApiAnswer(201 if new else 200, call.documents.reaction(reaction))


@routes("GET", f"{COMMENTS}/reactions", READ_ISSUES)
def list_comment_reactions(call: ApiCall, comment_id: int) -> Page:
    """The reactions to a comment."""
    _, comment = call.conversations.find_comment(call.repository, comment_id)
    return Page([call.documents.reaction(reaction) for reaction in comment.reactions])


@routes("POST", f"{COMMENTS}/reactions", COMMENT)
def react_to_comment(call: ApiCall, comment_id: int) -> ApiAnswer:
    """React to a comment."""
    _, comment = call.conversations.find_comment(call.repository, comment_id)
    reaction, new = call.conversations.react(comment.reactions, call.actor, call.required_text("content"))
    return ApiAnswer(201 if new else 200, call.documents.reaction(reaction))


@routes("DELETE", f"{COMMENTS}/reactions/<int:reaction_id>", COMMENT)
def remove_comment_reaction(call: ApiCall, comment_id: int, reaction_id: int) -> ApiAnswer:
    """Take a reaction back."""
    _, comment = call.conversations.find_comment(call.repository, comment_id)
    comment.reactions[:] = [reaction for reaction in comment.reactions if reaction.id != reaction_id]
    return ApiAnswer(204)


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


@routes("PUT", f"{ISSUE}/labels", TRIAGE_ISSUES)
def set_labels(call: ApiCall, issue_number: int) -> Page:
    """Replace all labels."""
    _replace_labels(call, issue_number)
    return _labels(call, call.conversations.issue(call.repository, issue_number).labels)


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


def _replace_labels(call: ApiCall, issue_number: int) -> None:
    issue = call.conversations.issue(call.repository, issue_number)
    names = _names(call.items if call.items is not None else call.body.get("labels", []))
    keep = {name.lower() for name in names}
    for label in list(issue.labels):
        if label.name.lower() not in keep:
            call.conversations.remove_label(call.repository, issue, call.actor, label.name)
    call.conversations.add_labels(call.repository, issue, call.actor, names)


def _names(labels: object) -> list[str]:
    items = labels if isinstance(labels, list | tuple) else []
    return [str(item["name"] if isinstance(item, dict) else item) for item in items]
