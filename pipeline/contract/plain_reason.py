"""Why a question is asked, as a person reads it. The `reason` of `clarification.json` has the facts, for programs."""

from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.code_slots import CODE_SLOTS

WHAT_IS_OPEN = "Prose did not name which."
"""How the reason of a question about the code ends. Remarks for people stand behind it."""

_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}


def why_it_is_open(kind: StopKind, slot: str, candidates: int) -> str | None:
    """The sentence on a question between things of the code: "Two routes fit, and no word in the ticket picks one."

    None for any other question, whose reason is a sentence for people already.
    """
    code_slot = CODE_SLOTS.get(slot)
    if kind is not StopKind.CLARIFICATION_NEEDED or code_slot is None or candidates < 2:
        return None
    return f"{number_in_words(candidates)} {code_slot.fitting}, and no word in the ticket picks one."


def remark_of(reason: str) -> str:
    """What a reason says to people behind its facts, such as that an earlier decision does not answer this; or nothing."""
    return reason.partition(WHAT_IS_OPEN)[2].strip()


def plain_reason(kind: StopKind, slot: str, candidates: int, reason: str) -> str:
    """The reason as a person reads it, with its remark."""
    sentence = why_it_is_open(kind, slot, candidates)
    return reason if sentence is None else f"{sentence} {remark_of(reason)}".rstrip()


def plain_reason_of(clarification: Clarification) -> str:
    """The same of a payload."""
    return plain_reason(
        clarification.kind,
        clarification.question.slot,
        len(clarification.candidates),
        clarification.reason,
    )


def number_in_words(count: int) -> str:
    """A number at the beginning of a sentence."""
    return _NUMBERS.get(count, str(count))
