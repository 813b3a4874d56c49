"""Replies that decide several points: which options and words a text such as `2, 1b, c: 30 s` names, and what it decides in words.

App and run read them alike. A point is called by its letter and an option of it by its number, always together, but for the
first point of a question, whose options a number alone names. A plan is no point: there a number alone names nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pipeline.contract.answers import MAX_POINT_WORDS
from pipeline.contract.clarification import Option, Question, QuestionPoint

LETTERS = "abcdefghijklmnopqrst"
"""How the points are called, in their order."""

VALUE = "value"
"""The kind of a point whose answer is a value: its options are numbered, and a number may be the value itself."""

MAX_WORDS = 600
"""Characters of a plan in words, so that it fits next to an answer and into the hidden line of a comment."""

# A number and a letter with at most one sign between them ("2b", "#2b", "2 b", "2) b"), a letter and a number ("b2"), or one of
# them alone. Nothing may be glued to it ("2bc", "2b3"). Behind a colon stand words.
_PAIR = r"\#?[1-9][0-9]?[ \t]?[.)-]?[ \t]?[A-Za-z]|[A-Za-z][1-9][0-9]?"
_COLON = r"[ \t]?[:=](?=[ \t]*[^\s])"
_ITEM = re.compile(
    rf"""(?:\#?(?P<number>[1-9][0-9]?)(?:[ \t]?[.)-]?[ \t]?(?P<letter>[A-Za-z]))?
    |(?P<name>[A-Za-z])(?P<of_name>[1-9][0-9]?)?)(?![A-Za-z0-9_])(?P<colon>{_COLON})?""",
    re.ASCII | re.VERBOSE,
)
_BETWEEN = re.compile(r"\s*[,;+&]\s*(?:and\s+)?|\s+(?:and\s+)?", re.ASCII)
_AFTER_WORDS = re.compile(
    rf"\n|[,;][ \t]*(?:and[ \t]+)?(?=(?:{_PAIR})[ \t]*(?:[,;:=\n]|\Z)|[A-Za-z]{_COLON})", re.ASCII
)
"""Where words end: at the line's end, and before what can only be the next item. A number alone may belong to the words."""
_LONE_NUMBER = re.compile(r"[,;][ \t]*\#?[1-9][0-9]?[ \t]*(?:[,;]|\Z)", re.ASCII)


@dataclass(frozen=True)
class NamedOptions:
    """What a text decides at its beginning. `end` is where the list ends in the text.

    `points` has an option's id by its point's id, `words` a person's own words. `strange_items` are items that mean nothing here,
    such as `9z`; `twice_decided` are points that are decided twice.
    """

    end: int
    points: Mapping[str, str]
    words: Mapping[str, str]
    strange_items: tuple[str, ...] = ()
    twice_decided: tuple[str, ...] = ()


def named_options(text: str, question: Question) -> NamedOptions | None:
    """The list of decisions with which a text begins; None if it begins with no such list.

    Example: of "2b and 3c, please" the list is "2b and 3c". Linear in the length of the text.
    """
    decisions: dict[str, tuple[str | None, str | None]] = {}
    strange_items: list[str] = []
    twice_decided: list[str] = []
    start, end = 0, None
    while item := _ITEM.match(text, start):
        number, letter = item["number"] or item["of_name"], item["letter"] or item["name"]
        is_lone = (letter is None and question.is_about_plan) or (number is None and not item["colon"])
        if is_lone:
            break
        end, words = item.end(), None
        if item["colon"]:
            next_item = _AFTER_WORDS.search(text, end)
            end = len(text) if next_item is None else next_item.start()
            words = text[item.end() : end].strip()
        point = _point_called(letter, question)
        decision = None if point is None else _decision(point, number, words)
        if point is None or decision is None or _may_be_more(words, question):
            strange_items.append(item.group())
        elif decisions.setdefault(point.id, decision) != decision:
            twice_decided.append(point.id)
        between = _BETWEEN.match(text, end)
        if between is None:
            break
        start = between.end()
    if end is None:
        return None
    return NamedOptions(
        end,
        {point: option for point, (option, _) in decisions.items() if option is not None},
        {point: words for point, (_, words) in decisions.items() if words is not None},
        tuple(strange_items),
        tuple(dict.fromkeys(twice_decided)),
    )


def _point_called(letter: str | None, question: Question) -> QuestionPoint | None:
    at = 0 if letter is None else LETTERS.find(letter.lower())
    points = question.every_point
    return points[at] if 0 <= at < len(points) else None


def _decision(
    point: QuestionPoint, number: str | None, words: str | None
) -> tuple[str | None, str | None] | None:
    """Option and words of an item; None where the point has no such option, or the words are too many.

    Words that are an option's label or number are that option. A bare number for a value may be either, and is none.
    """
    if number is None and words is not None:
        if words.isdigit() and point.kind == VALUE and int(words[:4]) <= len(point.options):
            return None
        labels = {option.label.casefold(): str(at) for at, option in enumerate(point.options, start=1)}
        word = labels.get(words.casefold(), words)
        if word.isdigit() and 1 <= int(word[:4]) <= len(point.options):
            number, words = word, None
    if words is not None and len(words) > MAX_POINT_WORDS:
        return None
    if number is None:
        return None, words
    return (point.options[int(number) - 1].id, words) if int(number[:4]) <= len(point.options) else None


