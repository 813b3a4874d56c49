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

MAX_CHECK_REVISIONS = 2
"""So many times one pull request is changed again because of its checks, without anybody asking."""

REMINDER_DAYS = 3
EXPIRY_DAYS = 14


class Trigger(StrEnum):
    """What an event amounts to after every guard: the columns of the table."""

    LABEL_SET = "labeled"
    LABELLER_REFUSED = "labeller refused"
    LABEL_REMOVED = "unlabeled"
    TICKET_EDITED = "ticket edited"
    ISSUE_CLOSED = "issue closed"
    RUN_PROGRESSED = "run progressed"
    RUN_ASKED = "run asked"
    RUN_ASKED_TOO_OFTEN = "run asked too often"
    RUN_READY = "run ended with a ticket"
    RUN_CHANGED = "run ended with a change"
    CHANGE_PUBLISHED = "change published"
    PUBLISH_REFUSED = "change refused"
    REVISED_CHANGE_REFUSED = "revised change refused"
    RUN_FAILED = "run failed"
    RUN_UNREADABLE = "run unreadable"
    ANSWER_GIVEN = "answered"
    ANSWERED_STOP = "answered: nothing to build"
    ANSWER_CHANGED = "answer changed"
    ANSWERED_TOO_OFTEN = "answer changed too often"
    ANSWER_EDITED = "accepted answer edited"
    ANSWER_KEPT = "answer kept for later tickets"
    ANSWER_NOT_KEPT = "answer not kept"
    ANSWER_KEPT_TOO_LATE = "answer kept too late"
    KEEP_WISHED = "box to keep the answer ticked"
    LATE = "late answer"
    CANCEL_REQUESTED = "cancelled"
    HELP_WANTED = "help wanted"
    NOT_UNDERSTOOD = "reply not understood"
    NOT_UNDERSTOOD_AGAIN = "reply not understood again"
    STRANGER = "reply of a stranger"
    START_REFUSED = "start refused"
    MENTION_ACCEPTED = "mentioned"
    MENTION_REFUSED = "mentioned by somebody without the role"
    MENTION_IN_VAIN = "mentioned in vain"
    MENTION_NOT_STARTED = "mentioned, start refused"
    NOTE_WRITTEN = "note written"
    CHANGES_REQUESTED = "changes requested"
    CHANGES_NOT_TAKEN = "changes requested in vain"
    REVIEW_OF_STRANGER = "changes requested by a stranger"
    REVISION_REFUSED = "revision refused"
    CHECKS_SEEN = "checks seen"
    CHECKS_FAILED = "checks failed"
    CHECKS_FAILED_TOO_OFTEN = "checks failed too often"
    BRANCH_PUSHED = "somebody pushed onto the branch"
    MENDING_OVERTAKEN = "somebody pushed while checks were mended"
    START_POSTPONED = "start postponed"
    START_DUE = "postponed start due"
    REMINDER_DUE = "reminder due"
    EXPIRY_DUE = "expiry due"


class Action(StrEnum):
    """What a row does, in its order; `effect_arguments` makes effects of it."""

    REACT_EYES_ON_ISSUE = "👀 on the issue"
    REACT_EYES = "👀"
    REACT_ROCKET = "🚀"
    REACT_CONFUSED = "😕"
    POST_QUESTION = "post question"
    EDIT_QUESTION = "edit question"
    START_RUN = "start run"
    PUBLISH = "publish"
    CANCEL_RUN = "cancel run"
    SET_START_TIMER = "set timer of start"
    START_POSTPONED_RUN = "start postponed run"
    ADD_NEEDS_ANSWER = "label needs-answer"
    REMOVE_NEEDS_ANSWER = "unlabel needs-answer"
    ADD_READY = "label ready"
    REMOVE_READY = "unlabel ready"
    SET_TIMERS = "set timers"
    CANCEL_TIMERS = "cancel timers"
    LOOK_AGAIN = "look again at the run"
    POST_NOTICE = "say it once"
    POST_DECISIONS = "say how to keep the answer"


@dataclass(frozen=True)
class Row:
    """One cell of the table."""

    to: State
    actions: tuple[Action, ...] = ()


