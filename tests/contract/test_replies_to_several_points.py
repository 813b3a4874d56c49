"""One reader of replies to several points: which options and words a reply names, whatever surface it comes from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.clarification import Question
from pipeline.contract.point_reply import VALUE, NamedOptions, changes_in_short, named_options
from tests.github_app.conversation.questions import several_points

QUESTION = several_points().question
FIRST, WAIT, LIMIT = (point.id for point in QUESTION.every_point)


def is_all_of(named: NamedOptions, text: str) -> bool:
    """Whether the text decides points that there are, each once, and says nothing else."""
    return named.end == len(text) and not (named.strange_items or named.twice_decided)


@pytest.mark.parametrize(
    ("reply", "points", "words"),
    [
        ("2", {FIRST: "option-2"}, {}),
        ("2b", {WAIT: "option-2"}, {}),
        ("b2", {WAIT: "option-2"}, {}),
        ("b: 2", {WAIT: "option-2"}, {}),
        ("b: It is refused", {WAIT: "option-2"}, {}),
        ("1, 2b, c: 30 s", {FIRST: "option-1", WAIT: "option-2"}, {LIMIT: "30 s"}),
        ("1 2b", {FIRST: "option-1", WAIT: "option-2"}, {}),
        ("c: 30 s\n2", {FIRST: "option-2"}, {LIMIT: "30 s"}),
        ("c: 30 s; 2b", {WAIT: "option-2"}, {LIMIT: "30 s"}),
        ("a: only admins, of this group", {}, {FIRST: "only admins, of this group"}),
        ("2: of this group", {FIRST: "option-2"}, {FIRST: "of this group"}),
        ("2b: after three tries", {WAIT: "option-2"}, {WAIT: "after three tries"}),
        ("C = 45", {}, {LIMIT: "45"}),
    ],
)
def test_a_reply_decides_what_it_names(reply: str, points: dict[str, str], words: dict[str, str]) -> None:
    named = named_options(reply, QUESTION)
    assert named is not None
    assert is_all_of(named, reply)
    assert (dict(named.points), dict(named.words)) == (points, words)


@pytest.mark.parametrize("reply", ["b", "the second", "x", "30 s", "", "go"])
def test_what_names_no_point_is_no_list(reply: str) -> None:
    named = named_options(reply, QUESTION)
    assert named is None or not is_all_of(named, reply)


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param("3b", id="no such option"),
        pytest.param("1d", id="no such point"),
        pytest.param("2b 1b", id="one point twice"),
        pytest.param("1, 2", id="the question twice"),
        pytest.param("c: 2", id="a value that may be the number of an option"),
        pytest.param("c: 30 s, 2", id="a number that may be words or the first point's"),
        pytest.param(f"b: {'word ' * 60}", id="more words than travel"),
    ],
)
def test_what_may_mean_two_things_decides_nothing(reply: str) -> None:
    named = named_options(reply, QUESTION)
    assert named is not None
    assert not is_all_of(named, reply)


def test_what_was_decided_is_said_in_one_line() -> None:
    assert changes_in_short(QUESTION, {FIRST: "option-1", WAIT: "option-2"}, {LIMIT: "30 s"}) == (
        "2b (It is refused), c (30 s), the rest by default"
    )
    assert changes_in_short(QUESTION, {}) == "all defaults"


@given(
    st.dictionaries(st.sampled_from([FIRST, WAIT]), st.sampled_from(["1", "2"]), min_size=1),
    st.sampled_from([", ", "; ", " and ", "\n", " & "]),
    st.none() | st.sampled_from(["30 s", "1.5 MB", "as long as a day"]),
)
def test_what_is_written_is_read(choices: dict[str, str], between: str, value: str | None) -> None:
    items = [number if point == FIRST else f"{number}b" for point, number in choices.items()]
    reply = between.join(items + ([f"c: {value}"] if value else []))
    named = named_options(reply, QUESTION)
    assert named is not None
    assert is_all_of(named, reply)
    assert named.points == {point: f"option-{number}" for point, number in choices.items()}
    assert named.words == ({LIMIT: value} if value else {})


def test_a_question_without_points_is_no_list() -> None:
    assert Question(id="q-1", slot="point", text="Which?").every_point == ()
    assert QUESTION.every_point[-1].kind == VALUE
