"""What the record knows after an event: the part of a decision that only remembers. Pure."""

from datetime import timedelta
from typing import assert_never

from github_app.conversation import events
from github_app.conversation.answering import (
    BEFORE_CODE_RUNS,
    answer_to,
    exchanges_with,
    given_answer,
    with_decision,
)
from github_app.conversation.checks import failed_checks
from github_app.conversation.record import (
    Conversation,
    Exchange,
    MentionStart,
    PostponedStart,
    QuestionClosure,
    RevisionAsked,
    State,
    WorkDone,
)
from github_app.conversation.states import EXPIRY_DAYS, Trigger
from pipeline.contract.change import Work
from pipeline.contract.clarification import Clarification

_ABOUT_ONE_RUN = frozenset({"budget", "confirmation"})
"""Slots whose answers hold for the work that asked: more of it, none of it, or one certain call."""

_ACTED_UPON = frozenset(
    {
        Trigger.ANSWER_GIVEN,
        Trigger.ANSWERED_STOP,
        Trigger.ANSWER_CHANGED,
        Trigger.ANSWERED_TOO_OFTEN,
        Trigger.CANCEL_REQUESTED,
        Trigger.ANSWER_KEPT,
        Trigger.ANSWER_NOT_KEPT,
    }
)


def update_record(conversation: Conversation, event: events.Event, trigger: Trigger) -> Conversation:
    """What the record knows after the event."""
    match event:
        case events.IssueLabeled():
            return Conversation(
                repository_id=conversation.repository_id,
                issue=conversation.issue,
                labelled_at=event.at,
                author=event.author,
                maintainer=event.labeller,
                ticket_sha256=event.ticket_sha256,
                ticket_keys=event.ticket_keys,
                runs=conversation.runs,
                starts=0,
            )
        case events.MentionReceived() | events.MentionNotStarted():
            return _update_after_mention(conversation, event, trigger)
        case events.LabelRefused():
            return conversation.model_copy(update={"labelled_at": event.at})
        case events.RunEnded() | events.RunProgressed():
            return _update_after_run(conversation, event, trigger)
        case events.ReplyReceived() | events.KeepTicked():
            return _update_after_person(conversation, event, trigger)
        case events.IssueUnlabeled():
            return _close(conversation, QuestionClosure(how="unlabeled"))
        case events.IssueEdited():
            return _update_after_edit(conversation)
        case events.IssueClosed():
            return _close(conversation, QuestionClosure(how="issue_closed"))
        case events.TimerWentOff():
            is_expiry = trigger is Trigger.EXPIRY_DUE
            return _close(conversation, QuestionClosure(how="expired")) if is_expiry else conversation
        case (
            events.ChangesRequested()
            | events.ChecksSeen()
            | events.ChangePublished()
            | events.PublishRefused()
            | events.RevisionNotStarted()
        ):
            return _update_after_pull_request_event(conversation, event, trigger)
        case events.StartRefused() | events.StartPostponed() | events.StartDue():
            return _update_after_start(conversation, event)
        case _:
            assert_never(event)


def _update_after_start(
    conversation: Conversation, event: events.StartRefused | events.StartPostponed | events.StartDue
) -> Conversation:
    match event:
        case events.StartRefused():
            deadline = event.now + timedelta(days=EXPIRY_DAYS)
            return conversation.model_copy(update={"given": None, "expires_at": deadline})
        case events.StartPostponed():
            earlier_run = conversation.postponed_start.run if conversation.postponed_start else None
            late_start = PostponedStart(until=event.day.until, run=event.run or earlier_run)
            return conversation.model_copy(update={"postponed_start": late_start})
        case events.StartDue():
            earlier = conversation.postponed_start
            due = None if earlier is None else earlier.model_copy(update={"is_due": True})
            return conversation.model_copy(update={"postponed_start": due})
        case _:
            assert_never(event)


