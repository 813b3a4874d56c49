"""Which notice goes with which event, and the key under which it is said only once."""

from typing import Literal, assert_never

from github_app.conversation import events
from github_app.conversation.checks import to_mend
from github_app.conversation.effects import (
    ChangeNotPublished,
    ChecksFailed,
    DecisionTooLate,
    Help,
    LabellerRefused,
    LateReply,
    LimitReached,
    MentionAnswered,
    Notice,
    NotUnderstood,
    PullRequestOpened,
    PullRequestRevised,
    Reminder,
    RevisionNotTaken,
    RevisionStarted,
    RunFailed,
    RunNotStarted,
    RunUnreadable,
    TicketEdited,
    TicketReady,
)
from github_app.conversation.record import Conversation, RevisionAsked, State
from github_app.conversation.reply_meaning import Reply, ReplyKind, Why
from github_app.conversation.states import MAX_REVISIONS, MAX_ROUNDS, MAX_STARTS, Trigger
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket

_NO_CHANGE = "the run ended without one"
_SHORT = 160
_ASKED_AGAIN = "it asked again what has been answered already"


def notice_of(
    before: Conversation, conversation: Conversation, event: events.Event, trigger: Trigger
) -> tuple[str, Notice]:
    """The key of a notice and the notice itself; the records are those on either side of the event.

    Raises:
        ValueError: nothing is ever said about such an event; the table and this function disagree.
    """
    match event:
        case events.LabelRefused():
            notice = LabellerRefused(login=event.login, role=event.role)
            return f"labeller-refused:{event.at.isoformat()}", notice
        case events.IssueEdited():
            return f"ticket-edited:{event.ticket_sha256[:16]}", TicketEdited()
        case events.RunEnded():
            return f"run:{event.run.run_id}.{event.run.attempt}", _of_run(before, event, trigger)
        case (
            events.ChangesRequested()
            | events.ChecksSeen()
            | events.ChangePublished()
            | events.PublishRefused()
            | events.RevisionNotStarted()
        ):
            return _on_the_pull_request(before, conversation, event, trigger)
        case events.ReplyReceived() | events.KeepTicked():
            return _of_reply(conversation, event, trigger)
        case events.MentionReceived() | events.MentionNotStarted():
            return _of_mention(event, trigger)
        case events.TimerWentOff():
            return f"reminder:{_about(conversation)}", Reminder(question_id=event.question_id)
        case events.StartRefused():
            key = f"not-started:{event.question_id}:{event.comment_id}"
            return key, RunNotStarted(status=event.status, message=event.message)
        case _:
            raise ValueError(f"nothing is said about {event}")


def _on_the_pull_request(
    before: Conversation, conversation: Conversation, event: events.OnThePullRequest, trigger: Trigger
) -> tuple[str, Notice]:
    match event:
        case events.ChangePublished():
            return _of_change(before, event)
        case events.PublishRefused():
            refused_change = ChangeNotPublished(why=event.why, run_id=event.run.run_id)
            return f"change:{event.run.run_id}.{event.run.attempt}", refused_change
        case events.ChangesRequested():
            return _of_request(before, event, trigger)
        case events.ChecksSeen():
            return _of_checks(conversation, event, trigger)
        case events.RevisionNotStarted():
            detail = f"{event.status}, {event.message}"
            return f"revision-not-started:{event.source}", RevisionNotTaken(why="refused", detail=detail)
        case _:
            assert_never(event)


def why_not_taken(
    conversation: Conversation, event: events.ChangesRequested
) -> Literal["busy", "asking", "empty", "limit", "closed"] | None:
    """Why changes that somebody asked for start no run; None when they do."""
    if event.head is None:
        return "closed"
    if event.is_empty:
        return "empty"
    if conversation.state is State.REVISING:
        return "busy"
    if conversation.state is State.ASKING_IN_REVIEW:
        return "asking"
    return "limit" if conversation.revisions >= MAX_REVISIONS else None


def _of_mention(
    event: events.MentionReceived | events.MentionNotStarted, trigger: Trigger
) -> tuple[str, Notice]:
    """A refusal is said once for each person, whatever they write; the others once for each comment."""
    if isinstance(event, events.MentionNotStarted):
        detail = f"{event.status}, {event.message}"
        return f"mention-not-started:{event.comment_id}", MentionAnswered(how="not_started", detail=detail)
    match trigger:
        case Trigger.MENTION_ACCEPTED:
            return f"mention:{event.comment_id}", MentionAnswered(how="started", login=event.login)
        case Trigger.NOTE_WRITTEN:
            return f"mention:{event.comment_id}", MentionAnswered(how="noted", login=event.login)
        case Trigger.MENTION_REFUSED:
            return f"mention-refused:{event.login}", MentionAnswered(how="refused", login=event.login)
        case _:
            return f"mention-in-vain:{event.login}", MentionAnswered(how="in_vain", login=event.login)