def _may_be_more(words: str | None, question: Question) -> bool:
    """Whether words hold a number that may be meant for the first point: "b: 30 s, 2"."""
    return words is not None and not question.is_about_plan and _LONE_NUMBER.search(words) is not None


def chosen_option(point: QuestionPoint, choices: Mapping[str, str]) -> Option:
    """The option of a point that an answer chose, or its default."""
    options = {option.id: option for option in point.options}
    return options.get(choices.get(point.id, point.taken), options[point.taken])


def decision_label(point: QuestionPoint, choices: Mapping[str, str], words: Mapping[str, str] | None) -> str:
    """What an answer decides of a point: the label of an option, words of one's own, or both."""
    own_words = (words or {}).get(point.id)
    label = chosen_option(point, choices).label
    if own_words is None:
        return label
    return f"{label}: {own_words}" if point.id in choices else own_words


def reply_to(question: Question, point: QuestionPoint, option: Option) -> str:
    """What a person writes to have an option, such as `2b`, or `2` for the question itself."""
    at, number = question.every_point.index(point), point.options.index(option) + 1
    return str(number) if at == 0 and not question.is_about_plan else f"{number}{LETTERS[at]}"


def example_of(question: Question) -> str | None:
    """A reply that changes the first point; None without points."""
    return next(_examples(question), None)


def example_of_several(question: Question) -> str | None:
    """A reply that changes the first two points; None without two."""
    return ", ".join(islice(_examples(question), 2)) if len(question.every_point) > 1 else None


def _examples(question: Question) -> Iterator[str]:
    for point in question.every_point:
        other_option = next(option for option in point.options if option.id != point.taken)
        yield reply_to(question, point, other_option)


def point_replies_in_plain_text(question: Question) -> str:
    """What would be accepted, in one line."""
    example, example_of_two = example_of(question), example_of_several(question)
    if not question.is_about_plan:
        return (
            f"Reply go for all defaults, or what you want instead, such as {example_of_two}, or b: and your own words; for "
            "anything else /answer and one sentence."
        )
    change = f", {example} to change a point" if example else ""
    change += f" (several: {example_of_two})" if example_of_two else ""
    return f"Reply go for the plan as it stands{change}, or /answer and one sentence."


def choices_in_words(
    points: Sequence[QuestionPoint], choices: Mapping[str, str], words: Mapping[str, str] | None = None
) -> str:
    """What an answer decides of every point, those that it changes first: "Who may? Admins. Which name? dry_run."."""
    order = sorted(points, key=lambda point: not _is_changed(point, choices, words))
    return _cut(
        " ".join(
            f"{_sentence(point.text)} {_sentence(decision_label(point, choices, words))}" for point in order
        )
    )


def changes_in_short(
    question: Question, choices: Mapping[str, str], words: Mapping[str, str] | None = None
) -> str:
    """What a person decided, in one line: "2b (Admins), the rest as planned", "as planned", or "all defaults"."""
    points = question.every_point
    changes = [
        _change_in_short(question, point, choices, words)
        for point in points
        if _is_changed(point, choices, words)
    ]
    is_plan = question.is_about_plan
    if not changes:
        return "as planned" if is_plan else "all defaults"
    rest = ", the rest as planned" if is_plan else ", the rest by default"
    return f"{', '.join(changes)}{rest if len(changes) < len(points) else ''}"


def _change_in_short(
    question: Question, point: QuestionPoint, choices: Mapping[str, str], words: Mapping[str, str] | None
) -> str:
    label = decision_label(point, choices, words)
    if point.id in choices:
        return f"{reply_to(question, point, chosen_option(point, choices))} ({label})"
    return f"{LETTERS[question.every_point.index(point)]} ({label})"


def _is_changed(point: QuestionPoint, choices: Mapping[str, str], words: Mapping[str, str] | None) -> bool:
    return point.id in (words or {}) or choices.get(point.id, point.taken) != point.taken


def answer_in_words(
    question: Question, choices: Mapping[str, str] | None, words: Mapping[str, str] | None = None
) -> str | None:
    """The `label` of an answer to several points: what it decides of each, or, with free text (None), what
    the text is about. None where there are no words, as for a plan without points.
    """
    if choices is None and not words:
        return points_in_words(question) or None
    return choices_in_words(question.every_point, choices or {}, words) or None


def points_in_words(question: Question) -> str:
    """The points as a reply calls them, and the plan, so that words about it can be understood without it."""
    return _cut(" ".join(_point_sentences(question)))


def _point_sentences(question: Question) -> Iterator[str]:
    for letter, point in zip(LETTERS, question.every_point, strict=False):
        options = ", ".join(
            f"{reply_to(question, point, option)}{' (taken)' if option.id == point.taken else ''} {option.label}"
            for option in point.options
        )
        yield f"Point {letter}: {_sentence(point.text)} {options}."
    if question.plan is not None:
        yield _sentence(question.plan.summary)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 1]}…"
