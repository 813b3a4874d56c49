"""`issue_comment.created`: a person may have replied."""

from collections.abc import Sequence

from github_app.conversation.events import Event
from github_app.conversation.record import Conversation, State
from github_app.conversation.review import is_revision_command
from github_app.handlers.mentions import is_for_us, mention_in, mentioned
from github_app.handlers.people import person
from github_app.handlers.replies import belongs_here, replied, reply_of
from github_app.handlers.requests import changes_requested_by_comment
from github_app.intake.delivery import CommentDelivery
from github_app.perform import App
from github_app.ports import Place


def issue_comment_created(
    app: App, place: Place, known: Conversation, delivery: CommentDelivery
) -> Sequence[Event]:
    """The reply as it stands now: one that was edited before we came is read once, one that is gone says nothing."""
    if person(delivery.sender).is_bot or delivery.comment.performed_via_github_app is not None:
        return ()
    if known.state is State.IDLE and mention_in(delivery.comment.body or "") is None:
        return ()
    here = Place(place.repository, delivery.issue.number)
    if not belongs_here(known, here):
        return ()
    comment = app.issues.comment(here, delivery.comment.id)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    if here.issue != place.issue and is_revision_command(comment.body):
        return changes_requested_by_comment(app, place, here.issue, comment)
    if is_for_us(app, known, comment.body):
        return mentioned(app, place, here, known, comment, delivery.issue)
    return replied(app, place, known, comment, reply_of(app, known, comment.body), is_edit=False)
