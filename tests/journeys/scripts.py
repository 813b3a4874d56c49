"""What models and people reply in one test. The file of what models reply says of itself that it is scripted."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

REPLIES = Path(__file__).parent.parent / "scripted_replies"

STREAM = "route:POST /actions/stream"

Call = tuple[str, dict[str, Any]]

READS_NOTHING: dict[str, Any] = {
    "kind": "feature",
    "kind_quote": "Add",
    **dict.fromkeys(("things_named", "synonyms", "conditions", "acceptance"), ()),
}
"""The form of a reading, filled in with nothing but a kind."""

ADDS_DRY_RUN: dict[str, Any] = {
    **READS_NOTHING,
    "things_named": [
        {"name": "POST /actions/stream", "quote": "POST /actions/stream"},
        {"name": "dry_run", "quote": "a dry_run flag"},
    ],
}
"""The form of a reading of a ticket that begins with "Add a dry_run flag to POST /actions/stream"."""

MEANS_NO_ROUTE: dict[str, Any] = {
    "changes_request": False,
    "routes": (),
    "for_each": False,
    "exists": 0,
    "new_thing": "",
    "quote": "",
}
"""The form about routes, of an issue that leaves none open."""


def planned(status: int | None, path: str = "parcels/actions.py", **more: Any) -> dict[str, Any]:
    """What an explorer completes with; with a status, callers see that one afterwards."""
    effect = {"surface": STREAM, "kind": "response", "what": f"a dry run is answered with {status}"}
    return {
        "summary": "Add the flag.",
        "changes": [{"path": path, "entry": STREAM, "what": "Take the flag."}],
        "effects": [] if status is None else [effect],
        "open_points": [],
        "wishes": [{"wish": "a dry_run flag", "planned": True}],
        "acceptance": [],
        **more,
    }


def point(kind: str = "public_name", **more: Any) -> dict[str, Any]:
    """A decision that a ticket leaves open, as an explorer writes it down."""
    return {
        "kind": kind,
        "question": "What does a dry run answer?",
        "options": [
            {"label": "202", "effect": "The caller gets 202, and nothing is queued."},
            {"label": "A list", "effect": "The caller gets 200 with a list of what would be done."},
        ],
        "taken": 2,
        "plainest": 1,
        "would_ask": False,
        **more,
    }


def reads(path: str) -> Call:
    return "read_file", {"path": path}


def edits(path: str, old: str, new: str) -> Call:
    return "edit_file", {"path": path, "old": old, "new": new}


def creates(path: str, content: str) -> Call:
    return "create_file", {"path": path, "content": content}


def completes(summary: str = "It is done.") -> Call:
    return "complete", {"summary": summary}


def judged(criteria: int, path: str = "README.md") -> list[dict[str, Any]]:
    """All criteria of a ticket as met, by what stands in a file."""
    return [
        {"criterion": number, "met": "met", "path": path, "reason": "The file shows it."}
        for number in range(1, criteria + 1)
    ]


def approves(criteria: int = 2, path: str = "README.md") -> Call:
    return "complete", {"verdict": "approve", "criteria": judged(criteria, path), "findings": []}


def rejects(path: str, reason: str, criteria: int = 2) -> Call:
    """Send a change back: its first criterion is not met."""
    finding = {"path": path, "severity": "blocking", "criterion": 1, "reason": reason}
    seen = [{"criterion": 1, "met": "not_met", "reason": "Nothing shows it."}, *judged(criteria)[1:]]
    return "complete", {"verdict": "changes", "criteria": seen, "findings": [finding]}


def content_of(purpose: str, turn: int, calls: list[Call]) -> list[dict[str, Any]]:
    return [
        {
            "type": "tool_use",
            "id": f"{purpose}-{turn}-{number}".replace("/", "-"),
            "name": name,
            "input": given,
        }
        for number, (name, given) in enumerate(calls)
    ]


def write_script(
    path: Path, turns: dict[str, list[list[Call]]], forms: Mapping[str, dict[str, Any]] | None = None
) -> Path:
    """A file of replies: for each purpose, such as `coder/1`, its turns with the calls that they make.

    `forms` holds what is filled in for purposes that are one question, such as `reading`, and what an explorer completes
    with in its only turn (`plans/1`).
    """
    lines: list[dict[str, Any]] = [{"format": "askfirst-replies", "version": 1, "kind": "scripted"}]
    for purpose, said in turns.items():
        for number, calls in enumerate(said):
            reply = {"content": content_of(purpose, number, calls), "stop_reason": "tool_use"}
            lines.append({"for": purpose, "turn": number, "reply": reply})
    for purpose, filled in (forms or {}).items():
        if purpose in ("plans/1", "plans/2"):
            reply = {"content": content_of(purpose, 0, [("complete", filled)]), "stop_reason": "tool_use"}
            lines.append({"for": purpose, "turn": 0, "reply": reply})
            continue
        text = {"type": "text", "text": json.dumps(filled)}
        lines.append({"for": purpose, "reply": {"content": [text], "stop_reason": "end_turn"}})
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return path


def answered(clarification: dict[str, Any], path: Path, **what: Any) -> Path:
    """`answers.json` with an answer to a question, added to those that are there."""
    given = json.loads(path.read_text())["answers"] if path.exists() else []
    question = clarification["question"]
    answer = {"question_id": question["id"], "slot": question["slot"], "answered_by": "octocat", **what}
    path.write_text(json.dumps({"version": 1, "answers": [*given, answer]}))
    return path
