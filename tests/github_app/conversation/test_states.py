"""The table of the conversation: every state × event pair is walked, and the diagram in the docs is drawn from it."""

import dataclasses
import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from github_app.conversation.asking import RunEnded, TimerWentOff
from github_app.conversation.checks import ChecksSeen
from github_app.conversation.decide import decide
from github_app.conversation.effects import PostNotice, StartRun, TimerName
from github_app.conversation.event import ConversationEvent
from github_app.conversation.issue import IssueClosed, IssueEdited, IssueLabeled, IssueUnlabeled, LabelRefused
from github_app.conversation.mentions import MentionReceived
from github_app.conversation.progress import RunProgressed
from github_app.conversation.publication import ChangePublished, PublishRefused
from github_app.conversation.record import (
    CheckVerdict,
    Conversation,
    Exchange,
    JudgedCheck,
    MentionStart,
    PendingAnswer,
    PostponedStart,
    PullRequestRecord,
    QuestionClosure,
    RevisionAsked,
    RunProgress,
    RunReference,
    State,
)
from github_app.conversation.replies import KeepTicked, ReplyReceived
from github_app.conversation.review import ChangesRequested
from github_app.conversation.starting import SpentDay, StartDue, StartPostponed, StartRefused
from github_app.conversation.states import IGNORED_CELLS, TABLE, Action, Trigger, diagram
from pipeline.contract.answers import Answer
from pipeline.contract.commands import Wish
from pipeline.contract.failure import Failure
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why
from pipeline.contract.revision import ChangesAsked, FailedChecks
from tests.github_app.conversation.questions import TICKET_SHA256, already_there, asked, two_routes
from tests.github_app.fakes.endings import a_ticket

AT = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
TWO = "route:POST /actions/stream"


def a_record(state: State, *, answered: bool = False, question: bool = True, **more) -> Conversation:
    pending_answer = None
    if answered:
        answer = Answer(question_id=two_routes().question.id, slot="entry_route", choice=TWO, comment_id=2)
        pending_answer = PendingAnswer(
            answer=answer, login="octocat", said="2", choice=TWO, run_id=20, nonce="a" * 32
        )
    return Conversation(
        repository_id=1, issue=418, version=5, state=state, labelled_at=AT, run_created_at=AT if answered else None, ticket_sha256=TICKET_SHA256, author="octocat",
        question=two_routes() if question else None, asked_in=RunReference(run_id=10, attempt=1) if question else None,
        question_comment_id=1 if question else None, given=pending_answer, expires_at=AT + timedelta(days=14), **more,
    )  # fmt: skip


def a_run(ending, *, run_id=11, attempt=1, nonce=None, created_at=LATER) -> RunEnded:
    return RunEnded(
        run=RunReference(run_id=run_id, attempt=attempt), nonce=nonce, created_at=created_at, commit="c" * 40,
        ending=ending, why="it is gone", memo=None, author="octocat", ticket_sha256=TICKET_SHA256, now=LATER,
    )  # fmt: skip


def a_reply(
    kind: ReplyKind, choice: str | None = None, *, comment_id=3, may=True, command=False, edit=False
) -> ReplyReceived:
    why = Why.NOTHING_FOUND if kind in {ReplyKind.UNCLEAR, ReplyKind.CONFLICT} else None
    reply = Reply(kind, choice, why=why)
    return ReplyReceived(reply, comment_id, "octocat", "…", "…", may, is_command=command, is_edit=edit)


def a_mention(wish: Wish = Wish.START, *, may: bool = True) -> MentionReceived:
    return MentionReceived(wish, 8, "octocat", may, LATER, "octocat", TICKET_SHA256)


RUN = RunReference(run_id=11, attempt=1)
PULL_REQUEST = PullRequestRecord(number=419, branch="askfirst/418-x", head="d" * 40, base_commit="c" * 40)
HEAD = "e" * 40
WANTED = ChangesAsked(comment_id=9, text_sha256="0" * 64, asked_by="octocat")
BROKEN = JudgedCheck(name="test", verdict=CheckVerdict.BROKEN, job_id=71)
STOP = Reply(ReplyKind.CHOICE, "stop")
FAILURE = Failure(kind="X", stage=None, message="m", why="", what_to_do="", run=None)


