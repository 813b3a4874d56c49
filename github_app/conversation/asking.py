"""What a run ended with: a question to ask, a ticket, a change, or nothing; and the timers of a question that is open."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import assert_never

from github_app.conversation.answering import BEFORE_CODE_RUNS, question_over
from github_app.conversation.effects import AddLabel, Effect, LabelName, Publish, SetTimer, TimerName
from github_app.conversation.event import ConversationEvent, KeyedNotice
from github_app.conversation.message import Block, Code, Line, Paragraph, Prose, RunLink, Strong, Text
from github_app.conversation.publication import not_published
from github_app.conversation.record import Conversation, MemoReference, RunReference, State
from github_app.conversation.states import EXPIRY_DAYS, MAX_ROUNDS, REMINDER_DAYS, Action, Trigger
from github_app.conversation.wording.asked import how_to_reply
from github_app.conversation.wording.phrases import LABEL_AGAIN, about_question, question_link
from github_app.conversation.wording.ticket_ready import ticket_ready
from pipeline.contract.clarification import Clarification
from pipeline.contract.failure import Failure
from pipeline.contract.ticket import Ticket


@dataclass(frozen=True)
class RunEnded(ConversationEvent):
    """A run that carries this conversation's number has ended.

    `change` is the digest of the artifact that holds a change with the ticket; None where there is none. `dollars` is what the
    run has told of its cost. `nonce` is None for a run that a label started. `ending` is None where it cannot be read, and `why`
    says why. `author` is the login of the issue's author.
    """

    run: RunReference
    nonce: str | None
    created_at: datetime
    commit: str
    ending: Clarification | Failure | Ticket | None
    why: str
    memo: MemoReference | None
    author: str
    ticket_sha256: str
    now: datetime
    change: str | None = None
    dollars: float = 0.0

    def trigger(self, conversation: Conversation) -> Trigger | None:
        if not conversation.waits_for(self.run, self.nonce, self.created_at):
            return None
        match self.ending:
            case Ticket():
                return Trigger.RUN_READY if self.change is None else Trigger.RUN_CHANGED
            case Failure():
                return Trigger.RUN_FAILED
            case Clarification():
                if conversation.rounds >= MAX_ROUNDS:
                    return Trigger.RUN_ASKED_TOO_OFTEN
                answered_questions = {answer.question_id for answer in conversation.every_answer}
                is_answered = self.ending.question.id in answered_questions
                return Trigger.RUN_UNREADABLE if is_answered else Trigger.RUN_ASKED
            case None:
                return Trigger.RUN_UNREADABLE
            case _:
                assert_never(self.ending)

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        after_run = conversation.model_copy(
            update={
                "author": self.author,
                "run_created_at": self.created_at,
                "last_run": self.run,
                "dollars": conversation.dollars + self.dollars,
                "ticket_sha256": self.ticket_sha256,
            }
        )
        if trigger is not Trigger.RUN_ASKED or not isinstance(self.ending, Clarification):
            return after_run
        takes_memo = self.memo is not None and self.ending.stage in BEFORE_CODE_RUNS
        return after_run.model_copy(
            update={
                **question_over(after_run),
                "question": self.ending,
                "asked_in": self.run,
                "commit": self.commit,
                "question_comment_id": None,
                "expires_at": self.now + timedelta(days=EXPIRY_DAYS),
                "hinted": False,
                "keep_wished_by": None,
                "question_on": conversation.pull_request.number if conversation.pull_request else None,
                "rounds": conversation.rounds + 1,
                "memo": self.memo if takes_memo else conversation.memo,
            }
        )

    def effects(self, action: Action) -> Iterator[Effect]:
        if action is Action.PUBLISH and self.change is not None:
            yield Publish(run_id=self.run.run_id, attempt=self.run.attempt, digest=self.change)
        elif action is Action.ADD_READY and isinstance(self.ending, Ticket) and self.ending.ready:
            yield AddLabel(label=LabelName.READY)

    def notice(self, before: Conversation, after: Conversation, trigger: Trigger) -> KeyedNotice:
        return f"run:{self.run.run_id}.{self.run.attempt}", self._blocks(before, after, trigger)

    def _blocks(self, before: Conversation, after: Conversation, trigger: Trigger) -> list[Block]:
        run_id = self.run.run_id
        if trigger is Trigger.RUN_ASKED_TOO_OFTEN:
            return [limit_reached("questions", MAX_ROUNDS)]
        match self.ending:
            case Ticket() if before.state is State.REVISING:
                return [not_published("the run ended without one", run_id, after)]
            case Ticket():
                return ticket_ready(self.ending, run_id)
            case Failure():
                return _run_failed(after, self.ending, run_id)
            case _:
                asked_again = "it asked again what has been answered already"
                return [run_unreadable(self.why if self.ending is None else asked_again, run_id, after)]


@dataclass(frozen=True)
class TimerWentOff(ConversationEvent):
    """A timer about a question."""

    name: TimerName
    question_id: str

    def trigger(self, conversation: Conversation) -> Trigger | None:
        clarification = conversation.question
        if clarification is None or clarification.question.id != self.question_id:
            return None
        if self.name is TimerName.REMINDER:
            return Trigger.REMINDER_DUE
        return Trigger.EXPIRY_DUE if conversation.ended is None else None

    def remember(self, conversation: Conversation, trigger: Trigger) -> Conversation:
        return conversation.with_closure("expired") if trigger is Trigger.EXPIRY_DUE else conversation

    def notice(self, _before: Conversation, after: Conversation, _trigger: Trigger) -> KeyedNotice:
        how: Line = () if after.question is None else how_to_reply(after.question)
        line: Line = (Text("This question still waits for an answer. "), *how, *question_link(after))
        return f"reminder:{about_question(after)}", [Paragraph((line,))]


def timers_of(record: Conversation, now: datetime | None = None) -> Iterator[SetTimer]:
    """The timers of an open question. Of a question that has expired by `now`, only the expiry."""
    if record.question is None or record.expires_at is None:
        return
    question_id = record.question.question.id
    if now is None or now < record.expires_at:
        reminder = record.expires_at - timedelta(days=EXPIRY_DAYS - REMINDER_DAYS)
        yield SetTimer(name=TimerName.REMINDER, question_id=question_id, at=reminder)
    yield SetTimer(name=TimerName.EXPIRY, question_id=question_id, at=record.expires_at)


def limit_reached(what: str, limit: int) -> Block:
    """That a conversation has used its questions, or its runs."""
    line: Line = (
        Strong((Text(f"Stopping after {limit} {what}:"),)),
        Text(" this ticket leaves too much undecided. Nothing was changed. "
             f"Add the answers to the ticket, and {LABEL_AGAIN}."),
    )  # fmt: skip
    return Paragraph((line,))


def run_unreadable(why: str, run_id: int, conversation: Conversation) -> Block:
    """That a run ended, and what it left behind is missing, expired or must not be used."""
    line: Line = (
        Strong((Text("The run produced no usable result:"),)), Text(" "), Prose(why), Text(". Nothing was changed. See run "),
        RunLink(str(run_id)), Text(f"; to try once more, {_again(conversation)}."),
    )  # fmt: skip
    return Paragraph((line,))


def _run_failed(conversation: Conversation, failure: Failure, run_id: int) -> list[Block]:
    is_precondition = failure.kind == "PreconditionFailed"
    opening = "I have not started:" if is_precondition else "The run ended with an error:"
    lines: list[Line] = [(Strong((Text(opening),)), Text(" "), Prose(failure.message))]
    if failure.why:
        lines.append((Text("Why: "), Prose(failure.why)))
    if failure.what_to_do:
        lines.append((Text("What to do: "), Prose(failure.what_to_do)))
    stage: Line = (Text(", stage "), Code(failure.stage)) if failure.stage else ()
    again = Text(f". When this is fixed, {_again(conversation)}.")
    lines.append((Text("Nothing was changed. Run "), RunLink(str(run_id)), *stage, again))
    return [Paragraph((line,)) for line in lines]


def _again(conversation: Conversation) -> str:
    return LABEL_AGAIN if conversation.revision is None else "ask for the changes once more"
