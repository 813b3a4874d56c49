"""The runs that a conversation starts: what each is for, what the record knows of it, what follows where it cannot start."""

from datetime import datetime
from typing import NamedTuple, assert_never

from github_app.conversation import effects, events
from github_app.conversation.record import Conversation, RunReference

Start = effects.StartRun | effects.StartRevision | effects.StartMentioned


class RunSource(NamedTuple):
    """What a run is for, of which its nonce is made: equal sources start one run, ever."""

    about: str
    id: int


def source_of(conversation: Conversation, effect: Start) -> RunSource | None:
    """What a run shall be started for; None where the record waits for something else by now."""
    match effect:
        case effects.StartRun():
            answer = conversation.given
            is_current = answer is not None and answer.answer.comment_id == effect.comment_id
            return RunSource(effect.question_id, effect.comment_id) if is_current else None
        case effects.StartRevision():
            revision = conversation.revision
            is_current = revision is not None and revision.source == effect.source
            return RunSource(effect.source, revision.source_id) if revision and is_current else None
        case effects.StartMentioned():
            mention = conversation.mention
            is_current = mention is not None and mention.comment_id == effect.comment_id
            return RunSource("mention", effect.comment_id) if is_current else None
        case _:
            assert_never(effect)


def with_run(conversation: Conversation, effect: Start, run_id: int | None, nonce: str) -> Conversation:
    """The record of a run that was started; `run_id` is None where GitHub does not tell it."""
    run = {"run_id": run_id, "nonce": nonce}
    update: dict[str, object] = {"postponed_start": None}
    if run_id is not None:
        update["runs"] = (*conversation.runs, run_id)
    match effect:
        case effects.StartRun() if conversation.given is not None:
            update |= {"given": conversation.given.model_copy(update=run), "starts": conversation.starts + 1}
        case effects.StartRevision() if conversation.revision is not None:
            update["revision"] = conversation.revision.model_copy(update=run)
        case effects.StartMentioned() if conversation.mention is not None:
            update["mention"] = conversation.mention.model_copy(update=run)
    return conversation.model_copy(update=update)


def postponed_start_of(conversation: Conversation) -> Start | effects.RerunRun | None:
    """The start that a record waits for, to be done now."""
    if (pending_answer := conversation.given) is not None:
        answer = pending_answer.answer
        return effects.StartRun(question_id=answer.question_id, comment_id=answer.comment_id or 0)
    if conversation.revision is not None:
        return effects.StartRevision(source=conversation.revision.source)
    if conversation.mention is not None:
        return effects.StartMentioned(comment_id=conversation.mention.comment_id)
    late_start = conversation.postponed_start
    if late_start is None or late_start.run is None:
        return None
    return effects.RerunRun(run_id=late_start.run.run_id, attempt=late_start.run.attempt)


def not_started(effect: Start, status: int, message: str, at: datetime) -> events.Event:
    """What happened where GitHub starts no run, in its own words."""
    match effect:
        case effects.StartRun():
            return events.StartRefused(effect.question_id, effect.comment_id, status, message, at)
        case effects.StartRevision():
            return events.RevisionNotStarted(effect.source, status, message)
        case effects.StartMentioned():
            return events.MentionNotStarted(effect.comment_id, status, message)
        case _:
            assert_never(effect)


def rerun_refused(conversation: Conversation, run: RunReference, why: str, now: datetime) -> events.RunEnded:
    """What happened where GitHub does not run a run again: it has no result."""
    return events.RunEnded(
        run=run, nonce=None, created_at=conversation.labelled_at or now, commit=conversation.commit or "", ending=None,
        why=why, memo=None, author=conversation.author or "", ticket_sha256=conversation.ticket_sha256 or "", now=now,
    )  # fmt: skip


def after_effect(
    effect: effects.Effect, before: Conversation, after: Conversation
) -> tuple[effects.Effect, ...]:
    """What is left to do behind an effect. Where no run could be started, nothing tells of a start.

    `before` and `after` are the record on either side of the effect.
    """
    remaining_effects = after.outbox[1:]
    if not _is_refused(effect, before, after):
        return remaining_effects
    return tuple(later for later in remaining_effects if not _tells_of_a_start(later))


def _is_refused(effect: effects.Effect, before: Conversation, after: Conversation) -> bool:
    """Whether an effect should have started a run and did not."""
    if isinstance(effect, Start) and after.waiting_start is not None:
        return True
    match effect:
        case effects.StartRun():
            return after.given is None
        case effects.StartRevision():
            return after.revision is None
        case effects.StartMentioned():
            return after.state is not before.state
        case _:
            return False


def _tells_of_a_start(effect: effects.Effect) -> bool:
    match effect:
        case effects.React():
            return effect.reaction is effects.ReactionName.ROCKET
        case effects.PostNotice():
            return _announces_a_run(effect.notice)
        case _:
            return False


def _announces_a_run(notice: effects.Notice) -> bool:
    match notice:
        case effects.MentionAnswered():
            return notice.how == "started"
        case effects.ChecksFailed():
            return notice.how == "mending"
        case effects.RevisionStarted():
            return True
        case _:
            return False
