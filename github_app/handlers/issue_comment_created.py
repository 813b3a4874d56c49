"""`issue_comment.created`: a person may have replied."""

from collections.abc import Sequence

from github_app.conversation.events import Event
from github_app.conversation.record import Conversation, State
from github_app.conversation.review import is_revision_command
from github_app.handlers.mentions import events_of_mention, is_for_us, mention_in
from github_app.handlers.people import person
from github_app.handlers.replies import announced_comment, belongs_here, events_of_reply, reply_of
from github_app.handlers.requests import changes_requested_by_comment
from github_app.intake.delivery import CommentDelivery
from github_app.perform import App
from github_app.ports.github import Place


def issue_comment_created(
    app: App, place: Place, record: Conversation, delivery: CommentDelivery
) -> Sequence[Event]:
    """The reply as it stands now: one that was edited before we came is read once, one that is gone says nothing."""
    if person(delivery.sender).is_bot or delivery.comment.performed_via_github_app is not None:
        return ()
    if record.state is State.IDLE and mention_in(delivery.comment.body or "") is None:
        return ()
    here = Place(place.repository, delivery.issue.number)
    if not belongs_here(record, here):
        return ()
    comment = announced_comment(app, here, delivery.comment)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    if here.issue != place.issue and is_revision_command(comment.body):
        return changes_requested_by_comment(app, place, record, here.issue, comment)
    if is_for_us(app, record, comment.body):
        return events_of_mention(app, place, here, record, comment, delivery.issue)
    return events_of_reply(app, place, record, comment, reply_of(app, record, comment.body), is_edit=False)
