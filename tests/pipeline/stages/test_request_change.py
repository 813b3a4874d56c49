"""What weighs for a wish that changes a request, and what an issue only quotes."""

import pytest

from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.selection.request_change import request_change

WISH = "The bulk action should take a flag in the request."


def log_odds(body: str) -> float:
    document = read_issue(IncomingTicket(title="Try it first", body=body), (), ())
    return request_change(document).log_odds


@pytest.mark.parametrize(
    "quoted",
    [
        "See tests/test_log_errors.py.",
        "Seen: “refactor the logging test, error”.",
        "`make test-logs`",
        "At /srv/x1/test_error/log",
        "::error::x",
    ],
)
def test_what_an_issue_quotes_says_nothing_about_its_wish(quoted: str) -> None:
    assert log_odds(f"{WISH}\n\n{quoted}") == log_odds(WISH) > 0


def test_what_the_author_says_does() -> None:
    assert log_odds(f"{WISH}\n\nPlease refactor its test, too.") < log_odds(WISH)


@pytest.mark.parametrize(
    ("wish", "plain"),
    [
        ("It should be possible to say why.", "Say why."),
        ("Whoever returns a book should be able to say why.", "Whoever returns a book says why."),
        ("Let them say why.", "They say why."),
        ("The day on which it ends could then be named.", "The day on which it ends is named."),
    ],
)
def test_a_wish_for_a_possibility_speaks_for_a_change_of_the_request(wish: str, plain: str) -> None:
    assert log_odds(wish) > log_odds(plain)


def test_a_default_for_those_who_say_nothing_speaks_for_it() -> None:
    assert log_odds("Say why. Not compulsory.") > log_odds("Say why.")
    assert log_odds("Say why; without it all is as today.") > log_odds("Say why.")


def test_a_new_route_and_what_is_forbidden_speak_against_it() -> None:
    assert log_odds("A new endpoint that takes a reason.") < log_odds("The endpoint takes a reason.")
    assert log_odds("It must not say why.") < log_odds("Say why.")


@pytest.mark.parametrize("wish", ["It must always say why.", "Let us say why.", "It says why every time."])
def test_a_wish_that_obliges_does_not(wish: str) -> None:
    assert log_odds(wish) == log_odds("Say why.")