_NOTICE = (Action.POST_NOTICE,)
_CONFUSION = (Action.REACT_CONFUSED,)
_CONFUSION_WITH_NOTICE = (Action.REACT_CONFUSED, Action.POST_NOTICE)
_LABEL = (Action.REACT_EYES_ON_ISSUE, Action.REMOVE_READY)
_LABEL_OVER_RUN = (*_LABEL, Action.CANCEL_RUN)
_LABEL_OVER_QUESTION = (*_LABEL, Action.REMOVE_NEEDS_ANSWER, Action.CANCEL_TIMERS)
_ASK = (Action.POST_QUESTION, Action.ADD_NEEDS_ANSWER, Action.SET_TIMERS)
_REOPEN_QUESTION = (Action.POST_NOTICE, Action.EDIT_QUESTION, Action.ADD_NEEDS_ANSWER, Action.SET_TIMERS)
_CLOSE_QUESTION = (Action.EDIT_QUESTION, Action.REMOVE_NEEDS_ANSWER, Action.CANCEL_TIMERS)
_START_RUN = (Action.REACT_EYES, Action.START_RUN, Action.EDIT_QUESTION, Action.REACT_ROCKET)
_TAKE_ANSWER = (*_START_RUN, Action.REMOVE_NEEDS_ANSWER, Action.CANCEL_TIMERS)
_END_BY_REPLY = (Action.REACT_EYES, *_CLOSE_QUESTION)
_CANCEL_BY_REPLY = (Action.REACT_EYES, Action.CANCEL_RUN, Action.EDIT_QUESTION)
_EXPIRE = (Action.EDIT_QUESTION, Action.REMOVE_NEEDS_ANSWER)
_TERMINAL = (State.READY, State.FAILED, State.STOPPED, State.CLOSED)
_OPEN = (State.ASKING, State.EXPIRED)
_IN_REVIEW = (State.PUBLISHED, State.REVISING, State.ASKING_IN_REVIEW)


