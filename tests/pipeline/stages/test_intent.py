"""The lexical reader says what is written, with the words on which it rests, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.domain.intent import Operation, Source
from pipeline.stages.intent.hidden_text import remove_hidden
from pipeline.stages.intent.lexical import read_lexically


def test_a_wish_for_a_flag_is_read_with_its_words() -> None:
    intent = read_lexically("Add a dry_run flag to the bulk action", "It should write nothing.")
    assert intent.source is Source.LEXICAL
    assert (intent.operation, intent.operation_quote) == (Operation.ADD, "dry_run")
    assert intent.surface_quote == "flag"
    assert [new.text for new in intent.new_names] == snapshot(["dry_run"])


@pytest.mark.parametrize(
    ("title", "body", "new_names"),
    [
        ("dry_run for payouts", "Please add an optional `dry_run` boolean to `pay_invoice`.", ["dry_run"]),
        ("Reason", "Add an optional `ban_reason` text next to `banned`.", ["ban_reason"]),
        ("Filter", "We need `GET /items/?owner_id=...`.", ["owner_id"]),
        ("Search tasks", "GET /api/tasks should take an optional `name` query parameter.", ["name"]),
        ("Retry process_item", "process_item should try again.", []),
    ],
)
def test_a_name_that_is_wished_for_is_told_from_one_that_is_there(
    title: str, body: str, new_names: list[str]
) -> None:
    assert [new.text for new in read_lexically(title, body).new_names] == new_names


@pytest.mark.parametrize(
    ("title", "body", "operation"),
    [
        ("Crash when the body is empty", "POST /actions fails with a traceback.", Operation.FIX),
        ("Rename customer_id to account_id", "", Operation.RENAME),
        ("Document the retry behaviour", "", Operation.DOCUMENT),
        ("Remove the legacy export", "", Operation.REMOVE),
        ("Improve the dashboard", "", Operation.CHANGE),
        ("Let people export their orders", "", Operation.ADD),
    ],
)
def test_the_operation_is_read_from_the_title_first(title: str, body: str, operation: Operation) -> None:
    assert read_lexically(title, body).operation is operation


@pytest.mark.parametrize(
    "body",
    [
        "process_item should log the sku. The API stays as it is.",
        "Retry once in process_item. No change to the request or the response.",
        "process_item must be faster.",
    ],
)
def test_a_wish_that_leaves_the_request_alone_changes_no_surface(body: str) -> None:
    assert not read_lexically("Work inside process_item", body).changes_surface


def test_what_the_ticket_rules_out_is_kept() -> None:
    assert read_lexically("Add a flag", "Not the streaming one.").excluded == ("stream",)


def test_text_that_nobody_sees_is_not_read_and_is_counted() -> None:
    intent = read_lexically("Add a flag\u200b", "for `items` <!-- and for `secret_admin_route` -->")
    assert [mention.text for mention in intent.mentions] == ["items"]
    assert intent.hidden_removed == 2


def test_a_comment_put_together_from_two_is_removed_too() -> None:
    assert remove_hidden("a <!-<!-- x -->- hidden --> b") == ("a  b", 2)


def test_a_comment_without_an_end_hides_the_rest() -> None:
    assert remove_hidden("a <!-- hidden") == ("a ", 1)


@given(st.text(), st.text())
def test_any_ticket_can_be_read_and_gives_the_same_intent_twice(title: str, body: str) -> None:
    assert read_lexically(title, body) == read_lexically(title, body)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "piece", ["`", "a_", "/", "POST /", "add a ", "not the ", "(", "<!--", "x" * 99 + " "]
)
def test_the_longest_body_that_github_takes_is_read_without_hanging(piece: str) -> None:
    body = (piece * 65_536)[:65_536]
    read_lexically("Add a flag", body)


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("It should be possible to add a `note` for the courier.", "possible to add"),
        ("Mails are in English. An optional `locale` in the request would help.", "optional"),
        ("Just end the sentence. I do not need a new parameter or anything.", None),
    ],
)
def test_what_somebody_may_give_changes_the_surface(body: str, quote: str | None) -> None:
    assert read_lexically("Wish", body).surface_quote == quote


def test_values_in_brackets_after_a_new_name_are_no_names_of_things() -> None:
    intent = read_lexically("Newest first", "It should take an optional `sort` (`name` or `newest`).")
    assert [mention.text for mention in intent.mentions] == ["sort"]


def test_what_is_fine_as_it_is_is_ruled_out() -> None:
    body = "Add `remarks` for patients. What is said about a single appointment is fine as it is."
    assert "appoint" in read_lexically("Remarks", body).excluded


def test_a_wish_that_goes_on_about_a_sentence_holds_that_sentence_too() -> None:
    body = "Good morning.\n\nDeleting messages removes all. It should take an optional `before`."
    wish = read_lexically("Keep some", body).wish.split("\n")
    assert wish[1:] == ["Deleting messages removes all.", "It should take an optional `before`."]
