"""What the decision can come to: one reading, several, or none."""

from dataclasses import dataclass

from pipeline.contract.ticket import CodePlace
from pipeline.stages.decomposition.candidates import Choice
from pipeline.stages.decomposition.questions import Slot


@dataclass(frozen=True)
class Selected:
    """One reading stands. `chain` are the symbols from the target to the leaf."""

    targets: tuple[CodePlace, ...]
    because: str
    chain: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undecided:
    """Two or more readings stand. `choices` are in the order in which they are offered, the default first.

    `remark` is a sentence more for the person who is asked, or empty.
    """

    slot: Slot
    choices: tuple[Choice, ...]
    default_reason: str
    leaf: str | None
    quotes: tuple[str, ...]
    remark: str = ""


@dataclass(frozen=True)
class Unknown:
    """Nothing in the code could be matched with enough certainty."""

    because: str


Outcome = Selected | Undecided | Unknown
