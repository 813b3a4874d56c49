"""A plan and the points of a question in plain text, for surfaces: line by line, and what can be pressed to answer them."""

from collections.abc import Iterator

from pipeline.contract.clarification import Question
from pipeline.contract.point_reply import LETTERS, reply_to

PLAN_TOO_LONG = "This plan is too long to be shown here: answer on GitHub."

_SHOWN_CHANGES = 12


def plan_parts(question: Question) -> Iterator[tuple[str, ...]]:
    """What the plan changes, then each point below the question: a head and the lines below it. Nothing without points."""
    if question.plan is not None and question.is_about_plan:
        changes = [f"{change.path}: {change.what}" for change in question.plan.changes[:_SHOWN_CHANGES]]
        yield (
            question.plan.summary,
            *changes,
            *(f"Not part of it: {wish}" for wish in question.plan.left_out),
        )
    default = " (as planned)" if question.is_about_plan else " (default)"
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        if point not in question.points:
            continue
        lines = [f"{letter}. {point.text}"]
        for option in point.options:
            mark = default if option.id == point.taken else ""
            effect = f" — {option.effect}" if option.effect else ""
            lines.append(f"{reply_to(question, point, option)}{mark}: {option.label}{effect}")
        yield tuple(lines)


def with_bullets(part: tuple[str, ...]) -> Iterator[str]:
    """The head, and the lines below it with a bullet each."""
    head, *lines = part
    yield head
    yield from (f"• {line}" for line in lines)


def plan_size(question: Question) -> int:
    """Characters of all parts."""
    return sum(len(line) for part in plan_parts(question) for line in part)


def plan_buttons(question: Question) -> Iterator[tuple[str, str]]:
    """What a button replies, and its label: the whole proposal, and the other options where a plan has only one point.

    A button answers at once, so with several points it would decide points that no person has looked at yet.
    """
    if question.points and not question.is_about_plan:
        yield "go", "Go: all defaults"
    if question.is_about_plan:
        yield "go", "Go: as planned"
        for option in question.points[0].options if len(question.points) == 1 else ():
            if option.id != question.points[0].taken:
                reply = reply_to(question, question.points[0], option)
                yield reply, f"{reply}. {option.label}"
