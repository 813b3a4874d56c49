"""Replies to a plan: which options of which points a text such as `2b, 3a` names, and a plan and its points in words.

The App and the run read them alike. A point is called by its number and an option of it by a letter, always together: a
number alone and a letter alone name nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pipeline.contract.clarification import Option, PlanPoint, Question

LETTERS = "abcdefgh"
"""How the options of a point are called, in their order."""

MAX_WORDS = 600
"""Characters of a plan in words, so that it fits beside an answer and into the hidden line of a comment."""

# An item is a number and a letter with at most one sign between them: "2b", "#2b", "2 b", "2: b", "2) b". Nothing may be
# glued to the letter ("2bc", "2b3"), and before the number stands only what parts it from the item before.
_ITEM = r"\#?([1-9][0-9]?)[ \t]?[.:)=-]?[ \t]?([A-Za-z])(?![A-Za-z0-9_])"
_BETWEEN = r"(?:\s*[,;+&]\s*(?:and\s+)?|\s+(?:and\s+)?)"
_ONE = re.compile(_ITEM, re.ASCII)
_LIST = re.compile(rf"{_ITEM}(?:{_BETWEEN}{_ITEM})*", re.ASCII)


@dataclass(frozen=True)
class NamedOptions:
    """The options that a text names at its beginning. `end` is where the list ends in the text.

    `points` has an option's id by its point's id. `unknown` are items that the plan does not have, such as `9z`;
    `doubled` are numbers of points for which two options are named.
    """

    end: int
    points: Mapping[str, str]
    unknown: tuple[str, ...] = ()
    doubled: tuple[int, ...] = ()

    def is_all_of(self, text: str) -> bool:
        """Whether the text names options that the plan has, one for a point, and says nothing else."""
        return self.end == len(text) and not (self.unknown or self.doubled)


def named_options(text: str, points: Sequence[PlanPoint]) -> NamedOptions | None:
    """The list of options with which a text begins; None if it begins with no such list.

    Example: of "2b and 3a, please" the list is "2b and 3a". Linear in the length of the list.
    """
    match = _LIST.match(text)
    if match is None:
        return None
    choices: dict[str, str] = {}
    unknown: list[str] = []
    doubled: list[int] = []
    for digits, letter in _ONE.findall(match.group()):
        number, at = int(digits), LETTERS.find(letter.lower())
        point = points[number - 1] if number <= len(points) else None
        if point is None or not 0 <= at < len(point.options):
            unknown.append(f"{digits}{letter}")
        elif choices.setdefault(point.id, point.options[at].id) != point.options[at].id:
            doubled.append(number)
    return NamedOptions(match.end(), choices, tuple(unknown), tuple(dict.fromkeys(doubled)))


def chosen_option(point: PlanPoint, choices: Mapping[str, str]) -> Option:
    """The option of a point that an answer chose, or the one that the plan takes."""
    options = {option.id: option for option in point.options}
    return options.get(choices.get(point.id, point.taken), options[point.taken])


def reply_to(point: PlanPoint, number: int, option: Option) -> str:
    """What a person writes to have an option, such as `2b`."""
    return f"{number}{LETTERS[point.options.index(option)]}"


def example_of(points: Sequence[PlanPoint]) -> str | None:
    """A reply that changes the first point; None without points."""
    return next(_examples(points), None)


def example_of_several(points: Sequence[PlanPoint]) -> str | None:
    """A reply that changes the first two points; None without two."""
    return " ".join(islice(_examples(points), 2)) if len(points) > 1 else None


def _examples(points: Sequence[PlanPoint]) -> Iterator[str]:
    for number, point in enumerate(points, start=1):
        other_option = next(option for option in point.options if option.id != point.taken)
        yield reply_to(point, number, other_option)


def plan_replies_in_plain_text(question: Question) -> str:
    """What would be accepted, in one line."""
    example, example_of_two = example_of(question.points), example_of_several(question.points)
    change = f", {example} to change a point" if example else ""
    change += f" (several: {example_of_two})" if example_of_two else ""
    return f"Reply go for the plan as it stands{change}, or /answer and one sentence."


def choices_in_words(points: Sequence[PlanPoint], choices: Mapping[str, str]) -> str:
    """What an answer decides of every point, those that it changes first: "Who may? Admins. Which name? dry_run."."""
    order = sorted(points, key=lambda point: choices.get(point.id, point.taken) == point.taken)
    return _cut(
        " ".join(
            f"{_sentence(point.text)} {_sentence(chosen_option(point, choices).label)}" for point in order
        )
    )


def changes_in_short(points: Sequence[PlanPoint], choices: Mapping[str, str]) -> str:
    """What a person chose in a plan, in one line: "2b (Admins), the rest as planned", or "as planned"."""
    changes = [
        f"{reply_to(point, number, option)} ({option.label})"
        for number, point in enumerate(points, start=1)
        if (option := chosen_option(point, choices)).id != point.taken
    ]
    if not changes:
        return "as planned"
    rest = ", the rest as planned" if len(changes) < len(points) else ""
    return f"{', '.join(changes)}{rest}"


def answer_in_words(question: Question, choices: Mapping[str, str] | None) -> str | None:
    """What travels beside an answer to a plan as its `label`: what it decides of every point, or, beside free text (None), the
    plan that the text is about. None where there are no words, as for a plan without points.
    """
    return (
        plan_in_words(question) if choices is None else choices_in_words(question.points, choices)
    ) or None


def plan_in_words(question: Question) -> str:
    """The points of a plan as they are numbered, and the plan, so that words about it can be understood without it."""
    return _cut(" ".join(_plan_sentences(question)))


def _plan_sentences(question: Question) -> Iterator[str]:
    for number, point in enumerate(question.points, start=1):
        options = ", ".join(
            f"{reply_to(point, number, option)}{' (taken)' if option.id == point.taken else ''} {option.label}"
            for option in point.options
        )
        yield f"Point {number}: {_sentence(point.text)} {options}."
    if question.plan is not None:
        yield _sentence(question.plan.summary)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 1]}…"
