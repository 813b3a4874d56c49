"""Routes found by everything that is written along their calls: asked about if they alone lead to one function."""

from pathlib import Path

import pytest

from pipeline.code_registry.registry import Registry
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import outcome, question
from tests.pipeline.stages.plan_world import ranking_of

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
    assert ask.quotes == ("arrivals … reserves … guest",)
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


RETURNS = {
    "library/loans.py": """
        def take_back(shelf, loan):
            loan.condition = shelf.look_at(loan.volume)
            shelf.put(loan.volume)

        def settle(reader, cents):
            reader.owes -= cents
    """,
    "library/api.py": """
        from fastapi import FastAPI
        from library.loans import settle, take_back

        app = FastAPI()

        @app.post("/desk/returns")
        def at_desk(code: str):
            return take_back(app.shelf, code)

        @app.post("/kiosk/returns")
        def at_kiosk(code: str):
            return take_back(app.shelf, code)

        @app.post("/desk/payments")
        def pay(card: str):
            return settle(card, 0)

        @app.post("/desk/fees")
        def fee(card: str):
            return settle(card, 1)
    """,
}
"""Two pairs of routes, each with a function of its own. Only the bodies say what happens to a volume or to what is owed."""


@pytest.mark.parametrize(
    ("title", "body", "routes"),
    [
        (
            "Torn pages",
            "Let people say what the condition of a volume is when they take it back.",
            "/returns",
        ),
        ("Coins", "It should be possible to say what a reader owes when they settle.", "/payments"),
    ],
)
def test_the_body_of_a_shared_function_speaks_for_its_routes(
    built: Built, title: str, body: str, routes: str
) -> None:
    expected = {
        "/returns": ("POST /desk/returns", "POST /kiosk/returns"),
        "/payments": ("POST /desk/fees", "POST /desk/payments"),
    }
    assert outcome(built(RETURNS), title, body) == ("asks entry_route", *expected[routes])


def test_a_word_of_one_route_speaks_against_a_question(built: Built) -> None:
    api = RETURNS["library/api.py"].replace(
        "def at_kiosk(code: str):",
        'def at_kiosk(code: str):\n            """For people who come alone."""',
    )
    wish = "Let people say what the condition of a volume is when they take it back"
    registry = built(RETURNS | {"library/api.py": api})
    assert outcome(registry, "Torn pages", f"{wish}.")[0] == "asks entry_route"
    assert outcome(registry, "Torn pages", f"{wish} if they come alone.")[0] == "likely"


@pytest.mark.parametrize(("other", "ending"), [(0.5, "asks entry_route"), (0.02, "likely")])
def test_routes_of_which_one_is_in_a_far_likelier_file_are_not_asked_about(
    built: Built, other: float, ending: str
) -> None:
    head, kiosk = RETURNS["library/api.py"].split('@app.post("/kiosk/returns")')
    tail = kiosk[kiosk.index('@app.post("/desk/payments")') :]
    files = RETURNS | {
        "library/api.py": head + tail,
        "library/kiosk.py": """
            from fastapi import FastAPI
            from library.loans import take_back

            app = FastAPI()

            @app.post("/kiosk/returns")
            def at_kiosk(code: str):
                return take_back(app.shelf, code)
        """,
    }
    files_by_words = (
        ranking_of("library/api.py", probability=0.5).files
        + ranking_of("library/kiosk.py", probability=other).files
    )
    ranking = ranking_of().model_copy(update={"files": files_by_words})
    wish = "People say what the condition of a volume is when they take it back, and it is kept."
    assert outcome(built(files), "Torn pages", wish, ranking=ranking)[0] == ending


def test_words_that_fit_two_sets_alike_ask_nothing(built: Built) -> None:
    wish = "Let people say what the condition is, and what somebody owes."
    assert outcome(built(RETURNS), "Torn pages", wish)[0] == "likely"


def test_a_body_whose_file_is_gone_says_nothing(built: Built, tmp_path: Path) -> None:
    registry = built(RETURNS)
    (tmp_path / "tree/library/loans.py").unlink()
    assert outcome(registry, "Torn pages", "Let people say what the condition of a volume is.")[0] == "likely"
