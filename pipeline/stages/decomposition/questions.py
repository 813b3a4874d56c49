"""The question in words: what is asked, and the reason with the facts of each candidate."""

from collections.abc import Sequence

from pipeline.contract.code_slots import CodeSlot
from pipeline.domain.issue import Citation
from pipeline.stages.decomposition.candidates import CodeChoice


def question_text(slot: CodeSlot, new_names: Sequence[Citation]) -> str:
    """The question itself, as a plain sentence: each surface marks names in its own way."""
    subject = new_names[0].text if new_names else "the change"
    return f"Which {slot.noun} should get {subject}?"


def reason(slot: CodeSlot, choices: Sequence[CodeChoice], leaf: str | None, quote: str) -> str:
    """Why nothing was selected, with the facts of every candidate, for people and programs that read the JSON."""
    head = slot.begin_reason(count=len(choices), quote=quote, leaf=leaf, alike=_matching(choices))
    choice_list = ", ".join(f"{choice.label} ({choice.detail})" for choice in choices)
    return f"{head}: {choice_list}. Prose did not name which."


def _matching(choices: Sequence[CodeChoice]) -> str:
    counts = {choice.body_field_count for choice in choices}
    return " with matching body schemas" if len(counts) == 1 and None not in counts else ""
