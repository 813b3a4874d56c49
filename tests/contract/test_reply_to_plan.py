"""Replies to a whole plan: `go`, `2b` and words. A number alone decides nothing, and nobody gets another point than they wrote."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.contract.clarification import Option
from pipeline.contract.commands import MAX_WORDS
from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_meaning import Reply, ReplyKind, Why
from tests.contract.test_reply import HOSTILE
from tests.github_app.conversation.questions import FORMAT, OLD, WHO, a_plan

PLAN = a_plan(WHO, FORMAT, OLD)
RESUMES = {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE}


def read(words: str) -> Reply:
    return parse_reply(words, PLAN)


@pytest.mark.parametrize(
    "words",
    [
        "go",
        "Go!",
        "/go",
        "yes",
        "ok",
        "👍",
        "go ahead",
        "as planned",
        "/answer go",
        "@askfirst go",
        "> 2a\n\ngo",
    ],
)
def test_go_and_a_plain_yes_take_the_plan_as_it_stands(words: str) -> None:
    reply = read(words)
    assert (reply.kind, reply.choice, reply.points) == (ReplyKind.DEFAULT, None, ())


def test_a_plan_without_open_points_is_taken_with_go() -> None:
    assert parse_reply("go", a_plan()).kind is ReplyKind.DEFAULT
    assert parse_reply("1a", a_plan()).kind is ReplyKind.UNCLEAR


@pytest.mark.parametrize(
    ("words", "points"),
    [
        ("2a", {"1": "b"}),
        ("2A", {"1": "b"}),
        ("**2a**", {"1": "b"}),
        ("`3b`", {"2": "c"}),
        ("3 b", {"2": "c"}),
        ("3) B", {"2": "c"}),
        ("#3b.", {"2": "c"}),
        ("b3", {"2": "c"}),
        ("b: 3", {"2": "c"}),
        ("B: both", {"2": "c"}),
        ("2a 3b", {"1": "b", "2": "c"}),
        ("3b, 2a", {"2": "c", "1": "b"}),
        ("2a and 3b, please", {"1": "b", "2": "c"}),
        ("2a\n2c", {"1": "b", "3": "b"}),
        ("- 2a\n2c", {"1": "b", "3": "b"}),
        ("go with 2a", {"1": "b"}),
        ("go, but 2a", {"1": "b"}),
        ("Yes, 3b. Thanks!", {"2": "c"}),
        ("1b, the rest as planned", {"2": "a"}),
        ("1b, rest go", {"2": "a"}),
        ("option 2c", {"3": "b"}),
        ("/answer 2c 2a", {"3": "b", "1": "b"}),
        ("@askfirst 2a", {"1": "b"}),
        ("2a because the flag is costly", {"1": "b"}),
        ("2a 2a", {"1": "b"}),
    ],
)
def test_a_number_with_a_letter_chooses_an_option_of_a_point(words: str, points: dict[str, str]) -> None:
    reply = read(words)
    assert (reply.kind, dict(reply.points)) == (ReplyKind.CHOICE, points)


@pytest.mark.parametrize(
    "words",
    """1|2|3|b|1 2|1, 2|1 and 2|/answer 2|/answer 1, 2|2.|#2|2 please|go 2|go with 2|option 2|the second|second|both|all|first
    2a 2|2a, 3|2, 2a|2a or 3b|2a?|is 2a better?|not 2a|2a, not 3b|2a 1a|2a, 1a|2i|1z|12b|1.2b|1,2b|1b2c|1bc|b 1|2a/2c|2a-2c|~~2a~~
    2a and rename it|2a. And rename it|2a maybe|2a if Bob agrees|1 a day|A 1|/answer not 2a|/answer 2a?|/answer 2a 2|/answer
    Admins|the plan is odd|looks good to me, but rename it|no|nope|lgtm?|2a because there are 2 of them|/answer 2i|1 b 2""".replace(
        "\n", "|"
    ).split("|"),
)
def test_what_may_mean_something_else_starts_nothing(words: str) -> None:
    assert read(words.strip()).kind not in RESUMES


def test_why_a_reply_starts_nothing_is_known_to_the_hint() -> None:
    assert read("2").why is Why.NOTHING_FOUND
    assert read("2i").why is Why.OUT_OF_RANGE
    assert read("2a?").why is Why.IS_A_QUESTION
    assert read("2a 1a").kind is ReplyKind.CONFLICT


@pytest.mark.parametrize(
    "words", ["call it preview", "2a, and call it preview", "Admins", "only 2 of them, please"]
)
def test_words_behind_answer_are_words(words: str) -> None:
    reply = read(f"/answer {words}")
    assert (reply.kind, reply.note, reply.points) == (ReplyKind.FREE, words, ())


@pytest.mark.parametrize(
    ("words", "kind"), [("/cancel", ReplyKind.CANCEL), ("stop", ReplyKind.CANCEL), ("/help", ReplyKind.HELP)]
)
def test_a_plan_can_be_cancelled_and_explained_like_every_question(words: str, kind: ReplyKind) -> None:
    assert read(words).kind is kind


def test_two_commands_that_choose_differently_start_nothing() -> None:
    assert read("/answer 2a\n/answer 3b").kind is ReplyKind.CONFLICT
    assert read("2a\n\n/answer 3b").kind is ReplyKind.CONFLICT


@pytest.mark.parametrize(
    "words",
    [
        "2a, and rename it\n\n/go",
        "2\n/answer 2a",
        "not 2a\n/go",
        "2a or 3b\n/answer call it preview",
        "please rename it\n/go",
        "/go\n\nand rename it",
        "Rename it.\n/answer 2a",
    ],
)
def test_what_may_be_a_wish_about_the_plan_is_not_dropped_beside_a_command(words: str) -> None:
    assert read(words).kind not in RESUMES


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Thanks for looking.\n\n/go", ReplyKind.DEFAULT),
        ("Thanks.\n/answer 2a", ReplyKind.CHOICE),
        ("2a is odd\n/cancel", ReplyKind.CANCEL),
        ("2a\n/answer 2a", ReplyKind.CHOICE),
    ],
)
def test_thanks_beside_a_command_take_nothing_back(words: str, kind: ReplyKind) -> None:
    assert read(words).kind is kind


BARE = st.sampled_from(
    [
        "1",
        "2",
        "3",
        "#2",
        "2.",
        "go",
        "ok",
        "please",
        "and",
        ",",
        "option",
        "point",
        "/answer",
        "the rest",
        "@askfirst",
    ]
)


@given(st.lists(BARE, max_size=6).map(" ".join))
def test_a_number_alone_never_decides(words: str) -> None:
    reply = read(words)
    if any(character.isdigit() for character in words):
        assert reply.kind not in RESUMES


PIECES = st.sampled_from(
    ["1", "2", "3", "a", "b", "c", "2a", "3b", "2C", "12", "2b", " ", " ", ",", ", ", "and ", "go ", "/answer ", "\n/answer ", "\n/go", "not ", "\n", ".", "#", ":"]
)  # fmt: skip


@given(st.one_of(st.lists(PIECES, max_size=10).map("".join), st.text("123abAB ,.;:#)and-\n", max_size=20)))
@example("12b")
@example("1,2b")
@example("2b 3")
@example("b: 2, c: 7 s")
def test_nobody_gets_another_point_than_they_wrote(words: str) -> None:
    """Read again by itself: every point of an answer stands in the text with its own letter, and no number stands alone."""
    reply = read(words)
    if reply.kind is ReplyKind.DEFAULT:
        assert not any(character.isdigit() for character in words)
    if reply.kind is not ReplyKind.CHOICE:
        return
    text = words.casefold().replace("/answer", " ")
    for _, own_words in reply.words:
        text = text.replace(own_words.casefold(), " ", 1)
    pairs = re.findall(
        r"(?<![0-9a-z])(?:([0-9]+)[ \t.)#-]{0,3}([a-z])|([a-z])[ \t]?[:=]?[ \t]*([0-9]+))(?![0-9a-z])", text
    )
    numbers = re.findall(r"[0-9]+", text)
    assert sorted(number or of_letter for number, _, _, of_letter in pairs) == sorted(numbers)
    written = {
        str(ord(letter or name) - 96): chr(int(number or of_name) + 96)
        for number, letter, name, of_name in pairs
    }
    assert written == dict(reply.points)


@given(
    st.dictionaries(st.sampled_from(["1", "2", "3"]), st.sampled_from("ab"), min_size=1),
    st.sampled_from([" ", ", ", ",", "; ", " and ", "\n", " & "]),
    st.booleans(),
)
def test_what_is_written_for_a_choice_is_read_as_that_choice(
    choices: dict[str, str], between: str, capitals: bool
) -> None:
    words = between.join(
        f"{'ab'.index(option) + 1}{'ABC'[int(point) - 1] if capitals else 'abc'[int(point) - 1]}"
        for point, option in choices.items()
    )
    assert dict(read(words).points) == choices


def test_numbers_and_letters_are_places_whatever_the_ids_are() -> None:
    options = tuple(Option(id=f"o-{label}", label=label) for label in ("Everybody", "Admins"))
    opaque = WHO.model_copy(update={"id": "p-9", "options": options, "taken": "o-Everybody"})
    assert dict(parse_reply("2b", a_plan(FORMAT, opaque)).points) == {"p-9": "o-Admins"}


@given(st.text(max_size=200))
def test_no_comment_makes_the_reader_fail(comment: str) -> None:
    reply = read(comment)
    assert reply.choice is None


@pytest.mark.timeout(60)  # a guard against reading in quadratic time; no speed is claimed
@pytest.mark.parametrize(
    "body", [*HOSTILE, "2a " * 20_000, "2a, and " * 8_000, "please " * 9_000 + "2a", "2a " + "please " * 9_000],
    ids=lambda body: body[:8].encode("unicode_escape").decode(),
)  # fmt: skip
def test_a_hostile_body_does_not_hang_the_reader(body: str) -> None:
    assert len(read(body).note or "") <= MAX_WORDS
