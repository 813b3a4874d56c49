"""The tickets of other trackers that an issue names."""

import pytest

from github_app.conversation.transcript import ticket_keys


@pytest.mark.parametrize(
    ("title", "body", "keys"),
    [
        ("OPS-12: limit it", "See OPS-13, OPS-12.", ("OPS-12", "OPS-13")),
        ("Limit it", "https://jira.example/browse/OPS-12?x=1", ("OPS-12",)),
        ("Limit it", None, ()),
        ("XOPS-12a OPS-012 ops-12 OPS-12-rc1 1OPS-12", "", ()),
        ("SHA-256 of OPS-1", "", ("SHA-256", "OPS-1")),
    ],
)
def test_an_issue_names_tickets_by_their_keys(title: str, body: str | None, keys: tuple[str, ...]) -> None:
    assert ticket_keys(title, body) == keys
