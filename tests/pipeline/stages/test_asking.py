"""What asks, and how the question is put: one small code base for each mechanism."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.contract.clarification import AlsoAsked, Candidate, Clarification, Option, StopKind
from pipeline.contract.wire import NO_COMMIT, RunIdentity
from pipeline.domain.stops import Ask, ClarificationNeeded
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.selection.terms import quotation
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import (
    BOOKS,
    COMMANDS,
    FLAG,
    ROWS,
    SETTINGS,
    TO_LEAF,
    TWO_APPS,
    TWO_TIMEOUTS,
    outcome,
    question,
)
from tests.pipeline.stages.plan_world import NO_RANKING, issue, ranking_of

RUN = RunIdentity(
    repository=None,
    issue=None,
    commit=NO_COMMIT,
    run_id="1",
    attempt=1,
    nonce=None,
    ticket_sha256="0" * 64,
)


def test_a_route_that_two_handlers_answer_asks_and_its_candidates_are_told_apart(built: Built) -> None:
    registry = built(
        {
            app: f"from fastapi import FastAPI\n\napp = FastAPI()\n\n@app.post('/parcels')\ndef {name}(code: str): ...\n"
            for app, name in (("counter.py", "take"), ("partners.py", "receive"))
        }
    )
    stop = question(registry, "Insurance", "`POST /parcels` should take `insured`.")
    assert {candidate.label for candidate in stop.ask.candidates} == {"POST /parcels"}
    payload = stop.clarification(RUN, round_=1)
    assert [candidate.label for candidate in payload.candidates] == snapshot(
        ["POST /parcels (counter.py:6, number 1)", "POST /parcels (partners.py:6, number 2)"]
    )
    assert len({candidate.id for candidate in payload.candidates}) == 2
    form: Any = payload.question.answer_schema
    assert form["properties"]["choice"]["enumNames"] == [candidate.label for candidate in payload.candidates]


def because(registry: Registry, title: str, body: str = "") -> str:
    """Why a decision has these targets, or none."""
    decision, _ = decide(issue(title, body), ranking_of("shelves/moves.py"), registry, ())
    assert isinstance(decision, Decomposition)
    return decision.selected_because


def test_a_reason_names_the_things_that_a_bug_report_does_not_choose_between(built: Built) -> None:
    registry = built({"mail.py": "REQUEST_TIMEOUT = 30\n", "web.py": "REQUEST_TIMEOUT = 60\n"})
    body = "`REQUEST_TIMEOUT` is too long."
    assert because(registry, "bug: slow", body) == snapshot(
        "Several things fit: REQUEST_TIMEOUT (mail.py) and REQUEST_TIMEOUT (web.py). A bug report does not choose between them."
    )


def test_a_reason_names_the_candidates_that_a_word_does_not_fit(shelves: Registry) -> None:
    assert because(shelves, FLAG, f"{TO_LEAF} It is for streaming.") == snapshot(
        "The word “streaming” fits POST /actions/stream, and none of the other candidates: POST /actions."
    )


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Clear the messages, and delete them", "Clear … messages … delete"),
        ("Clear messages. Delete them", "Clear messages … Delete"),
        ("The `clear`-messages delete", "clear messages delete"),
    ],
)
def test_words_that_do_not_stand_side_by_side_are_no_phrase(text: str, quoted: str) -> None:
    words = [word for word in quoted.split() if word != "…"]
    assert quotation(words, issue("", text)) == quoted


@pytest.mark.parametrize("title", ["bug: POST /parcels", "POST /parcels fails"])
def test_a_bug_report_never_asks_which_of_two_handlers_is_meant(built: Built, title: str) -> None:
    registry = built(
        {
            app: f"from fastapi import FastAPI\n\napp = FastAPI()\n\n@app.post('/parcels')\ndef {name}(code: str): ...\n"
            for app, name in (("counter.py", "take"), ("partners.py", "receive"))
        }
    )
    assert outcome(registry, title) == ("likely",)


def test_a_route_that_the_code_does_not_have_is_not_looked_for_by_words(shelves: Registry) -> None:
    assert outcome(shelves, "Add a flag when moving a parcel")[0] == "asks entry_route"
    assert outcome(shelves, "Add a flag when moving a parcel", "By `POST /moves`.") == ("likely",)


def test_a_new_field_of_two_requests_that_share_the_work_asks_between_them(shelves: Registry) -> None:
    wish = "The request that moves a parcel should take `clerk` next to `shelf`."
    assert outcome(shelves, "Add a field", wish)[0] == "asks entry_route"
    assert question(shelves, "Add a field", wish).ask.text == "Which route should get clerk?"


def test_a_cited_function_that_two_routes_reach_asks_between_them_where_a_request_probably_changes(
    shelves: Registry,
) -> None:
    assert outcome(shelves, FLAG, TO_LEAF) == snapshot(
        ("asks entry_route", "POST /actions", "POST /actions/stream")
    )


@pytest.mark.parametrize("files", [99, 100])
def test_a_question_about_what_is_cited_needs_no_likely_file(shelves: Registry, files: int) -> None:
    ranking = ranking_of("shelves/racks.py", probability=0.8).model_copy(update={"searched": files})
    assert outcome(shelves, FLAG, TO_LEAF, ranking=ranking)[0] == "asks entry_route"


def test_only_words_without_a_name_make_a_question_of_routes_that_share_the_work(built: Built) -> None:
    registry = built(TWO_APPS | BOOKS)
    wish = "Sending a parcel should accept an optional boolean `insured`."
    assert outcome(registry, "Insurance", wish) == snapshot(
        ("asks entry_route", "POST /counter/parcels", "POST /partners/parcels")
    )
    assert outcome(registry, "Insurance", f"{wish} In the partners application only.") == (
        "likely",
        "POST /partners/parcels",
    )


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("create_parcel fails", "`create_parcel` fails with an error."),
        (
            "Bug: the address is lost",
            "`create_parcel` loses the address that the request has as a parameter.",
        ),
        ("fix: `create_parcel`", "It should send a parcel."),
    ],
)
def test_a_bug_report_never_asks_which_definition_is_meant(built: Built, title: str, body: str) -> None:
    confidence, *_ = outcome(built(TWO_APPS), title, body)
    assert not confidence.startswith("asks")


def test_a_wish_for_a_name_of_two_definitions_asks_which(built: Built) -> None:
    registry = built({"rows.py": "def as_row(item): ...\n", "ledger.py": "def as_row(entry): ...\n"})
    wish = "`as_row` should put texts in quotes."
    assert outcome(registry, "Quotes", wish) == snapshot(
        ("asks definition", "as_row (rows.py)", "as_row (ledger.py)")
    )
    assert outcome(registry, "Quotes in the ledger", wish) == ("named", "symbol:ledger.py::as_row")


def test_the_words_of_a_body_part_two_definitions_of_one_name(built: Built) -> None:
    registry = built(
        {
            "labels.py": "def render(parcel):\n    return parcel.postcode, parcel.town\n",
            "prices.py": "def render(price):\n    return price.cents\n",
        }
    )
    assert outcome(registry, "A line of its own", "`render` should put town and postcode apart.") == (
        "named",
        "symbol:labels.py::render",
    )


def test_a_setting_of_one_name_in_two_files_asks_which(built: Built) -> None:
    registry = built({"mail.py": "REQUEST_TIMEOUT = 30\n", "web.py": "REQUEST_TIMEOUT = 60\n"})
    slot, *labels = outcome(registry, "Lower REQUEST_TIMEOUT", "`REQUEST_TIMEOUT` is too long.")
    assert slot == "asks config"
    assert sorted(labels) == ["REQUEST_TIMEOUT (mail.py)", "REQUEST_TIMEOUT (web.py)"]


def test_a_setting_that_two_packages_have_asks_which(built: Built) -> None:
    assert outcome(built(TWO_TIMEOUTS), "Lower REQUEST_TIMEOUT", "It is too long.") == snapshot(
        (
            "asks config",
            "REQUEST_TIMEOUT (apps/counter/settings.py)",
            "REQUEST_TIMEOUT (apps/partners/settings.py)",
        )
    )


def test_words_for_a_value_ask_between_the_settings_that_they_fit(built: Built) -> None:
    registry = built(SETTINGS)
    assert outcome(registry, "More retries", "Three retries are not enough, make it 5.") == snapshot(
        ("asks config", "MAIL_RETRIES (desk/settings.py)", "UPLOAD_RETRIES (desk/settings.py)")
    )
    assert outcome(registry, "More retries", "Three retries of an upload are not enough, make it 5.") == (
        "likely",
        "UPLOAD_RETRIES (desk/settings.py)",
    )


def test_words_for_a_command_ask_between_the_commands_that_they_fit(built: Built) -> None:
    registry = built(COMMANDS)
    assert outcome(registry, "Where to", "Give the export command an option `--target`.") == snapshot(
        ("asks cli", "export_members (shop/cli.py)", "export_invoices (shop/cli.py)")
    )
    assert outcome(registry, "Where to", "Give `shop export-members` an option `--target`.") == (
        "named",
        "symbol:shop/cli.py::export_members",
    )


def test_a_field_of_two_rows_asks_for_the_model_in_any_case_style(built: Built) -> None:
    registry = built(ROWS)
    wish = "In `ledger.ts`, add a field `hint_english` next to `door_hint`."
    assert outcome(registry, "English", wish) == snapshot(("asks model", "Depot.doorHint", "Parcel.doorHint"))
    assert outcome(registry, "English", f"{wish} It is for parcels.") == (
        "named",
        "field:ledger.ts::Parcel.doorHint",
    )


def test_a_function_that_more_routes_reach_than_a_person_reads_asks_for_its_callers(built: Built) -> None:
    layers = "".join(f"def layer_{number}(x):\n    return leaf(x)\n\n" for number in range(3))
    routes = "".join(
        f"@app.post('/r{number}')\ndef route_{number}(x: str):\n    return layer_{number % 3}(x)\n\n"
        for number in range(14)
    )
    head = "from fastapi import FastAPI\nfrom hub import layer_0, layer_1, layer_2\n\napp = FastAPI()\n\n"
    registry = built({"hub.py": f"def leaf(x):\n    return x\n\n{layers}", "api.py": head + routes})
    wish = "`leaf` should take a parameter `dry_run`."
    assert outcome(registry, FLAG, wish) == snapshot(
        ("asks caller", "layer_0 (hub.py)", "layer_1 (hub.py)", "layer_2 (hub.py)")
    )
    assert not question(registry, FLAG, wish).question().multiple


def test_a_default_stands_only_where_something_speaks_for_it(shelves: Registry) -> None:
    ask = question(shelves, FLAG, TO_LEAF).ask
    assert (ask.default, ask.default_reason) == snapshot(
        (
            "route:POST /actions",
            "The issue does not mention “stream”, which is what sets POST /actions/stream apart.",
        )
    )


def test_without_evidence_for_a_candidate_there_is_no_default(built: Built) -> None:
    ask = question(built(TWO_APPS), "Notes", "`create_parcel` should accept an optional `note`.").ask
    assert (ask.default, ask.default_reason) == (None, None)


def test_a_question_quotes_what_the_issue_says(shelves: Registry) -> None:
    assert question(shelves, FLAG, TO_LEAF).ask.quotes == ("move_parcel",)
    assert question(shelves, FLAG, TO_LEAF).ask.text == "Which route should get dry_run?"


def test_the_evidence_says_what_was_ruled_out(built: Built) -> None:
    hub = TWO_APPS["apps/counter/routes.py"].replace("counter", "hub")
    registry = built(TWO_APPS | {"apps/hub/routes.py": hub})
    wish = "`create_parcel` should accept an optional `note`. Not for the hub."
    decision, rows = decide(issue("Notes", wish), NO_RANKING, registry, ())
    assert isinstance(decision, ClarificationNeeded)
    assert [candidate.label for candidate in decision.ask.candidates] == [
        "create_parcel (apps/counter/routes.py)",
        "create_parcel (apps/partners/routes.py)",
    ]
    assert "The issue rules out create_parcel (apps/hub/routes.py)." in [row.concluded for row in rows]


@pytest.mark.parametrize("model", [Clarification, AlsoAsked])
def test_a_payload_whose_candidates_share_an_id_or_a_label_is_refused(
    model: type[Clarification | AlsoAsked],
) -> None:
    def payload(*candidates: tuple[str, str]) -> Clarification | AlsoAsked:
        return model(
            kind=StopKind.CLARIFICATION_NEEDED,
            stage="decomposition",
            reason="Two fit.",
            candidates=tuple(
                Candidate(handler_symbol=f"<{id_}>", body_field_count=None, id=id_, label=label)
                for id_, label in candidates
            ),
            question=ClarificationNeeded(_ask()).question(),
            **({"suggestion": "", "run": RUN} if model is Clarification else {}),
        )

    assert payload(("a", "A"), ("b", "B")).candidates[1].label == "B"
    for same, name in (((("a", "A"), ("a", "B"))), "id"), ((("a", "A"), ("b", "A")), "label"):
        with pytest.raises(ValueError, match=f"two of what is offered have the same {name}"):
            payload(*same)


def test_a_question_whose_options_share_a_label_is_refused() -> None:
    options = (Option(id="a", label="Stop."), Option(id="b", label="Stop."))
    with pytest.raises(ValueError, match="two of what is offered have the same label"):
        Ask(stage="plans", slot="plan", reason="", text="Which?", suggestion="", options=options)


def _ask() -> Ask:
    return Ask(stage="decomposition", slot="definition", reason="Two fit.", text="Which?", suggestion="")


def test_the_same_ticket_is_decided_the_same_way_eight_times(built: Built) -> None:
    registry = built(TWO_APPS)
    wish = "Sending a parcel should accept an optional boolean `insured`."
    assert len({outcome(registry, "Insurance", wish) for _ in range(8)}) == 1
