"""What stops a ticket because the code has it: full proof only, and no near miss."""

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.domain.errors import NothingToBuild
from pipeline.domain.stops import AlreadyImplemented
from pipeline.stages.existing.stage import find_existing, look
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import BOOKS, COMMANDS, DJANGO_COMMANDS, exists, outcome
from tests.pipeline.stages.plan_world import issue


@pytest.fixture
def books(built: Built) -> Registry:
    return built(BOOKS)


@pytest.mark.parametrize(
    ("title", "body", "labels"),
    [
        ("Add `page` to GET /books", "", ("query field page of GET /books",)),
        ("Add a page to GET /books", "`GET /books` should take `page`.", ("query field page of GET /books",)),
        (
            "Add `page` and `language` to GET /books",
            "",
            ("query field page of GET /books", "query field language of GET /books"),
        ),
        ("Add GET /books", "", ("GET /books",)),
        ("Add `page` to `list_books`", "", ("list_books(page)",)),
        ("Add `withdraw`", "", ("withdraw",)),
        ("Add `banned` to `Member`", "", ("table field banned of Member",)),
        (
            "Add a list of all titles",
            "Please add `GET /books`, so that a screen can show them.",
            ("GET /books",),
        ),
        ("Add a list of all titles", "Could you implement a new GET /books route?", ("GET /books",)),
        ("Add a way to take a copy away", "Please add `withdraw`.", ("withdraw",)),
    ],
)
def test_a_ticket_that_wants_what_a_cited_thing_has_is_met(
    books: Registry, title: str, body: str, labels: tuple[str, ...]
) -> None:
    assert exists(books, title, body) == labels


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Add `page` to POST /loans", ""),
        ("Add `page` to `lend`", ""),
        ("Add `page` and `size` to GET /books", ""),
        ("Add `size` to GET /books", "It has `page`."),
        ("Add `banned` to `Book`", ""),
        ("Add DELETE /books", ""),
        ("Add a validation of `page` to GET /books", ""),
        ("Add `page` to GET /books for members of the staff", ""),
        ("Validate `page` on GET /books", ""),
        ("Make `page` optional on GET /books", ""),
        ("Remove `page` from GET /books", ""),
        ("Rename `page` on GET /books to `leaf`", ""),
        ("`page` on GET /books should start with 0", ""),
        ("Bug: add `page` to GET /books", ""),
        ("`page` on GET /books is ignored", "Add `page` to GET /books."),
        ("Search", "Please add `GET /books`."),
        ("Add a filter by language", "Add it to `GET /books`."),
        ("Add a filter by language", "Add filters to `GET /books`."),
        ("Add documentation", "Add `GET /books` to the reference."),
        ("Add documentation", "Add `GET /books` documentation."),
        ("Add a check of members", "Please add `DELETE /books`."),
        ("We want to withdraw a damaged book", "We should take a damaged book off the shelves for ever."),
    ],
)
def test_a_near_miss_never_stops(books: Registry, title: str, body: str) -> None:
    assert exists(books, title, body) == ()


def test_an_option_of_a_cited_command_is_there(built: Built) -> None:
    registry = built(COMMANDS)
    assert exists(registry, "Add `--since` to `export_invoices`") == ("export_invoices(--since)",)
    assert exists(registry, "Add `--until` to `export_invoices`") == ()
    assert exists(registry, "Add `--since` to `export_members`") == ()


@pytest.mark.parametrize(
    "title", ["Add `--since` to `shop export-invoices`", "Add `--since` to `export-invoices`"]
)
def test_an_option_of_a_command_as_it_is_typed_is_there(built: Built, title: str) -> None:
    assert len(exists(built(COMMANDS), title)) == 1


def test_a_command_that_is_called_like_its_file_is_found_by_that_name(built: Built) -> None:
    registry = built(DJANGO_COMMANDS)
    assert exists(registry, "Add `--no-archive` to document_exporter") == (
        "--no-archive of document_exporter",
    )
    assert exists(registry, "Add `--no-archive` to thumbnail_maker") == ()
    assert outcome(registry, "thumbnail_maker should say how long it took") == snapshot(
        ("named", "symbol:shop/management/commands/thumbnail_maker.py::Command")
    )


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (
            "The export is large. Please add a `--no-archive` switch to document_exporter.",
            "May exist already: --no-archive of document_exporter (shop/management/commands/document_exporter.py:6).",
        ),
        ("Please add `--no-archive` and `--no-thumbnail` to document_exporter.", None),
        ("document_exporter takes long with `--no-archive`. Add a bar that shows progress.", None),
    ],
)
def test_what_a_sentence_asks_for_and_the_code_has_is_said_and_stops_nothing(
    built: Built, body: str, hint: str | None
) -> None:
    existing = find_existing(issue("Exporter: skip archive versions", body), built(DJANGO_COMMANDS), ())
    assert existing.hint == hint


@pytest.mark.parametrize("label", ["bug", "question"])
def test_only_a_wish_for_a_feature_is_met(books: Registry, label: str) -> None:
    title = "Add `page` to GET /books"
    assert look(issue(title, ""), books).stop is not None
    assert look(issue(title, "", label), books).stop is None


def test_the_stop_quotes_only_what_the_issue_says(books: Registry) -> None:
    title = "Add `page` to GET /books"
    stop = look(issue(title, ""), books).stop
    assert stop is not None
    assert stop.ask.quotes == snapshot(("page", "GET /books"))
    assert all(quote in title for quote in stop.ask.quotes)


def test_the_stop_says_what_was_looked_for_and_whether_a_test_covers_it(built: Built) -> None:
    registry = built(
        BOOKS
        | {
            "tests/test_api.py": "from library.api import list_books\n\ndef test_pages():\n    assert list_books()\n"
        }
    )
    stop = look(issue("Add `page` to GET /books", ""), registry).stop
    assert stop is not None
    assert (stop.ask.reason, stop.ask.candidates[0].facts) == snapshot(
        (
            "What the ticket asks for is there: query field page of GET /books (library/api.py:7).",
            {"asked for": "page on GET /books", "covered by": "tests/test_api.py:3"},
        )
    )
    assert (stop.ask.default, [option.id for option in stop.ask.options or ()]) == (
        "stop",
        ["stop", "falls_short", "build_anyway"],
    )


def test_what_is_partly_there_is_found_and_goes_on(books: Registry) -> None:
    existing = find_existing(issue("Add `page` and `size` to GET /books", ""), books, ())
    assert [(one.asked, one.found is not None) for one in existing.findings] == [
        ("page on GET /books", True),
        ("size on GET /books", False),
    ]


def test_an_answer_goes_on_or_ends_the_run(books: Registry) -> None:
    document = issue("Add `page` to GET /books", "")

    def answer(**what: str) -> tuple[Answer, ...]:
        return (Answer(question_id="q-1", slot="existing", answered_by="octocat", **what),)

    with pytest.raises(AlreadyImplemented):
        find_existing(document, books, ())
    with pytest.raises(NothingToBuild, match="nothing to build"):
        find_existing(document, books, answer(choice="stop"))
    goes_on = find_existing(document, books, answer(text="It counts from 0."))
    assert goes_on.answer == "It exists, but it falls short: “It counts from 0.”"
    assert find_existing(document, books, answer(choice="build_anyway")).answer == snapshot(
        "It exists and is to be built anyway, next to what is there."
    )
