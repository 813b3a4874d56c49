"""What surfaces call our messages, in the database."""

from datetime import UTC, datetime, timedelta

from github_app.storage.surface_rows import StoredMessageReferences


def test_what_a_surface_calls_a_message_survives_and_the_newest_counts(store_url: str) -> None:
    references = StoredMessageReferences(store_url)
    assert references.get("slack", "7#418:q:1.1") is None
    references.put("slack", "7#418:q:1.1", "C1:1")
    references.put("slack", "7#418:q:1.1", "C1:2")
    references.put("pager", "7#418:q:1.1", "P")
    again = StoredMessageReferences(store_url)
    assert (again.get("slack", "7#418:q:1.1"), again.get("pager", "7#418:q:1.1")) == ("C1:2", "P")
    references.close()
    again.close()


def test_what_can_belong_to_no_open_question_is_forgotten(store_url: str) -> None:
    references = StoredMessageReferences(store_url)
    for key in ("old", "new"):
        references.put("slack", key, "C1:1")
    with references._engine.begin() as connection:
        connection.exec_driver_sql(
            "UPDATE askfirst_shown SET at = at - 29 * 86400 WHERE question_key = 'old'"
        )
    assert references.forget(datetime.now(UTC) - timedelta(days=90)) == 0
    assert references.forget(datetime.now(UTC)) == 1
    assert [references.get("slack", key) for key in ("old", "new")] == [None, "C1:1"]
    references.close()
