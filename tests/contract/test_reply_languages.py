"""Replies in the languages that are read, and words that name a thing of the code that was not offered."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.clarification import Clarification, NamedElsewhere
from pipeline.contract.reply import parse_reply
from pipeline.contract.reply_languages import LANGUAGES
from pipeline.contract.reply_meaning import ReplyKind
from tests.github_app.conversation.questions import (
    asked,
    blocked,
    candidate,
    confirmation,
    many_routes,
    two_routes,
)

ONE, TWO = "route:POST /actions", "route:POST /actions/stream"
REPORTS, SEND = "route:GET /reports", "symbol:app/mail.py::send_mail"
CHOICE, DEFAULT, FREE, CANCEL, HELP, UNCLEAR, CONFLICT, IGNORE, _ = ReplyKind
RESUMES = {CHOICE, DEFAULT, FREE}

# The second choice, the second choice, the default, and no answer; then one that names neither.
SAID = {
    "English": ("the second one, thanks", "two", "yes please", "no", "neither, it should be GET /reports"),
    "Spanish": ("la segunda, por favor", "dos", "sí", "no", "ninguna, GET /reports"),
    "French": ("le deuxième", "deux", "oui", "non", "aucune des deux: GET /reports"),
    "German": ("die zweite bitte", "Nummer zwei", "ja", "nein", "keine von beiden, GET /reports"),
    "Italian": ("la seconda", "numero due", "sì", "no", "nessuna delle due, GET /reports"),
    "Portuguese": ("a segunda", "dois", "sim", "não", "nenhuma, GET /reports"),
    "Russian": ("второй", "два", "да", "нет", "ни один: GET /reports"),
    "Japanese": ("二番目でお願いします", "2番", "はい", "いいえ", "どちらでもない、GET /reports"),
    "Chinese": ("选第二个吧", "二", "是的", "不是", "都不是，GET /reports"),
}


def with_elsewhere(question: Clarification | None = None) -> Clarification:
    """A question that also knows a route and a function that it does not offer."""
    question = question or two_routes()
    elsewhere = (
        NamedElsewhere(
            id=REPORTS, label="GET /reports", names=("GET /reports", "app/api/reports.py", "list_reports")
        ),
        NamedElsewhere(id=SEND, label="send_mail (app/mail.py)", names=("send_mail",)),
    )
    return question.model_copy(
        update={"question": question.question.model_copy(update={"elsewhere": elsewhere})}
    )


def test_every_language_has_its_row():
    assert set(SAID) == set(LANGUAGES)


@pytest.mark.parametrize("language", SAID)
def test_a_number_a_yes_and_a_no_are_read_in_each_language(language):
    ordinal, cardinal, yes, no, neither = SAID[language]
    assert [parse_reply(said, two_routes()).choice for said in (ordinal, cardinal)] == [TWO, TWO]
    assert parse_reply(yes, two_routes()).kind is DEFAULT
    assert parse_reply(no, two_routes()).kind is UNCLEAR
    assert parse_reply(neither, with_elsewhere()).choice == REPORTS


@pytest.mark.parametrize("language", SAID)
@pytest.mark.parametrize("question", [confirmation(), blocked()], ids=["confirmation", "blocked"])
def test_a_yes_approves_nothing_in_any_language(language, question):
    assert parse_reply(SAID[language][2], question).kind not in RESUMES


@pytest.mark.parametrize(
    ("words", "choice"),
    [
        ("I think 2 because we need it", TWO),
        ("I think we should take 2", TWO),
        ("the streaming one because our users need it", TWO),
        ("Nummer 2 bitte", TWO),
        ("ja, 2", TWO),
        ("2, porque lo usamos", TWO),
        ("number two", TWO),
        ("neither, it should be GET /reports", REPORTS),
        ("Neither of these. I mean `GET /reports`", REPORTS),
        ("it should be send_mail, that is where the work is done", SEND),
        ("app/api/reports.py please", REPORTS),
        ("use list_reports", REPORTS),
    ],
)
def test_words_without_a_command_count_where_they_name_exactly_one_thing(words, choice):
    reply = parse_reply(words, with_elsewhere())
    assert (reply.kind, reply.choice) == (CHOICE, choice)


@pytest.mark.parametrize(
    "words",
    [
        "neither", "neither, it should be the importer", "both", "GET /reports or send_mail", "not GET /reports",
        "neither, POST /actions", "neither POST /actions nor GET /reports", "GET /reports and POST /actions",
        "GET /reports?", "GET /reports has the same bug", "we call send_mail there", "GET /reports/7", "reports",
        "neither, it should be GET /reports, maybe", "2, or rather GET /reports", "I think 2 is wrong", "I think 2 or 1",
        "I think we should wait for 2", "um", "due", "si 2 falla", "un moment", "a dos pasos", "third", "sechs",
        "keine Ahnung, GET /reports", "no", "ja aber", "yes and no", "два дня", "二号线坏了", "send mail",
    ],
)  # fmt: skip
def test_what_stays_unclear_costs_nothing(words):
    assert parse_reply(words, with_elsewhere()).kind not in RESUMES


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("POST /orders/export", "app/orders.py", "write_orders"), ("POST /reports", "app/reports.py", "export_report")),
        (("POST /export", "app/a.py", "run"), ("POST /exports/all", "app/b.py", "run_all")),
        (("POST /orders", "app/exporting.py", "write"), ("POST /reports", "app/exported.py", "send")),
    ],
)  # fmt: skip
def test_words_that_fit_both_candidates_choose_nothing(first, second):
    question = asked(
        candidates=tuple(
            candidate(f"route:{label}", label, path, (1, 9), handler=handler)
            for label, path, handler in (first, second)
        )
    )
    for words in ("the export endpoint", "the exporting one", "export"):
        assert parse_reply(words, question).kind not in RESUMES


def test_a_thing_that_is_not_offered_is_no_number_and_no_free_text():
    reply = parse_reply("neither, it should be GET /reports", with_elsewhere())
    assert (reply.choice, reply.note) == (REPORTS, None)
    assert parse_reply("3", with_elsewhere()).kind is UNCLEAR
    assert parse_reply("GET /reports", two_routes()).kind is UNCLEAR


WORDS = [
    *(word for rows in SAID.values() for said in rows for word in said.split()),
    *"1 2 3 A b go ok /answer /go /cancel not or and because GET /reports POST /actions /actions/stream stream.py send_mail".split(),
    *("?", ",", ".", "\n", "> ", "`", "```", "@askfirst", "<!--", "-->", "~~", "*", "I", "think", "\u200b", "２", "第二个", "👍"),
]  # fmt: skip
QUESTIONS = (with_elsewhere(), two_routes(), many_routes(5), confirmation(), blocked(), asked(candidates=()))


def offered(question: Clarification) -> set[str | None]:
    """All that a choice may be."""
    return {
        None,
        *(one.id for one in question.candidates),
        *(one.id for one in question.question.options or ()),
        *(one.id for one in question.question.elsewhere),
    }


def fuzz(seed: int, times: int) -> None:
    """Read made-up comments, and compare each choice with what the question holds."""
    chance = random.Random(seed)
    known = [(question, offered(question)) for question in QUESTIONS]
    for _ in range(times):
        comment = " ".join(chance.choices(WORDS, k=chance.randint(1, 9)))
        for question, may_be in known:
            assert parse_reply(comment, question).choice in may_be, comment


def test_no_words_choose_what_the_question_does_not_hold():
    fuzz(seed=17, times=500)


@given(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), st.sampled_from(QUESTIONS))
def test_a_comment_that_asks_something_chooses_nothing(comment, question):
    own_words = not any(mark in comment for mark in ("/answer", ">", "`", "<!--", "~~"))
    assert not own_words or parse_reply(f"{comment} ?", question).kind not in RESUMES
