"""The answer that a reply gives: the same for the App, the terminal and the MCP server."""

from pipeline.contract.answers import Answer, Verdict
from pipeline.contract.choices import choice_of
from pipeline.contract.clarification import Clarification, Question, StopKind
from pipeline.contract.point_reply import answer_in_words
from pipeline.contract.reply_meaning import Reply, ReplyKind

_LONGEST_LABEL = 600
_PLANNED_BY, _POINT = "semantics", "point"
"""The stage that asks about plans, and its slot for one open point."""


def answer_of(clarification: Clarification, reply: Reply, text: str) -> Answer:
    """The answer that a reply gives to a question. `text` is what `commands.answer_text` reads of it.

    A choice travels as its id, a confirmation as its verdict, an answer in a person's own words as these words. Words
    next to a choice or a command go nowhere, but for the reason of a decline.
    """
    question = clarification.question
    verdict = None
    if clarification.kind is StopKind.CONFIRMATION_NEEDED:
        verdict = Verdict.APPROVE if reply.choice == Verdict.APPROVE else Verdict.DECLINE
    says_why = verdict is Verdict.DECLINE and bool(reply.note)
    is_text = verdict is None and _is_in_words(clarification, reply)
    return Answer(
        question_id=question.id,
        slot=question.slot,
        choice=None if is_text or verdict is not None else reply.choice,
        choices=reply.choices or None,
        points=_points(question, reply),
        words=dict(reply.words) or None,
        label=_label(clarification, reply),
        text=text if is_text or says_why else None,
        verdict=verdict,
    )


def _is_in_words(clarification: Clarification, reply: Reply) -> bool:
    """Whether a reply answers in a person's own words: also where it chooses an option that means nothing without them."""
    choice = choice_of(clarification, reply.choice) if reply.choice is not None else None
    return reply.kind is ReplyKind.FREE or (choice is not None and choice.needs_text)


def _points(question: Question, reply: Reply) -> dict[str, str] | None:
    """Every point as a reply leaves it, but for one that it decides in words alone; None for a text, and without points."""
    if not question.has_points or reply.kind not in {ReplyKind.CHOICE, ReplyKind.DEFAULT}:
        return None
    choices, words = dict(reply.points), dict(reply.words)
    return {
        point.id: choices.get(point.id, point.taken)
        for point in question.every_point
        if point.id in choices or point.id not in words
    }


def _label(clarification: Clarification, reply: Reply) -> str | None:
    """The words of an answer that a later run needs, and cannot find itself.

    An agent's question is not on the disk of a new runner. A revision plans anew: it must be told what was decided about
    the plan before.
    """
    question = clarification.question
    if question.has_points:
        choices = None if reply.kind is ReplyKind.FREE else dict(reply.points)
        return answer_in_words(question, choices, dict(reply.words))
    choice = choice_of(clarification, reply.choice) if reply.choice is not None else None
    if choice is None or choice.needs_text:
        return None
    if clarification.kind is StopKind.BLOCKED:
        return choice.label[:_LONGEST_LABEL]
    is_point = clarification.stage == _PLANNED_BY and question.slot == _POINT
    return f"{question.text} {choice.label}."[:_LONGEST_LABEL] if is_point else None
