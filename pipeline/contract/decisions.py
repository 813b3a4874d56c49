"""`.github/askfirst/decisions.yml`: answers that hold for every ticket, and which questions each of them answers.

**When are two questions the same?** When the same kind of wish leaves the same thing open (the slot) between the same
things of the code (the set of candidates' registry ids). That is the whole signature, and each part was weighed:

- *Neither number nor order of the candidates*: the order is a ranking by the ticket's words, so it is wording.
- *No label, line or commit*: ids name a thing by path and name, so they outlive edits around it. A thing that is moved
  or renamed is a new thing; the question about it is then asked again, which is the safe side.
- *The kind of wish* (`add`, `change`, `fix`): who says where flags are added has not said where they are removed. An
  entry without `wish` holds for each kind; a person wrote it so.
- *Not the words of the ticket*: what people decide here is what they mean by default among things of their code, and a
  ticket that means another one says so. A ticket's own words therefore go first: a decision only answers a question
  that would otherwise be asked.

**What if the code has changed since?** A candidate that the code no longer has is no alternative any more, so a
decision shrinks with the code: it answers the question between exactly those of its candidates that are still there.
It does not answer where something new stands among the candidates (no person has weighed that), nor where fewer are
offered although the code still has the others (that is another question), nor where its own choice is gone.

**What can be decided?** Questions that are about the code and not about one ticket: `ClarificationNeeded` in one of
`DECIDABLE_SLOTS`, without a subject and without options of its own. Approvals, budgets and "build it anyway" hold for
one call, run or ticket. Ids that end in a number (`…#2`) tell equal names of one file apart by their order, which an
edit can change without a trace, and ids with invisible characters could show a reviewer another choice than the
one that counts: a question with such an id is asked each time.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from pipeline.contract.answers import Answer
from pipeline.contract.clarification import Clarification, StopKind
from pipeline.contract.code_slots import CODE_SLOTS

DECISIONS_PATH = ".github/askfirst/decisions.yml"
"""Where the file lies in a repository. Like all of `.github/` it is changed by an agent only with an approval."""

DECIDABLE_SLOTS = frozenset(CODE_SLOTS)
"""The slots whose candidates are things of the code."""

UNDO = f"To be asked again, remove the entry from {DECISIONS_PATH}."
"""The note wherever a decision was used."""

MAX_DECISIONS = 200
MAX_CANDIDATES = 100

_NUMBER_SUFFIX = re.compile(r"#\d+\Z")

_RegistryId = Annotated[str, StringConstraints(min_length=1, max_length=1000)]
_Login = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,100}(\[bot\])?$")]


@dataclass(frozen=True)
class QuestionSignature:
    """What makes two questions the same: slot, candidates and kind of wish. The module's docstring says why."""

    slot: str
    candidates: frozenset[str]
    wish: str | None = None

    @property
    def is_decidable(self) -> bool:
        """Whether an answer to it can hold for other tickets."""
        return (
            self.slot in DECIDABLE_SLOTS
            and 2 <= len(self.candidates) <= MAX_CANDIDATES
            and not any(
                _NUMBER_SUFFIX.search(candidate) or _hides_something(candidate)
                for candidate in self.candidates
            )
        )


def _hides_something(id_: str) -> bool:
    return any(unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for sign in id_)


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Decision(_Entry):
    """One standing answer: between these candidates, `choice` is meant by this kind of wish, or by each where it has none.

    `decided_in` is the number of the issue in which it was answered, or null where there was none.
    """

    slot: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    candidates: Annotated[tuple[_RegistryId, ...], Field(min_length=2, max_length=MAX_CANDIDATES)]
    choice: _RegistryId
    decided_by: _Login
    decided_in: Annotated[int, Field(ge=1)] | None = None
    decided_at: date
    wish: Annotated[str, StringConstraints(pattern=r"^[a-z]{1,20}$")] | None = None

    @model_validator(mode="after")
    def _chooses_a_candidate(self) -> Self:
        if self.choice not in self.candidates:
            raise ValueError("`choice` is one of `candidates`")
        if not self.signature.is_decidable:
            raise ValueError(
                f"`slot` is one of {', '.join(sorted(DECIDABLE_SLOTS))}, and `candidates` are two or more different ids "
                "that do not end in a number such as #2 and hold no invisible characters"
            )
        return self

    @property
    def signature(self) -> QuestionSignature:
        """The question that it answers."""
        return QuestionSignature(self.slot, frozenset(self.candidates), self.wish)

    @property
    def citation(self) -> str:
        """Where it comes from, to stand behind "as": `decided in #123 by octocat on 2026-11-22`."""
        origin = f"decided in #{self.decided_in}" if self.decided_in is not None else "decided"
        return f"{origin} by {self.decided_by} on {self.decided_at.isoformat()}"


