"""What makes a target, and what is only a suggestion: citations select, words part what citations fit."""

import pytest

from pipeline.code_registry.registry import Registry
from pipeline.domain.issue import Synonym
from pipeline.domain.places import CitedFile
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.selection.terms import terms_of
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import (
    ACTIONS,
    BOOKS,
    COMMANDS,
    FLAG,
    MOVE,
    SETTINGS,
    STREAM,
    TO_LEAF,
    TWO_TIMEOUTS,
    outcome,
    ranking_that_cites,
)
from tests.pipeline.stages.plan_world import NO_RANKING, issue, ranking_of


@pytest.mark.parametrize("citation", ["POST /actions/stream", "`POST /actions/stream`", "`/actions/stream`"])
def test_a_cited_route_selects(shelves: Registry, citation: str) -> None:
    assert outcome(shelves, FLAG, f"{citation} should take `dry_run`.") == ("named", STREAM)


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Make it faster", "`move_parcel` is slow, cache it."),
        ("Refactor it", "`move_parcel` is too long. Split it."),
        ("It fails", "`move_parcel` raises an error without a shelf."),
        ("bug: an empty shelf", "`move_parcel` should take no parameter that is empty."),
    ],
)
def test_a_cited_function_is_the_target_where_no_request_changes(
    shelves: Registry, title: str, body: str
) -> None:
    assert outcome(shelves, title, body) == ("named", MOVE)


@pytest.mark.parametrize(
    ("title", "said", "target"),
    [
        (f"{FLAG} to the stream", "", STREAM),
        (FLAG, "It is for streaming.", STREAM),
        (FLAG, "But not for the stream.", ACTIONS),
        (FLAG, "The one without streaming.", ACTIONS),
    ],
)
def test_words_part_two_routes_and_then_select(shelves: Registry, title: str, said: str, target: str) -> None:
    assert outcome(shelves, title, f"{TO_LEAF} {said}") == ("named", target)


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Add a filter to the list of books", "It should accept a field `since`."),
        ("Let people withdraw a damaged book with a reason", "The request should take a parameter."),
        (
            "Take damaged books off the shelves for ever",
            "With an optional parameter `reason` in the request.",
        ),
    ],
)
def test_words_alone_never_make_a_target(built: Built, title: str, body: str) -> None:
    confidence, *_ = outcome(built(BOOKS), title, body)
    assert confidence == "likely"


@pytest.mark.parametrize(
    ("citation", "files", "floor"),
    [
        ("`move_parcel`", 99, 0.5),
        ("`move_parcel`", 100, 0.75),
    ],
)
def test_a_citation_of_an_unlikely_file_is_no_target(
    shelves: Registry, citation: str, files: int, floor: float
) -> None:
    def ending(probability: float) -> str:
        ranking = ranking_of("shelves/moves.py", "shelves/api.py", probability=probability).model_copy(
            update={"searched": files}
        )
        return outcome(shelves, "It is slow", f"{citation} takes a minute.", ranking=ranking)[0]

    assert (ending(floor), ending(floor - 0.01)) == ("named", "likely")


def test_a_cited_line_is_a_target_however_unlikely_its_file(shelves: Registry) -> None:
    ranking = ranking_of("shelves/api.py", probability=0.8).model_copy(update={"searched": 100})
    assert outcome(shelves, "It is slow", "moves.py:2 takes a minute.", ranking=ranking) == ("named", MOVE)


@pytest.mark.parametrize(("probability", "expected"), [(0.5, "named"), (0.4, "likely")])
def test_a_path_without_its_method_is_doubted(shelves: Registry, probability: float, expected: str) -> None:
    ranking = ranking_of("shelves/moves.py", "shelves/api.py", probability=probability)
    assert outcome(shelves, "Slow", "`/message` takes a minute.", ranking=ranking)[0] == expected


@pytest.mark.parametrize(("files", "expected"), [(99, "named"), (100, "likely")])
def test_among_many_files_a_name_is_doubted_also_where_its_file_is_far_ahead(
    shelves: Registry, files: int, expected: str
) -> None:
    ranking = ranking_of("shelves/moves.py", probability=0.4).model_copy(update={"searched": files})
    assert outcome(shelves, "It is slow", "`move_parcel` takes a minute.", ranking=ranking)[0] == expected


def test_nothing_is_called_selected_that_is_doubted_afterwards(shelves: Registry) -> None:
    ranking = ranking_of("shelves/moves.py", "shelves/api.py", probability=0.4)
    _, rows = decide(issue("Slow", "`/message` takes a minute."), ranking, shelves, ())
    conclusions = [row.concluded for row in rows if row.about == "`/message`"]
    assert conclusions[0] == "One route fits."
    assert "too little else" in conclusions[1]


def test_a_method_and_path_is_not_doubted(shelves: Registry) -> None:
    assert outcome(shelves, "Slow", "POST /message takes a minute.", ranking=NO_RANKING) == (
        "named",
        "route:POST /message",
    )


