"""What selects, what asks and what refuses: one small code base for each mechanism."""

from collections.abc import Callable, Mapping

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import decide
from pipeline.stages.existing.stage import look
from pipeline.stages.intent.lexical import read_lexically

Built = Callable[[Mapping[str, str]], Registry]

COMMANDS = {
    "shop/cli.py": '''
        import click

        @click.group()
        def admin():
            """Look after the shop."""

        @admin.command("export-invoices")
        @click.option("--since")
        def export_invoices(since):
            """Write invoices for the tax office."""
            print(since)

        @admin.command("export-members")
        def export_members():
            """Write members for the newsletter."""
            print("members")
    '''
}
SETTINGS = {
    "desk/settings.py": """
        import os

        UPLOAD_RETRIES = int(os.environ.get("UPLOAD_RETRIES", "3"))
        MAIL_RETRIES = int(os.environ.get("MAIL_RETRIES", "3"))
        PAGE_SIZE = 50
    """
}
TWO_APPS = {
    "core/parcels.py": """
        def send_parcel(address):
            return address
    """,
    "apps/counter/routes.py": '''
        from fastapi import APIRouter, FastAPI
        from core.parcels import send_parcel

        router = APIRouter()

        @router.post("/counter/parcels")
        def create_parcel(address: str):
            """Send a parcel for somebody at the counter."""
            return send_parcel(address)

        app = FastAPI()
        app.include_router(router)
    ''',
    "apps/partners/routes.py": '''
        from fastapi import APIRouter, FastAPI
        from core.parcels import send_parcel

        router = APIRouter()

        @router.post("/partners/parcels")
        def create_parcel(address: str):
            """Send a parcel for a shop."""
            return send_parcel(address)

        app = FastAPI()
        app.include_router(router)
    ''',
}
LISTS = {
    "library/api.py": '''
        from fastapi import FastAPI

        app = FastAPI()

        @app.get("/books")
        def list_books(language: str | None = None, page: int = 1):
            """Books by title."""
            return [language, page]

        @app.post("/books/{book_id}/withdraw")
        def withdraw(book_id: int):
            """Take a damaged book off the shelves for ever."""
            return book_id
    '''
}


def outcome(registry: Registry, title: str, body: str) -> tuple[str, ...]:
    """`asks <slot>` and the candidates, or the targets."""
    decided, _ = decide(read_lexically(title, body), registry, ())
    if isinstance(decided, ClarificationNeeded):
        return (f"asks {decided.ask.slot}", *(one.label for one in decided.ask.candidates))
    return tuple(target.label for target in decided.targets)


def exists(registry: Registry, title: str, body: str) -> tuple[str, ...]:
    _, stop = look(read_lexically(title, body), registry)
    return tuple(one.label for one in stop.ask.candidates) if stop else ()


def test_an_option_for_a_kind_of_command_asks_between_the_commands_of_that_kind(built: Built) -> None:
    assert outcome(built(COMMANDS), "Where to", "Give the export command an option `--target`.") == snapshot(
        ("asks cli", "export_members (shop/cli.py)", "export_invoices (shop/cli.py)")
    )


@pytest.mark.parametrize(
    "body",
    [
        "Give `shop export-members` an option `--target`.",
        "The command that writes the file for the newsletter should take `--target`.",
    ],
)
def test_a_command_is_selected_by_its_name_or_by_its_docs(built: Built, body: str) -> None:
    assert outcome(built(COMMANDS), "Where to", body) == ("export_members (shop/cli.py)",)


def test_another_value_asks_between_the_settings_that_the_words_fit(built: Built) -> None:
    registry = built(SETTINGS)
    assert outcome(registry, "More retries", "Three retries are not enough, make it 5.") == snapshot(
        (
            "asks config",
            "MAIL_RETRIES (desk/settings.py)",
            "UPLOAD_RETRIES (desk/settings.py)",
        )
    )
    assert outcome(registry, "More retries", "Three retries of an upload are not enough, make it 5.") == (
        "UPLOAD_RETRIES (desk/settings.py)",
    )


def test_without_a_wish_for_a_value_no_setting_is_meant(built: Built) -> None:
    assert outcome(built(SETTINGS), "Retries", "The retries of uploads are annoying.") == ()


def test_a_name_defined_in_two_applications_asks_between_their_routes(built: Built) -> None:
    wish = "`create_parcel` should accept an optional `note`."
    assert outcome(built(TWO_APPS), "Notes", wish) == snapshot(
        ("asks entry_route", "POST /counter/parcels", "POST /partners/parcels")
    )


