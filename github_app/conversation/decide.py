"""Apply one event to a conversation: guards, then the table, then the particulars. Pure; the result is a new record."""

from typing import assert_never

from github_app.conversation import events
from github_app.conversation.absorbing import absorb
from github_app.conversation.answering import given_answer, stops, with_decision
from github_app.conversation.effects import TimerName
from github_app.conversation.notices import why_not_taken
from github_app.conversation.particulars import effects_of
from github_app.conversation.record import Conversation, Given, RevisionAsked, State
from github_app.conversation.reply import ReplyKind
from github_app.conversation.states import MAX_ROUNDS, MAX_STARTS, TABLE, Happened
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.mention import Wish
from pipeline.contract.ticket import Ticket

_WAITING = frozenset({State.RUNNING, State.REVISING})
"""States in which a run of ours is going."""

_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})


def decide(conversation: Conversation, event: events.Event) -> Conversation:
    """The record after an event, its effects appended to the outbox; the same object when nothing happens."""
    happened = what_happened(conversation, event)
    if happened is None or (row := TABLE.get((conversation.state, happened))) is None:
        return conversation
    known = absorb(conversation, event, happened).model_copy(update={"state": row.to})
    effects = tuple(
        effect for do in row.does for effect in effects_of(do, conversation, known, event, happened)
    )
    return known.model_copy(
        update={"outbox": (*conversation.outbox, *effects), "version": conversation.version + 1}
    )


def what_happened(conversation: Conversation, event: events.Event) -> Happened | None:
    """The column of the table for an event, or None where a guard stops it."""
    match event:
        case events.Labeled() | events.LabellerRefused():
            if _is_old_label(conversation, event):
                return None
            return Happened.LABELED if isinstance(event, events.Labeled) else Happened.LABELLER_REFUSED
        case events.Unlabeled():
            return Happened.UNLABELED
        case events.TicketEdited():
            same = conversation.ticket_sha256 in {None, event.ticket_sha256}
            return None if same else Happened.TICKET_EDITED
        case events.IssueClosed():
            return Happened.ISSUE_CLOSED
        case events.RunEnded():
            return _run_ended(conversation, event)
        case events.Replied():
            return _replied(conversation, event)
        case events.Mentioned() | events.MentionNotStarted():
            return _mentioned(conversation, event)
        case (
            events.ChangesRequested()
            | events.Published()
            | events.PublishRefused()
            | events.RevisionRefused()
        ):
            return _on_the_pull_request(conversation, event)
        case events.TimerWentOff():
            return _timer(conversation, event)
        case events.StartRefused():
            given = conversation.given
            is_current = given is not None and given.answer.comment_id == event.comment_id
            return Happened.START_REFUSED if is_current else None
        case _:
            assert_never(event)


def _is_old_label(conversation: Conversation, event: events.Labeled | events.LabellerRefused) -> bool:
    """Deliveries come twice and out of order: a label that is not newer than what was dealt with says nothing."""
    known = [at for at in (conversation.labelled_at, conversation.run_created_at) if at is not None]
    return any(event.at <= at for at in known)


def belongs(conversation: Conversation, event: events.RunEnded) -> bool:
    """Whether a run is the one that the conversation waits for.

    Waiting for an answer's run: the run that was dispatched for it. Waiting for a label's run: one that a label started,
    not before that label. After a failure: a later attempt of the same run.
    """
    last, given = conversation.last_run, conversation.given
    if last is not None and last.run_id == event.run.run_id:
        return conversation.state is State.FAILED and event.run.attempt > last.attempt
    if conversation.state not in _WAITING:
        return False
    if (started := given or conversation.revision or conversation.mention) is not None:
        by_nonce = started.run_id is None and event.nonce is not None and event.nonce == started.nonce
        return event.run.run_id == started.run_id or by_nonce
    labelled_at = conversation.labelled_at
    return event.nonce is None and (labelled_at is None or event.created_at >= labelled_at)


def _run_ended(conversation: Conversation, event: events.RunEnded) -> Happened | None:
    if not belongs(conversation, event):
        return None
    match event.ending:
        case Ticket():
            return Happened.RUN_READY if event.change is None else Happened.RUN_CHANGED
        case Failure():
            return Happened.RUN_FAILED
        case Clarification():
            if conversation.rounds >= MAX_ROUNDS:
                return Happened.RUN_ASKED_TOO_OFTEN
            answered = {answer.question_id for answer in (*conversation.answers, *given_answer(conversation))}
            return Happened.RUN_UNREADABLE if event.ending.question.id in answered else Happened.RUN_ASKED
        case None:
            return Happened.RUN_UNREADABLE
        case _:
            assert_never(event.ending)


def _replied(conversation: Conversation, event: events.Replied) -> Happened | None:
    kind = event.reply.kind
    given = conversation.given
    if kind is ReplyKind.IGNORE or conversation.question is None:
        return _cancelled_unasked(conversation, event)
    if given is not None and given.answer.comment_id == event.comment_id:
        is_other = kind not in _ANSWERS or event.reply.choice != given.choice
        return Happened.ANSWER_EDITED if event.is_edit and is_other else None
    if event.comment_id in conversation.taken or _is_older_than_the_question(conversation, event):
        return None
    if conversation.state in {State.ASKING, State.EXPIRED, State.ASKING_IN_REVIEW}:
        return _replied_to_open(conversation, event)
    if given is not None and _keeps_what_was_answered(event, given):
        kept = with_decision(conversation.question, given, event).keep == "kept"
        return (Happened.DECIDED if kept else Happened.DECIDED_IN_VAIN) if event.may_answer else None
    if not event.may_answer:
        return None
    if conversation.state in _WAITING:
        return _replied_while_running(conversation, event)
    means_it = kind is ReplyKind.CHOICE or (event.is_command and kind in _ANSWERS)
    return Happened.LATE if means_it else None


