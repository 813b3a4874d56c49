"""Replies that are typed on a terminal: what counts, and what asks again."""

import io

import pytest

from github_app.conversation.reply import parse_reply
from pipeline.contract.clarification import Clarification
from pipeline.terminal.replies import TypedReply, read_reply
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan, two_routes

FIRST, SECOND = (candidate.id for candidate in two_routes().candidates)


def typed(clarification: Clarification, *lines: str) -> TypedReply | None:
    return read_reply(clarification, io.StringIO("".join(f"{line}\n" for line in lines)))


def of_all(*, multiple: bool) -> Clarification:
    clarification = two_routes()
    return clarification.model_copy(
        update={"question": clarification.question.model_copy(update={"multiple": multiple})}
    )


@pytest.mark.parametrize("line", ["both", "all", "1 and 2", "1, 2", "a, B", "2,1"])
def test_several_count_where_several_may_be_chosen(line: str) -> None:
    assert typed(of_all(multiple=True), line) == TypedReply((FIRST, SECOND))


@pytest.mark.parametrize("line", ["both", "all", "1 and 2", "1, 2"])
def test_several_ask_again_where_one_is_meant(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(of_all(multiple=False), line, "2") == TypedReply((SECOND,))
    assert f"“{line}” is none of 1 to 2, and nothing was started." in capsys.readouterr().err


@pytest.mark.parametrize("line", ["1 and 3", "1,", "one", "", "1 2"])
def test_a_part_that_names_nothing_asks_again(line: str) -> None:
    assert typed(of_all(multiple=True), line, "/cancel") is None


@pytest.mark.parametrize(
    "line", ["/answer 2", "/answer\t2", "/answer b", "/Answer POST /actions/stream", "/go", "/answer go"]
)
def test_a_command_means_what_it_means_on_github(line: str) -> None:
    question = two_routes()
    choice = parse_reply(line, question).choice
    assert choice is not None
    assert typed(question, line) == TypedReply((choice,))


def test_a_command_about_a_plan_chooses_options_of_it() -> None:
    assert typed(a_plan(WHO, FORMAT), "/answer 2a") == TypedReply(points={"1": "b", "2": "b"})
    assert typed(a_plan(WHO, FORMAT), "/go") == TypedReply(points={"1": "a", "2": "b"})


def test_words_are_kept_as_they_are_typed() -> None:
    assert typed(two_routes(), "/answer Both, and the export.") == TypedReply(text="Both, and the export.")


@pytest.mark.parametrize(
    ("line", "points"),
    [
        ("go", {"1": "a", "2": "b"}),
        ("2a", {"1": "b", "2": "b"}),
        ("3b, 2a", {"1": "b", "2": "c"}),
        ("GO", {"1": "a", "2": "b"}),
    ],
)
def test_a_plan_is_taken_as_it_stands_or_with_other_options(line: str, points: dict[str, str]) -> None:
    assert typed(a_plan(WHO, FORMAT), line) == TypedReply(points=points)


@pytest.mark.parametrize("line", ["1", "2", "b", "2a 2", "2a 1a", "2c", "2a maybe", "yes"])
def test_to_a_plan_a_number_alone_asks_again(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert typed(a_plan(WHO, FORMAT), line, "/answer Call it preview.") == TypedReply(text="Call it preview.")
    said = capsys.readouterr().err
    assert f"“{line}” is no option of the plan, and nothing was started." in said
    assert "Reply go for the plan as it stands, 2a to change a point (several: 2a, 1b)" in said
