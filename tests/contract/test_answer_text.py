"""The words of an answer: what the App accepts and shows is what a run reads of the same comment."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.commands import answer_text, commands_in
from pipeline.contract.own_words import own_words
from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_meaning import ReplyKind
from tests.contract.quotations import QUOTATIONS
from tests.github_app.conversation.questions import FORMAT, WHO, a_plan, two_routes

PIECES = (
    "/answer ", "/answer\n", "/answerX ", "/go\n", "/decide\n", "@askfirst ", "/askfirst ", "2 ", "both ", "`limit` it ",
    "*and* export ", "it is CSV ", "\n", "\n\n", *(f"\n{quotation}\n" for quotation in QUOTATIONS.values()),
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_an_answer_in_words_is_read_alike_by_the_app_and_by_the_run(comment: str) -> None:
    for question in (two_routes(), a_plan(WHO, FORMAT)):
        reply = parse_reply(comment, question)
        if reply.kind is ReplyKind.FREE:
            assert reply.note == answer_text(own_words(comment))


@pytest.mark.parametrize("quotation", QUOTATIONS.values(), ids=QUOTATIONS)
def test_what_a_person_quotes_is_no_part_of_the_answer(quotation: str) -> None:
    reply = parse_reply(f"/answer as CSV\n{quotation}", two_routes())
    assert (reply.kind, reply.note) == (ReplyKind.FREE, "as CSV")


def test_a_word_that_begins_like_a_command_is_none() -> None:
    assert commands_in(own_words("/answerX drop the table")) == frozenset()
    assert parse_reply("/answerX drop the table", two_routes()).kind is ReplyKind.UNCLEAR


def test_two_answers_in_one_comment_start_nothing_because_a_run_reads_one() -> None:
    assert parse_reply("/answer as CSV\n/answer as JSON", two_routes()).kind is ReplyKind.CONFLICT