def _keeps_what_was_answered(event: events.Replied, given: Given) -> bool:
    is_same = event.reply.keeps and event.reply.choice == given.choice
    return event.reply.kind is ReplyKind.DECIDE or is_same


def _is_older_than_the_question(conversation: Conversation, event: events.Replied) -> bool:
    """GitHub counts comments upwards: what stood there before the question cannot answer it, edited or delivered again."""
    asked_at = conversation.question_comment_id
    return asked_at is not None and event.comment_id < asked_at


def _cancelled_unasked(conversation: Conversation, event: events.Replied) -> Happened | None:
    """Before anything is asked, only the command itself stops a run: "stop" may be anybody's word."""
    is_cancel = event.reply.kind is ReplyKind.CANCEL and event.is_command and event.may_answer
    return Happened.CANCELLED if is_cancel and conversation.state in _WAITING else None


def _replied_to_open(conversation: Conversation, event: events.Replied) -> Happened | None:
    kind = event.reply.kind
    if not event.may_answer:
        return Happened.STRANGER if kind in _ANSWERS or kind is ReplyKind.CANCEL else None
    match kind:
        case ReplyKind.CHOICE | ReplyKind.DEFAULT | ReplyKind.FREE:
            if stops(conversation, event.reply):
                return Happened.ANSWERED_STOP
            return Happened.ANSWERED if conversation.starts < MAX_STARTS else Happened.ANSWERED_TOO_OFTEN
        case ReplyKind.CANCEL:
            return Happened.CANCELLED
        case ReplyKind.HELP:
            return Happened.HELP_WANTED
        case ReplyKind.UNCLEAR | ReplyKind.CONFLICT | ReplyKind.DECIDE:
            return Happened.NOT_UNDERSTOOD_AGAIN if conversation.hinted else Happened.NOT_UNDERSTOOD
        case ReplyKind.IGNORE:
            return None
        case _:
            assert_never(kind)


def _replied_while_running(conversation: Conversation, event: events.Replied) -> Happened | None:
    kind = event.reply.kind
    if kind is ReplyKind.CANCEL:
        return Happened.CANCELLED if event.is_command else None
    if conversation.given is None or kind not in _ANSWERS or event.is_edit:
        return None
    if not event.is_command:
        return Happened.LATE if kind is ReplyKind.CHOICE else None
    if kind is not ReplyKind.FREE and event.reply.choice == conversation.given.choice:
        return None
    return Happened.ANSWER_CHANGED if conversation.starts < MAX_STARTS else Happened.ANSWERED_TOO_OFTEN


def _mentioned(
    conversation: Conversation, event: events.Mentioned | events.MentionNotStarted
) -> Happened | None:
    """What a comment to us leads to; one that was dealt with, or that is older than the newest start, to nothing."""
    if isinstance(event, events.MentionNotStarted):
        mention = conversation.mention
        is_current = mention is not None and mention.comment_id == event.comment_id
        return Happened.MENTION_NOT_STARTED if is_current else None
    is_old = conversation.labelled_at is not None and event.at < conversation.labelled_at
    if event.comment_id in conversation.taken or is_old:
        return None
    if not event.may:
        return Happened.MENTION_REFUSED
    works = conversation.state in _WAITING
    if event.wish is Wish.NOTE and works:
        return Happened.NOTED
    can_start = TABLE.get((conversation.state, Happened.MENTIONED)) is not None
    return Happened.MENTIONED if event.wish is Wish.START and can_start else Happened.MENTION_IN_VAIN


def _changes_requested(conversation: Conversation, event: events.ChangesRequested) -> Happened | None:
    """Whether changes that somebody asked for start a run; `why_not_taken` says why not."""
    if conversation.pull_request is None or RevisionAsked(asked=event.asked).source in conversation.reviewed:
        return None
    if not event.may_ask:
        return Happened.REVIEW_OF_STRANGER
    taken = why_not_taken(conversation, event) is None
    return Happened.CHANGES_REQUESTED if taken else Happened.CHANGES_NOT_TAKEN


def _on_the_pull_request(conversation: Conversation, event: events.OnThePullRequest) -> Happened | None:
    match event:
        case events.ChangesRequested():
            return _changes_requested(conversation, event)
        case events.Published():
            return Happened.PUBLISHED if event.run == conversation.last_run else None
        case events.PublishRefused():
            first = conversation.pull_request is None
            return Happened.PUBLISH_REFUSED if first else Happened.REVISED_CHANGE_REFUSED
        case events.RevisionRefused():
            revision = conversation.revision
            is_current = revision is not None and revision.source == event.source
            return Happened.REVISION_REFUSED if is_current else None
        case _:
            assert_never(event)


def _timer(conversation: Conversation, event: events.TimerWentOff) -> Happened | None:
    asked = conversation.question
    if asked is None or asked.question.id != event.question_id:
        return None
    if event.name is TimerName.REMINDER:
        return Happened.REMINDER_DUE
    return Happened.EXPIRY_DUE if conversation.ended is None else None
