"""The evaluation set holds what it says: every place exists, and twins differ in their outcome."""

import re
from pathlib import Path

import orjson
import pytest

from tests.evaluation.outcomes import EvaluatedTicket, ExpectedPlace, TicketSet

SAMPLES = Path("tests/sample_repositories")
TEXT = Path("tests/evaluation/tickets.json").read_bytes()
TICKETS = {ticket.id: ticket for ticket in TicketSet.model_validate_json(TEXT).tickets}
TWINS = {raw["id"]: raw["twin"] for raw in orjson.loads(TEXT)["tickets"] if raw["twin"] is not None}
STARTS_A_HANDLER = re.compile(
    r"\bdef |\bfunc |\bfunction |^ +async \w+\(|\w+\.(get|post|put|patch|delete)\b", re.ASCII
)


def places_of(ticket: EvaluatedTicket) -> tuple[ExpectedPlace, ...]:
    selected = ticket.expected.selected
    found = ticket.expected.candidates + ticket.expected.existing
    return found if selected is None else (*found, selected)


def line_of(ticket: EvaluatedTicket, place: ExpectedPlace) -> str:
    assert place.file is not None
    assert place.line is not None
    return (SAMPLES / ticket.repo_dir / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]


@pytest.mark.parametrize("ticket", TICKETS.values(), ids=TICKETS)
def test_every_place_holds_what_the_ticket_says(ticket: EvaluatedTicket) -> None:
    for place in places_of(ticket):
        line = line_of(ticket, place)
        if place.method is not None:
            assert STARTS_A_HANDLER.search(line), (place, line)
        else:
            name = place.field or (place.symbol or "").rpartition(".")[2]
            assert re.search(rf"\b{re.escape(name)}\b", line), (place, line)


@pytest.mark.parametrize("ticket", TICKETS.values(), ids=TICKETS)
def test_what_is_expected_fits_the_category(ticket: EvaluatedTicket) -> None:
    expected = ticket.expected
    assert (ticket.category == "clear") == (expected.exit_code == 0)
    assert (ticket.category == "ambiguous") == (len(expected.candidates) >= 2)
    assert (ticket.category == "already") == bool(expected.existing)
    assert (ticket.category == "vague") == expected.needs_model
    labels = {f"{place.method} {place.path}" for place in expected.candidates}
    assert expected.default is None or expected.default in labels


@pytest.mark.parametrize("name", TWINS)
def test_twins_are_mutual_and_differ_in_their_outcome(name: str) -> None:
    one, other = TICKETS[name], TICKETS[TWINS[name]]
    assert TWINS[other.id] == name
    assert one.repo_dir == other.repo_dir
    assert one.expected.exit_code != other.expected.exit_code
