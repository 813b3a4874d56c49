"""What weighs for a wish that changes a request, and what an issue only quotes."""

import pytest

from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.selection.anchors import Anchors
from pipeline.stages.selection.request_change import request_change
from pipeline.stages.selection.terms import terms_of

WISH = "The bulk action should take a flag in the request."


def probability(body: str) -> float:
    document = read_issue(IncomingTicket(title="Try it first", body=body), (), ())
    return request_change(document, Anchors((), ()), terms_of(document)).probability


@pytest.mark.parametrize(
    "quoted",
    [
        "See tests/test_log_errors.py.",
        "It says “refactor the logging test, error”.",
        "`make test-logs`",
        "At /srv/x1/test_error/log",
        "::error::x",
    ],
)
def test_what_an_issue_quotes_says_nothing_about_its_wish(quoted: str) -> None:
    assert probability(f"{WISH}\n\n{quoted}") == probability(WISH) > 0.5


def test_what_the_author_says_does() -> None:
    assert probability(f"{WISH}\n\nPlease refactor its test, too.") < probability(WISH)


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
    assert probability(wish) > probability(plain)


@pytest.mark.parametrize("wish", ["It must always say why.", "Let us say why.", "It says why every time."])
def test_a_wish_that_obliges_does_not(wish: str) -> None:
    assert probability(wish) == probability("Say why.")
