"""What agents may answer among themselves: what a text, a decision or an earlier answer decides."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.agents.common_questions import (
    COMMON_QUESTIONS,
    decided_by,
    forms,
    is_undecided_by,
    offered_answers,
)
from pipeline.agents.self_answer import by_rule
from pipeline.agents.tools import Ambiguity, Clarify
from pipeline.agents.transcript import AnsweredQuestion


def asked(question: str, *options: str, why: str = "Both would do.", default: str | None = None) -> Clarify:
    return Clarify(question=question, why=why, options=options, default=default)


FORMAT = asked("Which output format should I use: JSON or CSV?")
SOURCE = asked("Which source should I read it from?", "the orders table", "the parcels file")
SCOPE = asked("Should it cover only the parser?", "the parser alone", "the parser and the writer")


@dataclass(frozen=True)
class Case:
    question: Clarify
    text: str
    answer: str | None


CASES = [
    Case(FORMAT, "Export them as CSV.", "CSV"),
    Case(FORMAT, "Read the CSV and write JSON.", "JSON"),
    Case(FORMAT, "Convert the CSV to JSON.", "JSON"),
    Case(FORMAT, "Read the CSV.", None),
    Case(FORMAT, "Write it as JSON. The archive is written as CSV.", None),
    Case(FORMAT, "Do not write it as JSON.", None),
    Case(FORMAT, "Write CSV instead of JSON.", None),
    Case(FORMAT, "Write it as XML.", None),
    Case(FORMAT, "Write it nicely.", None),
    Case(asked("Which format should it have?"), "Return it as YAML.", "yaml"),
    Case(asked("Which format should it have?", "one page", "JSON"), "Return JSON", "JSON"),
    Case(SOURCE, "Count what comes from the orders table.", "the orders table"),
    Case(SOURCE, "There is an orders table.", None),
    Case(SOURCE, "Read from the orders table and from the parcels file.", None),
    Case(SCOPE, "Test the parser and the writer.", "the parser and the writer"),
    Case(SCOPE, "Test the parser.", None),
    Case(asked("Should I use tabs or spaces?"), "Write it as JSON.", None),
    Case(FORMAT, "", None),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.question.question} {case.text}")
def test_a_text_decides_a_common_question_only_where_it_names_one_answer(case: Case) -> None:
    found = decided_by(case.question, case.text)
    assert (found.answer if found else None) == case.answer


def test_there_is_a_template_for_each_common_ambiguity() -> None:
    assert {one.ambiguity for one in COMMON_QUESTIONS} == set(Ambiguity)


def test_an_agent_is_shown_each_template_before_it_asks() -> None:
    assert all(f"- {one.ambiguity.value}: {one.form}" in forms() for one in COMMON_QUESTIONS)


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        (FORMAT, ("JSON", "CSV")),
        (asked("Which format should it have?", "one page", "JSON"), ("one page", "JSON")),
        (asked("Which format should it have?"), ()),
        (
            asked("How should it look?").model_copy(update={"about": Ambiguity.OUTPUT_FORMAT}),
            ("JSON", "CSV", "Markdown", "YAML"),
        ),
        (
            asked("How far should it go?").model_copy(update={"about": Ambiguity.SCOPE_BOUNDARY}),
            ("Only what the issue names", "Everything of the same kind as well"),
        ),
        (asked("What should the limit be?"), ()),
        (asked("Should I use tabs or spaces?"), ()),
    ],
)
def test_a_person_is_offered_the_answers_of_a_template_where_the_agent_offers_none(
    question: Clarify, offered: tuple[str, ...]
) -> None:
    assert offered_answers(question) == offered


def test_the_closest_text_decides_and_one_that_speaks_of_both_lets_no_other_decide() -> None:
    def answered(*texts: str) -> str | None:
        found = by_rule(
            FORMAT,
            "q-1",
            earlier_answers=(),
            decisions=(),
            texts=[(f"text {n} says", text) for n, text in enumerate(texts)],
        )
        return found.text if found else None

    assert answered("Nothing.", "Write it as CSV.", "Write it as JSON.") == "CSV"
    both = "Write it as CSV. Write the other as JSON."
    assert is_undecided_by(FORMAT, both)
    assert answered(both, "Write it as JSON.") is None


def test_what_was_answered_before_goes_before_every_text() -> None:
    before = AnsweredQuestion(
        question=FORMAT.question, answer="JSON", question_id="q-1", answered_by="parent"
    )
    texts = [("its task says", "Write it as CSV.")]
    answer = by_rule(FORMAT, "q-1", earlier_answers=[before], decisions=(), texts=texts)
    other = by_rule(FORMAT, "q-2", earlier_answers=[before], decisions=(), texts=texts)
    assert (answer and (answer.text, answer.by), other and (other.text, other.by)) == (
        ("JSON", "rule"),
        ("CSV", "template"),
    )


@given(st.text(max_size=200), st.sampled_from(SOURCE.options))
def test_no_text_makes_an_answer_up(text: str, named: str) -> None:
    """A text without words of an option answers nothing; behind any such text, an option that is named is the answer."""
    silent = "".join(
        letter for letter in text if letter not in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    )
    assert decided_by(SOURCE, silent) is None
    found = decided_by(SOURCE, f"{silent}\n\nRead it from {named}.")
    assert found is not None
    assert found.answer == named
