"""Forms around a choice: what approves of it, what declares it, HTML tags, and the head of a quoted mail.

Each form is tried with whatever can stand in it, and with whatever takes it back.
"""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_meaning import ReplyKind
from tests.contract.test_reply_table import ROWS
from tests.contract.test_reply_unseen import OF_TWO_ROUTES
from tests.github_app.conversation.questions import blocked, confirmation, two_routes

RESUMES = {ReplyKind.CHOICE, ReplyKind.DEFAULT, ReplyKind.FREE}
ONE, TWO = "route:POST /actions", "route:POST /actions/stream"
SECOND = st.sampled_from(["2", "**2**", "option 2", "#2", "B", "the second one", "the latter"])
NUMBER = st.sampled_from(["2", "option 2", "B"])
APPROVES = st.sampled_from(
    ["works for me", "is fine with me", "is ok by me", "looks good to us", "sounds good", "it is", "is the one",
     "is the right one", "is my choice"]
)  # fmt: skip
DECLARES = st.sampled_from(
    [
        "definitely",
        "let's do",
        "the answer is",
        "my vote is",
        "our choice:",
        "I meant",
        "I'd definitely take",
        "it is",
    ]
)
AFTERWARDS = st.sampled_from(["", ".", "!", ", thanks", " please", "\n\nAdd a test."])
TAKES_BACK = st.sampled_from(
    ["?", " or 1", " if Bob agrees", ", but wait", " than 1", " today", " that breaks", " until Friday", ", not sure", " and 1"]
)  # fmt: skip


@given(SECOND, APPROVES, AFTERWARDS)
def test_a_choice_that_is_approved_of_is_that_choice(second: str, approves: str, afterwards: str) -> None:
    reply = parse_reply(f"{second} {approves}{afterwards}", two_routes())
    assert (reply.kind, reply.choice) == (ReplyKind.CHOICE, TWO)


@given(DECLARES, NUMBER, AFTERWARDS)
def test_a_choice_that_is_declared_is_that_choice(declares: str, second: str, afterwards: str) -> None:
    reply = parse_reply(f"{declares} {second}{afterwards}", two_routes())
    assert (reply.kind, reply.choice) == (ReplyKind.CHOICE, TWO)


def test_an_approval_may_have_a_reason() -> None:
    reply = parse_reply("2 works for me because streams are slow", two_routes())
    assert (reply.choice, reply.note) == (TWO, "because streams are slow")


@given(SECOND, APPROVES, TAKES_BACK)
def test_an_approval_that_is_taken_back_chooses_nothing(second: str, approves: str, takes_back: str) -> None:
    assert parse_reply(f"{second} {approves}{takes_back}", two_routes()).kind not in RESUMES


@given(
    st.sampled_from(["not", "nothing but", "never", "neither 1 nor", "1 or", "if", "maybe", "Bob says"]),
    NUMBER,
    APPROVES,
)
def test_an_approval_takes_no_doubt_away(doubts: str, second: str, approves: str) -> None:
    assert parse_reply(f"{doubts} {second} {approves}", two_routes()).kind not in RESUMES


@given(st.sampled_from(["1", "approve", "option 1"]), APPROVES)
def test_a_confirmation_is_not_given_by_praise(choice: str, approves: str) -> None:
    assert parse_reply(f"{choice} {approves}", confirmation()).kind not in RESUMES


@pytest.mark.parametrize(
    "words",
    ["2 works", "2 is fine", "2 looks good", "one is fine with me", "either works for me", "both work for me", "it works for me",
     "POST /actions/stream works for me", "the streaming endpoint looks good to me", "it's the default", "the default is wrong",
     "is the default 2", "the default works for me if Bob agrees", "which one is the default"],
)  # fmt: skip
def test_praise_of_what_the_code_does_chooses_nothing(words: str) -> None:
    assert parse_reply(words, two_routes()).kind not in RESUMES


DEFAULTS = [
    "go with the default",
    "let's do the default please",
    "definitely the default",
    "The default option works for me!",
]


