"""Apply one event to a conversation: guards, then the table, then the effects of its row. Pure; the result is a new record."""

from datetime import datetime
from typing import assert_never

from github_app.conversation import events
from github_app.conversation.answering import given_answer, is_same_answer, stops, with_decision
from github_app.conversation.checks import failed_checks
from github_app.conversation.effect_arguments import effects_of
from github_app.conversation.effects import ShowProgress, TimerName
from github_app.conversation.notices.pull_requests import why_not_taken
from github_app.conversation.progress import is_further
from github_app.conversation.record import Conversation, PendingAnswer, RevisionAsked, RunReference, State
from github_app.conversation.record_update import update_record
from github_app.conversation.states import (
    MAX_CHECK_REVISIONS,
    MAX_ROUNDS,
    MAX_STARTS,
    TABLE,
    Trigger,
)
from github_app.conversation.wording.progress import progress_comment
from pipeline.contract.clarification import Clarification
from pipeline.contract.commands import Wish
from pipeline.contract.failure import Failure
from pipeline.contract.reply_meaning import ReplyKind
from pipeline.contract.ticket import Ticket

_WAITING = frozenset({State.RUNNING, State.REVISING})
"""States in which a run of ours is going."""

_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})


def decide(conversation: Conversation, event: events.Event) -> Conversation:
    """The record after an event, its effects appended to the outbox; the same object when nothing happens."""
    trigger = trigger_of(conversation, event)
    if trigger is None or (row := TABLE.get((conversation.state, trigger))) is None:
        return conversation
    record = update_record(conversation, event, trigger).model_copy(update={"state": row.to})
    effects = tuple(
        effect
        for action in row.actions
        for effect in effects_of(action, conversation, record, event, trigger)
    )
    shows_more = progress_comment(record) != progress_comment(conversation)
    progress_effects = (ShowProgress(),) if shows_more else ()
    return record.model_copy(
        update={
            "outbox": (*conversation.outbox, *effects, *progress_effects),
            "version": conversation.version + 1,
        }
    )


def trigger_of(conversation: Conversation, event: events.Event) -> Trigger | None:
    """The column of the table for an event, or None where a guard stops it."""
    match event:
        case events.IssueLabeled() | events.LabelRefused():
            if _is_old_label(conversation, event):
                return None
            return Trigger.LABEL_SET if isinstance(event, events.IssueLabeled) else Trigger.LABELLER_REFUSED
        case events.IssueUnlabeled():
            return Trigger.LABEL_REMOVED
        case events.IssueEdited():
            is_known = conversation.ticket_sha256 in {None, event.ticket_sha256} or conversation.is_edited
            return None if is_known else Trigger.TICKET_EDITED
        case events.IssueClosed():
            return Trigger.ISSUE_CLOSED
        case events.RunEnded() | events.RunProgressed():
            return _of_run(conversation, event)
        case events.ReplyReceived() | events.KeepTicked():
            return _by_a_person(conversation, event)
        case events.MentionReceived() | events.MentionNotStarted():
            return _trigger_of_mention(conversation, event)
        case (
            events.ChangesRequested()
            | events.ChecksSeen()
            | events.ChangePublished()
            | events.PublishRefused()
            | events.RevisionNotStarted()
        ):
            return _on_the_pull_request(conversation, event)
        case events.TimerWentOff():
            return _timer(conversation, event)
        case events.StartRefused() | events.StartPostponed() | events.StartDue():
            return _trigger_of_start(conversation, event)
        case _:
            assert_never(event)


def _trigger_of_start(
    conversation: Conversation, event: events.StartRefused | events.StartPostponed | events.StartDue
) -> Trigger | None:
    match event:
        case events.StartRefused():
            pending_answer = conversation.given
            is_current = pending_answer is not None and pending_answer.answer.comment_id == event.comment_id
            return Trigger.START_REFUSED if is_current else None
        case events.StartPostponed():
            run, created_at = event.run, event.run_created_at
            is_other = run is not None and created_at and not is_run_of(conversation, run, None, created_at)
            return None if is_other else Trigger.START_POSTPONED
        case events.StartDue():
            return None if conversation.waiting_start is None else Trigger.START_DUE
        case _:
            assert_never(event)


