"""Names are found in prose by their shape or by their back-ticks, each once, by the most telling pattern."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain.intent import MentionKind
from pipeline.domain.mentions import find_mentions


def found(prose: str) -> list[tuple[str, str | None, str]]:
    return [(mention.kind.value, mention.method, mention.text) for mention in find_mentions(prose)]


def test_a_method_with_a_path_is_a_route() -> None:
    assert found("Let POST /actions/stream take a flag.") == [("route", "POST", "/actions/stream")]


def test_a_route_in_back_ticks_loses_its_query() -> None:
    assert found("Admins need `GET /items/?owner_id=...` here") == [("route", "GET", "/items/")]


def test_a_path_without_a_method_is_a_path() -> None:
    assert found("it is about `/actions/{id}`.") == [("path", None, "/actions/{id}")]


def test_names_are_known_by_their_shape() -> None:
    assert found("process_item, withPaging, OrderService and run() do it") == [
        ("name", None, "process_item"),
        ("name", None, "withPaging"),
        ("name", None, "OrderService"),
        ("name", None, "run"),
    ]


def test_a_plain_word_is_a_name_only_in_back_ticks() -> None:
    assert found("the `banned` column of a banned user") == [("name", None, "banned")]


def test_a_file_is_a_file_and_its_name_is_no_symbol() -> None:
    assert found("see app/services/items.py please") == [("file", None, "app/services/items.py")]


def test_an_address_on_the_web_names_no_route() -> None:
    assert found("as in https://example.com/api/items?x=1") == []


def test_what_is_written_twice_is_found_once() -> None:
    assert found("`pay_invoice` and pay_invoice") == [("name", None, "pay_invoice")]


@given(st.text(alphabet=st.sampled_from("abAB_/.`{}:<>?=& \nGETPOST()")))
def test_every_quote_stands_in_the_text(prose: str) -> None:
    for mention in find_mentions(prose):
        if mention.kind is not MentionKind.ROUTE:
            assert mention.quote in prose


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["a", "a.", "a-", "1.", "a/", "a_", "`", "--a"])
def test_a_word_as_long_as_an_issue_is_read(piece: str) -> None:
    word = (piece * 65_536)[:65_536]
    assert all(mention.quote in word for mention in find_mentions(word))
