"""The pull request: changes that somebody asks for in a review or a comment, and `check_suite.completed`."""

from collections.abc import Sequence

from github_app.app import App
from github_app.conversation.answering import may_answer
from github_app.conversation.checks import ChecksSeen, has_red, judge
from github_app.conversation.event import ConversationEvent
from github_app.conversation.record import Conversation
from github_app.conversation.review import ChangesRequested
from github_app.conversation.transcript import Comment, Person, Role
from github_app.handlers.issues import person
from github_app.intake.delivery import CheckSuiteDelivery, ReviewDelivery
from github_app.ports.github import Place, PullRequestNow
from pipeline.contract.clarification import StopKind
from pipeline.contract.commands import text_sha256
from pipeline.contract.own_words import own_words
from pipeline.contract.revision import ChangesAsked
from pipeline.contract.wire import review_sha256

_CHANGES_REQUESTED = "changes_requested"


def pull_request_review_submitted(
    app: App, place: Place, record: Conversation, delivery: ReviewDelivery
) -> Sequence[ConversationEvent]:
    """The current review, if it requests changes on the pull request of this conversation."""
    number = delivery.pull_request.number
    if record.pull_request is None or record.pull_request.number != number or person(delivery.sender).is_bot:
        return ()
    review = app.pull_requests.review(place.repository, number, delivery.review.id)
    if review is None or review.state != _CHANGES_REQUESTED or review.author.id != delivery.sender.id:
        return ()
    request = ChangesAsked(
        review_id=review.id,
        text_sha256=review_sha256(review.body, review.remarks),
        asked_by=review.author.login,
    )
    texts = (review.body, *(text for _, _, text in review.remarks))
    is_empty = not any(own_words(text, keeps_code=True) for text in texts)
    return _changes_requested(app, place, record, number, review.author, request, is_empty=is_empty)


def changes_requested_by_comment(
    app: App, place: Place, record: Conversation, number: int, comment: Comment, changes: str
) -> Sequence[ConversationEvent]:
    """A command in a comment on the pull request of this number."""
    request = ChangesAsked(
        comment_id=comment.id, text_sha256=text_sha256(changes), asked_by=comment.author.login
    )
    is_empty = not any(sign.isalnum() for sign in changes)
    return _changes_requested(app, place, record, number, comment.author, request, is_empty=is_empty)


def check_suite_completed(
    app: App, place: Place, record: Conversation, delivery: CheckSuiteDelivery
) -> Sequence[ConversationEvent]:
    """The current checks of the pull request's head, compared with those of the base where one is red.

    The delivery only says where to look: so it does not matter how late it comes, how often, or in which order.
    """
    pull_request = record.pull_request
    if pull_request is None or pull_request.branch != delivery.check_suite.head_branch:
        return ()
    now = _open_pull_request(app, place, pull_request.number)
    if now is None:
        return ()
    if now.head != pull_request.head:
        # Somebody has pushed, or GitHub shows an earlier commit of ours: neither is ours to mend.
        return (ChecksSeen(now.head, ()),)
    checks = app.checks.of(place.repository, now.head)
    on_base = app.checks.of(place.repository, pull_request.base_commit) if has_red(checks) else ()
    return (ChecksSeen(now.head, judge(checks, on_base)),)


def _changes_requested(
    app: App,
    place: Place,
    record: Conversation,
    number: int,
    asker: Person,
    request: ChangesAsked,
    *,
    is_empty: bool,
) -> Sequence[ConversationEvent]:
    """What people have pushed onto the branch belongs to the pull request: its head is the commit to change again."""
    now = _open_pull_request(app, place, number)
    may_ask = _may_ask(app, place, record, asker)
    return (ChangesRequested(request, may_ask, is_empty, now.head if now is not None else None),)


def _open_pull_request(app: App, place: Place, number: int) -> PullRequestNow | None:
    """The current state of the pull request; None where it is closed, or its branch is not of this repository."""
    now = app.pull_requests.now(place.repository, number)
    is_ours = now is not None and now.is_open and now.head_repository_id == place.repository.id
    return now if is_ours else None


def _may_ask(app: App, place: Place, record: Conversation, asker: Person) -> bool:
    """People who may answer the conversation's questions may ask for changes.

    Where what was changed runs on installation or in CI, it takes write access: the next run installs and tests it.
    """
    if record.pull_request is not None and record.pull_request.executed_files:
        return app.permissions.role(place.repository, asker).may_write
    issue, kind = app.issues.issue(place), StopKind.CLARIFICATION_NEEDED
    return may_answer(kind, asker, issue, Role.NONE) or may_answer(
        kind, asker, issue, app.permissions.role(place.repository, asker)
    )
