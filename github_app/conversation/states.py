"""The conversation as one table: state × what happens → state and effects. The diagram in the docs is drawn from it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from github_app.conversation.record import State

MAX_ROUNDS = 3
"""So many questions one conversation may ask."""

MAX_STARTS = 6
"""So many runs one conversation may start, changed answers included."""

MAX_REVISIONS = 5
"""So many times one pull request may be changed again."""

REMINDER_DAYS = 3
EXPIRY_DAYS = 14


class Happened(StrEnum):
    """What has happened, after every guard: the columns of the table."""

    LABELED = "labeled"
    LABELLER_REFUSED = "labeller refused"
    UNLABELED = "unlabeled"
    TICKET_EDITED = "ticket edited"
    ISSUE_CLOSED = "issue closed"
    RUN_ASKED = "run asked"
    RUN_ASKED_TOO_OFTEN = "run asked too often"
    RUN_READY = "run ended with a ticket"
    RUN_CHANGED = "run ended with a change"
    PUBLISHED = "change published"
    PUBLISH_REFUSED = "change refused"
    REVISED_CHANGE_REFUSED = "revised change refused"
    RUN_FAILED = "run failed"
    RUN_UNREADABLE = "run unreadable"
    ANSWERED = "answered"
    ANSWERED_STOP = "answered: nothing to build"
    ANSWER_CHANGED = "answer changed"
    ANSWERED_TOO_OFTEN = "answer changed too often"
    ANSWER_EDITED = "accepted answer edited"
    DECIDED = "answer kept for later tickets"
    DECIDED_IN_VAIN = "answer not kept"
    LATE = "late answer"
    CANCELLED = "cancelled"
    HELP_WANTED = "help wanted"
    NOT_UNDERSTOOD = "reply not understood"
    NOT_UNDERSTOOD_AGAIN = "reply not understood again"
    STRANGER = "reply of a stranger"
    START_REFUSED = "start refused"
    MENTIONED = "mentioned"
    MENTION_REFUSED = "mentioned by somebody without the role"
    MENTION_IN_VAIN = "mentioned in vain"
    MENTION_NOT_STARTED = "mentioned, start refused"
    NOTED = "note written"
    CHANGES_REQUESTED = "changes requested"
    CHANGES_NOT_TAKEN = "changes requested in vain"
    REVIEW_OF_STRANGER = "changes requested by a stranger"
    REVISION_REFUSED = "revision refused"
    REMINDER_DUE = "reminder due"
    EXPIRY_DUE = "expiry due"


class Do(StrEnum):
    """What is done, in the order in which it stands in a row; `decide` fills in the particulars."""

    EYES_ON_ISSUE = "👀 on the issue"
    EYES = "👀"
    ROCKET = "🚀"
    CONFUSED = "😕"
    POST_QUESTION = "post question"
    EDIT_QUESTION = "edit question"
    START_RUN = "start run"
    PUBLISH = "publish"
    START_REVISION = "start revision"
    START_MENTIONED = "start first run"
    CANCEL_RUN = "cancel run"
    NEEDS_ANSWER = "label needs-answer"
    NO_NEEDS_ANSWER = "unlabel needs-answer"
    READY = "label ready"
    NO_READY = "unlabel ready"
    SET_TIMERS = "set timers"
    CANCEL_TIMERS = "cancel timers"
    SAY = "say it once"
    SAY_DECISION = "say how to keep the answer"


@dataclass(frozen=True)
class Row:
    """One cell of the table."""

    to: State
    does: tuple[Do, ...] = ()


_CLOSE_QUESTION = (Do.EDIT_QUESTION, Do.NO_NEEDS_ANSWER, Do.CANCEL_TIMERS)
_START = (Do.EYES, Do.START_RUN, Do.EDIT_QUESTION, Do.ROCKET)
_ENDED = (State.READY, State.FAILED, State.STOPPED, State.CLOSED)
_OPEN = (State.ASKING, State.EXPIRED)
_IN_REVIEW = (State.PUBLISHED, State.REVISING, State.ASKING_IN_REVIEW)


def _rows() -> Iterable[tuple[State, Happened, Row]]:
    """All cells in which something happens."""
    fresh = (Do.EYES_ON_ISSUE, Do.NO_READY)
    for state in (State.IDLE, *_ENDED):
        yield state, Happened.LABELED, Row(State.RUNNING, fresh)
    yield State.RUNNING, Happened.LABELED, Row(State.RUNNING, (*fresh, Do.CANCEL_RUN))
    for state in _OPEN:
        yield state, Happened.LABELED, Row(State.RUNNING, (*fresh, Do.NO_NEEDS_ANSWER, Do.CANCEL_TIMERS))

    for state in (State.IDLE, *_ENDED):
        yield state, Happened.LABELLER_REFUSED, Row(State.STOPPED, (Do.SAY,))
    for state in (State.RUNNING, *_OPEN):
        yield state, Happened.LABELLER_REFUSED, Row(state, (Do.SAY,))

    yield State.RUNNING, Happened.UNLABELED, Row(State.STOPPED, (Do.CANCEL_RUN,))
    yield State.RUNNING, Happened.TICKET_EDITED, Row(State.STOPPED, (Do.CANCEL_RUN, Do.SAY))
    yield State.RUNNING, Happened.ISSUE_CLOSED, Row(State.CLOSED, (Do.CANCEL_RUN,))
    for state in _OPEN:
        yield state, Happened.UNLABELED, Row(State.STOPPED, _CLOSE_QUESTION)
        yield state, Happened.TICKET_EDITED, Row(State.STOPPED, _CLOSE_QUESTION)
        yield state, Happened.ISSUE_CLOSED, Row(State.CLOSED, _CLOSE_QUESTION)
    for state in (State.READY, State.FAILED, State.STOPPED):
        yield state, Happened.ISSUE_CLOSED, Row(State.CLOSED)

    # A run that failed can be run again on GitHub.
    for state in (State.RUNNING, State.FAILED):
        yield state, Happened.RUN_ASKED, Row(State.ASKING, (Do.POST_QUESTION, Do.NEEDS_ANSWER, Do.SET_TIMERS))
        yield state, Happened.RUN_ASKED_TOO_OFTEN, Row(State.FAILED, (Do.SAY,))
        yield state, Happened.RUN_READY, Row(State.READY, (Do.SAY, Do.READY, Do.SAY_DECISION))
        yield state, Happened.RUN_FAILED, Row(State.FAILED, (Do.SAY,))
        yield state, Happened.RUN_UNREADABLE, Row(State.FAILED, (Do.SAY,))

    for state in _OPEN:
        yield state, Happened.ANSWERED, Row(State.RUNNING, (*_START, Do.NO_NEEDS_ANSWER, Do.CANCEL_TIMERS))
        yield state, Happened.ANSWERED_STOP, Row(State.STOPPED, (Do.EYES, *_CLOSE_QUESTION))
        yield state, Happened.CANCELLED, Row(State.STOPPED, (Do.EYES, *_CLOSE_QUESTION))
        yield state, Happened.HELP_WANTED, Row(state, (Do.SAY,))
        yield state, Happened.NOT_UNDERSTOOD, Row(state, (Do.CONFUSED, Do.SAY))
        yield state, Happened.NOT_UNDERSTOOD_AGAIN, Row(state, (Do.CONFUSED,))
        yield state, Happened.STRANGER, Row(state, (Do.CONFUSED,))
        yield state, Happened.ANSWERED_TOO_OFTEN, Row(State.FAILED, (Do.SAY, *_CLOSE_QUESTION))
    yield State.RUNNING, Happened.ANSWER_CHANGED, Row(State.RUNNING, (Do.CANCEL_RUN, *_START))
    yield State.RUNNING, Happened.ANSWERED_TOO_OFTEN, Row(State.RUNNING, (Do.CONFUSED, Do.SAY))
    yield State.RUNNING, Happened.ANSWER_EDITED, Row(State.RUNNING, (Do.CONFUSED, Do.SAY))
    yield State.RUNNING, Happened.CANCELLED, Row(State.STOPPED, (Do.EYES, Do.CANCEL_RUN, Do.EDIT_QUESTION))
    for state in (State.RUNNING, *_ENDED):
        yield state, Happened.LATE, Row(state, (Do.CONFUSED, Do.SAY))
    for state in (State.RUNNING, State.REVISING, State.READY):
        yield state, Happened.DECIDED_IN_VAIN, Row(state, (Do.CONFUSED, Do.EDIT_QUESTION))
    for state in (State.RUNNING, State.REVISING):
        yield state, Happened.DECIDED, Row(state, (Do.EYES, Do.EDIT_QUESTION))
    yield State.READY, Happened.DECIDED, Row(State.READY, (Do.EYES, Do.EDIT_QUESTION, Do.SAY_DECISION))

    yield (
        State.RUNNING,
        Happened.START_REFUSED,
        Row(State.ASKING, (Do.SAY, Do.EDIT_QUESTION, Do.NEEDS_ANSWER, Do.SET_TIMERS)),
    )
    yield State.ASKING, Happened.REMINDER_DUE, Row(State.ASKING, (Do.SAY,))
    yield State.ASKING, Happened.EXPIRY_DUE, Row(State.EXPIRED, (Do.EDIT_QUESTION, Do.NO_NEEDS_ANSWER))
    yield from _rows_of_mentions()
    yield from _rows_of_publishing()
    yield from _rows_of_the_review()


def _rows_of_mentions() -> Iterable[tuple[State, Happened, Row]]:
    """Comments to us: they start what the label would start, and steer what runs."""
    started = (Do.EYES, Do.NO_READY, Do.START_MENTIONED, Do.SAY, Do.ROCKET)
    for state in (State.IDLE, *_ENDED):
        yield state, Happened.MENTIONED, Row(State.RUNNING, started)
        yield state, Happened.MENTION_REFUSED, Row(state, (Do.CONFUSED, Do.SAY))
    for state in (State.RUNNING, State.REVISING):
        yield state, Happened.NOTED, Row(state, (Do.EYES, Do.SAY))
        yield state, Happened.MENTION_REFUSED, Row(state, (Do.CONFUSED,))
    for state in (State.IDLE, *_ENDED, State.RUNNING, State.REVISING, State.PUBLISHING, State.PUBLISHED):
        yield state, Happened.MENTION_IN_VAIN, Row(state, (Do.CONFUSED, Do.SAY))
    yield State.RUNNING, Happened.MENTION_NOT_STARTED, Row(State.FAILED, (Do.SAY,))


def _rows_of_publishing() -> Iterable[tuple[State, Happened, Row]]:
    """From a run that made a change to the pull request, the first time and every time after a review."""
    for state in (State.RUNNING, State.FAILED, State.REVISING):
        yield state, Happened.RUN_CHANGED, Row(State.PUBLISHING, (Do.PUBLISH,))
    yield State.PUBLISHING, Happened.PUBLISHED, Row(State.PUBLISHED, (Do.SAY,))
    yield State.PUBLISHING, Happened.PUBLISH_REFUSED, Row(State.FAILED, (Do.SAY,))
    yield State.PUBLISHING, Happened.REVISED_CHANGE_REFUSED, Row(State.PUBLISHED, (Do.SAY,))


def _rows_of_the_review() -> Iterable[tuple[State, Happened, Row]]:
    """What happens on the pull request: changes are asked for, a run makes them or asks there."""
    published, revising, asking = State.PUBLISHED, State.REVISING, State.ASKING_IN_REVIEW
    fresh = (Do.EYES_ON_ISSUE, Do.NO_READY)
    yield published, Happened.LABELED, Row(State.RUNNING, fresh)
    yield revising, Happened.LABELED, Row(State.RUNNING, (*fresh, Do.CANCEL_RUN))
    yield asking, Happened.LABELED, Row(State.RUNNING, (*fresh, Do.NO_NEEDS_ANSWER, Do.CANCEL_TIMERS))
    yield published, Happened.ISSUE_CLOSED, Row(State.CLOSED)
    yield revising, Happened.ISSUE_CLOSED, Row(State.CLOSED, (Do.CANCEL_RUN,))
    yield asking, Happened.ISSUE_CLOSED, Row(State.CLOSED, _CLOSE_QUESTION)

    asked_for = (Do.EYES, Do.START_REVISION, Do.SAY, Do.ROCKET)
    yield published, Happened.CHANGES_REQUESTED, Row(revising, asked_for)
    for state in _IN_REVIEW:
        yield state, Happened.LABELLER_REFUSED, Row(state, (Do.SAY,))
        yield state, Happened.CHANGES_NOT_TAKEN, Row(state, (Do.CONFUSED, Do.SAY))
        yield state, Happened.REVIEW_OF_STRANGER, Row(state, (Do.CONFUSED,))
    yield revising, Happened.REVISION_REFUSED, Row(published, (Do.SAY,))
    # A revision that failed leaves the pull request as it was, to be asked for again.
    yield revising, Happened.RUN_ASKED, Row(asking, (Do.POST_QUESTION, Do.NEEDS_ANSWER, Do.SET_TIMERS))
    for happened in (
        Happened.RUN_ASKED_TOO_OFTEN,
        Happened.RUN_READY,
        Happened.RUN_FAILED,
        Happened.RUN_UNREADABLE,
    ):
        yield revising, happened, Row(published, (Do.SAY,))

    yield asking, Happened.ANSWERED, Row(revising, (*_START, Do.NO_NEEDS_ANSWER, Do.CANCEL_TIMERS))
    for happened in (Happened.ANSWERED_STOP, Happened.CANCELLED):
        yield asking, happened, Row(published, (Do.EYES, *_CLOSE_QUESTION))
    yield asking, Happened.HELP_WANTED, Row(asking, (Do.SAY,))
    yield asking, Happened.NOT_UNDERSTOOD, Row(asking, (Do.CONFUSED, Do.SAY))
    yield asking, Happened.NOT_UNDERSTOOD_AGAIN, Row(asking, (Do.CONFUSED,))
    yield asking, Happened.STRANGER, Row(asking, (Do.CONFUSED,))
    yield asking, Happened.ANSWERED_TOO_OFTEN, Row(published, (Do.SAY, *_CLOSE_QUESTION))
    yield asking, Happened.REMINDER_DUE, Row(asking, (Do.SAY,))
    yield asking, Happened.EXPIRY_DUE, Row(asking, (Do.EDIT_QUESTION, Do.NO_NEEDS_ANSWER))
    yield revising, Happened.ANSWER_CHANGED, Row(revising, (Do.CANCEL_RUN, *_START))
    yield revising, Happened.ANSWERED_TOO_OFTEN, Row(revising, (Do.CONFUSED, Do.SAY))
    yield revising, Happened.ANSWER_EDITED, Row(revising, (Do.CONFUSED, Do.SAY))
    yield revising, Happened.CANCELLED, Row(published, (Do.EYES, Do.CANCEL_RUN, Do.EDIT_QUESTION))
    for state in (published, revising):
        yield state, Happened.LATE, Row(state, (Do.CONFUSED, Do.SAY))
    yield (
        revising,
        Happened.START_REFUSED,
        Row(asking, (Do.SAY, Do.EDIT_QUESTION, Do.NEEDS_ANSWER, Do.SET_TIMERS)),
    )


TABLE: dict[tuple[State, Happened], Row] = {(state, happened): row for state, happened, row in _rows()}
"""Every cell that is not in here changes nothing and does nothing; `IGNORED` lists those cells."""

IGNORED: frozenset[tuple[State, Happened]] = frozenset(
    (state, happened) for state in State for happened in Happened if (state, happened) not in TABLE
)


def diagram() -> str:
    """The table as a Mermaid state diagram: changes of state only, one arrow for each pair of states."""
    arrows: dict[tuple[State, State], list[str]] = {}
    for (state, happened), row in TABLE.items():
        if row.to is not state:
            arrows.setdefault((state, row.to), []).append(happened.value)
    lines = ["stateDiagram-v2", f"    [*] --> {State.IDLE.value}"]
    lines += [
        f"    {source.value} --> {target.value}: {' / '.join(words)}"
        for (source, target), words in arrows.items()
    ]
    return "\n".join(lines) + "\n"