@pytest.mark.parametrize("words", DEFAULTS)
def test_the_default_can_be_taken_by_its_name(words: str) -> None:
    reply = parse_reply(words, two_routes())
    assert (reply.kind, reply.choice) == (ReplyKind.DEFAULT, ONE)


@pytest.mark.parametrize(("words", "question"), [*itertools.product(DEFAULTS, [confirmation(), blocked()])])
def test_the_name_of_the_default_approves_nothing(words: str, question) -> None:
    assert parse_reply(words, question).kind not in RESUMES


TAGS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`"}
COMMENTS = [row[1] for row in ROWS] + [row.comment for row in OF_TWO_ROUTES]


@given(
    st.sampled_from([comment for comment in COMMENTS if not set(comment) & set("`*~\n<\r")]),
    st.sampled_from(sorted(TAGS)),
)
def test_a_simple_tag_means_what_its_markdown_means(comment: str, tag: str) -> None:
    in_markdown = parse_reply(f"{TAGS[tag]}{comment}{TAGS[tag]}", two_routes())
    assert parse_reply(f"<{tag}>{comment}</{tag.upper()}>", two_routes()) == in_markdown


@pytest.mark.parametrize(
    ("comment", "choice"),
    [
        ("2<br>", TWO),
        ("<p>2</p><p>Add a test.</p>", TWO),
        ("<s>1</s> 2", TWO),
        ("1<br/>2", None),
        ("<del>2</del>", None),
        ("<blockquote>2</blockquote>", None),
        ("1<sup>2</sup>", None),
        ("<a href=x>2</a>", None),
        ("Try <code>/go</code> when you are ready", None),
        ("<code>/go</code>", None),
        ("`<br>/go`", None),
        ("<code>Run<br>/go<br>later</code>", None),
        ("Try<br>/go", None),
        ("2<br><br>    not really", None),
        ("1<br>> or 2", None),
    ],
)
def test_tags_show_and_hide_what_they_do_on_github(comment: str, choice: str | None) -> None:
    assert parse_reply(comment, two_routes()).choice == choice


MAIL_HEADS = [
    "*From:* askfirst[bot] <notifications@github.com>",
    "*From: *askfirst[bot] <notifications@github.com>\n*Date: *Monday, 3 June 2024",
    "**From:** askfirst[bot]",
    "From: askfirst[bot]\nSent: Monday, 3 June 2024 10:00\nTo: acme/orders",
    "Von: acme/orders\nGesendet: Montag, 3. Juni 2024 10:00",
    "Od: octocat\nOdesláno: 3. 6. 2024\nKomu: acme/orders",
    "Dne po 3. 6. 2024 v 10:00 odesílatel askfirst[bot] <\nnotifications@github.com> napsal:",
    "Dne 3. 6. 2024 10:00 askfirst[bot] napsal(a):",
    "2024年6月3日(月) 10:00 octocat <notifications@github.com>:",
    "*On Mon, 3 Jun 2024 at 10:00, askfirst[bot] <notifications@github.com> wrote:*",
]


@pytest.mark.parametrize("head", MAIL_HEADS)
def test_what_stands_below_the_head_of_a_mail_is_not_the_authors(head: str) -> None:
    quoted = "Which route should get the rate limit?\n1. POST /actions\n2. POST /actions/stream"
    reply = parse_reply(f"2\n\n{head}\n\n{quoted}", two_routes())
    assert (reply.kind, reply.choice, reply.note) == (ReplyKind.CHOICE, TWO, None)


@pytest.mark.parametrize(
    "own_words",
    ["From: what I see, wait", "From: Bob\nwait for it", "To: wait for Bob", "Subject: not this", "Note: ask bob@example.com before you start",
     "In 2024 at 10:00 it was not askfirst[bot]:", "From: the logs of 2024, 10:00:\nnot 2", "De: acá no"],
)  # fmt: skip
def test_a_line_that_only_resembles_the_head_of_a_mail_is_the_authors(own_words: str) -> None:
    assert parse_reply(f"2\n\n{own_words}", two_routes()).kind not in RESUMES