def test_a_doubted_name_leaves_the_traceback_to_lead(shelves: Registry) -> None:
    trace = (
        "```\nTraceback (most recent call last):\n"
        '  File "/app/shelves/api.py", line 21, in send_message\n    return text\nValueError: no\n```\n'
    )
    ranking = ranking_of("shelves/api.py", probability=0.3)
    assert outcome(shelves, "It fails", trace, ranking=ranking) == (
        "named",
        "symbol:shelves/api.py::send_message",
    )
    assert outcome(shelves, "It fails", f"{trace}\nUnlike `move_parcel`.", ranking=ranking) == (
        "named",
        "symbol:shelves/api.py::send_message",
    )


@pytest.mark.parametrize("citation", ["`UPLOAD_RETRIES`", "UPLOAD_RETRIES", "$UPLOAD_RETRIES"])
def test_a_setting_is_cited_by_its_name(built: Built, citation: str) -> None:
    wish = f"Three times are not enough, {citation} should be 5."
    assert outcome(built(SETTINGS), "Try more often", wish) == (
        "named",
        "symbol:desk/settings.py::UPLOAD_RETRIES",
    )


def test_a_title_that_names_the_package_selects_its_setting(built: Built) -> None:
    assert outcome(built(TWO_TIMEOUTS), "Lower REQUEST_TIMEOUT of the counter", "It is too long.") == (
        "named",
        "symbol:apps/counter/settings.py::REQUEST_TIMEOUT",
    )


def test_a_key_that_one_file_sets_and_reads_is_one_thing(built: Built) -> None:
    registry = built(
        {
            "desk.py": """
                import os

                def put():
                    os.environ["UPLOAD_RETRIES"] = "3"

                def take():
                    return os.environ["UPLOAD_RETRIES"]
            """
        }
    )
    confidence, *targets = outcome(registry, "Raise UPLOAD_RETRIES")
    assert (confidence, len(targets)) == ("named", 1)


def test_a_command_is_cited_by_its_name_alone(built: Built) -> None:
    assert outcome(built(COMMANDS), "Where to", "Give `export-members` an option `--target`.") == (
        "named",
        "symbol:shop/cli.py::export_members",
    )


@pytest.mark.parametrize(
    ("body", "field"), [("Rename `due_on`.", "due_on"), ("Add `ban_reason` next to `banned`.", "banned")]
)
def test_a_name_that_a_column_has_means_the_column(built: Built, body: str, field: str) -> None:
    assert outcome(built(BOOKS), "Members", body) == ("named", f"field:library/models.py::Member.{field}")


def test_a_title_that_cites_two_routes_gives_both_targets(built: Built) -> None:
    assert outcome(built(BOOKS), "Add a filter to GET /books and a note to POST /loans") == (
        "named",
        "route:GET /books",
        "route:POST /loans",
    )


@pytest.mark.parametrize(
    ("title", "targets"),
    [
        (
            "Rename `lend` and `list_books`",
            ("symbol:library/api.py::lend", "symbol:library/api.py::list_books"),
        ),
    ],
)
def test_a_title_that_cites_a_function_and_another_thing_gives_both_targets(
    built: Built, title: str, targets: tuple[str, ...]
) -> None:
    confidence, *ids = outcome(built(BOOKS), title)
    assert (confidence, sorted(ids)) == ("named", sorted(targets))


@pytest.mark.parametrize(
    ("title", "body", "path"),
    [
        ("Broken link", "The second link in README.md leads nowhere.", "README.md"),
        ("Pin actions", ".github/workflows/ci.yml should pin actions.", ".github/workflows/ci.yml"),
        ("Slow", "db/schema.sql needs an index.", "db/schema.sql"),
    ],
)
def test_a_cited_file_of_any_kind_is_a_target(shelves: Registry, title: str, body: str, path: str) -> None:
    ranking = ranking_that_cites(title, body, "README.md", ".github/workflows/ci.yml", "db/schema.sql")
    assert outcome(shelves, title, body, ranking=ranking) == ("named", f"file:{path}")


@pytest.mark.parametrize(
    "body",
    [
        "The place is db/schema.sql.",
        "The place is db/schema.sql:7.",
        "## Steps\n\n1. Look at `db/schema.sql`.",
        "## Actual\n\ndb/schema.sql is slow.",
    ],
)
def test_a_file_with_its_folder_is_the_target_however_improbable(shelves: Registry, body: str) -> None:
    ranking = ranking_that_cites("It hangs", body, "db/schema.sql", probability=0.01)
    ranking = ranking.model_copy(update={"searched": 500})
    assert outcome(shelves, "It hangs", body, ranking=ranking) == ("named", "file:db/schema.sql")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("README.md leads nowhere.", ("named", "file:README.md")),
        ("README.md says something else than CHANGES.md.", ("likely",)),
    ],
)
def test_a_file_at_the_root_needs_no_likely_file_where_it_is_the_only_file(
    shelves: Registry, body: str, expected: tuple[str, ...]
) -> None:
    ranking = ranking_that_cites("Broken", body, "README.md", "CHANGES.md", probability=0.1)
    assert outcome(shelves, "Broken", body, ranking=ranking) == expected