def _is_old_label(conversation: Conversation, event: events.IssueLabeled | events.LabelRefused) -> bool:
    """Deliveries come twice and out of order: a label that is not newer than what was dealt with says nothing."""
    handled_until = [at for at in (conversation.labelled_at, conversation.run_created_at) if at is not None]
    return any(event.at <= at for at in handled_until)


def _is_awaited(conversation: Conversation, event: events.RunProgressed) -> bool:
    """Whether a run is the one that is waited for; another look is at a run of which that is known."""
    if event.created_at is None:
        return conversation.state in {*_WAITING, State.FAILED}
    return is_run_of(conversation, event.progress.run, event.nonce, event.created_at)


def belongs(conversation: Conversation, event: events.RunEnded) -> bool:
    """Whether the run that ended is the one that the conversation waits for."""
    return is_run_of(conversation, event.run, event.nonce, event.created_at)


def is_run_of(conversation: Conversation, run: RunReference, nonce: str | None, created_at: datetime) -> bool:
    """Whether a run is the one that the conversation waits for.

    Waiting for an answer's run: the run that was dispatched for it. Waiting for a label's run: one that a label started,
    not before that label. After a failure: a later attempt of the same run.
    """
    last, pending_answer = conversation.last_run, conversation.given
    if last is not None and last.run_id == run.run_id:
        return conversation.state is State.FAILED and run.attempt > last.attempt
    if conversation.state not in _WAITING:
        return False
    if (run_cause := pending_answer or conversation.revision or conversation.mention) is not None:
        by_nonce = run_cause.run_id is None and nonce is not None and nonce == run_cause.nonce
        return run.run_id == run_cause.run_id or by_nonce
    labelled_at = conversation.labelled_at
    return nonce is None and (labelled_at is None or created_at >= labelled_at)


def _of_run(conversation: Conversation, event: events.RunEnded | events.RunProgressed) -> Trigger | None:
    if isinstance(event, events.RunEnded):
        return _run_ended(conversation, event)
    is_new = is_further(event.progress, conversation.progress)
    return Trigger.RUN_PROGRESSED if is_new and _is_awaited(conversation, event) else None


def _run_ended(conversation: Conversation, event: events.RunEnded) -> Trigger | None:
    if not belongs(conversation, event):
        return None
    match event.ending:
        case Ticket():
            return Trigger.RUN_READY if event.change is None else Trigger.RUN_CHANGED
        case Failure():
            return Trigger.RUN_FAILED
        case Clarification():
            if conversation.rounds >= MAX_ROUNDS:
                return Trigger.RUN_ASKED_TOO_OFTEN
            answered_questions = {
                answer.question_id for answer in (*conversation.answers, *given_answer(conversation))
            }
            return (
                Trigger.RUN_UNREADABLE
                if event.ending.question.id in answered_questions
                else Trigger.RUN_ASKED
            )
        case None:
            return Trigger.RUN_UNREADABLE
        case _:
            assert_never(event.ending)


def _trigger_of_reply(conversation: Conversation, event: events.ReplyReceived) -> Trigger | None:
    kind = event.reply.kind
    pending_answer = conversation.given
    if kind is ReplyKind.IGNORE or conversation.question is None:
        return _cancelled_unasked(conversation, event)
    if pending_answer is not None and pending_answer.answer.comment_id == event.comment_id:
        is_other = kind not in _ANSWERS or not is_same_answer(event.reply, pending_answer)
        return Trigger.ANSWER_EDITED if event.is_edit and is_other else None
    if event.comment_id in conversation.taken or _is_older_than_the_question(conversation, event):
        return None
    if conversation.state in {State.ASKING, State.EXPIRED, State.ASKING_IN_REVIEW}:
        return _replied_to_open(conversation, event)
    if pending_answer is not None and _keeps_what_was_answered(event, pending_answer):
        return _kept_or_not(conversation.question, pending_answer, event) if event.may_answer else None
    if not event.may_answer:
        return None
    if conversation.state in _WAITING:
        return _replied_while_running(conversation, event)
    means_it = kind is ReplyKind.CHOICE or (event.is_command and kind in _ANSWERS)
    return Trigger.LATE if means_it else None


