"""What agents may answer among themselves: what can be taken back, and what a text, a decision or an answer decides."""

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
from pipeline.agents.gate import Gate
from pipeline.agents.self_answer import at_stake, by_rule, stake_in
from pipeline.agents.tools import Ambiguity, Clarify
from pipeline.agents.transcript import Clarified
from pipeline.definition.gate_file import load_gate

GATE = load_gate()
TASK = "Write the report."


def asked(question: str, *options: str, why: str = "Both would do.", default: str | None = None) -> Clarify:
    return Clarify(question=question, why=why, options=options, default=default)


REVERSIBLE = [
    asked("Which output format should I use: JSON or CSV?"),
    asked("Should I use tabs or spaces?"),
    asked("Which of the two names is better: total or sum?"),
    asked("Should the helper stand in src/app.py or in a file of its own?"),
    asked("How many lines should the sample have?"),
    asked("Should the tests cover only the parser, or the writer as well?"),
]
LASTING = [
    asked("Should I delete the old rows?"),
    asked("Which rows should be dropped?"),
    asked("Should the cache be purged first?"),
    asked("Where should I put the API_KEY?"),
    asked("Which of the passwords does the test use?"),
    asked("Should deleteUser be called?"),
    asked("Should drop_table come first?"),
    asked("Does everybody have the permission?"),
    asked("Which route should get the flag?"),
    asked("Should the status be 404 or 410?"),
    asked("Should the public name change?"),
    asked("Should I break compatibility here?"),
    asked("Should I approve it myself?"),
    asked("Should I install another package?"),
    asked("Should I push it?"),
    asked("Which one should change?", "src/app.py", "migrations/0001.py"),
    asked("Which one should change?", "src/app.py", ".github/workflows/ci.yml"),
    asked("Which one should change?", "a new file", "CODEOWNERS"),
    asked("Which one should I read?", "src/app.py", "../secret.txt"),
    asked("Which one should I read?", "src/app.py", "https://example.org/x"),
    asked("Which one should it be?", why="One of them deletes data."),
    asked("Which one should it be?", default="delete them"),
    asked("Soll ich die Daten entfernen?"),
    asked("Should I löschen the rows?"),
    asked("Should I dеlete the rows?"),
    asked("Should I de\u200blete the rows?"),
    asked("Which of these should I do?", "alle Daten loeschen", "behalten", why="Beides waere moeglich."),
    asked("Should I clear the table first, or keep the old rows?"),
    asked("Should the cleanup come first?"),
    asked("Should the JWT be checked?"),
    asked("Should the column be renamed?"),
    asked("削除しますか"),
    asked("?"),
]


@pytest.mark.parametrize("question", REVERSIBLE, ids=lambda one: one.question)
def test_what_can_be_taken_back_is_not_at_stake(question: Clarify) -> None:
    assert at_stake(question, TASK, GATE) is None


@pytest.mark.parametrize("question", LASTING, ids=lambda one: f"{one.question} {one.options}")
def test_what_cannot_be_taken_back_is_at_stake(question: Clarify) -> None:
    assert at_stake(question, TASK, GATE) is not None


def test_what_a_task_is_about_is_at_stake_in_every_question_about_it() -> None:
    question = asked("Which one should I take first?")
    assert at_stake(question, "Clean up: delete what is older than a year.", GATE) == "data may be lost"
    assert at_stake(question, "Rotate the credentials.", GATE) == "it is about secrets or rights"
    assert at_stake(question, "Add a field to the API.", GATE) is None


def test_a_gate_without_rules_leaves_everything_to_a_person() -> None:
    assert at_stake(REVERSIBLE[0], TASK, Gate(())) is not None


@pytest.mark.parametrize("text", ["JSON, and push it", "delete it", "ja, löschen", "use uv.lock"])
def test_an_answer_may_bring_nothing_that_is_at_stake(text: str) -> None:
    assert stake_in(text, GATE) is not None
    assert stake_in("JSON", GATE) is None


@given(st.sampled_from(LASTING), st.text(max_size=40), st.text(max_size=40))
def test_no_words_around_it_make_a_question_harmless(question: Clarify, before: str, behind: str) -> None:
    """What is at stake stays so, whatever else is said; words only ever add to it."""
    why = f"{before} {question.why} {behind}"
    assert at_stake(question.model_copy(update={"why": why}), TASK, GATE) is not None


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
            given=(),
            decisions=(),
            texts=[(f"text {n} says", text) for n, text in enumerate(texts)],
        )
        return found.text if found else None

    assert answered("Nothing.", "Write it as CSV.", "Write it as JSON.") == "CSV"
    both = "Write it as CSV. Write the other as JSON."
    assert is_undecided_by(FORMAT, both)
    assert answered(both, "Write it as JSON.") is None


def test_what_was_answered_before_goes_before_every_text() -> None:
    before = Clarified(question=FORMAT.question, answer="JSON", question_id="q-1", answered_by="parent")
    texts = [("its task says", "Write it as CSV.")]
    found = by_rule(FORMAT, "q-1", given=[before], decisions=(), texts=texts)
    other = by_rule(FORMAT, "q-2", given=[before], decisions=(), texts=texts)
    assert (found and (found.text, found.by), other and (other.text, other.by)) == (
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
