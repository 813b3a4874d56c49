"""`issue_comment.edited`: a person may have corrected a reply."""

from collections.abc import Sequence

from github_app.conversation.events import Event
from github_app.conversation.record import Conversation, State
from github_app.handlers.people import person
from github_app.handlers.replies import belongs_here, replied, reply_of
from github_app.intake.delivery import CommentDelivery
from github_app.perform import App
from github_app.ports import Place


def issue_comment_edited(
    app: App, place: Place, known: Conversation, delivery: CommentDelivery
) -> Sequence[Event]:
    """The reply as it stands now, if its author edited it and it means something else than before.

    Anyone with write access can edit anybody's comment, ours included: only the author's own edit counts.
    """
    if person(delivery.sender).is_bot or delivery.comment.performed_via_github_app is not None:
        return ()
    if known.state is State.IDLE:
        return ()
    here = Place(place.repository, delivery.issue.number)
    if not belongs_here(known, here):
        return ()
    comment = app.issues.comment(here, delivery.comment.id)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    reply = reply_of(app, known, comment.body)
    before = delivery.changes.body.text if delivery.changes and delivery.changes.body else None
    if before is not None and reply_of(app, known, before) == reply:
        return ()
    return replied(app, place, known, comment, reply, is_edit=True)