def _kept_or_not(
    clarification: Clarification,
    pending_answer: PendingAnswer,
    event: events.ReplyReceived | events.KeepTicked,
) -> Trigger:
    is_kept = (
        with_decision(clarification, pending_answer, login=event.login, may_keep=event.may_keep).keep
        == "kept"
    )
    return Trigger.ANSWER_KEPT if is_kept else Trigger.ANSWER_NOT_KEPT


def _by_a_person(
    conversation: Conversation, event: events.ReplyReceived | events.KeepTicked
) -> Trigger | None:
    if isinstance(event, events.KeepTicked):
        return _keep_ticked(conversation, event)
    return _trigger_of_reply(conversation, event)


def _keep_ticked(conversation: Conversation, event: events.KeepTicked) -> Trigger | None:
    """The box counts like `/decide`: for the answer that is there, else for the one that will be given."""
    clarification, pending_answer = conversation.question, conversation.given
    if clarification is None:
        is_late = event.is_ticked and event.may_keep and bool(conversation.exchanges)
        return Trigger.ANSWER_KEPT_TOO_LATE if is_late else None
    if pending_answer is not None:
        is_open = event.is_ticked and pending_answer.keep is None
        return _kept_or_not(clarification, pending_answer, event) if is_open else None
    wished_by = event.login if event.is_ticked and event.may_keep else None
    is_news = (wished_by is None) is not (conversation.keep_wished_by is None) or not event.may_keep
    return Trigger.KEEP_WISHED if is_news else None


def _keeps_what_was_answered(event: events.ReplyReceived, pending_answer: PendingAnswer) -> bool:
    is_same = event.reply.keeps and is_same_answer(event.reply, pending_answer)
    return event.reply.kind is ReplyKind.DECIDE or is_same


def _is_older_than_the_question(conversation: Conversation, event: events.ReplyReceived) -> bool:
    """GitHub counts comments upwards: what stood there before the question cannot answer it, edited or delivered again."""
    asked_at = conversation.question_comment_id
    return asked_at is not None and event.comment_id < asked_at


def _cancelled_unasked(conversation: Conversation, event: events.ReplyReceived) -> Trigger | None:
    """Before anything is asked, only the command itself stops a run: "stop" may be anybody's word.

    What a pull request keeps for later tickets was settled when it was opened: `/decide` then comes too late.
    """
    if event.reply.kind is ReplyKind.DECIDE:
        is_late = event.may_answer and bool(conversation.exchanges) and conversation.pull_request is not None
        return Trigger.ANSWER_KEPT_TOO_LATE if is_late else None
    is_cancel = event.reply.kind is ReplyKind.CANCEL and event.is_command and event.may_answer
    return Trigger.CANCEL_REQUESTED if is_cancel and conversation.state in _WAITING else None


def _replied_to_open(conversation: Conversation, event: events.ReplyReceived) -> Trigger | None:
    kind = event.reply.kind
    if not event.may_answer:
        return Trigger.STRANGER if kind in _ANSWERS or kind is ReplyKind.CANCEL else None
    match kind:
        case ReplyKind.CHOICE | ReplyKind.DEFAULT | ReplyKind.FREE:
            if stops(conversation, event.reply):
                return Trigger.ANSWERED_STOP
            return Trigger.ANSWER_GIVEN if conversation.starts < MAX_STARTS else Trigger.ANSWERED_TOO_OFTEN
        case ReplyKind.CANCEL:
            return Trigger.CANCEL_REQUESTED
        case ReplyKind.HELP:
            return Trigger.HELP_WANTED
        case ReplyKind.UNCLEAR | ReplyKind.CONFLICT | ReplyKind.DECIDE:
            return Trigger.NOT_UNDERSTOOD_AGAIN if conversation.hinted else Trigger.NOT_UNDERSTOOD
        case ReplyKind.IGNORE:
            return None
        case _:
            assert_never(kind)


