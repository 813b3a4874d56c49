"""Groups by name: a phrase of the issue that ends several names is a question between them, and nothing else is."""

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from tests.pipeline.conftest import Built
from tests.pipeline.stages.code_bases import outcome, question
from tests.pipeline.stages.plan_world import ranking_of

_HEAD = "from fastapi import FastAPI\n\napp = FastAPI()\n"


def _routes(*routes: str) -> str:
    """An application with routes, each `METHOD /path function`."""
    lines = [_HEAD]
    for method, path, function in map(str.split, routes):
        lines.append(f"@app.{method.lower()}('{path}')\ndef {function}(note: str):\n    return note\n")
    return "\n".join(lines)


@pytest.fixture
def alerts(built: Built) -> Registry:
    """A service with bulk actions, two ways of marking all as read, and resources that are listed, shown and changed."""
    return built(
        {
            "alerts/api.py": _routes(
                "POST /bulk-actions/close close_many",
                "POST /bulk-actions/merge merge_many",
                "POST /bulk-actions/move move_many",
                "POST /alerts/mark-all-as-read read_alerts",
                "POST /comments/mark-all-as-read read_comments",
                "POST /alerts/{id}/snooze snooze_alert",
                "POST /teams/{id}/snooze snooze_team",
                "POST /alerts/{id}/vote vote_for_alert",
                "POST /teams/{id}/vote vote_for_team",
                "GET /alerts/{id}/votes list_votes_of_alert",
                "GET /teams/{id}/votes list_votes_of_team",
                "GET /mail-templates list_templates",
                "POST /mail-templates create_mail_template",
                "PUT /mail-templates/{id} update_mail_template",
                "POST /alerts/{id}/custom-events create_custom_event",
                "PATCH /alerts/{id}/custom-events change_custom_event",
                "POST /teams/{id}/custom-events create_custom_event_of_team",
                "PATCH /teams/{id}/custom-events change_custom_event_of_team",
            )
        }
    )


@pytest.mark.parametrize(
    ("title", "body", "paths"),
    [
        ("Add a dry_run flag to bulk actions", "", {"close", "merge", "move"}),
        ("Bulk actions: dry run", "I want to try one out.", {"close", "merge", "move"}),
        ("Older ones", "The mark all as read endpoint should take `older_than`.", {"mark-all-as-read"}),
        ("Snooze should take a reason", "One should be able to send it.", {"snooze"}),
        ("Custom events should take a source", "Send it when one is created.", {"custom-events"}),
        ("Creating a custom event should take a source", "", {"custom-events"}),
        ("Add a reason to the snooze endpoint", "", {"snooze"}),
        ("Refuse empty ones", "The snooze endpoint must answer 422 without a reason.", {"snooze"}),
        ("Sort by name", "The votes endpoint should sort the people.", {"votes"}),
    ],
    ids=[
        "a segment",
        "without a word for requests",
        "the end of paths",
        "a word of the title",
        "a verb",
        "words in another order",
        "a word for the kind",
        "a reference to what is there",
        "as the path spells it",
    ],
)
def test_a_phrase_that_names_several_routes_asks_which(
    alerts: Registry, title: str, body: str, paths: set[str]
) -> None:
    slot, *labels = outcome(alerts, title, body)
    assert slot == "asks entry_route"
    assert {label.rpartition("/")[2] for label in labels} == paths
    assert {label.partition(" ")[0] for label in labels} == {"GET" if paths == {"votes"} else "POST"}


def test_a_title_that_writes_a_name_with_its_hyphens_means_all_that_have_it(built: Built) -> None:
    switches = ("GET /settings/toggle-all-paused pause_all", "GET /settings/toggle-all-muted mute_all")
    registry = built({"web/api.py": _routes(*switches, "POST /settings/theme set_theme")})
    slot, *labels = outcome(registry, "toggle-all must not be reachable by GET", "A scanner followed it.")
    assert (slot, len(labels)) == ("asks entry_route", 2)
    assert outcome(registry, "--toggle-all must not be a default", "A scanner followed it.")[0] == "likely"


@pytest.mark.parametrize(
    ("title", "body", "ending"),
    [
        ("Backups should answer with JSON", "I get an HTML page. Could it send JSON?", "asks entry_route"),
        ("Backups do not help anybody", "Can somebody do something about them?", "likely"),
        ("Backups of a theme should be JSON", "I get an HTML page. Could it send JSON?", "likely"),
    ],
    ids=["an answer", "nothing of a request", "a second segment"],
)
def test_a_segment_at_the_start_of_paths_names_a_group_where_its_file_is_the_likeliest(
    built: Built, title: str, body: str, ending: str
) -> None:
    backups = ("GET /backups/restore restore", "GET /backups/latest latest", "GET /backups/archive archive")
    registry = built({"web/api.py": _routes(*backups, "POST /settings/theme set_theme")})
    assert outcome(registry, title, body, ranking=ranking_of("web/api.py", probability=0.5))[0] == ending
    assert outcome(registry, title, body, ranking=ranking_of("web/page.ts", probability=0.5))[0] == "likely"


