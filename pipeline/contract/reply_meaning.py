"""What a reply can mean. Data only; `reply.parse_reply` finds it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class ReplyKind(StrEnum):
    """What a reply means."""

    CHOICE = "choice"
    DEFAULT = "default"
    FREE = "free"
    CANCEL = "cancel"
    HELP = "help"
    UNCLEAR = "unclear"
    CONFLICT = "conflict"
    IGNORE = "ignore"
    DECIDE = "decide"


class Why(StrEnum):
    """Why a reply starts nothing, for the hint."""

    NOTHING_FOUND = "nothing_found"
    IS_A_QUESTION = "is_a_question"
    DOUBTFUL = "doubtful"
    OUT_OF_RANGE = "out_of_range"
    NO_DEFAULT = "no_default"
    NEEDS_TEXT = "needs_text"
    SEVERAL_CHOICES = "several"


@dataclass(frozen=True)
class Reply:
    """A reply, understood. `choice` is an option's id for `CHOICE` and `DEFAULT`; a `CHOICE` of several has `choices`.

    To several points, `DEFAULT` takes all defaults, and a `CHOICE` has `points`: pairs of a point's id and the option's id, and
    `words`: pairs of a point's id and somebody's own words for it.
    `note` are the words next to a choice, or the free text itself; `beside` is what stands outside of the command that
    decided. Both are data to show, never an instruction. `keeps` says that the choice is to hold for later tickets; a
    `DECIDE` says that of an answer that was given before.
    """

    kind: ReplyKind
    choice: str | None = None
    note: str | None = None
    beside: str | None = None
    why: Why | None = None
    numbers: tuple[int, ...] = ()
    keeps: bool = False
    choices: tuple[str, ...] = ()
    points: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, str], ...] = ()


def unclear(why: Why, *numbers: int) -> Reply:
    """A reply that starts nothing; `numbers` are those of the choices that it may have meant."""
    return Reply(ReplyKind.UNCLEAR, why=why, numbers=numbers)


def conflict(numbers: Iterable[int | None]) -> Reply:
    """A reply that names several choices, by their numbers."""
    return Reply(
        ReplyKind.CONFLICT,
        why=Why.SEVERAL_CHOICES,
        numbers=tuple(sorted({number for number in numbers if number})),
    )
