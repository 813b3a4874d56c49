"""The question in words: slot, reason with the facts of each candidate, and a suggestion."""

from collections.abc import Sequence
from enum import StrEnum

from pipeline.domain.issue import Citation
from pipeline.stages.decomposition.candidates import CodeChoice


class Slot(StrEnum):
    """What is open. The words are part of question ids and never change."""

    ENTRY_ROUTE = "entry_route"
    DEFINITION = "definition"
    MODEL = "model"
    CALLER = "caller"
    SETTING = "config"
    COMMAND = "cli"
    PACKAGE = "package"


SLOTS = frozenset(slot.value for slot in Slot)

_NOUNS = {
    Slot.ENTRY_ROUTE: "route",
    Slot.DEFINITION: "definition",
    Slot.MODEL: "model",
    Slot.CALLER: "caller",
    Slot.SETTING: "setting",
    Slot.COMMAND: "command",
    Slot.PACKAGE: "package",
}
_SUGGESTIONS = {
    Slot.ENTRY_ROUTE: "Name the route by method and path in the ticket prose.",
    Slot.DEFINITION: "Name the definition with its class or file in the ticket prose.",
    Slot.MODEL: "Name the model together with the field in the ticket prose.",
    Slot.CALLER: "Name the function that should change in the ticket prose.",
    Slot.SETTING: "Name the setting, and where two applications have it, the application, in the ticket prose.",
    Slot.COMMAND: "Name the command as it is typed in the ticket prose.",
    Slot.PACKAGE: "Name the package or application by its folder in the ticket prose.",
}


def question_text(slot: Slot, new_names: Sequence[Citation]) -> str:
    """The question itself, as a plain sentence: each surface marks names in its own way."""
    subject = new_names[0].text if new_names else "the change"
    return f"Which {_NOUNS[slot]} should get {subject}?"


def suggestion(slot: Slot) -> str:
    """How to write the ticket so that nobody has to ask."""
    return _SUGGESTIONS[slot]


def reason(slot: Slot, choices: Sequence[CodeChoice], leaf: str | None, quote: str) -> str:
    """Why nothing was selected, with the facts of every candidate, for people and programs that read the JSON."""
    match slot:
        case Slot.ENTRY_ROUTE if leaf is not None:
            head = f"{len(choices)} routes reach the chain leaf '{leaf}'{_matching(choices)}"
        case Slot.ENTRY_ROUTE:
            head = f"{len(choices)} routes fit '{quote}'{_matching(choices)}"
        case Slot.DEFINITION:
            head = f"{len(choices)} definitions are named '{quote}'"
        case Slot.MODEL:
            head = f"{len(choices)} models have a field '{quote}'"
        case Slot.CALLER:
            head = f"More than 12 routes reach '{leaf}', through {len(choices)} callers"
        case Slot.SETTING:
            head = f"{len(choices)} settings fit '{quote}'"
        case Slot.COMMAND:
            head = f"{len(choices)} commands fit '{quote}'"
        case Slot.PACKAGE:
            head = f"{len(choices)} packages have '{quote}'"
    choice_list = ", ".join(_with_facts(slot, choice) for choice in choices)
    return f"{head}: {choice_list}. Prose did not name which."


def _matching(choices: Sequence[CodeChoice]) -> str:
    counts = {choice.body_field_count for choice in choices}
    return " with matching body schemas" if len(counts) == 1 and None not in counts else ""


def _with_facts(slot: Slot, choice: CodeChoice) -> str:
    if slot is Slot.ENTRY_ROUTE:
        count = "?" if choice.body_field_count is None else choice.body_field_count
        return f"{choice.label} ({count} {'field' if count == 1 else 'fields'})"
    return f"{choice.label} ({choice.place})"
