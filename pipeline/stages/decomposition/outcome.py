"""The results of a decision: targets, a question between candidates, or neither; and the evidence for it."""

from dataclasses import dataclass

from pipeline.contract.code_slots import CodeSlot
from pipeline.contract.ticket import CodePlace
from pipeline.domain.issue import Citation
from pipeline.stages.decomposition.candidates import CodeChoice
from pipeline.stages.stage import StageValue


@dataclass(frozen=True)
class Selection:
    """The issue names these things, or a person chose them. `chain` are the symbols from the first target to the leaf.

    `citation` is what the issue cites them by; None where a person chose, and then nothing is to be doubted.
    """

    targets: tuple[CodePlace, ...]
    because: str
    chain: tuple[str, ...] = ()
    citation: Citation | None = None


@dataclass(frozen=True)
class OpenChoice:
    """Two or more readings stand. `choices` are in the order in which they are offered, the default first.

    `default_reason` says what speaks for the first one; None where nothing does, and then there is no default.
    `remark` is a sentence more for the person who is asked, or empty. `is_read`: a model has read the issue with the
    candidates, so that the ranking of files is no reason to doubt them. `new_thing` is what they would get, in words;
    empty where it has no name.
    """

    slot: CodeSlot
    choices: tuple[CodeChoice, ...]
    default_reason: str | None
    leaf: str | None
    quotes: tuple[str, ...]
    remark: str = ""
    is_read: bool = False
    new_thing: str = ""


@dataclass(frozen=True)
class Suggestion:
    """Words, or a model that read them, lead here: a place worth a look, and no target. `may_exist`: it may do already what is wished."""

    choice: CodeChoice
    because: str
    may_exist: bool = False


@dataclass(frozen=True)
class NoMatch:
    """Nothing in the code could be matched with enough certainty."""

    because: str


Outcome = Selection | OpenChoice | Suggestion | NoMatch


class EvidenceRow(StageValue):
    """One step of the decision. `candidates` are labels; `words` are the ticket's words that fit, by candidate."""

    about: str
    candidates: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    concluded: str
