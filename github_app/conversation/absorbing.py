"""What the record knows after an event: the part of a decision that only remembers. Pure."""

from datetime import timedelta
from typing import assert_never

from github_app.conversation import events
from github_app.conversation.answering import (
    BEFORE_CODE_RUNS,
    answer_to,
    exchange_of,
    given_answer,
    with_decision,
)
from github_app.conversation.record import Conversation, Ended, Exchange, MentionStart, RevisionAsked, State
from github_app.conversation.states import EXPIRY_DAYS, Happened
from pipeline.contract.clarification import Clarification

_ABOUT_ONE_RUN = frozenset({"budget", "confirmation"})
"""Slots whose answers hold for the work that asked: more of it, none of it, or one certain call."""

_ACTED_UPON = frozenset(
    {
        Happened.ANSWERED,
        Happened.ANSWERED_STOP,
        Happened.ANSWER_CHANGED,
        Happened.ANSWERED_TOO_OFTEN,
        Happened.CANCELLED,
        Happened.DECIDED,
        Happened.DECIDED_IN_VAIN,
    }
)


def absorb(conversation: Conversation, event: events.Event, happened: Happened) -> Conversation:
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
        case events.Mentioned() | events.MentionNotStarted():
            return _absorb_mention(conversation, event, happened)
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
        case (
            events.ChangesRequested()
            | events.Published()
            | events.PublishRefused()
            | events.RevisionRefused()
        ):
            return _absorb_on_the_pull_request(conversation, event, happened)
        case events.StartRefused():
            deadline = event.now + timedelta(days=EXPIRY_DAYS)
            return conversation.model_copy(update={"given": None, "expires_at": deadline})
        case _:
            assert_never(event)


def _absorb_mention(
    conversation: Conversation, event: events.Mentioned | events.MentionNotStarted, happened: Happened
) -> Conversation:
    if isinstance(event, events.MentionNotStarted):
        return conversation
    taken = (*conversation.taken, event.comment_id)
    if happened is not Happened.MENTIONED:
        return conversation.model_copy(update={"taken": taken})
    return Conversation(
        repository_id=conversation.repository_id,
        issue=conversation.issue,
        labelled_at=event.at,
        mention=MentionStart(comment_id=event.comment_id),
        author=event.author,
        ticket_sha256=event.ticket_sha256,
        taken=taken,
        runs=conversation.runs,
    )


def _close(conversation: Conversation, ended: Ended) -> Conversation:
    return conversation.model_copy(update={"ended": ended}) if conversation.given is None else conversation


def _with_question_over(conversation: Conversation) -> dict[str, object]:
    """What led to what stands on the pull request becomes history: nothing said later is late for it."""
    return {
        "answers": (*conversation.answers, *given_answer(conversation)),
        "exchanges": exchanges_of(conversation),
        "question": None,
        "question_on": None,
        "given": None,
        "ended": None,
    }


def exchanges_of(conversation: Conversation) -> tuple[Exchange, ...]:
    """All questions of a conversation that were answered, the current one included."""
    asked, given, at = conversation.question, conversation.given, conversation.run_created_at
    if asked is None or given is None:
        return conversation.exchanges
    return (*conversation.exchanges, exchange_of(asked, given, at.date() if at is not None else None))


def _absorb_on_the_pull_request(
    conversation: Conversation, event: events.OnThePullRequest, happened: Happened
) -> Conversation:
    match event:
        case events.ChangesRequested():
            return _absorb_request(conversation, event, happened)
        case events.Published():
            over = _with_question_over(conversation)
            offered = {"offered": len(exchanges_of(conversation))}
            return conversation.model_copy(
                update={"pull_request": event.pull_request.model_copy(update=offered), **over}
            )
        case events.PublishRefused():
            return conversation
        case events.RevisionRefused():
            return conversation.model_copy(update={"revision": None, "revisions": conversation.revisions - 1})
        case _:
            assert_never(event)


def _absorb_request(
    conversation: Conversation, event: events.ChangesRequested, happened: Happened
) -> Conversation:
    if happened is not Happened.CHANGES_REQUESTED:
        return conversation
    asked = RevisionAsked(asked=event.asked)
    return conversation.model_copy(
        update={
            "revision": asked,
            "revisions": conversation.revisions + 1,
            "reviewed": (*conversation.reviewed, asked.source),
            "commit": event.head,
            "memo": None,
            **_with_question_over(conversation),
            "answers": tuple(
                one
                for one in (*conversation.answers, *given_answer(conversation))
                if one.slot not in _ABOUT_ONE_RUN
            ),
        }
    )


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
    takes_memo = event.memo is not None and event.ending.stage in BEFORE_CODE_RUNS
    return known.model_copy(
        update={
            "question": event.ending,
            "asked_in": event.run,
            "commit": event.commit,
            "question_comment_id": None,
            "expires_at": event.now + timedelta(days=EXPIRY_DAYS),
            "hinted": False,
            "question_on": conversation.pull_request.number if conversation.pull_request else None,
            "answers": (*conversation.answers, *given_answer(conversation)),
            "exchanges": exchanges_of(known),
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
        case Happened.DECIDED | Happened.DECIDED_IN_VAIN:
            asked, given = conversation.question, conversation.given
            if asked is None or given is None:
                return conversation
            return conversation.model_copy(update={"given": with_decision(asked, given, event)})
        case Happened.CANCELLED:
            ended = Ended(how="cancelled", login=event.login)
            return conversation.model_copy(update={"given": None, "ended": ended})
        case Happened.ANSWERED_TOO_OFTEN if conversation.given is None:
            return conversation.model_copy(update={"ended": Ended(how="limit")})
        case Happened.NOT_UNDERSTOOD:
            return conversation.model_copy(update={"hinted": True})
        case _:
            return conversation
