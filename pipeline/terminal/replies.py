"""Take a reply on the terminal: a line of plain text, which means an option, several, or words."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from pipeline.contract.clarification import Candidate, Clarification, Option, Question
from pipeline.contract.point_reply import named_options, point_replies_in_plain_text
from pipeline.terminal.endings import choices_of
from pipeline.terminal.progress import say


@dataclass(frozen=True)
class TypedReply:
    """What somebody typed: the ids of one or several options; of several points the options and words of each; or words."""

    choices: tuple[str, ...] = ()
    text: str | None = None
    points: Mapping[str, str] | None = None
    words: Mapping[str, str] | None = None


def read_reply(clarification: Clarification, source: TextIO) -> TypedReply | None:
    """Ask until a line of `source` is understood as a reply; None for `/cancel`, and at the end of input.

    The whole grammar of replies belongs to the App, where people write prose. Here a line is a number, a letter, `go`,
    an option's label, `/cancel`, or words after `/answer`; where several options may be chosen, also `both`, `all` or
    numbers with commas or `and` between them. To several points it is `go`, or what `point_reply` reads: `2, 2b, c: 30 s`. As on GitHub, `/go` is
    `go`, and `/answer 2` is `2`.
    """
    prompt = _prompt(clarification.question)
    while True:
        say(sys.stderr, prompt)
        line = source.readline()
        reply = line.strip()
        if not line or reply.lower() in {"/cancel", "/stop"}:
            return None
        command, words, *_ = *reply.split(maxsplit=1), "", ""
        is_answer = command.lower() == "/answer" and words != ""
        choice = words if is_answer else "go" if reply.lower() == "/go" else reply
        if (typed_choice := _typed_choice(choice, clarification)) is not None:
            return typed_choice
        if is_answer:
            return TypedReply(text=choice)
        question, count = clarification.question, len(choices_of(clarification))
        mistake = "no option of the plan" if question.is_about_plan else f"none of 1 to {count}"
        mistake = "no such reply" if question.has_points and not question.is_about_plan else mistake
        say(sys.stderr, f"“{reply}” is {mistake}, and nothing was started.\n")


def _typed_choice(text: str, clarification: Clarification) -> TypedReply | None:
    """The options that a text names; None where it names none."""
    question = clarification.question
    if question.has_points:
        return _decided_points(text, question)
    if text.lower() == "go" and question.default is not None:
        return TypedReply((question.default,))
    options = _chosen_options(text.lower(), choices_of(clarification), multiple=question.multiple)
    return TypedReply(tuple(option.id for option in options)) if options else None


def _prompt(question: Question) -> str:
    if question.has_points:
        return f"{point_replies_in_plain_text(question)[:-1]}, or /cancel to stop: "
    words_for_several = ", `both` or `all`" if question.multiple else ""
    return f"Reply with a number{words_for_several}, `go` for the default, /answer and one sentence, or /cancel to stop: "


def _decided_points(text: str, question: Question) -> TypedReply | None:
    """What a line decides of every point: nothing else than the defaults for `go`; None where it is no such reply."""
    reply = named_options(text, question)
    if text.lower() != "go" and (reply is None or not reply.is_all_of(text)):
        return None
    choices, words = (reply.points, reply.words) if reply is not None else ({}, {})
    points = {
        point.id: choices.get(point.id, point.taken)
        for point in question.every_point
        if point.id in choices or point.id not in words
    }
    return TypedReply(points=points, words=words or None)


def _chosen_options(
    text: str, options: Sequence[Candidate | Option], *, multiple: bool
) -> tuple[Candidate | Option, ...]:
    """The options that a line names, in their order; none if a part of it names nothing, or more than may be chosen."""
    if multiple and (text == "all" or (text == "both" and len(options) == 2)):
        return tuple(options)
    parts = re.split(r"\s*,\s*|\s+and\s+", text) if multiple else [text]
    names = [
        {str(number), chr(ord("a") + number - 1), option.label.lower()}
        for number, option in enumerate(options, 1)
    ]
    if not all(any(part in of_option for of_option in names) for part in parts):
        return ()
    return tuple(option for option, of_option in zip(options, names, strict=True) if of_option & set(parts))