@pytest.mark.parametrize(
    "said", ["In the partners application only.", "Not for the counter.", "The counter stays as it is."]
)
def test_an_application_is_selected_by_its_name_and_ruled_out_by_a_negative(built: Built, said: str) -> None:
    wish = f"`create_parcel` should accept an optional `note`. {said}"
    assert outcome(built(TWO_APPS), "Notes", wish) == ("POST /partners/parcels",)


def test_what_is_done_said_in_words_leads_to_the_routes_that_do_it(built: Built) -> None:
    wish = "Sending a parcel should accept an optional boolean `insured`."
    assert outcome(built(TWO_APPS), "Insurance", wish) == snapshot(
        ("asks entry_route", "POST /counter/parcels", "POST /partners/parcels")
    )


def test_a_function_is_found_by_what_its_docs_say(built: Built) -> None:
    registry = built(
        {
            "letters.py": '''
                def render(order):
                    """The delivery note that a driver hands to the customer."""
                    return order
            '''
        }
    )
    wish = "The delivery note that the driver hands to our customer lacks the date. Please print it."
    assert outcome(registry, "No date", wish) == ("render (letters.py)",)


def test_names_in_a_traceback_step_back_behind_a_name_in_the_prose(built: Built) -> None:
    registry = built({"work.py": "def one():\n    return 1\n\ndef two():\n    return one()\n"})
    body = '```\n  File "work.py", line 5, in two\n    return one()\n```\n`two` must not fail.'
    assert outcome(registry, "It fails", body) == ("two",)


def test_an_input_that_the_wish_says_in_words_is_there_already(built: Built) -> None:
    wish = "The list of books should be limited to those in one language."
    assert exists(built(LISTS), "My language", wish) == ("query field language of GET /books",)


def test_an_input_that_no_word_says_is_not_there(built: Built) -> None:
    assert exists(built(LISTS), "Old ones", "The list of books should be limited to those of one year.") == ()


def test_a_route_whose_docs_say_the_wish_is_there_already(built: Built) -> None:
    wish = "We should be able to take a damaged book off the shelves for ever."
    assert exists(built(LISTS), "Damaged", wish) == ("POST /books/{book_id}/withdraw",)


def test_a_route_named_as_the_place_of_a_change_is_no_wish_for_that_route(built: Built) -> None:
    for wish in ("`GET /books` should accept\n\n- `author`\n- `year`", "We want to do it with `GET /books`."):
        assert exists(built(LISTS), "Search", wish) == ()
    assert exists(built(LISTS), "Search", "Please add `GET /books`.") == ("GET /books",)


def test_the_evidence_says_what_was_ruled_out(built: Built) -> None:
    files = TWO_APPS | {
        "apps/hub/routes.py": TWO_APPS["apps/counter/routes.py"].replace("counter", "hub"),
    }
    wish = "`create_parcel` should accept an optional `note`. Not for the hub."
    decided, rows = decide(read_lexically("Notes", wish), built(files), ())
    assert isinstance(decided, ClarificationNeeded)
    assert [one.label for one in decided.ask.candidates] == [
        "POST /counter/parcels",
        "POST /partners/parcels",
    ]
    assert "The ticket rules out POST /hub/parcels." in [row.concluded for row in rows]


def test_the_same_ticket_is_decided_the_same_way_eight_times(built: Built) -> None:
    registry = built(TWO_APPS)
    wish = "Sending a parcel should accept an optional boolean `insured`."
    assert len({outcome(registry, "Insurance", wish) for _ in range(8)}) == 1


CALLERS = {
    "clinic/booking.py": "def book(day):\n    return day\n",
    "clinic/api.py": """
        from fastapi import FastAPI
        from clinic.booking import book

        app = FastAPI()

        @app.post("/appointments")
        def create(day: str):
            return book(day)

        @app.post("/public/appointments")
        def create_from_outside(day: str):
            return book(day)
    """,
}


@pytest.mark.parametrize(
    ("said", "target"),
    [
        (
            "When patients come by the website, `book` should take an optional `wheelchair`.",
            "/public/appointments",
        ),
        ("At the front desk, `book` should take an optional `wheelchair`.", "/appointments"),
        (
            "Patients who come themselves should be able to give `book` a new `wheelchair`.",
            "/public/appointments",
        ),
    ],
)
def test_who_asks_tells_the_public_route_from_the_other(built: Built, said: str, target: str) -> None:
    assert outcome(built(CALLERS), "Appointments by wheelchair", said) == (f"POST {target}",)


