"""What is left to do when GitHub starts no run: everything but what tells of a start. Pure."""

from github_app.conversation import effects
from github_app.conversation.record import Conversation


def is_refused(effect: effects.Effect, before: Conversation, after: Conversation) -> bool:
    """Whether an effect should have started a run and did not; the records are those on either side of it."""
    match effect:
        case effects.StartRun():
            return after.given is None
        case effects.StartRevision():
            return after.revision is None
        case effects.StartMentioned():
            return after.state is not before.state
        case _:
            return False


def without_start(outbox: tuple[effects.Effect, ...]) -> tuple[effects.Effect, ...]:
    """What is left to do when a run could not be started: not its rocket, and nobody is told that it was."""
    return tuple(effect for effect in outbox if not _tells_of_a_start(effect))


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