def example(state: State, trigger: Trigger) -> tuple[Conversation, ConversationEvent]:
    """A record in a state and an event that falls into a column."""
    waits = state in {State.RUNNING, State.REVISING}
    last_run = RunReference(run_id=11, attempt=1) if state is State.FAILED else None
    in_review = state in {State.PUBLISHED, State.REVISING, State.ASKING_IN_REVIEW}
    review: dict[str, Any] = {}
    if in_review:
        review = {"pull_request": PULL_REQUEST, "question_on": PULL_REQUEST.number}
    plain = a_record(state, last_run=last_run, **review)
    answered = a_record(state, answered=True, **review)
    label_run = a_record(state, question=not waits, last_run=last_run, **review)
    if state is State.REVISING:
        label_run = label_run.model_copy(update={"revision": RevisionAsked(asked=WANTED, run_id=11)})
    published = plain.model_copy(update={"last_run": RunReference(run_id=11, attempt=1)})
    with_one = plain.model_copy(update={"pull_request": PULL_REQUEST})
    attempt = 2 if state is State.FAILED else 1
    question = asked(slot="other")
    examples: dict[Trigger, tuple[Conversation, ConversationEvent]] = {
        Trigger.LABEL_SET: (plain, IssueLabeled(LATER, "octocat", "1" * 64)),
        Trigger.LABELLER_REFUSED: (plain, LabelRefused(LATER, "triager", "triage")),
        Trigger.LABEL_REMOVED: (plain, IssueUnlabeled()),
        Trigger.TICKET_EDITED: (plain, IssueEdited("1" * 64)),
        Trigger.ISSUE_CLOSED: (plain, IssueClosed()),
        Trigger.RUN_ASKED: (label_run, a_run(question, attempt=attempt)),
        Trigger.RUN_ASKED_TOO_OFTEN: (label_run.model_copy(update={"rounds": 3}), a_run(question, attempt=attempt)),
        Trigger.RUN_READY: (label_run, a_run(a_ticket(), attempt=attempt)),
        Trigger.RUN_CHANGED: (label_run, dataclasses.replace(a_run(a_ticket(), attempt=attempt), change="0" * 64)),
        Trigger.CHANGE_PUBLISHED: (published, ChangePublished(RUN, PULL_REQUEST, None)),
        Trigger.PUBLISH_REFUSED: (
            plain.model_copy(update={"pull_request": None}),
            PublishRefused(RUN, "it is altered"),
        ),
        Trigger.REVISED_CHANGE_REFUSED: (with_one, PublishRefused(RUN, "it is altered")),
        Trigger.MENTION_ACCEPTED: (plain, a_mention()),
        Trigger.MENTION_REFUSED: (plain, a_mention(may=False)),
        Trigger.MENTION_IN_VAIN: (plain, a_mention(Wish.START if waits else Wish.NOTE)),
        Trigger.MENTION_NOT_STARTED: (
            plain.model_copy(update={"mention": MentionStart(comment_id=8)}), StartRefused(MentionStart(comment_id=8).start, 404, "Not Found", LATER),
        ),
        Trigger.NOTE_WRITTEN: (plain, a_mention(Wish.NOTE)),
        Trigger.CHANGES_REQUESTED: (with_one, ChangesRequested(WANTED, True, False, HEAD)),
        Trigger.CHANGES_NOT_TAKEN: (with_one, ChangesRequested(WANTED, True, True, HEAD)),
        Trigger.REVIEW_OF_STRANGER: (with_one, ChangesRequested(WANTED, False, False, HEAD)),
        Trigger.REVISION_REFUSED: (
            with_one.model_copy(update={"revision": RevisionAsked(asked=WANTED), "revisions": 1}),
            StartRefused(RevisionAsked(asked=WANTED).start, 404, "Not Found", LATER),
        ),
        Trigger.RUN_PROGRESSED: (
            label_run, RunProgressed(RunProgress(run=RunReference(run_id=11, attempt=attempt)), None, LATER, LATER),
        ),
        Trigger.CHECKS_SEEN: (with_one, ChecksSeen("d" * 40, (BROKEN.model_copy(update={"job_id": None}),))),
        Trigger.CHECKS_FAILED: (with_one, ChecksSeen("d" * 40, (BROKEN,))),
        Trigger.CHECKS_FAILED_TOO_OFTEN: (
            with_one.model_copy(update={"check_revisions": 2}), ChecksSeen("d" * 40, (BROKEN,)),
        ),
        Trigger.BRANCH_PUSHED: (with_one, ChecksSeen(HEAD, ())),
        Trigger.MENDING_OVERTAKEN: (
            with_one.model_copy(update={"revision": RevisionAsked(failed=FailedChecks(commit="d" * 40, jobs=(71,)), run_id=11)}),
            ChecksSeen(HEAD, ()),
        ),
        Trigger.RUN_FAILED: (label_run, a_run(FAILURE, attempt=attempt)),
        Trigger.RUN_UNREADABLE: (label_run, a_run(None, attempt=attempt)),
        Trigger.ANSWER_GIVEN: (plain, a_reply(ReplyKind.CHOICE, TWO)),
        Trigger.ANSWERED_STOP: (
            plain.model_copy(update={"question": already_there()}),
            a_reply(ReplyKind.CHOICE, "stop"),
        ),
        Trigger.ANSWER_CHANGED: (answered, a_reply(ReplyKind.CHOICE, "route:POST /actions", command=True)),
        Trigger.ANSWERED_TOO_OFTEN: (
            (answered if waits else plain).model_copy(update={"starts": 6}),
            a_reply(ReplyKind.CHOICE, "route:POST /actions", command=True),
        ),
        Trigger.ANSWER_EDITED: (answered, a_reply(ReplyKind.CHOICE, "route:POST /actions", comment_id=2, edit=True)),
        Trigger.ANSWER_KEPT: (answered, dataclasses.replace(a_reply(ReplyKind.DECIDE), may_keep=True)),
        Trigger.ANSWER_NOT_KEPT: (answered, a_reply(ReplyKind.DECIDE)),
        Trigger.ANSWER_KEPT_TOO_LATE: (
            with_one.model_copy(update={"question": None, "exchanges": (Exchange(question="?", answer="a", login="octocat"),)}),
            a_reply(ReplyKind.DECIDE),
        ),
        Trigger.KEEP_WISHED: (plain, KeepTicked("octocat", is_ticked=True, may_keep=True)),
        Trigger.LATE: (answered, a_reply(ReplyKind.CHOICE, "route:POST /actions")),
        Trigger.CANCEL_REQUESTED: (plain, a_reply(ReplyKind.CANCEL, command=True)),
        Trigger.HELP_WANTED: (plain, a_reply(ReplyKind.HELP)),
        Trigger.NOT_UNDERSTOOD: (plain, a_reply(ReplyKind.UNCLEAR)),
        Trigger.NOT_UNDERSTOOD_AGAIN: (plain.model_copy(update={"hinted": True}), a_reply(ReplyKind.CONFLICT)),
        Trigger.STRANGER: (plain, a_reply(ReplyKind.CHOICE, TWO, may=False)),
        Trigger.START_REFUSED: (answered, StartRefused(StartRun(about=two_routes().question.id, id=2), 404, "Not Found", LATER)),
        Trigger.START_POSTPONED: (answered, StartPostponed(SpentDay(20.5, 20.0, LATER))),
        Trigger.START_DUE: (
            answered.model_copy(update={"postponed_start": PostponedStart(until=LATER)}), StartDue()
        ),
        Trigger.REMINDER_DUE: (plain, TimerWentOff(TimerName.REMINDER, two_routes().question.id)),
        Trigger.EXPIRY_DUE: (plain, TimerWentOff(TimerName.EXPIRY, two_routes().question.id)),
    }  # fmt: skip
    return examples[trigger]