def _update_after_mention(
    conversation: Conversation, event: events.MentionReceived | events.MentionNotStarted, trigger: Trigger
) -> Conversation:
    if isinstance(event, events.MentionNotStarted):
        return conversation
    handled_comments = (*conversation.taken, event.comment_id)
    if trigger is not Trigger.MENTION_ACCEPTED:
        return conversation.model_copy(update={"taken": handled_comments})
    return Conversation(
        repository_id=conversation.repository_id,
        issue=conversation.issue,
        labelled_at=event.at,
        mention=MentionStart(comment_id=event.comment_id),
        author=event.author,
        maintainer=event.login,
        ticket_sha256=event.ticket_sha256,
        ticket_keys=event.ticket_keys,
        taken=handled_comments,
        runs=conversation.runs,
    )


def _close(conversation: Conversation, closure: QuestionClosure) -> Conversation:
    return conversation.model_copy(update={"ended": closure}) if conversation.given is None else conversation


def _update_after_edit(conversation: Conversation) -> Conversation:
    """A pull request outlives an edit of its issue, and so does what is asked there."""
    if conversation.pull_request is not None:
        return conversation.model_copy(update={"is_edited": True})
    return _close(conversation, QuestionClosure(how="ticket_edited"))


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
    clarification, pending_answer, at = conversation.question, conversation.given, conversation.run_created_at
    if clarification is None or pending_answer is None:
        return conversation.exchanges
    return (
        *conversation.exchanges,
        *exchanges_with(clarification, pending_answer, at.date() if at is not None else None),
    )


def _update_after_pull_request_event(
    conversation: Conversation, event: events.OnThePullRequest, trigger: Trigger
) -> Conversation:
    match event:
        case events.ChangesRequested():
            return _update_after_request(conversation, event, trigger)
        case events.ChecksSeen():
            return _update_after_checks(conversation, event, trigger)
        case events.ChangePublished():
            over = _with_question_over(conversation)
            exchange_count = {"offered": len(exchanges_of(conversation))}
            return conversation.model_copy(
                update={
                    "pull_request": event.pull_request.model_copy(update=exchange_count),
                    "work": _work_done(event.work),
                    "checks": (),
                    **over,
                }
            )
        case events.PublishRefused():
            return conversation
        case events.RevisionNotStarted():
            mends = conversation.revision is not None and conversation.revision.failed is not None
            revision_count = (
                {"check_revisions": conversation.check_revisions - 1}
                if mends
                else {"revisions": conversation.revisions - 1}
            )
            return conversation.model_copy(update={"revision": None, **revision_count})
        case _:
            assert_never(event)


def _work_done(work: Work | None) -> WorkDone | None:
    if work is None:
        return None
    return WorkDone(
        rounds=work.rounds,
        exit_code=work.tests.exit_code,
        passed=work.tests.passed,
        failed=work.tests.failed,
        replies=work.replies,
        dollars=work.dollars,
    )


def _update_after_request(
    conversation: Conversation, event: events.ChangesRequested, trigger: Trigger
) -> Conversation:
    if trigger is not Trigger.CHANGES_REQUESTED:
        return conversation
    revising = _with_revision(conversation, RevisionAsked(asked=event.request), event.head)
    return revising.model_copy(update={"revisions": conversation.revisions + 1})


def _update_after_checks(
    conversation: Conversation, event: events.ChecksSeen, trigger: Trigger
) -> Conversation:
    pull_request = conversation.pull_request
    checks_to_fix = failed_checks(event.head, event.checks)
    if pull_request is not None and event.head == pull_request.head:
        conversation = conversation.model_copy(update={"checks": event.checks})
    if trigger is Trigger.CHECKS_FAILED:
        revising = _with_revision(conversation, RevisionAsked(failed=checks_to_fix), event.head)
        return revising.model_copy(update={"check_revisions": conversation.check_revisions + 1})
    if trigger is Trigger.CHECKS_FAILED_TOO_OFTEN:
        source = RevisionAsked(failed=checks_to_fix).source
        return conversation.model_copy(update={"reviewed": (*conversation.reviewed, source)})
    if pull_request is None or trigger is Trigger.CHECKS_SEEN:
        return conversation
    taken_over = pull_request.model_copy(update={"is_taken_over": True})
    return conversation.model_copy(update={"pull_request": taken_over})