def _rows() -> Iterable[tuple[State, Trigger, Row]]:
    """All cells in which something happens."""
    for state in (State.IDLE, *_TERMINAL):
        yield state, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL)
    yield State.RUNNING, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL_OVER_RUN)
    for state in _OPEN:
        yield state, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL_OVER_QUESTION)

    for state in (State.IDLE, State.FAILED, State.STOPPED, State.CLOSED):
        yield state, Trigger.LABELLER_REFUSED, Row(State.STOPPED, _NOTICE)
    for state in (State.RUNNING, State.READY, *_OPEN):
        yield state, Trigger.LABELLER_REFUSED, Row(state, _NOTICE)

    yield State.RUNNING, Trigger.LABEL_REMOVED, Row(State.STOPPED, (Action.CANCEL_RUN,))
    yield State.RUNNING, Trigger.TICKET_EDITED, Row(State.STOPPED, (Action.CANCEL_RUN, Action.POST_NOTICE))
    yield State.RUNNING, Trigger.ISSUE_CLOSED, Row(State.CLOSED, (Action.CANCEL_RUN,))
    yield State.READY, Trigger.LABEL_REMOVED, Row(State.STOPPED, (Action.REMOVE_READY,))
    yield State.READY, Trigger.TICKET_EDITED, Row(State.STOPPED, (Action.REMOVE_READY, Action.POST_NOTICE))
    for state in _OPEN:
        yield state, Trigger.LABEL_REMOVED, Row(State.STOPPED, _CLOSE_QUESTION)
        yield state, Trigger.TICKET_EDITED, Row(State.STOPPED, _CLOSE_QUESTION)
        yield state, Trigger.ISSUE_CLOSED, Row(State.CLOSED, _CLOSE_QUESTION)
    for state in (State.READY, State.FAILED, State.STOPPED):
        yield state, Trigger.ISSUE_CLOSED, Row(State.CLOSED)

    # A run that failed can be run again on GitHub.
    for state in (State.RUNNING, State.FAILED):
        yield state, Trigger.RUN_ASKED, Row(State.ASKING, _ASK)
        yield state, Trigger.RUN_ASKED_TOO_OFTEN, Row(State.FAILED, _NOTICE)
        yield (
            state,
            Trigger.RUN_READY,
            Row(State.READY, (Action.POST_NOTICE, Action.ADD_READY, Action.POST_DECISIONS)),
        )
        yield state, Trigger.RUN_FAILED, Row(State.FAILED, _NOTICE)
        yield state, Trigger.RUN_UNREADABLE, Row(State.FAILED, _NOTICE)

    for state in _OPEN:
        yield state, Trigger.ANSWER_GIVEN, Row(State.RUNNING, _TAKE_ANSWER)
        yield state, Trigger.ANSWERED_STOP, Row(State.STOPPED, _END_BY_REPLY)
        yield state, Trigger.CANCEL_REQUESTED, Row(State.STOPPED, _END_BY_REPLY)
        yield state, Trigger.HELP_WANTED, Row(state, _NOTICE)
        yield state, Trigger.NOT_UNDERSTOOD, Row(state, _CONFUSION_WITH_NOTICE)
        yield state, Trigger.NOT_UNDERSTOOD_AGAIN, Row(state, _CONFUSION)
        yield state, Trigger.STRANGER, Row(state, _CONFUSION)
        yield state, Trigger.ANSWERED_TOO_OFTEN, Row(State.FAILED, (Action.POST_NOTICE, *_CLOSE_QUESTION))
    yield State.RUNNING, Trigger.ANSWER_CHANGED, Row(State.RUNNING, (Action.CANCEL_RUN, *_START_RUN))
    yield State.RUNNING, Trigger.ANSWERED_TOO_OFTEN, Row(State.RUNNING, _CONFUSION_WITH_NOTICE)
    yield State.RUNNING, Trigger.ANSWER_EDITED, Row(State.RUNNING, _CONFUSION_WITH_NOTICE)
    yield State.RUNNING, Trigger.CANCEL_REQUESTED, Row(State.STOPPED, _CANCEL_BY_REPLY)
    for state in (State.RUNNING, *_TERMINAL):
        yield state, Trigger.LATE, Row(state, _CONFUSION_WITH_NOTICE)

    yield State.RUNNING, Trigger.START_REFUSED, Row(State.ASKING, _REOPEN_QUESTION)
    yield State.ASKING, Trigger.REMINDER_DUE, Row(State.ASKING, _NOTICE)
    yield State.ASKING, Trigger.EXPIRY_DUE, Row(State.EXPIRED, _EXPIRE)
    yield from _rows_of_keeping()
    yield from _rows_of_mentions()
    yield from _rows_of_publishing()
    yield from _rows_of_the_review()
    yield from _rows_of_the_checks()
    yield from _rows_of_progress()
    for state in (State.RUNNING, State.REVISING):
        postpone = (Action.CANCEL_RUN, Action.SET_START_TIMER, Action.POST_NOTICE)
        yield state, Trigger.START_POSTPONED, Row(state, postpone)
        yield state, Trigger.START_DUE, Row(state, (Action.START_POSTPONED_RUN, Action.EDIT_QUESTION))


def _rows_of_keeping() -> Iterable[tuple[State, Trigger, Row]]:
    """Answers for later tickets: `/decide`, and the box of the question."""
    for state in (State.RUNNING, State.REVISING, State.READY):
        yield state, Trigger.ANSWER_NOT_KEPT, Row(state, (Action.REACT_CONFUSED, Action.EDIT_QUESTION))
    for state in (*_OPEN, State.ASKING_IN_REVIEW):
        yield state, Trigger.KEEP_WISHED, Row(state, (Action.EDIT_QUESTION,))
    for state in (State.PUBLISHED, State.REVISING):
        yield state, Trigger.ANSWER_KEPT_TOO_LATE, Row(state, _CONFUSION_WITH_NOTICE)
    for state in (State.RUNNING, State.REVISING):
        yield state, Trigger.ANSWER_KEPT, Row(state, (Action.REACT_EYES, Action.EDIT_QUESTION))
    yield (
        State.READY,
        Trigger.ANSWER_KEPT,
        Row(State.READY, (Action.REACT_EYES, Action.EDIT_QUESTION, Action.POST_DECISIONS)),
    )