def test_a_title_that_names_a_function_whose_file_leads_by_far_means_it_and_no_route(built: Built) -> None:
    api = "from fastapi import FastAPI\nfrom app.masks import mask\n\napp = FastAPI()\n\n\n"
    api += "@app.post('/query')\ndef query(text: str):\n    return mask(text)\n"
    registry = built({"app/api.py": api, "app/masks.py": "def mask(text):\n    return text\n"})
    wish = ("`mask` should take a character", "Let callers send one.")
    leading = ranking_of("app/masks.py", probability=0.9)
    assert outcome(registry, *wish, ranking=leading) == ("named", "symbol:app/masks.py::mask")
    level = ranking_of("app/masks.py", "app/api.py", probability=0.9)
    assert outcome(registry, *wish, ranking=level) == ("named", "route:POST /query")


@pytest.mark.parametrize("body", ["schema.sql is read here.", "See /etc/shop/db/schema.sql on my machine."])
def test_a_bare_name_and_a_path_of_another_machine_need_a_likely_file(shelves: Registry, body: str) -> None:
    ranking = ranking_of("db/schema.sql", probability=0.4).model_copy(
        update={
            "searched": 500,
            "cited": tuple(
                CitedFile(path="db/schema.sql", citation=citation)
                for citation in issue("It hangs", body).citations
            ),
        }
    )
    assert ranking.cited
    assert outcome(shelves, "It hangs", body, ranking=ranking) == ("likely",)


def test_a_file_that_only_a_log_shows_is_no_target(shelves: Registry) -> None:
    body = "Look:\n\n```\nreading db/schema.sql\n```\n"
    ranking = ranking_that_cites("It hangs", body, "db/schema.sql")
    assert outcome(shelves, "It hangs", body, ranking=ranking) == ("likely",)


@pytest.mark.parametrize(
    ("probability", "files", "expected"), [(0.95, 100, "named"), (0.89, 100, "likely"), (0.95, 99, "likely")]
)
def test_without_a_citation_a_file_among_many_is_a_target_from_nine_tenths_on(
    shelves: Registry, probability: float, files: int, expected: str
) -> None:
    ranking = ranking_of("README.md", probability=probability).model_copy(update={"searched": files})
    assert outcome(shelves, "Something is odd", "", ranking=ranking)[0] == expected


def test_a_file_that_is_a_target_by_its_probability_says_so_in_a_sentence(shelves: Registry) -> None:
    decision, _ = decide(
        issue("Something is odd", ""),
        ranking_of("README.md", probability=0.95).model_copy(update={"searched": 100}),
        shelves,
        (),
    )
    assert isinstance(decision, Decomposition)
    assert decision.selected_because == "README.md has a probability of 0.95: It shares words with the issue."


def test_a_traceback_leads_to_its_innermost_frame_and_a_name_in_the_prose_goes_before_it(
    built: Built,
) -> None:
    registry = built({"work.py": "def one():\n    return 1\n\ndef two():\n    return one()\n"})
    trace = (
        "```\nTraceback (most recent call last):\n"
        '  File "/app/work.py", line 5, in two\n    return one()\n'
        '  File "/app/work.py", line 2, in one\n    return 1\nValueError: no\n```\n'
    )
    assert outcome(registry, "It fails", trace) == ("named", "symbol:work.py::one")
    assert outcome(registry, "It fails", f"{trace}\n`two` must not fail.") == ("named", "symbol:work.py::two")


def test_a_request_in_a_code_block_says_where_a_bug_is(built: Built) -> None:
    body = "```\nPOST /books/3/withdraw\n```\nThe list is gone afterwards."
    assert outcome(built(BOOKS), "Loses data", body) == ("named", "route:POST /books/{book_id}/withdraw")


def test_a_word_and_its_synonym_are_quoted_once() -> None:
    document = issue("Sort collections backwards", "")
    synonym = Synonym(text="collections", means=("groups",), quote="collections")
    terms = terms_of(document.model_copy(update={"synonyms": (synonym,)}))
    assert terms.quote(frozenset(terms.words_by_stem)) == ("Sort", "collections", "backwards")
    assert len(terms.words_by_stem) == 4


def test_a_name_that_source_in_another_language_defines_is_not_new(shelves: Registry) -> None:
    body = "`ShelfReader` should take `limit`."
    names = issue("Read less", body).citations
    ranking = ranking_of("ShelfReader.java").model_copy(
        update={"cited": tuple(CitedFile(path="ShelfReader.java", citation=name) for name in names[:1])}
    )
    _, rows = decide(issue("Read less", body), ranking, shelves, ())
    assert [
        row.about
        for row in rows
        if row.concluded == "No route, symbol, field or setting that was read has that name."
    ] == ["`limit`"]
