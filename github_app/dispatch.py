"""Which handler for which delivery, and what is done around each: load, run the outbox, decide, store, perform."""

import itertools
import logging
from collections.abc import Sequence
from typing import assert_never

from github_app.app import App
from github_app.conversation.asking import TimerWentOff, run_unreadable, timers_of
from github_app.conversation.effects import AddLabel, LabelName, PostNotice, TimerName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.marker import Pointer, progress
from github_app.conversation.record import Conversation, State
from github_app.conversation.starting import start_timer_of
from github_app.conversation.transcript import Comment
from github_app.conversation.wording.passed_on import NOT_MAPPED
from github_app.handlers.comments import issue_comment_created, issue_comment_edited
from github_app.handlers.issues import issues_closed, issues_edited, issues_labeled, issues_unlabeled, person
from github_app.handlers.reviews import check_suite_completed, pull_request_review_submitted
from github_app.handlers.runs import (
    is_our_workflow,
    issue_of_run,
    run_looked_at_again,
    start_due,
    workflow_run_completed,
    workflow_run_progressed,
)
from github_app.handlers.surface_replied import surface_replied
from github_app.intake.delivery import (
    CheckSuiteDelivery,
    CommentDelivery,
    Delivery,
    InstallationDelivery,
    IssueDelivery,
    RepositoryDelivery,
    ReviewDelivery,
    RunDelivery,
    issue_of_branch,
)
from github_app.perform import apply_event, run_outbox, store
from github_app.ports.conversations import TimerDue
from github_app.ports.github import ArtifactRefused, GitHubRefused, Place, Repository
from github_app.ports.surfaces import SurfaceReply
from pipeline.contract.clarification import Clarification
from pipeline.contract.commands import may_mention

_log = logging.getLogger(__name__)

_OUR_LABELS = "askfirst"
_MAX_COMPARED = 4
"""So many of our newest comments are compared: no more processes than that write about one issue at once."""
_QUESTION_EXPIRED = "the question that it asked has expired with its artifact"


def dispatch(delivery: Delivery, app: App) -> None:
    """Do all that a delivery asks for. Called again with the same delivery, it does only what is missing.

    Raises:
        GitHubUnavailable: do the whole delivery again later.
    """
    if isinstance(delivery, RunDelivery) and delivery.action == "completed":
        _note_cost(app, delivery)
    place = place_of(app, delivery)
    if place is None:
        return
    try:
        take(app, place, delivery)
    except GitHubRefused as refusal:
        # An issue that is gone, or a repository that this installation does not own: there is no place to say so.
        _log.warning(
            "left out %s on %s#%s: %s", delivery.event, place.repository.full_name, place.issue, refusal
        )


def _note_cost(app: App, delivery: RunDelivery) -> None:
    """Keep what a run of ours has cost, whether or not a conversation waits for it."""
    run = delivery.workflow_run
    if app.budget is None or not is_our_workflow(app, delivery):
        return
    try:
        app.budget.note(_repository(delivery), run.id, run.run_attempt, run.updated_at)
    except GitHubRefused as refusal:
        _log.warning("run %s of %s tells no cost: %s", run.id, delivery.repository.full_name, refusal)


def take(app: App, place: Place, delivery: Delivery) -> None:
    """Do all that a delivery asks for in the conversation of a place.

    Raises:
        GitHubRefused: GitHub does not show the place, or not to us.
        GitHubUnavailable: do it again later.
    """
    record = load_conversation(app, place, delivery)
    for event in _events(app, place, record, delivery):
        record = apply_event(app, place, record, event)


def dispatch_timer(due: TimerDue, app: App) -> None:
    """Do what a timer was set for, if its question is still open or its run still goes."""
    record = app.conversations.get(due.place.repository.id, due.place.issue)
    if record is None:
        return
    try:
        record = run_outbox(app, due.place, record)
        for event in _events_of_timer(app, record, due):
            record = apply_event(app, due.place, record, event)
    except GitHubRefused as refusal:
        _log.warning(
            "left out %s on %s#%s: %s", due.name, due.place.repository.full_name, due.place.issue, refusal
        )


def _events_of_timer(app: App, record: Conversation, due: TimerDue) -> Sequence[ConversationEvent]:
    match due.name:
        case TimerName.PROGRESS:
            return run_looked_at_again(app, record, due)
        case TimerName.START:
            return start_due(app, record, due)
        case _:
            return (TimerWentOff(due.name, due.about),)


