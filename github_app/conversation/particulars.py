"""The particulars of each effect that a row of the table names: which comment, which run, which words."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta

from github_app.conversation import events
from github_app.conversation.absorbing import exchanges_of
from github_app.conversation.effects import (
    CancelRun,
    CancelTimer,
    DecisionsToAdd,
    EditQuestion,
    Effect,
    Label,
    LabelName,
    PostNotice,
    PostQuestion,
    Publish,
    React,
    Reaction,
    SetTimer,
    StartMentioned,
    StartRevision,
    StartRun,
    TimerName,
    Unlabel,
)
from github_app.conversation.notices import notice_of
from github_app.conversation.record import Conversation
from github_app.conversation.states import EXPIRY_DAYS, REMINDER_DAYS, Do, Happened
from pipeline.contract.ticket import Ticket

_ALWAYS_THE_SAME: dict[Do, Effect] = {
    Do.EYES_ON_ISSUE: React(comment_id=None, reaction=Reaction.EYES),
    Do.NEEDS_ANSWER: Label(label=LabelName.NEEDS_ANSWER),
    Do.NO_NEEDS_ANSWER: Unlabel(label=LabelName.NEEDS_ANSWER),
    Do.NO_READY: Unlabel(label=LabelName.READY),
}

_ON_THE_COMMENT = {
    Do.EYES: Reaction.EYES,
    Do.ROCKET: Reaction.ROCKET,
    Do.CONFUSED: Reaction.CONFUSED,
}


def effects_of(
    do: Do, before: Conversation, after: Conversation, event: events.Event, happened: Happened
) -> Iterator[Effect]:
    """The effects that one word of a row means; none where there is nothing to do it to.

    `before` and `after` are the record on either side of the event.
    """
    if do in _ALWAYS_THE_SAME:
        yield _ALWAYS_THE_SAME[do]
    elif do in _ON_THE_COMMENT:
        if (comment_id := _comment_of(event)) is not None:
            yield React(comment_id=comment_id, reaction=_ON_THE_COMMENT[do])
    elif do is Do.CANCEL_RUN:
        started = before.given or before.revision or before.mention
        if started is not None and started.run_id is not None:
            yield CancelRun(run_id=started.run_id)
    elif do is Do.PUBLISH and isinstance(event, events.RunEnded) and event.change is not None:
        yield Publish(run_id=event.run.run_id, attempt=event.run.attempt, digest=event.change)
    elif do is Do.START_REVISION and after.revision is not None:
        yield StartRevision(source=after.revision.source)
    elif do is Do.START_MENTIONED and after.mention is not None:
        yield StartMentioned(comment_id=after.mention.comment_id)
    elif do is Do.READY and isinstance(event, events.RunEnded) and isinstance(event.ending, Ticket):
        if event.ending.ready:
            yield Label(label=LabelName.READY)
    elif do is Do.SAY:
        key, notice = notice_of(before, after, event, happened)
        # What comes before the pull request, and who may start a run at all, is said on the issue.
        there = before.pull_request is not None and not isinstance(event, events.LabellerRefused)
        yield PostNotice(key=key, notice=notice, on_pull_request=there)
    else:
        yield from _about_question(do, before, after, event)


def _comment_of(event: events.Event) -> int | None:
    """The comment that an event is, if it is one: a review takes no reactions."""
    match event:
        case events.Replied() | events.Mentioned():
            return event.comment_id
        case events.ChangesRequested():
            return event.asked.comment_id
        case _:
            return None


def _about_question(
    do: Do, before: Conversation, after: Conversation, event: events.Event
) -> Iterator[Effect]:
    asked = after.question or before.question
    if asked is None:
        return
    question_id = asked.question.id
    if do is Do.POST_QUESTION:
        yield PostQuestion(question_id=question_id)
    elif do is Do.EDIT_QUESTION:
        yield EditQuestion(question_id=question_id)
    elif do is Do.START_RUN and isinstance(event, events.Replied):
        yield StartRun(question_id=question_id, comment_id=event.comment_id)
    elif do is Do.SET_TIMERS and after.expires_at is not None:
        reminder = after.expires_at - timedelta(days=EXPIRY_DAYS - REMINDER_DAYS)
        yield SetTimer(name=TimerName.REMINDER, question_id=question_id, at=reminder)
        yield SetTimer(name=TimerName.EXPIRY, question_id=question_id, at=after.expires_at)
    elif do is Do.CANCEL_TIMERS:
        for name in TimerName:
            yield CancelTimer(name=name, question_id=question_id)
    elif do is Do.SAY_DECISION:
        entries = tuple(
            one.decision.model_dump_json(exclude_none=True) for one in exchanges_of(after) if one.decision
        )
        if entries:
            key = f"decisions:{hashlib.sha256(' '.join(entries).encode()).hexdigest()[:16]}"
            yield PostNotice(key=key, notice=DecisionsToAdd(entries=entries))
