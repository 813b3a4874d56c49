"""What a ticket says of routes that were not read: only where it may mean one of them."""

import pytest

from pipeline.contract.ticket import TargetConfidence
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.ticket_notes import gaps_that_matter
from tests.pipeline.conftest import Built
from tests.pipeline.stages.plan_world import NO_RANKING

GAPS = ("django is imported in 8 files: 41 route registrations were read and 5 were not.",)
ELSEWHERE = "The shopping list is not updated when a meal is added."


@pytest.mark.parametrize(
    "body", ["`GET /meals` should return the date.", "The request should take a parameter for the limit."]
)
def test_a_ticket_that_may_mean_an_unread_route_says_which_were_not_read(built: Built, body: str) -> None:
    assert gaps(built, body, TargetConfidence.LIKELY) == GAPS


def test_a_ticket_that_has_nothing_to_do_with_routes_says_nothing_of_them(built: Built) -> None:
    assert gaps(built, ELSEWHERE, TargetConfidence.LIKELY) == ()


def test_a_ticket_for_which_nothing_was_found_says_which_routes_were_not_read(built: Built) -> None:
    assert gaps(built, ELSEWHERE, TargetConfidence.UNKNOWN) == GAPS


def gaps(built: Built, body: str, confidence: TargetConfidence) -> tuple[str, ...]:
    document = read_issue(IncomingTicket(title="Meals", body=body), (), ())
    return gaps_that_matter(
        GAPS, document, NO_RANKING, confidence, lambda: built({"meals.py": "def meals(): ...\n"})
    )
