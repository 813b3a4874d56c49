"""The arguments of each effect that a row of the table names: which comment, which run, which words."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from github_app.conversation import events
from github_app.conversation.daily_spend import start_at
from github_app.conversation.effects import (
    AddLabel,
    CancelRun,
    CancelTimer,
    EditQuestion,
    Effect,
    LabelName,
    PostNotice,
    PostQuestion,
    Publish,
    React,
    ReactionName,
    RemoveLabel,
    SetTimer,
    StartMentioned,
    StartRevision,
    StartRun,
    TimerName,
)
from github_app.conversation.notices.choose import notice_of
from github_app.conversation.notices.decisions import notice_of_decisions
from github_app.conversation.progress import next_look
from github_app.conversation.record import Conversation
from github_app.conversation.run_start import postponed_start_of
from github_app.conversation.states import EXPIRY_DAYS, REMINDER_DAYS, Action, Trigger
from pipeline.contract.ticket import Ticket

_ALWAYS_THE_SAME: dict[Action, Effect] = {
    Action.REACT_EYES_ON_ISSUE: React(comment_id=None, reaction=ReactionName.EYES),
    Action.ADD_NEEDS_ANSWER: AddLabel(label=LabelName.NEEDS_ANSWER),
    Action.REMOVE_NEEDS_ANSWER: RemoveLabel(label=LabelName.NEEDS_ANSWER),
    Action.REMOVE_READY: RemoveLabel(label=LabelName.READY),
}

_ON_THE_COMMENT = {
    Action.REACT_EYES: ReactionName.EYES,
    Action.REACT_ROCKET: ReactionName.ROCKET,
    Action.REACT_CONFUSED: ReactionName.CONFUSED,
}


def effects_of(
    action: Action, before: Conversation, after: Conversation, event: events.Event, trigger: Trigger
) -> Iterator[Effect]:
    """The effects that one word of a row means; none where there is nothing to do it to.

    `before` and `after` are the record on either side of the event.
    """
    if action in _ALWAYS_THE_SAME:
        yield _ALWAYS_THE_SAME[action]
    elif action in _ON_THE_COMMENT:
        if (comment_id := _comment_of(event)) is not None:
            yield React(comment_id=comment_id, reaction=_ON_THE_COMMENT[action])
    elif action is Action.CANCEL_RUN:
        yield from _cancelled_run(before, event)
    elif action in {Action.LOOK_AGAIN, Action.PUBLISH}:
        yield from _about_run(event)
    elif action in {Action.SET_START_TIMER, Action.START_POSTPONED_RUN}:
        yield from _about_postponed_start(action, after)
    elif action is Action.START_REVISION and after.revision is not None:
        yield StartRevision(source=after.revision.source)
    elif action is Action.START_MENTIONED and after.mention is not None:
        yield StartMentioned(comment_id=after.mention.comment_id)
    elif (
        action is Action.ADD_READY and isinstance(event, events.RunEnded) and isinstance(event.ending, Ticket)
    ):
        if event.ending.ready:
            yield AddLabel(label=LabelName.READY)
    elif action is Action.POST_NOTICE:
        key, notice = notice_of(before, after, event, trigger)
        # What comes before the pull request, who may start a run at all, and what became of the issue is said on the issue.
        is_about_issue = isinstance(event, events.LabelRefused | events.IssueEdited)
        there = before.pull_request is not None and not is_about_issue
        yield PostNotice(key=key, notice=notice, on_pull_request=there)
    else:
        yield from _about_question(action, before, after, event)


def _about_run(event: events.Event) -> Iterator[Effect]:
    match event:
        case events.RunProgressed():
            yield next_look(event.progress, event.now)
        case events.RunEnded() if event.change is not None:
            yield Publish(run_id=event.run.run_id, attempt=event.run.attempt, digest=event.change)
        case _:
            return


def _cancelled_run(before: Conversation, event: events.Event) -> Iterator[Effect]:
    """The run that a label has started where the event names it, else the one that we have started."""
    if isinstance(event, events.StartPostponed):
        run_id = event.run.run_id if event.run is not None else None
    else:
        run_cause = before.given or before.revision or before.mention
        run_id = run_cause.run_id if run_cause is not None else None
    if run_id is not None:
        yield CancelRun(run_id=run_id)


def _about_postponed_start(action: Action, after: Conversation) -> Iterator[Effect]:
    if action is Action.SET_START_TIMER:
        yield from start_timer_of(after)
    elif (start := postponed_start_of(after)) is not None:
        yield start


def start_timer_of(record: Conversation) -> Iterator[SetTimer]:
    """The timer of a run that waits for the next day."""
    if (late_start := record.waiting_start) is not None:
        at = start_at(late_start.until, record.issue)
        yield SetTimer(name=TimerName.START, question_id=late_start.timer, at=at)


def _comment_of(event: events.Event) -> int | None:
    """The comment that an event is, if it is one: a review takes no reactions."""
    match event:
        case events.ReplyReceived() | events.MentionReceived():
            return event.comment_id
        case events.ChangesRequested():
            return event.request.comment_id
        case _:
            return None


def _about_question(
    action: Action, before: Conversation, after: Conversation, event: events.Event
) -> Iterator[Effect]:
    clarification = after.question or before.question
    if clarification is None:
        return
    question_id = clarification.question.id
    if action is Action.POST_QUESTION:
        yield PostQuestion(question_id=question_id)
    elif action is Action.EDIT_QUESTION:
        yield EditQuestion(question_id=question_id)
    elif action is Action.START_RUN and isinstance(event, events.ReplyReceived):
        yield StartRun(question_id=question_id, comment_id=event.comment_id)
    elif action is Action.SET_TIMERS:
        yield from timers_of(after)
    elif action is Action.CANCEL_TIMERS:
        for name in (TimerName.REMINDER, TimerName.EXPIRY):
            yield CancelTimer(name=name, question_id=question_id)
    elif action is Action.POST_DECISIONS and (decisions := notice_of_decisions(after)) is not None:
        key, notice = decisions
        yield PostNotice(key=key, notice=notice)


def timers_of(record: Conversation, now: datetime | None = None) -> Iterator[SetTimer]:
    """The timers of an open question. Of a question that has expired by `now`, only the expiry."""
    if record.question is None or record.expires_at is None:
        return
    question_id = record.question.question.id
    if now is None or now < record.expires_at:
        reminder = record.expires_at - timedelta(days=EXPIRY_DAYS - REMINDER_DAYS)
        yield SetTimer(name=TimerName.REMINDER, question_id=question_id, at=reminder)
    yield SetTimer(name=TimerName.EXPIRY, question_id=question_id, at=record.expires_at)
