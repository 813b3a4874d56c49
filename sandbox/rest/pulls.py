"""Pull requests, their files, commits and reviews."""

from sandbox.access import READ_PULLS, WRITE_PULLS
from sandbox.documents.of_code import (
    pull_request_document,
    remark_document,
    review_document,
)
from sandbox.rest.routes import REPOSITORY, ApiAnswer, ApiCall, Page, Routes
from sandbox.world.refusals import NotFound
from sandbox.world.state import Issue, PullRequest, Review

routes = Routes()

PULLS = f"{REPOSITORY}/pulls"
PULL = f"{PULLS}/<int:pull_number>"


@routes("GET", PULLS, READ_PULLS)
def list_pulls(call: ApiCall) -> Page:
    """Pull requests, newest first; `head` is written `owner:branch`."""
    state, base = call.query.get("state", "open"), call.query.get("base")
    head = call.query.get("head", "").rpartition(":")[2]
    matches = [
        issue
        for issue in reversed(call.repository.issues.values())
        if issue.pull_request
        and state in ("all", issue.state)
        and head in ("", issue.pull_request.head_branch)
        and base in (None, issue.pull_request.base_branch)
    ]
    return Page([pull_request_document(call.documents, call.repository, issue) for issue in matches])


@routes("POST", PULLS, WRITE_PULLS)
def create_pull(call: ApiCall) -> ApiAnswer:
    """Open a pull request from a branch of the same repository."""
    issue = call.services.pushes.open_pull_request(
        call.repository,
        call.actor,
        title=call.required_text("title"),
        body=call.text("body"),
        head=call.required_text("head").rpartition(":")[2],
        base=call.required_text("base"),
        draft=call.body.get("draft") is True,
    )
    return ApiAnswer(201, pull_request_document(call.documents, call.repository, issue, full=True))


@routes("GET", PULL, READ_PULLS)
def get_pull(call: ApiCall, pull_number: int) -> ApiAnswer:
    """One pull request."""
    issue, _ = _pull(call, pull_number)
    return ApiAnswer(document=pull_request_document(call.documents, call.repository, issue, full=True))


@routes("PATCH", PULL, WRITE_PULLS)
def update_pull(call: ApiCall, pull_number: int) -> ApiAnswer:
    """Give it another title or description."""
    issue, _ = _pull(call, pull_number)
    call.conversations.edit_issue(
        call.repository, issue, call.actor, title=call.text("title"), body=call.text("body")
    )
    return ApiAnswer(document=pull_request_document(call.documents, call.repository, issue, full=True))


@routes("GET", f"{PULL}/reviews/<int:review_id>", READ_PULLS)
def get_review(call: ApiCall, pull_number: int, review_id: int) -> ApiAnswer:
    """One review."""
    issue, review = _review(call, pull_number, review_id)
    return ApiAnswer(document=review_document(call.documents, call.repository, issue, review))


@routes("GET", f"{PULL}/reviews/<int:review_id>/comments", READ_PULLS)
def list_review_comments(call: ApiCall, pull_number: int, review_id: int) -> Page:
    """The remarks of a review."""
    issue, review = _review(call, pull_number, review_id)
    return Page(
        [remark_document(call.documents, call.repository, issue, review, remark) for remark in review.remarks]
    )


def _pull(call: ApiCall, number: int) -> tuple[Issue, PullRequest]:
    issue = call.conversations.issue(call.repository, number)
    if issue.pull_request is None:
        raise NotFound
    return issue, issue.pull_request


def _review(call: ApiCall, number: int, review_id: int) -> tuple[Issue, Review]:
    issue, pull = _pull(call, number)
    review = next((review for review in pull.reviews if review.id == review_id), None)
    if review is None:
        raise NotFound
    return issue, review
