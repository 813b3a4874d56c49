"""Routes found by everything that is written along their calls: asked about if they alone lead to one function."""

import pytest

from pipeline.code_registry.registry import Registry
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import outcome, question

STAYS = {
    "hotel/rooms.py": '''
        def reserve(room, guest):
            """Hold a room for a stay until the guest arrives."""
            return room, guest

        def stay_of(code):
            """The stay of a guest by the code on the letter."""
            return code

        def price_list(season):
            """What a room costs."""
            return season
    ''',
    "hotel/api.py": """
        from fastapi import FastAPI
        from hotel.rooms import price_list, reserve, stay_of

        app = FastAPI()

        @app.post("/desk/new")
        def enter(room: str, guest: str):
            return reserve(room, guest)

        @app.post("/partner/new")
        def hand_in(room: str, guest: str):
            return reserve(room, guest)

        @app.get("/letters/{code}")
        def letter(code: str):
            return stay_of(code)

        @app.delete("/letters/{code}")
        def withdraw(code: str):
            return stay_of(code)

        @app.get("/prices")
        def prices(season: str):
            return price_list(season)
    """,
}
"""Two routes that lead to `reserve`, and two, of which one only reads, that lead to `stay_of`."""

NEW = ("asks entry_route", "POST /desk/new", "POST /partner/new")


@pytest.fixture
def stays(built: Built) -> Registry:
    return built(STAYS)


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Late arrivals", "Who reserves should be able to say when a guest arrives."),
        ("A cot", "Families ask for one. It should be possible to say so when a stay is reserved."),
    ],
)
def test_a_paraphrase_asks_between_the_routes_whose_common_function_its_words_fit(
    stays: Registry, title: str, body: str
) -> None:
    assert outcome(stays, title, body) == NEW


def test_such_a_question_quotes_the_words_that_led_there(stays: Registry) -> None:
    ask = question(stays, "Late arrivals", "Who reserves should be able to say when a guest arrives.").ask
    assert ask.quotes == ("arrivals reserves guest",)
    assert ask.reason.startswith("2 routes reach the chain leaf 'reserve'")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Code on the letter", "It should be possible to say which code a letter has."),
        (
            "Prices by season",
            "It should be possible to say for which season a room costs what until a guest arrives.",
        ),
        ("Late arrivals", "Log who reserves when a guest arrives, for performance."),
        ("bug: late arrivals", "Who reserves cannot say when a guest arrives."),
        ("A pool", "It should be possible to say how warm the water is."),
    ],
    ids=["a route that reads is among them", "one route fits", "no request changes", "a bug", "nothing fits"],
)
def test_other_wishes_ask_nothing(stays: Registry, title: str, body: str) -> None:
    assert outcome(stays, title, body)[0] == "likely"
