"""Who may answer, and what a reply becomes: the answer that travels into the next run."""

import hashlib
from collections.abc import Mapping
from datetime import date

from github_app.conversation.events import Replied
from github_app.conversation.question import choice_of
from github_app.conversation.record import Conversation, Exchange, Given
from github_app.conversation.reply import Reply, ReplyKind
from github_app.conversation.transcript import Issue, Person, Role
from pipeline.contract.answers import Answer, Verdict
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.decisions import Decision, decision_from

BEFORE_CODE_RUNS = frozenset({"intent", "existing", "decomposition", "semantics"})
"""Stages that ask before any code of the repository has run. Only from there a memo is taken, and an answer offered for
later tickets: what stops later, the rounds of work among them, may have been told by that code what to say."""

_STOP = "stop"
_EXCHANGE = 120
_LONGEST_DECISION = 1_500
"""In characters of JSON: our markers have no room for more, and nobody reviews a longer list."""
_WRITING = frozenset({"edit_file", "create_file", "change_file"})
"""Calls that write one file: of an agent, and of the stage `change` for what was written beside the gate."""


def may_answer(kind: StopKind, person: Person, issue: Issue, role: Role) -> bool:
    """Whether a person may answer a question of this kind.

    The author, the assignees and people with write access may; what approves a tool call or a larger budget takes write
    access, whoever wrote the issue. Bots never answer.
    """
    if person.is_bot:
        return False
    match kind:
        case StopKind.CONFIRMATION_NEEDED:
            return role.may_write
        case StopKind.CLARIFICATION_NEEDED | StopKind.ALREADY_IMPLEMENTED | StopKind.BLOCKED:
            return role.may_write or person.id == issue.author.id or person.id in issue.assignee_ids


def grants_more(asked: Clarification, reply: Reply) -> bool:
    """Whether a reply to a `Blocked` question may grant more budget: every choice but the default may.

    That takes write access, and so do words of one's own: the agent works on with them, on a new budget.
    """
    is_choice = reply.kind is ReplyKind.CHOICE and reply.choice != asked.question.default
    return asked.kind is StopKind.BLOCKED and (is_choice or reply.kind is ReplyKind.FREE)


def stops(conversation: Conversation, reply: Reply) -> bool:
    """Whether a reply ends the conversation without another run: what was wanted is there already."""
    asked = conversation.question
    return asked is not None and asked.kind is StopKind.ALREADY_IMPLEMENTED and reply.choice == _STOP


def answer_to(conversation: Conversation, event: Replied) -> Given:
    """The answer that a reply gives to the conversation's question.

    A choice travels as its id, a confirmation as its verdict, free text as the comment to fetch and the SHA-256 of that
    comment's whole text: what stands beside a choice goes nowhere, but for the reason of a decline.
    """
    asked = conversation.question
    if asked is None:
        raise ValueError("a reply to no question is no answer")
    reply = event.reply
    choice = choice_of(asked, reply.choice) if reply.choice is not None else None
    is_text = reply.kind is ReplyKind.FREE or (choice is not None and choice.needs_text)
    verdict = None
    if asked.kind is StopKind.CONFIRMATION_NEEDED:
        verdict = Verdict.APPROVE if reply.choice == Verdict.APPROVE else Verdict.DECLINE
    says_why = verdict is Verdict.DECLINE and bool(reply.note)
    given = Given(
        answer=Answer(
            question_id=asked.question.id,
            slot=asked.question.slot,
            choice=None if is_text or verdict is not None else reply.choice,
            text_sha256=event.body_sha256 if says_why or (is_text and verdict is None) else None,
            verdict=verdict,
            answered_by=event.login,
            comment_id=event.comment_id,
        ),
        login=event.login,
        said=event.said,
        choice=reply.choice,
        beside=None if is_text else reply.note,
        by_default=reply.kind is ReplyKind.DEFAULT,
    )
    return with_decision(asked, given, event) if reply.keeps else given


def with_decision(asked: Clarification, given: Given, event: Replied) -> Given:
    """An answer that somebody wants to hold for later tickets. That takes write access, and a question about the code."""
    if not event.may_keep:
        return given.model_copy(update={"keep": "no_role"})
    decided = given.model_copy(update={"keep": "kept", "kept_by": event.login})
    if _decision(asked, decided, date.min) is None:
        return given.model_copy(update={"keep": "not_about_code"})
    return decided


def approval_of(text: str) -> str:
    """What a record keeps of a path that a person let be written."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def exchange_of(asked: Clarification, given: Given, on: date | None) -> Exchange:
    """A question and its answer, as a pull request tells them. `on` is the day of the run that worked with it."""
    choice = choice_of(asked, given.choice) if given.choice is not None else None
    approves = given.answer.verdict is Verdict.APPROVE
    return Exchange(
        question=_short(asked.question.text),
        answer=_short(given.said if choice is None or choice.needs_text else choice.label),
        login=given.login,
        is_decision=asked.kind is StopKind.CONFIRMATION_NEEDED or grants_more_by(asked, given),
        approved=(approval_of(path),) if approves and (path := _path_to_write(asked)) is not None else (),
        decision=_decision(asked, given, on) if on is not None else None,
    )


def _decision(asked: Clarification, given: Given, on: date) -> Decision | None:
    """What an answer becomes for later tickets, if somebody with write access said `/decide`."""
    if given.keep != "kept" or asked.stage not in BEFORE_CODE_RUNS:
        return None
    decided = given.answer.model_copy(update={"answered_by": given.kept_by})
    decision = decision_from(asked, decided, on=on)
    fits = decision is not None and len(decision.model_dump_json()) <= _LONGEST_DECISION
    return decision if fits else None


def grants_more_by(asked: Clarification, given: Given) -> bool:
    """Whether an answer granted more budget."""
    return asked.kind is StopKind.BLOCKED and given.choice != asked.question.default


def _short(text: str) -> str:
    return text if len(text) <= _EXCHANGE else text[: _EXCHANGE - 1] + "…"


def _path_to_write(asked: Clarification) -> str | None:
    """The one file that a call writes; None for any other call, such as one that reads.

    Nothing else in a call is taken for a path: its text comes from an agent, and may be the name of another file.
    """
    subject = asked.question.subject or {}
    arguments = subject.get("arguments")
    if subject.get("tool") not in _WRITING or not isinstance(arguments, Mapping):
        return None
    path = arguments.get("path")
    return path if isinstance(path, str) else None


def given_answer(conversation: Conversation) -> tuple[Answer, ...]:
    """The answer that the current run works on, if any."""
    return () if conversation.given is None else (conversation.given.answer,)
