"""Questions that come again and again: output format, data source, scope boundary. A text that names one answer decides.

Each is a form as well: agents are shown it before they ask, and people are offered its answers where the agent
offered none.

A text decides if its sentences name exactly one of the alternatives, and name it as that: behind `as` or `to` for a
format, behind `from` for a source. A sentence that says no to one decides nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.agents.tools import Ambiguity, Clarify
from pipeline.domain.words import STOP_WORDS, name_parts


@dataclass(frozen=True)
class CommonQuestion:
    """How a common question is known, and how a text names an answer to it.

    A question is one if it holds one of the words `asked_with`. `values` are alternatives that need not be offered. One of
    `cues` stands before a named alternative; without cues it only has to be named. `form` is how to ask it;
    `form_answers` are what a person may choose where the question names no alternatives.
    """

    ambiguity: Ambiguity
    asked_with: frozenset[str]
    cues: frozenset[str]
    form: str
    values: tuple[str, ...] = ()
    form_answers: tuple[str, ...] = ()


_FORMATS = ("json", "jsonl", "csv", "tsv", "yaml", "xml", "toml", "markdown", "html")

COMMON_QUESTIONS = (
    CommonQuestion(
        Ambiguity.OUTPUT_FORMAT,
        asked_with=frozenset({"format", "formats", "formatted", *_FORMATS}),
        cues=frozenset("as in into to format output return returns write writes emit produce".split()),
        form="Which output format should I use: JSON or CSV?",
        values=_FORMATS,
        form_answers=("JSON", "CSV", "Markdown", "YAML"),
    ),
    CommonQuestion(
        Ambiguity.DATA_SOURCE,
        asked_with=frozenset("source sources read load input dataset file table".split()),
        cues=frozenset("from use using read reads load source".split()),
        form="Which source should I read it from: <one place> or <another one>?",
    ),
    CommonQuestion(
        Ambiguity.SCOPE_BOUNDARY,
        asked_with=frozenset(
            "scope only also include including exclude limit limited cover whole all".split()
        ),
        cues=frozenset(),
        form="Should it cover only <what is named>, or <the rest of its kind> as well?",
        form_answers=("Only what the issue names", "Everything of the same kind as well"),
    ),
)
"""Tried in this order; the first kind that a question is of counts."""

_NO = frozenset("not no never without instead rather except unlike neither nor don doesn isn avoid".split())
_SENTENCE = re.compile(r"[.;!?]\s|\n")
_REACH = 3
"""How many words before an alternative a cue may stand."""


@dataclass(frozen=True)
class NamedAnswer:
    """An answer that a text decides, with the sentence that does."""

    ambiguity: Ambiguity
    answer: str
    quote: str


def forms() -> str:
    """The common questions, as an agent reads them before it asks."""
    form_list = "\n".join(f"- {kind.ambiguity.value}: {kind.form}" for kind in COMMON_QUESTIONS)
    return (
        "First look whether the words you were given, or the code, name one answer; then go on with that. Where they do "
        f"not, say in `about` which of these it is, and put what may be chosen into `options`.\n{form_list}"
    )


def offered_answers(question: Clarify) -> tuple[str, ...]:
    """What a person may choose: what the agent offers, else the alternatives that its question names, else the form's.

    The form's only where the agent says which form it is: words alone could mean another question.
    """
    if question.options or (kind := _kind_of(question)) is None:
        return question.options
    named_values = tuple(answer for answer, _ in _alternatives(kind, question, named_only=True))
    return named_values or (kind.form_answers if question.about is not None else ())


def decided_by(question: Clarify, text: str) -> NamedAnswer | None:
    """The one answer that a text names to a common question, or None."""
    answers = list(_named_answers(question, text))
    return answers[0] if len({answer.answer for answer in answers}) == 1 else None


def is_undecided_by(question: Clarify, text: str) -> bool:
    """Whether a text speaks of several answers, so that nothing less close may decide."""
    return len({answer.answer for answer in _named_answers(question, text)}) > 1


def _named_answers(question: Clarify, text: str) -> Iterator[NamedAnswer]:
    kind = _kind_of(question)
    if kind is None:
        return
    alternatives = _alternatives(kind, question)
    for sentence in _SENTENCE.split(text):
        words = [word.lower() for word in re.findall(r"[A-Za-z0-9_./-]*[A-Za-z0-9]", sentence)]
        for answer, telling in alternatives:
            if _names(words, telling, kind.cues):
                yield NamedAnswer(kind.ambiguity, answer, " ".join(sentence.split())[:160])


def _kind_of(question: Clarify) -> CommonQuestion | None:
    if question.about is not None:
        return next(kind for kind in COMMON_QUESTIONS if kind.ambiguity is question.about)
    words = set(name_parts(question.question))
    return next((kind for kind in COMMON_QUESTIONS if kind.asked_with & words), None)


def _alternatives(
    kind: CommonQuestion, question: Clarify, *, named_only: bool = False
) -> list[tuple[str, frozenset[str]]]:
    """The possible answers, each with the words that tell it from the others; one without such words cannot be named.

    With `named_only`, only those that the question itself names.
    """
    question_words = {word.lower(): word for word in re.findall(r"[A-Za-z]+", question.question)}
    named_values = tuple(question_words[value] for value in kind.values if value in question_words)
    answers: Sequence[str] = question.options or named_values or (() if named_only else kind.values)
    if len(answers) < 2:
        return []
    words = {answer: _words(answer) for answer in answers}
    telling = {
        answer: answer_words
        - frozenset().union(*(other_words for name, other_words in words.items() if name != answer))
        for answer, answer_words in words.items()
    }
    return [(answer, answer_words) for answer, answer_words in telling.items() if answer_words]


def _words(answer: str) -> frozenset[str]:
    words = (word.lower() for word in re.findall(r"[A-Za-z0-9_./-]*[A-Za-z0-9]", answer))
    return frozenset(word for word in words if word not in STOP_WORDS)


def _names(words: list[str], telling: frozenset[str], cues: frozenset[str]) -> bool:
    """Whether a sentence names an alternative: all its telling words, the first behind a cue, and no `no` in it."""
    if not telling <= set(words) or _NO & set(words):
        return False
    first = min(words.index(word) for word in telling)
    return not cues or bool(cues & set(words[max(0, first - _REACH) : first]))
