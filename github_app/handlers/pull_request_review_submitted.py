"""`pull_request_review.submitted`: a reviewer may want the change to be another one."""

from collections.abc import Sequence

from github_app.conversation.events import Event
from github_app.conversation.record import Conversation
from github_app.handlers.people import person
from github_app.handlers.requests import changes_requested_by_review
from github_app.intake.delivery import ReviewDelivery
from github_app.perform import App
from github_app.ports.github import Place

_CHANGES_REQUESTED = "changes_requested"


def pull_request_review_submitted(
    app: App, place: Place, record: Conversation, delivery: ReviewDelivery
) -> Sequence[Event]:
    """The review as it stands now, if it requests changes on the pull request of this conversation."""
    number = delivery.pull_request.number
    if record.pull_request is None or record.pull_request.number != number or person(delivery.sender).is_bot:
        return ()
    review = app.pull_requests.review(place.repository, number, delivery.review.id)
    if review is None or review.state != _CHANGES_REQUESTED or review.author.id != delivery.sender.id:
        return ()
    return changes_requested_by_review(app, place, record, number, review)
