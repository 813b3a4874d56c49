"""What the timeline of an issue says about work on it. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pipeline.domain.linked_work import LinkedWork, WorkState

_OUR_MARKER = "<!-- askfirst:"
"""In the description of a pull request that askfirst opened for the issue."""


def work_in_timeline(events: Sequence[dict[str, Any]], repository: str, number: int) -> Iterator[LinkedWork]:
    """Pull requests of the same repository that name the issue, and commits that do; none from before it was opened again.

    Left out are closed ones, and those that askfirst opened itself.
    """
    reopened_at = max(
        (event["created_at"] for event in events if event.get("event") == "reopened"), default=""
    )
    for event in events:
        if event.get("event") == "cross-referenced":
            source = (event.get("source") or {}).get("issue") or {}
            is_pull = (
                "pull_request" in source and f"/repos/{repository}/".lower() in f"{source['url']}/".lower()
            )
            work = _pull_request(source, number, reopened_at) if is_pull else None
            if work is not None:
                yield work
        elif event.get("event") in ("referenced", "closed") and event.get("commit_id"):
            commit = str(event["commit_id"])
            if event["created_at"] > reopened_at:
                yield LinkedWork(id=f"commit:{commit}", title=commit[:7], state=WorkState.COMMITTED)


def work_on_branches(refs: Sequence[dict[str, Any]]) -> Iterator[LinkedWork]:
    """Branches that begin with the issue's number, as GitHub names those that are made from an issue."""
    for ref in refs:
        name = str(ref["ref"]).removeprefix("refs/heads/")
        yield LinkedWork(id=f"branch:{name}", title=name, state=WorkState.BRANCHED)


def _pull_request(source: dict[str, Any], number: int, reopened_at: str) -> LinkedWork | None:
    body = str(source.get("body") or "")
    merged_at = (source.get("pull_request") or {}).get("merged_at")
    is_over = source["state"] != "open" and (not merged_at or merged_at <= reopened_at)
    if is_over or _OUR_MARKER in body:
        return None
    open_state = WorkState.DRAFT if source.get("draft") else WorkState.OPEN
    return LinkedWork(
        id=f"pull:{source['number']}",
        title=str(source["title"]),
        state=WorkState.MERGED if merged_at else open_state,
        closes=_closing(number).search(f"{source['title']}\n{body}") is not None,
        url=str(source["html_url"]),
    )


def _closing(number: int) -> re.Pattern[str]:
    """GitHub's keywords that close an issue, in front of its number or address."""
    return re.compile(
        rf"\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?(?:\#|GH-|\S*/issues/){number}\b",
        re.IGNORECASE,
    )