def test_such_a_question_quotes_the_phrase_and_offers_all(alerts: Registry) -> None:
    asked = question(alerts, "Add a dry_run flag to bulk actions").question()
    assert asked.quotes == ("bulk actions",)
    assert asked.multiple


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Add a dry_run flag to bulk actions", "Only when alerts are merged."),
        ("Reason", "Let callers give a reason when they mark all as read in the comments."),
    ],
)
def test_other_words_of_the_issue_choose_from_a_group(alerts: Registry, title: str, body: str) -> None:
    confidence, suggestion = outcome(alerts, title, body)
    assert confidence == "likely"
    assert suggestion in ("POST /bulk-actions/merge", "POST /comments/mark-all-as-read")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Mail templates should have a language", "It should be possible to give one."),
        ("bug: bulk actions", "They should take no parameter that is empty."),
        ("Bulk actions are slow", "Make the database query of bulk actions faster, it takes a minute."),
        ("Alerts should have a colour", "It should be possible to send a colour with an alert."),
        ("Merge", "Let people say why many are merged."),
        ("Custom event colours", "One should be able to send a colour."),
        ("Show custom events in the sidebar", ""),
        ("A snooze button", "It should be possible to choose its colour."),
        ("The snooze endpoint is slow", "It takes a minute."),
        ("A snooze endpoint for orders", "It should take a reason."),
    ],
    ids=[
        "a resource",
        "a bug",
        "an inner change",
        "a resource of one word",
        "one route",
        "another head",
        "what a page shows",
        "a button",
        "an inner change of what it refers to",
        "a route to come",
    ],
)
def test_what_names_no_group_of_alternatives_asks_nothing(alerts: Registry, title: str, body: str) -> None:
    assert outcome(alerts, title, body)[0] == "likely"


@pytest.mark.parametrize(("other", "ending"), [(0.74, "asks entry_route"), (0.75, "likely")])
def test_a_question_is_beside_the_point_where_another_file_is_three_times_as_likely(
    alerts: Registry, other: float, ending: str
) -> None:
    files = (
        ranking_of("web/page.ts", probability=other).files
        + ranking_of("alerts/api.py", probability=0.25).files
    )
    ranking = ranking_of().model_copy(update={"files": files})
    wish = "Let callers give a reason when they mark all as read."
    assert outcome(alerts, "Reason", wish, ranking=ranking)[0] == ending


def test_settings_of_one_word_are_asked_about_where_their_file_leads_by_far(built: Built) -> None:
    registry = built({"shop/settings.py": "MAIL_TIMEOUT = 30\nBANK_TIMEOUT = 60\nPAGE_SIZE = 50\n"})
    title = "The timeout should be configurable"
    assert outcome(registry, title) == snapshot(
        ("asks config", "BANK_TIMEOUT (shop/settings.py)", "MAIL_TIMEOUT (shop/settings.py)")
    )
    assert outcome(registry, title, ranking=ranking_of("shop/mail.py"))[0] == "likely"


def test_words_of_a_title_that_stand_apart_in_names_of_settings_name_them(built: Built) -> None:
    registry = built(
        {"shop/settings.py": "BANK_OPEN_TIMEOUT = 30\nBANK_READ_TIMEOUT = 60\nMAIL_TIMEOUT = 5\n"}
    )
    ranking = ranking_of("shop/settings.py", probability=0.8)
    assert outcome(registry, "The bank timeout is too short", ranking=ranking) == snapshot(
        (
            "asks config",
            "BANK_OPEN_TIMEOUT (shop/settings.py)",
            "BANK_READ_TIMEOUT (shop/settings.py)",
        )
    )


@pytest.mark.parametrize(
    ("title", "body", "ending"),
    [
        ("The export command should print a summary", "", "asks cli"),
        ("A summary", "The export command should print one at its end.", "asks cli"),
        ("Dry run should print sizes", "", "asks cli"),
        ("Add tests for the export command", "", "likely"),
        ("A new command that exports orders", "", "likely"),
    ],
    ids=["its kind", "in the text", "an option of both", "tests", "a command to come"],
)
def test_commands_are_asked_about_where_their_kind_or_a_whole_option_names_them(
    built: Built, title: str, body: str, ending: str
) -> None:
    registry = built(
        {
            "shop/cli.py": """
                import click

                @click.command()
                @click.option("--dry-run")
                def export_invoices(dry_run):
                    print(dry_run)

                @click.command()
                @click.option("--dry-run")
                def export_members(dry_run):
                    print(dry_run)
            """
        }
    )
    assert outcome(registry, title, body)[0] == ending


def test_a_name_by_the_way_that_only_unlikely_files_define_asks_nothing(built: Built) -> None:
    reader, writer = "def start(): ...\n", "class Writer:\n    def start(self): ...\n"
    registry = built({"lib/reader.py": reader, "lib/writer.py": writer})
    body = "Please pass `start` to the list."
    for path, ending in (("lib/reader.py", "asks definition"), ("web/page.ts", "likely")):
        ranking = ranking_of(path).model_copy(update={"searched": 100})
        assert outcome(registry, "A range of days", body, ranking=ranking)[0] == ending
