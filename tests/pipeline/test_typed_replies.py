"""Replies that are typed on a terminal: read as comments on GitHub are, and what is none asks again."""

import io

import pytest

from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Clarification
from pipeline.terminal.replies import read_answer
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan, several_points, two_routes

FIRST, SECOND = (candidate.id for candidate in two_routes().candidates)


def typed(clarification: Clarification, *lines: str) -> Answer | None:
    return read_answer(clarification, io.StringIO("".join(f"{line}\n" for line in lines)))


def chosen(clarification: Clarification, *lines: str) -> object:
    answer = typed(clarification, *lines)
    return answer and (answer.choice or answer.choices or answer.points or answer.text)


def of_all(*, multiple: bool) -> Clarification:
    clarification = two_routes()
    return clarification.model_copy(
        update={"question": clarification.question.model_copy(update={"multiple": multiple})}
    )


@pytest.mark.parametrize("line", ["both", "all", "1 and 2", "1, 2", "2,1"])
def test_several_count_where_several_may_be_chosen(line: str) -> None:
    assert chosen(of_all(multiple=True), line) == (FIRST, SECOND)


@pytest.mark.parametrize("line", ["both", "all", "1 and 2", "1, 2", "", "2?", "yes, but which one"])
def test_what_is_no_choice_asks_again(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert chosen(of_all(multiple=False), line, "2") == SECOND
    assert f"“{line}” is none of 1 to 2, and nothing was started." in capsys.readouterr().err


@pytest.mark.parametrize("line", ["2", "/answer 2", "/answer\t2", "b", "/Answer POST /actions/stream"])
def test_a_line_means_what_it_means_in_a_comment(line: str) -> None:
    assert chosen(two_routes(), line) == SECOND
    assert chosen(two_routes(), "/go") == chosen(two_routes(), "/answer go") == FIRST


def test_a_line_decides_several_points() -> None:
    question = several_points()
    answer = typed(question, "b", "2, c: 30 s")
    assert answer is not None
    assert (answer.points, answer.words) == (
        {question.question.id: "option-2", "q-wait": "option-1"},
        {"q-limit": "30 s"},
    )


@pytest.mark.parametrize("line", ["/cancel", "/stop", "never mind"])
def test_nothing_is_answered_by_a_person_who_stops_or_goes(line: str) -> None:
    assert typed(two_routes(), line) is None
    assert typed(two_routes()) is None


def test_words_are_kept_as_they_are_typed() -> None:
    assert (
        chosen(two_routes(), "/answer Limit `both`, and the *export*.") == "Limit `both`, and the *export*."
    )


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("go", {"1": "a", "2": "b"}),
        ("/go", {"1": "a", "2": "b"}),
        ("2a", {"1": "b", "2": "b"}),
        ("/answer 2a", {"1": "b", "2": "b"}),
        ("3b, 2a", {"1": "b", "2": "c"}),
    ],
)
def test_a_plan_is_taken_as_it_is_or_with_other_options(line: str, points: dict[str, str]) -> None:
    assert chosen(a_plan(WHO, FORMAT), line) == points


@pytest.mark.parametrize("line", ["1", "2", "b", "2a 2", "2a 1a", "2c", "2a maybe"])
def test_to_a_plan_a_number_alone_asks_again(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    answer = typed(a_plan(WHO, FORMAT), line, "/answer Call it preview.")
    assert answer is not None
    assert answer.text == "Call it preview."
    assert answer.label is not None
    assert answer.label.startswith("Point a: ")
    said = capsys.readouterr().err
    assert f"“{line}” is no option of the plan, and nothing was started." in said
    assert "Reply go for the plan as it stands, 2a to change a point (several: 2a, 1b)" in said