def _of_request(before: Conversation, event: events.ChangesRequested, trigger: Trigger) -> tuple[str, Notice]:
    source = RevisionAsked(asked=event.request).source
    if trigger is Trigger.CHANGES_REQUESTED:
        return f"revising:{source}", RevisionStarted(login=event.request.asked_by)
    return f"not-taken:{source}", RevisionNotTaken(why=why_not_taken(before, event) or "busy")


def _of_checks(conversation: Conversation, event: events.ChecksSeen, trigger: Trigger) -> tuple[str, Notice]:
    if trigger is Trigger.MENDING_OVERTAKEN:
        return f"overtaken:{event.head}", ChecksFailed(how="overtaken")
    names = tuple(check.name[:_SHORT] for check in to_mend(event.checks))
    after = conversation.check_revisions
    if trigger is Trigger.CHECKS_FAILED:
        return f"checks:{event.head}", ChecksFailed(how="mending", names=names, after=after)
    return f"checks-given-up:{event.head}", ChecksFailed(how="given_up", names=names, after=after)


def _of_change(before: Conversation, event: events.ChangePublished) -> tuple[str, Notice]:
    key = f"change:{event.run.run_id}.{event.run.attempt}"
    work = event.work
    replies = work.replies if work else None
    if before.pull_request is None:
        return key, PullRequestOpened(number=event.pull_request.number, replies=replies)
    tests = work.tests.model_copy(update={"command": work.tests.command[:_SHORT]}) if work else None
    return key, PullRequestRevised(
        commit=event.pull_request.head, tests=tests, replies=replies, run_id=event.run.run_id
    )


def _of_run(before: Conversation, event: events.RunEnded, trigger: Trigger) -> Notice:
    ending, run_id = event.ending, event.run.run_id
    if trigger is Trigger.RUN_ASKED_TOO_OFTEN:
        return LimitReached(what="rounds", limit=MAX_ROUNDS)
    if isinstance(ending, Ticket) and before.state is State.REVISING:
        return ChangeNotPublished(why=_NO_CHANGE, run_id=run_id)
    if isinstance(ending, Ticket):
        return TicketReady(ticket=ending, run_id=run_id)
    if isinstance(ending, Failure):
        return RunFailed(failure=ending, run_id=run_id)
    return RunUnreadable(why=_ASKED_AGAIN if ending is not None else event.why, run_id=run_id)


def _of_reply(
    conversation: Conversation, event: events.ReplyReceived | events.KeepTicked, trigger: Trigger
) -> tuple[str, Notice]:
    if isinstance(event, events.KeepTicked) or trigger is Trigger.ANSWER_KEPT_TOO_LATE:
        number = conversation.pull_request.number if conversation.pull_request else conversation.issue
        return f"decision-too-late:{number}", DecisionTooLate()
    about = _about(conversation)
    question_id = conversation.question.question.id if conversation.question else ""
    match trigger:
        case Trigger.NOT_UNDERSTOOD:
            why, excerpt = _why(event.reply), event.excerpt
            notice = NotUnderstood(
                question_id=question_id, said=excerpt, why=why, choices=event.reply.numbers
            )
            return f"not-understood:{about}", notice
        case Trigger.HELP_WANTED:
            return f"help:{about}", Help(question_id=question_id)
        case Trigger.ANSWERED_TOO_OFTEN:
            return f"limit:{about}", LimitReached(what="runs", limit=MAX_STARTS)
        case _:
            late = _why_late(conversation, trigger)
            return f"late:{about}:{late}", LateReply(question_id=question_id, why=late, said=event.excerpt)


def _why(reply: Reply) -> Literal["unclear", "conflict", "question", "needs_text", "no_default"]:
    if reply.kind is ReplyKind.CONFLICT:
        return "conflict"
    match reply.why:
        case Why.IS_A_QUESTION:
            return "question"
        case Why.NEEDS_TEXT:
            return "needs_text"
        case Why.NO_DEFAULT:
            return "no_default"
        case _:
            return "unclear"


def _why_late(
    conversation: Conversation, trigger: Trigger
) -> Literal["answered", "edited", "ended", "issue_closed"]:
    if trigger is Trigger.ANSWER_EDITED:
        return "edited"
    if conversation.state is State.CLOSED:
        return "issue_closed"
    return "answered" if conversation.state in {State.RUNNING, State.REVISING} else "ended"


def _about(conversation: Conversation) -> str:
    """A question as it was asked in one run: the same question may be asked again after a new label."""
    question_id = conversation.question.question.id if conversation.question else "nothing"
    run = conversation.asked_in
    return f"{question_id}:{run.run_id}.{run.attempt}" if run else question_id