def _with_revision(conversation: Conversation, revision: RevisionAsked, head: str | None) -> Conversation:
    """What the run for a revision starts from. Answers about the work of one run do not hold for it."""
    answers = (*conversation.answers, *given_answer(conversation))
    return conversation.model_copy(
        update={
            "revision": revision,
            "reviewed": (*conversation.reviewed, revision.source),
            "commit": head,
            "memo": None,
            **_with_question_over(conversation),
            "answers": tuple(answer for answer in answers if answer.slot not in _ABOUT_ONE_RUN),
        }
    )


def _update_after_run(
    conversation: Conversation, event: events.RunEnded | events.RunProgressed, trigger: Trigger
) -> Conversation:
    if isinstance(event, events.RunProgressed):
        return conversation.model_copy(update={"progress": event.progress})
    after_run = conversation.model_copy(
        update={
            "author": event.author,
            "run_created_at": event.created_at,
            "last_run": event.run,
            "dollars": conversation.dollars + event.dollars,
            "ticket_sha256": event.ticket_sha256,
        }
    )
    if trigger is not Trigger.RUN_ASKED or not isinstance(event.ending, Clarification):
        return after_run
    takes_memo = event.memo is not None and event.ending.stage in BEFORE_CODE_RUNS
    return after_run.model_copy(
        update={
            "question": event.ending,
            "asked_in": event.run,
            "commit": event.commit,
            "question_comment_id": None,
            "expires_at": event.now + timedelta(days=EXPIRY_DAYS),
            "hinted": False,
            "keep_wished_by": None,
            "question_on": conversation.pull_request.number if conversation.pull_request else None,
            "answers": (*conversation.answers, *given_answer(conversation)),
            "exchanges": exchanges_of(after_run),
            "given": None,
            "ended": None,
            "rounds": conversation.rounds + 1,
            "memo": event.memo if takes_memo else conversation.memo,
        }
    )


def _with_kept_answer(
    conversation: Conversation, event: events.ReplyReceived | events.KeepTicked
) -> Conversation:
    clarification, pending_answer = conversation.question, conversation.given
    if clarification is None or pending_answer is None:
        return conversation
    kept_answer = with_decision(clarification, pending_answer, login=event.login, may_keep=event.may_keep)
    return conversation.model_copy(update={"given": kept_answer})


def _update_after_person(
    conversation: Conversation, event: events.ReplyReceived | events.KeepTicked, trigger: Trigger
) -> Conversation:
    if isinstance(event, events.KeepTicked):
        return _update_after_tick(conversation, event, trigger)
    return _update_after_reply(conversation, event, trigger)


def _update_after_tick(
    conversation: Conversation, event: events.KeepTicked, trigger: Trigger
) -> Conversation:
    match trigger:
        case Trigger.KEEP_WISHED:
            wished_by = event.login if event.is_ticked and event.may_keep else None
            return conversation.model_copy(update={"keep_wished_by": wished_by})
        case Trigger.ANSWER_KEPT | Trigger.ANSWER_NOT_KEPT:
            return _with_kept_answer(conversation, event)
        case _:
            return conversation


def _update_after_reply(
    conversation: Conversation, event: events.ReplyReceived, trigger: Trigger
) -> Conversation:
    is_acted_upon = trigger in _ACTED_UPON
    conversation = conversation.model_copy(
        update={"taken": (*conversation.taken, event.comment_id) if is_acted_upon else conversation.taken}
    )
    match trigger:
        case Trigger.ANSWER_GIVEN | Trigger.ANSWERED_STOP | Trigger.ANSWER_CHANGED:
            update: dict[str, object] = {"given": answer_to(conversation, event), "ended": None}
            if conversation.state is State.EXPIRED:
                update["commit"] = None
            return conversation.model_copy(update=update)
        case Trigger.ANSWER_KEPT | Trigger.ANSWER_NOT_KEPT:
            return _with_kept_answer(conversation, event)
        case Trigger.CANCEL_REQUESTED:
            closure = QuestionClosure(how="cancelled", login=event.login)
            return conversation.model_copy(update={"given": None, "ended": closure})
        case Trigger.ANSWERED_TOO_OFTEN if conversation.given is None:
            return conversation.model_copy(update={"ended": QuestionClosure(how="limit")})
        case Trigger.NOT_UNDERSTOOD:
            return conversation.model_copy(update={"hinted": True})
        case _:
            return conversation