def _rows_of_mentions() -> Iterable[tuple[State, Trigger, Row]]:
    """Comments to us: they start what the label would start, and steer what runs."""
    start_actions = (
        Action.REACT_EYES,
        Action.REMOVE_READY,
        Action.START_RUN,
        Action.POST_NOTICE,
        Action.REACT_ROCKET,
    )
    for state in (State.IDLE, *_TERMINAL):
        yield state, Trigger.MENTION_ACCEPTED, Row(State.RUNNING, start_actions)
        yield state, Trigger.MENTION_REFUSED, Row(state, _CONFUSION_WITH_NOTICE)
    for state in (State.RUNNING, State.REVISING):
        yield state, Trigger.NOTE_WRITTEN, Row(state, (Action.REACT_EYES, Action.POST_NOTICE))
        yield state, Trigger.MENTION_REFUSED, Row(state, _CONFUSION)
    for state in (State.IDLE, *_TERMINAL, State.RUNNING, State.REVISING, State.PUBLISHING, State.PUBLISHED):
        yield state, Trigger.MENTION_IN_VAIN, Row(state, _CONFUSION_WITH_NOTICE)
    yield State.RUNNING, Trigger.MENTION_NOT_STARTED, Row(State.FAILED, _NOTICE)


def _rows_of_publishing() -> Iterable[tuple[State, Trigger, Row]]:
    """From a run that made a change to the pull request, the first time and every time after a review."""
    for state in (State.RUNNING, State.FAILED, State.REVISING):
        yield state, Trigger.RUN_CHANGED, Row(State.PUBLISHING, (Action.PUBLISH,))
    yield State.PUBLISHING, Trigger.CHANGE_PUBLISHED, Row(State.PUBLISHED, _NOTICE)
    yield State.PUBLISHING, Trigger.PUBLISH_REFUSED, Row(State.FAILED, _NOTICE)
    yield State.PUBLISHING, Trigger.REVISED_CHANGE_REFUSED, Row(State.PUBLISHED, _NOTICE)


def _rows_of_the_review() -> Iterable[tuple[State, Trigger, Row]]:
    """The events on the pull request: a person asks for changes, and a run makes them or asks there."""
    yield State.PUBLISHED, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL)
    yield State.REVISING, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL_OVER_RUN)
    yield State.ASKING_IN_REVIEW, Trigger.LABEL_SET, Row(State.RUNNING, _LABEL_OVER_QUESTION)
    yield State.PUBLISHED, Trigger.ISSUE_CLOSED, Row(State.CLOSED)
    yield State.REVISING, Trigger.ISSUE_CLOSED, Row(State.CLOSED, (Action.CANCEL_RUN,))
    yield State.ASKING_IN_REVIEW, Trigger.ISSUE_CLOSED, Row(State.CLOSED, _CLOSE_QUESTION)

    revise = (Action.REACT_EYES, Action.START_RUN, Action.POST_NOTICE, Action.REACT_ROCKET)
    yield State.PUBLISHED, Trigger.CHANGES_REQUESTED, Row(State.REVISING, revise)
    for state in _IN_REVIEW:
        yield state, Trigger.LABELLER_REFUSED, Row(state, _NOTICE)
        yield state, Trigger.TICKET_EDITED, Row(state, _NOTICE)
    for state in (*_IN_REVIEW, State.CLOSED):
        yield state, Trigger.CHANGES_NOT_TAKEN, Row(state, _CONFUSION_WITH_NOTICE)
        yield state, Trigger.REVIEW_OF_STRANGER, Row(state, _CONFUSION)
    yield State.REVISING, Trigger.REVISION_REFUSED, Row(State.PUBLISHED, _NOTICE)
    # A revision that failed leaves the pull request as it was, to be asked for again.
    yield State.REVISING, Trigger.RUN_ASKED, Row(State.ASKING_IN_REVIEW, _ASK)
    for trigger in (
        Trigger.RUN_ASKED_TOO_OFTEN,
        Trigger.RUN_READY,
        Trigger.RUN_FAILED,
        Trigger.RUN_UNREADABLE,
    ):
        yield State.REVISING, trigger, Row(State.PUBLISHED, _NOTICE)

    yield State.ASKING_IN_REVIEW, Trigger.ANSWER_GIVEN, Row(State.REVISING, _TAKE_ANSWER)
    for trigger in (Trigger.ANSWERED_STOP, Trigger.CANCEL_REQUESTED):
        yield State.ASKING_IN_REVIEW, trigger, Row(State.PUBLISHED, _END_BY_REPLY)
    yield State.ASKING_IN_REVIEW, Trigger.HELP_WANTED, Row(State.ASKING_IN_REVIEW, _NOTICE)
    yield State.ASKING_IN_REVIEW, Trigger.NOT_UNDERSTOOD, Row(State.ASKING_IN_REVIEW, _CONFUSION_WITH_NOTICE)
    yield State.ASKING_IN_REVIEW, Trigger.NOT_UNDERSTOOD_AGAIN, Row(State.ASKING_IN_REVIEW, _CONFUSION)
    yield State.ASKING_IN_REVIEW, Trigger.STRANGER, Row(State.ASKING_IN_REVIEW, _CONFUSION)
    yield (
        State.ASKING_IN_REVIEW,
        Trigger.ANSWERED_TOO_OFTEN,
        Row(State.PUBLISHED, (Action.POST_NOTICE, *_CLOSE_QUESTION)),
    )
    yield State.ASKING_IN_REVIEW, Trigger.REMINDER_DUE, Row(State.ASKING_IN_REVIEW, _NOTICE)
    yield State.ASKING_IN_REVIEW, Trigger.EXPIRY_DUE, Row(State.ASKING_IN_REVIEW, _EXPIRE)
    yield State.REVISING, Trigger.ANSWER_CHANGED, Row(State.REVISING, (Action.CANCEL_RUN, *_START_RUN))
    yield State.REVISING, Trigger.ANSWERED_TOO_OFTEN, Row(State.REVISING, _CONFUSION_WITH_NOTICE)
    yield State.REVISING, Trigger.ANSWER_EDITED, Row(State.REVISING, _CONFUSION_WITH_NOTICE)
    yield State.REVISING, Trigger.CANCEL_REQUESTED, Row(State.PUBLISHED, _CANCEL_BY_REPLY)
    for state in (State.PUBLISHED, State.REVISING):
        yield state, Trigger.LATE, Row(state, _CONFUSION_WITH_NOTICE)
    yield State.REVISING, Trigger.START_REFUSED, Row(State.ASKING_IN_REVIEW, _REOPEN_QUESTION)


