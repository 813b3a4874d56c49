"""A whole plan in plain text, for surfaces: its parts line by line, and what can be pressed to answer it."""

from collections.abc import Iterator

from pipeline.contract.clarification import Question
from pipeline.contract.plan_reply import reply_to

PLAN_TOO_LONG = "This plan is too long to be shown here: answer on GitHub."

_SHOWN_CHANGES = 12


def plan_parts(question: Question) -> Iterator[tuple[str, ...]]:
    """What the plan changes, then each open point: a head and the lines below it. Nothing where no plan is asked about."""
    if question.plan is not None and question.is_about_plan:
        changes = [f"{change.path}: {change.what}" for change in question.plan.changes[:_SHOWN_CHANGES]]
        yield (
            question.plan.summary,
            *changes,
            *(f"Not part of it: {wish}" for wish in question.plan.left_out),
        )
    for number, point in enumerate(question.points, start=1):
        lines = [f"{number}. {point.text}"]
        for option in point.options:
            mark = " (as planned)" if option.id == point.taken else ""
            effect = f" — {option.effect}" if option.effect else ""
            lines.append(f"{reply_to(point, number, option)}{mark}: {option.label}{effect}")
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
    """What a button replies, and its label: the plan as it stands, and the other options where there is only one point.

    A button answers at once, so with several points it would decide those that nobody has looked at yet.
    """
    if question.is_about_plan:
        yield "go", "Go: as planned"
    if len(question.points) == 1:
        point = question.points[0]
        for option in point.options:
            if option.id != point.taken:
                reply = reply_to(point, 1, option)
                yield reply, f"{reply}. {option.label}"