def test_somebody_who_is_only_told_of_does_not_select(built: Built) -> None:
    wish = "Some patients use a wheelchair. `book` should take an optional `wheelchair`, and we tell the patient."
    assert outcome(built(CALLERS), "Space", wish)[0] == "asks entry_route"


ROWS = {
    "ledger.ts": """
        export interface Parcel { code: string; doorHint?: string }
        export interface Depot { city: string; doorHint?: string }
    """,
    "search.ts": "export interface Filter { doorHint?: string }\n",
}


def test_a_field_is_found_in_any_case_style_among_all_rows_of_a_file(built: Built) -> None:
    wish = "In `ledger.ts`, add a field `hint_english` next to `door_hint`."
    assert outcome(built(ROWS), "English", wish) == snapshot(
        ("asks model", "Depot.doorHint", "Parcel.doorHint")
    )
    assert outcome(built(ROWS), "English", f"{wish} It is for parcels.") == ("Parcel.doorHint",)


def test_candidates_that_others_outdo_are_not_offered(built: Built) -> None:
    wish = "Add a field `hintEnglish` next to `doorHint` in the ledger."
    assert outcome(built(ROWS), "English", wish) == snapshot(
        ("asks model", "Depot.doorHint", "Parcel.doorHint")
    )


def test_a_request_in_a_code_block_says_where_a_bug_is(built: Built) -> None:
    registry = built(LISTS)
    body = "```\nPOST /books/3/withdraw\n```\nThe `language` is gone afterwards."
    assert outcome(registry, "Loses data", body) == ("POST /books/{book_id}/withdraw",)


def test_a_list_narrowed_by_another_resource_is_still_that_list(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from fastapi import FastAPI

                app = FastAPI()

                @app.get("/appointments")
                def list_appointments(practitioner_id: int | None = None):
                    return practitioner_id

                @app.get("/practitioners")
                def list_practitioners():
                    return []
            """
        }
    )
    wish = "We need the list of appointments narrowed down to one practitioner."
    assert exists(registry, "One at a time", wish) == ("query field practitioner_id of GET /appointments",)


def test_a_place_that_is_ruled_out_speaks_for_the_others(built: Built) -> None:
    wish = "`book` should take an optional `wheelchair`. The website stays as it is."
    assert outcome(built(CALLERS), "Not for everybody", wish) == ("POST /appointments",)


def test_the_title_decides_where_words_contradict_each_other(built: Built) -> None:
    wish = "`create_parcel` should accept an optional `note`. The counter and the partners know."
    assert outcome(built(TWO_APPS), "Notes", wish)[0] == "asks entry_route"
    assert outcome(built(TWO_APPS), "Notes of partners", wish) == ("POST /partners/parcels",)


def test_a_definition_that_a_command_reaches_counts_beside_one_that_a_route_reaches(built: Built) -> None:
    registry = built(
        {
            "rows.py": "def as_row(item):\n    return item\n",
            "ledger.py": "def as_row(entry):\n    return entry\n",
            "api.py": """
                from fastapi import FastAPI
                from rows import as_row
                app = FastAPI()
                @app.get("/rows")
                def rows():
                    return as_row(1)
            """,
            "cli.py": """
                import click
                from ledger import as_row
                @click.command()
                @click.option("--since")
                def export(since):
                    print(as_row(since))
            """,
        }
    )
    assert outcome(registry, "Quotes", "`as_row` should put texts in quotes.") == snapshot(
        ("asks definition", "as_row (rows.py)", "as_row (ledger.py)")
    )


def test_one_thing_in_several_packages_asks_for_the_package(built: Built) -> None:
    registry = built(
        {
            "apps/counter/settings.py": "REQUEST_TIMEOUT = 30\n",
            "apps/partners/settings.py": "REQUEST_TIMEOUT = 30\n",
        }
    )
    wish = "The request timeout of 30 seconds is too long, make it 10."
    assert outcome(registry, "Timeout", wish) == snapshot(
        (
            "asks package",
            "REQUEST_TIMEOUT (apps/counter/settings.py)",
            "REQUEST_TIMEOUT (apps/partners/settings.py)",
        )
    )
    assert outcome(registry, "Timeout of the counter", wish) == (
        "REQUEST_TIMEOUT (apps/counter/settings.py)",
    )


def test_why_the_default_stands_first_is_said_in_whole_words(built: Built) -> None:
    wish = "`book` should take an optional `wheelchair`."
    decided, _ = decide(read_lexically("Space", wish), built(CALLERS), ())
    assert isinstance(decided, ClarificationNeeded)
    assert decided.ask.default_reason == snapshot(
        "The ticket does not mention “public”, which is what sets POST /public/appointments apart."
    )