def dispatch_surface_reply(reply: SurfaceReply, app: App) -> None:
    """Take a reply from a surface, or tell the person why it is not used.

    Raises:
        GitHubUnavailable: do it again later.
    """
    place = reply.place
    record = app.conversations.get(place.repository.id, place.issue)
    person = app.announcements.person(reply.surface, reply.account) if app.announcements else None
    if record is None or app.announcements is None:
        return
    if person is None or person.id != reply.person_id:
        app.announcements.reply_refused(reply, NOT_MAPPED)
        return
    try:
        record = run_outbox(app, place, record)
        outcome = surface_replied(app, place, record, reply, person)
        if outcome is None:
            return
        if isinstance(outcome, str):
            app.announcements.reply_refused(reply, outcome)
            return
        record, event = outcome
        apply_event(app, place, record, event)
    except GitHubRefused as refusal:
        _log.warning("left out a reply on %s#%s: %s", place.repository.full_name, place.issue, refusal)
        app.announcements.reply_refused(
            reply,
            "GitHub lets askfirst write nothing there, so nothing was done with your reply. Reply on GitHub.",
        )


def place_of(app: App, delivery: Delivery) -> Place | None:
    """Where a delivery belongs; None for one that belongs to no conversation, or that we do not handle yet."""
    match delivery:
        case ReviewDelivery():
            return _place_of_pull_request(app, _repository(delivery), delivery.pull_request.number)
        case CommentDelivery() if delivery.issue.pull_request is not None:
            is_ours = delivery.issue.user is not None and person(delivery.issue.user).is_bot
            if not is_ours:
                return None
            return _place_of_pull_request(app, _repository(delivery), delivery.issue.number)
        case IssueDelivery() | CommentDelivery():
            return Place(_repository(delivery), delivery.issue.number)
        case RunDelivery():
            number = issue_of_run(app, delivery) if is_our_workflow(app, delivery) else None
            return None if number is None else Place(_repository(delivery), number)
        case CheckSuiteDelivery():
            return None if delivery.issue is None else Place(_repository(delivery), delivery.issue)
        case InstallationDelivery():
            return None
        case _:
            assert_never(delivery)


def _place_of_pull_request(app: App, repository: Repository, number: int) -> Place | None:
    """The conversation that led to a pull request: by our record, else by the name of its branch.

    The name proves nothing: the record that is recalled for the issue must say the same number.
    """
    issue = app.conversations.issue_of_pull_request(repository.id, number)
    if issue is None:
        now = app.pull_requests.now(repository, number)
        if now is None or now.head_repository_id != repository.id:
            return None
        issue = issue_of_branch(now.branch)
    return None if issue is None else Place(repository, issue)


def load_conversation(app: App, place: Place, delivery: Delivery) -> Conversation:
    """The record of a conversation: from the store, with everything carried out that a crash left undone; else from
    the markers of our own comments; else a new one.
    """
    record = app.conversations.get(place.repository.id, place.issue)
    if record is not None:
        return run_outbox(app, place, record)
    new = Conversation(repository_id=place.repository.id, issue=place.issue)
    may_be_known = isinstance(delivery, RunDelivery | ReviewDelivery | CheckSuiteDelivery) or (
        isinstance(delivery, IssueDelivery | CommentDelivery)
        and (
            delivery.issue.number != place.issue
            or any(label.name.startswith(_OUR_LABELS) for label in delivery.issue.labels)
            or (isinstance(delivery, CommentDelivery) and may_mention(delivery.comment.body or ""))
        )
    )
    return (_recalled_from_comments(app, place, _labels_of(delivery, place)) or new) if may_be_known else new


def load_unannounced_conversation(
    app: App, place: Place, *, is_store_in_doubt: bool = False
) -> Conversation | None:
    """The record of a conversation of which nothing was announced: from the store, else from our comments, else None.

    A store that is in doubt may have been put back from a backup: where our comments have come further, they hold.
    """
    record = app.conversations.get(place.repository.id, place.issue)
    if record is None or is_store_in_doubt:
        old_record = _recalled_from_comments(app, place, frozenset(), record)
        if record is None or old_record is not None:
            return old_record
    return run_outbox(app, place, record)


def _labels_of(delivery: Delivery, place: Place) -> frozenset[str]:
    """The labels that the issue of a conversation had when it was announced; none where that does not tell."""
    if isinstance(delivery, IssueDelivery | CommentDelivery) and delivery.issue.number == place.issue:
        return frozenset(label.name for label in delivery.issue.labels)
    return frozenset()


