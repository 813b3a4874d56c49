"""Events as GitHub writes them to `$GITHUB_EVENT_PATH`, with what the product reads of them."""

from typing import Any

REPOSITORY = {
    "id": 1296269,
    "full_name": "acme/orders",
    "name": "orders",
    "owner": {"login": "acme", "type": "Organization"},
    "private": False,
    "default_branch": "main",
}
OCTOCAT = {"login": "octocat", "id": 583231, "type": "User"}

TWO_ROUTES = (
    "Add a dry_run flag to the bulk action",
    "The bulk action should take a `dry_run` flag, so that `process_item` can be tried without saving anything.",
)


def labelled(
    title: str = TWO_ROUTES[0],
    body: str | None = TWO_ROUTES[1],
    *,
    label: str = "askfirst",
    private: bool = False,
    state: str = "open",
    sender: dict[str, Any] = OCTOCAT,
) -> dict[str, Any]:
    """`issues.labeled`."""
    return {
        "action": "labeled",
        "label": {"name": label},
        "issue": {
            "number": 418,
            "title": title,
            "body": body,
            "state": state,
            "user": OCTOCAT,
            "assignees": [],
            "labels": [{"name": label}],
        },
        "repository": REPOSITORY | {"private": private},
        "sender": sender,
    }


def dispatched(**inputs: str) -> dict[str, Any]:
    """`workflow_dispatch`, as the App sends it. GitHub hands every input to the run as text."""
    return {
        "inputs": {"issue": "418", **inputs},
        "ref": "refs/heads/main",
        "repository": REPOSITORY,
        "sender": {"login": "askfirst[bot]", "id": 1, "type": "Bot"},
        "workflow": ".github/workflows/askfirst.yml",
    }