PAIRS = list(itertools.product(State, Trigger))


@pytest.mark.parametrize(("state", "trigger"), PAIRS, ids=[f"{s.value}-{h.value}" for s, h in PAIRS])
def test_every_pair_is_in_the_table_or_changes_nothing(state, trigger):
    known, event = example(state, trigger)
    after = decide(known, event)
    row = TABLE.get((state, trigger))
    if row is None:
        assert (state, trigger) in IGNORED_CELLS
        # The same event may be another column in this state, such as a late answer; the pair itself does nothing.
        assert after is known or event.trigger(known) is not trigger
        return
    assert event.trigger(known) is trigger
    assert after.state is row.to
    assert after.version == known.version + 1
    # Two timers are one word of the table, and the comment about the build is none.
    assert len(after.outbox) <= len(row.actions) + 1
    says = Action.POST_NOTICE in row.actions or (
        Action.POST_DECISIONS in row.actions and trigger is Trigger.ANSWER_KEPT
    )
    assert any(isinstance(effect, PostNotice) for effect in after.outbox) == says
    assert any(isinstance(effect, StartRun) for effect in after.outbox) == bool(
        {Action.START_RUN, Action.START_POSTPONED_RUN} & set(row.actions)
    )
    assert Conversation.model_validate_json(after.model_dump_json()) == after