def _recalled_from_comments(
    app: App, place: Place, labels: frozenset[str], stored: Conversation | None = None
) -> Conversation | None:
    """The record as our comments remember it, its question fetched again from the run that asked it; None where they remember
    nothing, or no more than is stored.

    A label that the issue had is not set again: where no record is kept, another job may just be taking it off.
    """
    candidate = _furthest_record(app, place, place)
    if candidate is not None and (pull_request := candidate[2].pull_request) is not None:
        there = _furthest_record(app, place, Place(place.repository, pull_request.number))
        candidate = max(candidate, there or candidate, key=_newest)
    if candidate is None or (stored is not None and progress(candidate[2]) <= progress(stored)):
        return None
    comment, pointer, record = candidate
    version = 1 if stored is None else stored.version + 1
    update: dict[str, object] = {"version": version, "question": _question_again(app, place, record)}
    if pointer.key.startswith("question:"):
        update["question_comment_id"] = comment.id
    record = record.model_copy(update=update)
    if record.question is None and record.asked_in is not None and record.state.has_question:
        run_id = record.asked_in.run_id
        blocks = (run_unreadable(_QUESTION_EXPIRED, run_id, record),)
        notice = PostNotice(key=f"lost:{run_id}", blocks=blocks)
        record = record.model_copy(update={"state": State.FAILED, "outbox": (notice,)})
    elif record.state.asks:
        is_labelled = LabelName.NEEDS_ANSWER in labels
        missing_label = () if is_labelled else (AddLabel(label=LabelName.NEEDS_ANSWER),)
        record = record.model_copy(update={"outbox": (*missing_label, *timers_of(record, app.clock.now()))})
    elif record.state.has_run:
        record = record.model_copy(update={"outbox": tuple(start_timer_of(record))})
    _log.info("recalled %s#%s from its comments", place.repository.full_name, place.issue)
    return run_outbox(app, place, store(app, record))


def _furthest_record(app: App, place: Place, here: Place) -> tuple[Comment, Pointer, Conversation] | None:
    """Our comment on an issue or its pull request whose record has come furthest."""
    ours = app.markers.ours(app.issues.comments(here), repository_id=place.repository.id, issue=place.issue)
    newest_first = sorted(ours, key=lambda pair: pair[0].updated_at, reverse=True)
    records = ((comment, pointer, app.markers.record(pointer)) for comment, pointer in newest_first)
    readable_records = (
        (comment, pointer, record) for comment, pointer, record in records if record is not None
    )
    return max(itertools.islice(readable_records, _MAX_COMPARED), key=_newest, default=None)


def _newest(candidate: tuple[Comment, Pointer, Conversation]) -> tuple[object, ...]:
    comment, _, record = candidate
    return (progress(record), comment.updated_at, record.version)


def _question_again(app: App, place: Place, record: Conversation) -> Clarification | None:
    if record.asked_in is None:
        return None
    try:
        ending = app.artifacts.ending(place.repository, record.asked_in.run_id, record.asked_in.attempt)
    except ArtifactRefused:
        return None
    document = ending.document if ending is not None else None
    return document if isinstance(document, Clarification) and document.has_its_own_id() else None


def _events(app: App, place: Place, record: Conversation, delivery: Delivery) -> Sequence[ConversationEvent]:
    match delivery:
        case IssueDelivery(action="labeled"):
            return issues_labeled(app, place, record, delivery)
        case IssueDelivery(action="unlabeled"):
            return issues_unlabeled(app, place, record, delivery)
        case IssueDelivery(action="edited"):
            return issues_edited(app, place, record, delivery)
        case IssueDelivery():
            return issues_closed(app, place, record, delivery)
        case CommentDelivery(action="created"):
            return issue_comment_created(app, place, record, delivery)
        case CommentDelivery(action="edited"):
            return issue_comment_edited(app, place, record, delivery)
        case RunDelivery(action="completed"):
            return workflow_run_completed(app, place, record, delivery)
        case RunDelivery():
            return workflow_run_progressed(app, place, record, delivery)
        case ReviewDelivery():
            return pull_request_review_submitted(app, place, record, delivery)
        case CheckSuiteDelivery():
            return check_suite_completed(app, place, record, delivery)
        case _:
            # A deleted answer changes nothing: the run has it, and one that was not read yet is gone anyway.
            return ()


def _repository(delivery: RepositoryDelivery) -> Repository:
    repository = delivery.repository
    return Repository(
        delivery.installation.id, repository.id, repository.full_name, repository.default_branch
    )
