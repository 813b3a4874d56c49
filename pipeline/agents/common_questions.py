"""Questions that come again and again: output format, data source, scope boundary. A text that names one answer decides.

A text decides if its sentences name exactly one of the alternatives, and name it as that: behind `as` or `to` for a
format, behind `from` for a source. A sentence that says no to one decides nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pipeline.agents.tools import Clarify
from pipeline.domain.words import STOP_WORDS, name_parts


class Ambiguity(StrEnum):
    """What is open."""

    OUTPUT_FORMAT = "output format"
    DATA_SOURCE = "data source"
    SCOPE_BOUNDARY = "scope boundary"


@dataclass(frozen=True)
class CommonQuestion:
    """How a common question is known, and how a text names an answer to it.

    A question is one if it holds one of the words `asked_with`. `values` are alternatives that need not be offered. One of
    `cues` stands before a named alternative; without cues it only has to be named.
    """

    ambiguity: Ambiguity
    asked_with: frozenset[str]
    cues: frozenset[str]
    values: tuple[str, ...] = ()


_FORMATS = ("json", "jsonl", "csv", "tsv", "yaml", "xml", "toml", "markdown", "html")

COMMON_QUESTIONS = (
    CommonQuestion(
        Ambiguity.OUTPUT_FORMAT,
        asked_with=frozenset({"format", "formats", "formatted", *_FORMATS}),
        cues=frozenset("as in into to format output return returns write writes emit produce".split()),
        values=_FORMATS,
    ),
    CommonQuestion(
        Ambiguity.DATA_SOURCE,
        asked_with=frozenset("source sources read load input dataset file table".split()),
        cues=frozenset("from use using read reads load source".split()),
    ),
    CommonQuestion(
        Ambiguity.SCOPE_BOUNDARY,
        asked_with=frozenset(
            "scope only also include including exclude limit limited cover whole all".split()
        ),
        cues=frozenset(),
    ),
)
"""Tried in this order; the first kind that a question is of counts."""

_NO = frozenset("not no never without instead rather except unlike neither nor don doesn isn avoid".split())
_SENTENCE = re.compile(r"[.;!?]\s|\n")
_REACH = 3
"""How many words before an alternative a cue may stand."""


@dataclass(frozen=True)
class Decided:
    """An answer that a text decides, with the sentence that does."""

    ambiguity: Ambiguity
    answer: str
    quote: str


def decided_by(question: Clarify, text: str) -> Decided | None:
    """The one answer that a text names to a common question, or None."""
    named = list(_named(question, text))
    return named[0] if len({one.answer for one in named}) == 1 else None


def is_undecided_by(question: Clarify, text: str) -> bool:
    """Whether a text speaks of several answers, so that nothing less close may decide."""
    return len({one.answer for one in _named(question, text)}) > 1


def _named(question: Clarify, text: str) -> Iterator[Decided]:
    asked = set(name_parts(question.question))
    kind = next((one for one in COMMON_QUESTIONS if one.asked_with & asked), None)
    if kind is None:
        return
    alternatives = _alternatives(kind, question)
    for sentence in _SENTENCE.split(text):
        words = [word.lower() for word in re.findall(r"[A-Za-z0-9_./-]*[A-Za-z0-9]", sentence)]
        for answer, telling in alternatives:
            if _names(words, telling, kind.cues):
                yield Decided(kind.ambiguity, answer, " ".join(sentence.split())[:160])


def _alternatives(kind: CommonQuestion, question: Clarify) -> list[tuple[str, frozenset[str]]]:
    """The possible answers, each with the words that tell it from the others; one without such words cannot be named."""
    asked = {word.lower(): word for word in re.findall(r"[A-Za-z]+", question.question)}
    named = tuple(asked[value] for value in kind.values if value in asked)
    answers: Sequence[str] = question.options or named or kind.values
    if len(answers) < 2:
        return []
    words = {answer: _words(answer) for answer in answers}
    telling = {
        answer: own - frozenset().union(*(other for name, other in words.items() if name != answer))
        for answer, own in words.items()
    }
    return [(answer, own) for answer, own in telling.items() if own]


def _words(answer: str) -> frozenset[str]:
    found = (word.lower() for word in re.findall(r"[A-Za-z0-9_./-]*[A-Za-z0-9]", answer))
    return frozenset(word for word in found if word not in STOP_WORDS)


def _names(words: list[str], telling: frozenset[str], cues: frozenset[str]) -> bool:
    """Whether a sentence names an alternative: all its telling words, the first behind a cue, and no `no` in it."""
    if not telling <= set(words) or _NO & set(words):
        return False
    first = min(words.index(word) for word in telling)
    return not cues or bool(cues & set(words[max(0, first - _REACH) : first]))
