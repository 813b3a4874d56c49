"""What every surface that people read says in the same words: how a question ended, which call waits, where a choice is."""

import json

from github_app.surfaces.announcement import Announcement
from pipeline.contract.choices import Choice
from pipeline.contract.clarification import Clarification, StopKind

NOTHING_WRITTEN = "Nothing is written yet."
CALL_TOO_LONG = "This call is too long to be shown here: decide on GitHub."

_CLOSING_TEXTS = {
    "cancelled": "Stopped. Nothing was changed.",
    "expired": "Closed without code: nobody answered. Reply on GitHub if it is still wanted.",
}
_BESIDE = 300
_OVER = "This question is over. Nothing was changed."


def ending(announcement: Announcement) -> str:
    """How a question ended, in a sentence."""
    answer = announcement.answer
    if answer is not None:
        beside = f" Not passed on: “{cut(answer.beside, _BESIDE)}”." if answer.beside else ""
        return f"Answered by {answer.login} on {answer.surface or 'GitHub'}: {answer.answer}{beside}"
    return _CLOSING_TEXTS.get(announcement.ending or "", _OVER)


def call_to_approve(clarification: Clarification) -> str | None:
    """The tool call that waits, letter by letter: people must see the whole of what they approve."""
    if clarification.kind is not StopKind.CONFIRMATION_NEEDED:
        return None
    return json.dumps(clarification.question.subject, indent=1, ensure_ascii=True)


def place(choice: Choice) -> str:
    """Where the code of a choice is; its label where it has no place."""
    location = choice.location
    if location is None:
        return choice.label
    return f"{location.path} lines {location.start_line}–{location.end_line}"


def cut(text: str, limit: int) -> str:
    """At most so many characters, with a mark where there were more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