def _rows_of_progress() -> Iterable[tuple[State, Trigger, Row]]:
    """What GitHub tells of a run that goes. The comment about the build is edited whenever what it shows has changed, after
    whatever event: no row has to say so.
    """
    for state in (State.RUNNING, State.REVISING, State.FAILED):
        yield state, Trigger.RUN_PROGRESSED, Row(state, (Action.LOOK_AGAIN,))


def _rows_of_the_checks() -> Iterable[tuple[State, Trigger, Row]]:
    """What the checks of the pull request lead to, and how a person's push ends that."""
    yield (
        State.PUBLISHED,
        Trigger.CHECKS_FAILED,
        Row(State.REVISING, (Action.START_RUN, Action.POST_NOTICE)),
    )
    yield State.PUBLISHED, Trigger.CHECKS_FAILED_TOO_OFTEN, Row(State.PUBLISHED, _NOTICE)
    yield (
        State.REVISING,
        Trigger.MENDING_OVERTAKEN,
        Row(State.PUBLISHED, (Action.CANCEL_RUN, Action.POST_NOTICE)),
    )
    for state in _IN_REVIEW:
        yield state, Trigger.BRANCH_PUSHED, Row(state)
        yield state, Trigger.CHECKS_SEEN, Row(state)


TABLE: dict[tuple[State, Trigger], Row] = {(state, trigger): row for state, trigger, row in _rows()}
"""Every cell that is not in here changes nothing and does nothing; `IGNORED_CELLS` lists those cells."""

IGNORED_CELLS: frozenset[tuple[State, Trigger]] = frozenset(
    (state, trigger) for state in State for trigger in Trigger if (state, trigger) not in TABLE
)


def diagram() -> str:
    """The table as a Mermaid state diagram: changes of state only, one arrow for each pair of states."""
    arrows: dict[tuple[State, State], list[str]] = {}
    for (state, trigger), row in TABLE.items():
        if row.to is not state:
            arrows.setdefault((state, row.to), []).append(trigger.value)
    lines = ["stateDiagram-v2", f"    [*] --> {State.IDLE.value}"]
    lines += [
        f"    {source.value} --> {target.value}: {' / '.join(words)}"
        for (source, target), words in arrows.items()
    ]
    return "\n".join(lines) + "\n"
