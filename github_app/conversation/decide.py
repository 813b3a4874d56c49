"""Apply one event to a conversation: guards, then the table, then the particulars. Pure; the result is a new record."""

from datetime import timedelta
from typing import assert_never

from github_app.conversation import events
from github_app.conversation.answering import answer_to, given_answer, stops
from github_app.conversation.effects import TimerName
from github_app.conversation.particulars import effects_of
from github_app.conversation.record import Conversation, Ended, State
from github_app.conversation.reply import ReplyKind
from github_app.conversation.states import EXPIRY_DAYS, MAX_ROUNDS, MAX_STARTS, TABLE, Happened
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

_AFTER_MEMO = frozenset({"coder", "tests", "reviewer", "change"})
"""Stages after which code of the repository has run: a memo from there is not taken."""

_ACTED_UPON = frozenset(
    {
        Happened.ANSWERED,
        Happened.ANSWERED_STOP,
        Happened.ANSWER_CHANGED,
        Happened.ANSWERED_TOO_OFTEN,
        Happened.CANCELLED,
    }
)

_ANSWERS = frozenset({ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE})


def decide(conversation: Conversation, event: events.Event) -> Conversation:
    """The record after an event, its effects appended to the outbox; the same object when nothing happens."""
    happened = what_happened(conversation, event)
    if happened is None or (row := TABLE.get((conversation.state, happened))) is None:
        return conversation
    known = _absorb(conversation, event, happened).model_copy(update={"state": row.to})
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
        case events.TimerWentOff():
            asked = conversation.question
            if asked is None or asked.question.id != event.question_id:
                return None
            return Happened.REMINDER_DUE if event.name is TimerName.REMINDER else Happened.EXPIRY_DUE
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
    if conversation.state is not State.RUNNING:
        return False
    if given is not None:
        by_nonce = given.run_id is None and event.nonce is not None and event.nonce == given.nonce
        return event.run.run_id == given.run_id or by_nonce
    labelled_at = conversation.labelled_at
    return event.nonce is None and (labelled_at is None or event.created_at >= labelled_at)


def _run_ended(conversation: Conversation, event: events.RunEnded) -> Happened | None:
    if not belongs(conversation, event):
        return None
    match event.ending:
        case Ticket():
            return Happened.RUN_READY
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
    if conversation.state in {State.ASKING, State.EXPIRED}:
        return _replied_to_open(conversation, event)
    if not event.may_answer:
        return None
    if conversation.state is State.RUNNING:
        return _replied_while_running(conversation, event)
    means_it = kind is ReplyKind.CHOICE or (event.is_command and kind in _ANSWERS)
    return Happened.LATE if means_it else None


def _is_older_than_the_question(conversation: Conversation, event: events.Replied) -> bool:
    """GitHub counts comments upwards: what stood there before the question cannot answer it, edited or delivered again."""
    asked_at = conversation.question_comment_id
    return asked_at is not None and event.comment_id < asked_at


def _cancelled_unasked(conversation: Conversation, event: events.Replied) -> Happened | None:
    """Before anything is asked, only the command itself stops a run: "stop" may be anybody's word."""
    is_cancel = event.reply.kind is ReplyKind.CANCEL and event.is_command and event.may_answer
    return Happened.CANCELLED if is_cancel and conversation.state is State.RUNNING else None


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
        case ReplyKind.UNCLEAR | ReplyKind.CONFLICT:
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


def _absorb(conversation: Conversation, event: events.Event, happened: Happened) -> Conversation:
    """What the record knows after the event."""
    match event:
        case events.Labeled():
            return Conversation(
                repository_id=conversation.repository_id,
                issue=conversation.issue,
                labelled_at=event.at,
                author=event.author,
                ticket_sha256=event.ticket_sha256,
                runs=conversation.runs,
                starts=0,
            )
        case events.LabellerRefused():
            return conversation.model_copy(update={"labelled_at": event.at})
        case events.RunEnded():
            return _absorb_run(conversation, event, happened)
        case events.Replied():
            return _absorb_reply(conversation, event, happened)
        case events.Unlabeled():
            return _close(conversation, Ended(how="unlabeled"))
        case events.TicketEdited():
            return _close(conversation, Ended(how="ticket_edited"))
        case events.IssueClosed():
            return _close(conversation, Ended(how="issue_closed"))
        case events.TimerWentOff():
            expired = happened is Happened.EXPIRY_DUE
            return _close(conversation, Ended(how="expired")) if expired else conversation
        case events.StartRefused():
            deadline = event.now + timedelta(days=EXPIRY_DAYS)
            return conversation.model_copy(update={"given": None, "expires_at": deadline})
        case _:
            assert_never(event)


def _close(conversation: Conversation, ended: Ended) -> Conversation:
    return conversation.model_copy(update={"ended": ended}) if conversation.given is None else conversation


def _absorb_run(conversation: Conversation, event: events.RunEnded, happened: Happened) -> Conversation:
    known = conversation.model_copy(
        update={
            "author": event.author,
            "run_created_at": event.created_at,
            "last_run": event.run,
            "ticket_sha256": event.ticket_sha256,
        }
    )
    if happened is not Happened.RUN_ASKED or not isinstance(event.ending, Clarification):
        return known
    takes_memo = event.memo is not None and event.ending.stage not in _AFTER_MEMO
    return known.model_copy(
        update={
            "question": event.ending,
            "asked_in": event.run,
            "commit": event.commit,
            "question_comment_id": None,
            "expires_at": event.now + timedelta(days=EXPIRY_DAYS),
            "hinted": False,
            "answers": (*conversation.answers, *given_answer(conversation)),
            "given": None,
            "ended": None,
            "rounds": conversation.rounds + 1,
            "memo": event.memo if takes_memo else conversation.memo,
        }
    )


def _absorb_reply(conversation: Conversation, event: events.Replied, happened: Happened) -> Conversation:
    acted = happened in _ACTED_UPON
    conversation = conversation.model_copy(
        update={"taken": (*conversation.taken, event.comment_id) if acted else conversation.taken}
    )
    match happened:
        case Happened.ANSWERED | Happened.ANSWERED_STOP | Happened.ANSWER_CHANGED:
            update: dict[str, object] = {"given": answer_to(conversation, event), "ended": None}
            if conversation.state is State.EXPIRED:
                update["commit"] = None
            return conversation.model_copy(update=update)
        case Happened.CANCELLED:
            ended = Ended(how="cancelled", login=event.login)
            return conversation.model_copy(update={"given": None, "ended": ended})
        case Happened.ANSWERED_TOO_OFTEN if conversation.given is None:
            return conversation.model_copy(update={"ended": Ended(how="limit")})
        case Happened.NOT_UNDERSTOOD:
            return conversation.model_copy(update={"hinted": True})
        case _:
            return conversation