class DecisionFile(_Entry):
    """The whole file. Of several entries about the same question the last one counts, as with answers."""

    version: Literal[1]
    decisions: Annotated[tuple[Decision, ...], Field(max_length=MAX_DECISIONS)]


def decision_from(clarification: Clarification, answer: Answer, *, on: date) -> Decision | None:
    """The decision that an accepted answer can become; None where it holds for its own ticket only.

    Free text and verdicts never become one, nor does an answer whose author is not known.
    """
    signature = QuestionSignature(
        clarification.question.slot, frozenset(candidate.id for candidate in clarification.candidates)
    )
    if (
        clarification.kind is not StopKind.CLARIFICATION_NEEDED
        or clarification.question.subject is not None
        or clarification.question.options is not None
        or not signature.is_decidable
        or answer.question_id != clarification.question.id
        or answer.choice not in signature.candidates
        or answer.answered_by is None
    ):
        return None
    return Decision(
        slot=signature.slot,
        candidates=tuple(sorted(signature.candidates)),
        choice=answer.choice,
        decided_by=answer.answered_by,
        decided_in=clarification.run.issue,
        decided_at=on,
        wish=clarification.question.wish,
    )


class WhyNot(StrEnum):
    """Why a decision about the candidates of a question does not answer it."""

    CHOICE_GONE = "what it chose is not among the candidates any more"
    CANDIDATES_NEW = "there are candidates now that it did not weigh"
    CONTRADICTION = "another decision chose differently"
    OTHER_WISH = "it was decided for another kind of wish"


@dataclass(frozen=True)
class Consultation:
    """What the decisions say about a question. `decision` answers it unless `why_not` is set; None: they say nothing."""

    decision: Decision | None = None
    why_not: WhyNot | None = None

    @property
    def answer(self) -> Decision | None:
        """The decision that answers the question, or None."""
        return self.decision if self.why_not is None else None


def consult(
    decisions: Sequence[Decision], signature: QuestionSignature, *, in_code: Callable[[str], bool]
) -> Consultation:
    """Look for the decision that answers a question. `in_code` says whether the code still has the thing of an id.

    A decision about exactly these candidates goes first; then those that were about these and about things that are
    gone, if they agree.
    """
    if not signature.is_decidable:
        return Consultation()
    of_slot = [decision for decision in _latest(decisions) if decision.slot == signature.slot]
    counting = [decision for decision in of_slot if decision.wish in {None, signature.wish}]
    exact = [decision for decision in counting if decision.signature.candidates == signature.candidates]
    if exact:
        return Consultation(next((decision for decision in exact if decision.wish is not None), exact[-1]))
    shrunk = [decision for decision in counting if _is_left_of(decision, signature, in_code)]
    answering = [decision for decision in shrunk if decision.choice in signature.candidates]
    if answering:
        do_agree = len({decision.choice for decision in answering}) == 1
        return Consultation(answering[-1], None if do_agree else WhyNot.CONTRADICTION)
    wider = [decision for decision in counting if signature.candidates < decision.signature.candidates]
    if without_choice := [decision for decision in wider if decision.choice not in signature.candidates]:
        return Consultation(without_choice[-1], WhyNot.CHOICE_GONE)
    if narrower := [
        decision for decision in counting if decision.signature.candidates < signature.candidates
    ]:
        return Consultation(narrower[-1], WhyNot.CANDIDATES_NEW)
    if of_other_wish := [
        decision for decision in of_slot if decision.signature.candidates == signature.candidates
    ]:
        return Consultation(of_other_wish[-1], WhyNot.OTHER_WISH)
    return Consultation()


def _latest(decisions: Sequence[Decision]) -> list[Decision]:
    """The last decision about each question, in the order in which they stand."""
    last = {decision.signature: index for index, decision in enumerate(decisions)}
    return [decision for index, decision in enumerate(decisions) if last[decision.signature] == index]


def _is_left_of(decision: Decision, signature: QuestionSignature, in_code: Callable[[str], bool]) -> bool:
    """Whether a question is between exactly those candidates of a decision that are still there."""
    missing = decision.signature.candidates - signature.candidates
    return signature.candidates < decision.signature.candidates and not any(
        in_code(candidate) for candidate in missing
    )
