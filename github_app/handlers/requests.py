"""Changes that somebody asks for on the pull request, as an event: by hash, from somebody who may ask or not."""

import hashlib
from collections.abc import Sequence

from github_app.conversation.answering import may_answer
from github_app.conversation.events import ChangesRequested, Event
from github_app.conversation.record import Conversation
from github_app.conversation.review import says_what
from github_app.conversation.transcript import Comment, Person, Role
from github_app.perform import App
from github_app.ports.github import Place, Review
from pipeline.contract.clarification import StopKind
from pipeline.contract.identity import review_sha256
from pipeline.contract.revision import ChangesAsked


def changes_requested_by_comment(
    app: App, place: Place, record: Conversation, number: int, comment: Comment
) -> Sequence[Event]:
    """A command in a comment on the pull request of this number."""
    request = ChangesAsked(
        comment_id=comment.id,
        text_sha256=hashlib.sha256(comment.body.encode()).hexdigest(),
        asked_by=comment.author.login,
    )
    is_empty = not says_what(comment.body)
    head = _head(app, place, number)
    return (ChangesRequested(request, _may_ask(app, place, record, comment.author), is_empty, head),)


def changes_requested_by_review(
    app: App, place: Place, record: Conversation, number: int, review: Review
) -> Sequence[Event]:
    """A review that requests changes of the pull request of this number."""
    request = ChangesAsked(
        review_id=review.id,
        text_sha256=review_sha256(review.body, review.remarks),
        asked_by=review.author.login,
    )
    is_empty = not any(text.strip() for text in (review.body, *(text for _, _, text in review.remarks)))
    head = _head(app, place, number)
    return (ChangesRequested(request, _may_ask(app, place, record, review.author), is_empty, head),)


def _head(app: App, place: Place, number: int) -> str | None:
    """The commit to change again: what people have pushed onto the branch belongs to the pull request, too.

    None where there is nothing to change: the pull request is closed, or its branch is not of this repository.
    """
    now = app.pull_requests.now(place.repository, number)
    is_ours = now is not None and now.is_open and now.head_repository_id == place.repository.id
    return now.head if now is not None and is_ours else None


def _may_ask(app: App, place: Place, record: Conversation, asker: Person) -> bool:
    """Whoever may answer the conversation's questions may ask for changes.

    Where what was changed runs on installation or in CI, it takes write access: the next run installs and tests it.
    """
    if record.pull_request is not None and record.pull_request.runs_by_itself:
        return app.permissions.role(place.repository, asker).may_write
    issue = app.issues.issue(place)
    kind = StopKind.CLARIFICATION_NEEDED
    if may_answer(kind, asker, issue, Role.NONE):
        return True
    return may_answer(kind, asker, issue, app.permissions.role(place.repository, asker))
