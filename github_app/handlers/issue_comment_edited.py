"""`issue_comment.edited`: a person may have corrected a reply."""

from collections.abc import Sequence

from github_app.conversation.events import Event, KeepTicked
from github_app.conversation.record import Conversation, State
from github_app.conversation.wording.deciding import is_kept_box_ticked
from github_app.handlers.people import person
from github_app.handlers.replies import belongs_here, events_of_reply, reply_of
from github_app.intake.delivery import CommentDelivery
from github_app.perform import App
from github_app.ports.github import Place


def issue_comment_edited(
    app: App, place: Place, record: Conversation, delivery: CommentDelivery
) -> Sequence[Event]:
    """The reply as it stands now, if its author edited it and it means something else than before.

    Anyone with write access can edit anybody's comment, ours included: only the author's own edit counts, and of our
    question the box that keeps its answer.
    """
    if person(delivery.sender).is_bot:
        return ()
    if delivery.comment.id == record.question_comment_id:
        return _box_ticked(app, place, delivery)
    if delivery.comment.performed_via_github_app is not None:
        return ()
    if record.state is State.IDLE:
        return ()
    here = Place(place.repository, delivery.issue.number)
    if not belongs_here(record, here):
        return ()
    comment = app.issues.comment(here, delivery.comment.id)
    if comment is None or comment.app_id is not None or comment.author.id != delivery.sender.id:
        return ()
    reply = reply_of(app, record, comment.body)
    before = delivery.changes.body.text if delivery.changes and delivery.changes.body else None
    if before is not None and reply_of(app, record, before) == reply:
        return ()
    return events_of_reply(app, place, record, comment, reply, is_edit=True)


def _box_ticked(app: App, place: Place, delivery: CommentDelivery) -> Sequence[Event]:
    """The box of our question, if this edit ticked or cleared it. GitHub names who did as the sender."""
    before = delivery.changes.body.text if delivery.changes and delivery.changes.body else None
    comment = app.issues.comment(Place(place.repository, delivery.issue.number), delivery.comment.id)
    if before is None or comment is None:
        return ()
    was_ticked, is_ticked = is_kept_box_ticked(before), is_kept_box_ticked(comment.body)
    if is_ticked is None or was_ticked is None or is_ticked is was_ticked:
        return ()
    editor = person(delivery.sender)
    may_keep = app.permissions.role(place.repository, editor).may_write
    return (KeepTicked(login=editor.login, is_ticked=is_ticked, may_keep=may_keep),)
