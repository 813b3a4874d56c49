"""Who may answer, and what a reply becomes: the answer that travels into the next run."""

from github_app.conversation.events import Replied
from github_app.conversation.question import choice_of
from github_app.conversation.record import Conversation, Given
from github_app.conversation.reply import Reply, ReplyKind
from github_app.conversation.transcript import Issue, Person, Role
from pipeline.contract.answers import Answer, Verdict
from pipeline.contract.clarification import Clarification, StopKind

_STOP = "stop"


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

    That takes write access. Free text grants nothing: it is data for the next attempt.
    """
    is_choice = reply.kind is ReplyKind.CHOICE and reply.choice != asked.question.default
    return asked.kind is StopKind.BLOCKED and is_choice


def stops(conversation: Conversation, reply: Reply) -> bool:
    """Whether a reply ends the conversation without another run: what was wanted is there already."""
    asked = conversation.question
    return asked is not None and asked.kind is StopKind.ALREADY_IMPLEMENTED and reply.choice == _STOP


def answer_to(conversation: Conversation, event: Replied) -> Given:
    """The answer that a reply gives to the conversation's question.

    A choice travels as its id, a confirmation as its verdict, free text as the comment to fetch and the SHA-256 of that
    comment's whole text: what stands beside a choice goes nowhere.
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
    return Given(
        answer=Answer(
            question_id=asked.question.id,
            slot=asked.question.slot,
            choice=None if is_text or verdict is not None else reply.choice,
            text_sha256=event.body_sha256 if is_text and verdict is None else None,
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


def given_answer(conversation: Conversation) -> tuple[Answer, ...]:
    """The answer that the current run works on, if any."""
    return () if conversation.given is None else (conversation.given.answer,)