def _replied_while_running(conversation: Conversation, event: events.ReplyReceived) -> Trigger | None:
    kind = event.reply.kind
    if kind is ReplyKind.CANCEL:
        return Trigger.CANCEL_REQUESTED if event.is_command else None
    if conversation.given is None or kind not in _ANSWERS or event.is_edit:
        return None
    if not event.is_command:
        return Trigger.LATE if kind is ReplyKind.CHOICE else None
    if is_same_answer(event.reply, conversation.given):
        return None
    return Trigger.ANSWER_CHANGED if conversation.starts < MAX_STARTS else Trigger.ANSWERED_TOO_OFTEN


def _trigger_of_mention(
    conversation: Conversation, event: events.MentionReceived | events.MentionNotStarted
) -> Trigger | None:
    """What a comment to us leads to; one that was dealt with, or that is older than the newest start, to nothing."""
    if isinstance(event, events.MentionNotStarted):
        mention = conversation.mention
        is_current = mention is not None and mention.comment_id == event.comment_id
        return Trigger.MENTION_NOT_STARTED if is_current else None
    is_old = conversation.labelled_at is not None and event.at < conversation.labelled_at
    if event.comment_id in conversation.taken or is_old:
        return None
    if not event.may:
        return Trigger.MENTION_REFUSED
    works = conversation.state in _WAITING
    if event.wish is Wish.NOTE and works:
        return Trigger.NOTE_WRITTEN
    can_start = TABLE.get((conversation.state, Trigger.MENTION_ACCEPTED)) is not None
    return Trigger.MENTION_ACCEPTED if event.wish is Wish.START and can_start else Trigger.MENTION_IN_VAIN


def _changes_requested(conversation: Conversation, event: events.ChangesRequested) -> Trigger | None:
    """Whether changes that somebody asked for start a run; `why_not_taken` says why not."""
    if (
        conversation.pull_request is None
        or RevisionAsked(asked=event.request).source in conversation.reviewed
    ):
        return None
    if not event.may_ask:
        return Trigger.REVIEW_OF_STRANGER
    is_taken = why_not_taken(conversation, event) is None
    return Trigger.CHANGES_REQUESTED if is_taken else Trigger.CHANGES_NOT_TAKEN


def _checks_seen(conversation: Conversation, event: events.ChecksSeen) -> Trigger | None:
    """What the checks of the head lead to: one revision for one head, however often they are seen."""
    pull_request = conversation.pull_request
    if pull_request is None:
        return None
    mends = conversation.revision is not None and conversation.revision.failed is not None
    if not pull_request.is_ours(event.head):
        if mends and conversation.state is State.REVISING:
            return Trigger.MENDING_OVERTAKEN
        return None if pull_request.is_taken_over else Trigger.BRANCH_PUSHED
    if event.head != pull_request.head:
        return None
    checks_to_fix = failed_checks(event.head, event.checks)
    is_over = pull_request.is_taken_over or conversation.state is not State.PUBLISHED
    if (
        is_over
        or checks_to_fix is None
        or RevisionAsked(failed=checks_to_fix).source in conversation.reviewed
    ):
        return None if event.checks == conversation.checks else Trigger.CHECKS_SEEN
    is_left = conversation.check_revisions < MAX_CHECK_REVISIONS
    return Trigger.CHECKS_FAILED if is_left else Trigger.CHECKS_FAILED_TOO_OFTEN


def _on_the_pull_request(conversation: Conversation, event: events.OnThePullRequest) -> Trigger | None:
    match event:
        case events.ChangesRequested():
            return _changes_requested(conversation, event)
        case events.ChecksSeen():
            return _checks_seen(conversation, event)
        case events.ChangePublished():
            return Trigger.CHANGE_PUBLISHED if event.run == conversation.last_run else None
        case events.PublishRefused():
            first = conversation.pull_request is None
            return Trigger.PUBLISH_REFUSED if first else Trigger.REVISED_CHANGE_REFUSED
        case events.RevisionNotStarted():
            revision = conversation.revision
            is_current = revision is not None and revision.source == event.source
            return Trigger.REVISION_REFUSED if is_current else None
        case _:
            assert_never(event)


def _timer(conversation: Conversation, event: events.TimerWentOff) -> Trigger | None:
    clarification = conversation.question
    if clarification is None or clarification.question.id != event.question_id:
        return None
    if event.name is TimerName.REMINDER:
        return Trigger.REMINDER_DUE
    return Trigger.EXPIRY_DUE if conversation.ended is None else None
