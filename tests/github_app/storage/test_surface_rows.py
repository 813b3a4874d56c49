"""What surfaces call our messages, in the database."""

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