def test_the_table_and_what_it_ignores_are_everything():
    assert set(TABLE) | IGNORED_CELLS == set(PAIRS)
    assert not set(TABLE) & IGNORED_CELLS
    assert {row.to for row in TABLE.values()} | {State.IDLE} == set(State)


def test_the_label_of_a_ready_ticket_is_there_in_no_other_open_state():
    for (state, _), row in TABLE.items():
        if state is State.READY and row.to not in {State.READY, State.CLOSED}:
            assert Action.REMOVE_READY in row.actions
        if state is not State.READY and row.to is State.READY:
            assert Action.ADD_READY in row.actions


def test_only_what_somebody_may_ask_for_and_red_checks_start_a_run():
    starting = {trigger for (_, trigger), row in TABLE.items() if Action.START_RUN in row.actions}
    assert starting == {
        Trigger.ANSWER_GIVEN, Trigger.ANSWER_CHANGED, Trigger.CHANGES_REQUESTED, Trigger.CHECKS_FAILED, Trigger.MENTION_ACCEPTED,
    }  # fmt: skip


REPEATABLE = {
    # These are answered each time by the same reaction and by a notice whose key is the same: performing it is what is once.
    Trigger.ISSUE_CLOSED, Trigger.HELP_WANTED, Trigger.NOT_UNDERSTOOD, Trigger.NOT_UNDERSTOOD_AGAIN, Trigger.STRANGER,
    Trigger.LATE, Trigger.ANSWER_KEPT_TOO_LATE, Trigger.ANSWER_EDITED, Trigger.REMINDER_DUE, Trigger.CHANGES_NOT_TAKEN,
    Trigger.REVIEW_OF_STRANGER, Trigger.START_POSTPONED,
}  # fmt: skip
CELLS_OF_ONE_TURN = [(state, trigger) for state, trigger in TABLE if trigger not in REPEATABLE]


@pytest.mark.parametrize(
    ("state", "trigger"), CELLS_OF_ONE_TURN, ids=[f"{s.value}-{h.value}" for s, h in CELLS_OF_ONE_TURN]
)
def test_the_same_event_twice_is_once(state, trigger):
    known, event = example(state, trigger)
    once = decide(known, event)
    assert once is not known
    assert decide(once, event) is once


def test_a_notice_that_may_be_decided_twice_has_the_same_key_both_times():
    for state, trigger in TABLE:
        if trigger in REPEATABLE:
            known, event = example(state, trigger)
            once = decide(known, event)
            twice = decide(once, event)
            keys = [effect.key for effect in twice.outbox if isinstance(effect, PostNotice)]
            assert len(set(keys)) <= 1


@pytest.mark.parametrize(
    ("known", "event"),
    [
        (a_record(State.RUNNING, answered=True), a_run(a_ticket())),
        (a_record(State.RUNNING, answered=True), a_run(a_ticket(), run_id=21, nonce="b" * 32)),
        (a_record(State.RUNNING, question=False), a_run(a_ticket(), created_at=AT - timedelta(seconds=1))),
        (a_record(State.RUNNING, question=False), a_run(a_ticket(), nonce="b" * 32)),
        (a_record(State.FAILED, last_run=RunReference(run_id=11, attempt=1)), a_run(a_ticket())),
        (a_record(State.FAILED, last_run=RunReference(run_id=11, attempt=1)), a_run(a_ticket(), run_id=12)),
    ],
    ids=["label run while an answer's run is awaited", "another nonce", "older than the label", "dispatched by nobody", "same attempt", "other run"],
)  # fmt: skip
def test_a_run_that_the_conversation_does_not_wait_for_changes_nothing(known, event):
    assert decide(known, event) is known


def test_a_reply_that_is_older_than_the_question_does_not_answer_it():
    known = a_record(State.ASKING).model_copy(update={"question_comment_id": 50})
    assert decide(known, a_reply(ReplyKind.CHOICE, TWO, comment_id=49)) is known
    assert decide(known, a_reply(ReplyKind.CHOICE, TWO, comment_id=49, edit=True)) is known
    assert decide(known, a_reply(ReplyKind.CHOICE, TWO, comment_id=51)).state is State.RUNNING


def test_an_expired_question_starts_from_the_newest_commit():
    record = a_record(State.EXPIRED, commit="c" * 40, ended=QuestionClosure(how="expired"))
    assert decide(record, a_reply(ReplyKind.CHOICE, TWO)).commit is None


def test_the_diagram_in_the_docs_is_drawn_from_the_table():
    page = Path("docs/architecture.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{diagram()}```" in page
