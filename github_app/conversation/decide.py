"""Apply one event to a conversation: its guard, then the table, then the effects of its row. Pure; the result is a new record."""

from collections.abc import Iterator

from github_app.conversation.asking import timers_of
from github_app.conversation.effects import (
    AddLabel,
    CancelTimer,
    EditQuestion,
    Effect,
    LabelName,
    PostNotice,
    PostQuestion,
    React,
    ReactionName,
    RemoveLabel,
    ShowProgress,
    TimerName,
)
from github_app.conversation.event import ConversationEvent
from github_app.conversation.progress import progress_comment
from github_app.conversation.record import Conversation
from github_app.conversation.replies import decisions_to_add
from github_app.conversation.starting import start_timer_of
from github_app.conversation.states import TABLE, Action, Trigger

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


def decide(conversation: Conversation, event: ConversationEvent) -> Conversation:
    """The record after an event, its effects appended to the outbox; the same object when nothing happens."""
    trigger = event.trigger(conversation)
    if trigger is None or (row := TABLE.get((conversation.state, trigger))) is None:
        return conversation
    record = event.remember(conversation, trigger).model_copy(update={"state": row.to})
    effects = tuple(
        effect
        for action in row.actions
        for effect in _effects_of(action, conversation, record, event, trigger)
    )
    shows_more = progress_comment(record) != progress_comment(conversation)
    progress_effects = (ShowProgress(),) if shows_more else ()
    return record.model_copy(
        update={
            "outbox": (*conversation.outbox, *effects, *progress_effects),
            "version": conversation.version + 1,
        }
    )


def _effects_of(
    action: Action, before: Conversation, after: Conversation, event: ConversationEvent, trigger: Trigger
) -> Iterator[Effect]:
    """The effects that one word of a row means; none where there is nothing to do it to."""
    if action in _ALWAYS_THE_SAME:
        yield _ALWAYS_THE_SAME[action]
    elif action in _ON_THE_COMMENT:
        if (comment_id := event.comment_to_react_to()) is not None:
            yield React(comment_id=comment_id, reaction=_ON_THE_COMMENT[action])
    elif action is Action.CANCEL_RUN:
        if (cancelled_run := event.cancelled_run(before)) is not None:
            yield cancelled_run
    elif action is Action.POST_NOTICE:
        key, blocks = event.notice(before, after, trigger)
        on_pull_request = before.pull_request is not None and not event.is_about_issue
        yield PostNotice(key=key, blocks=tuple(blocks), on_pull_request=on_pull_request)
    elif action is Action.POST_DECISIONS:
        yield from decisions_to_add(after)
    elif action in {Action.START_RUN, Action.START_POSTPONED_RUN}:
        if (start := after.next_start) is not None:
            yield start
    elif action is Action.SET_START_TIMER:
        yield from start_timer_of(after)
    elif action in {Action.LOOK_AGAIN, Action.PUBLISH, Action.ADD_READY}:
        yield from event.effects(action)
    else:
        yield from _about_question(action, before, after)


def _about_question(action: Action, before: Conversation, after: Conversation) -> Iterator[Effect]:
    clarification = after.question or before.question
    if clarification is None:
        return
    question_id = clarification.question.id
    if action is Action.POST_QUESTION:
        yield PostQuestion(question_id=question_id)
    elif action is Action.EDIT_QUESTION:
        yield EditQuestion(question_id=question_id)
    elif action is Action.SET_TIMERS:
        yield from timers_of(after)
    elif action is Action.CANCEL_TIMERS:
        for name in (TimerName.REMINDER, TimerName.EXPIRY):
            yield CancelTimer(name=name, question_id=question_id)
