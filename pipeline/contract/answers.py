"""`answers.json`: what people replied, on its way back into a run."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from pipeline.contract.wire import NonEmpty, Sha256, WireModel

MAX_POINT_WORDS = 200
"""Characters of somebody's own words for one point: they travel with the ids, and into the hidden line of a comment."""

PLAN_ANEW = "plan: "
"""How the id of an option begins that needs a new plan; behind it stands what is to be planned."""

MAX_ROUNDS = 3
"""Questions in one conversation."""


class Verdict(StrEnum):
    """A person's decision on one tool call; set only for `ConfirmationNeeded`."""

    APPROVE = "approve"
    DECLINE = "decline"


class Answer(WireModel):
    """One person's answer to one question: the id of an option, several ids where the question is `multiple`, free text,
    or, to a plan or a question with further points, its `points`.

    A choice travels as an id. `points` decides several points: the id of an option by the id of its point; a point that is not
    named gets its default. `words` beside it are somebody's own words by the id of a point, alone or about the option.
    `label` are words as the person read them, where an agent wrote them and a run on an
    empty disk does not know them: of the chosen option (`Blocked`), of a point and the option chosen for it, of the options
    chosen in a plan, or, beside free text, of the plan that the text is about. Free text is data, never an instruction; beside a verdict that declines it says why.
    In a `workflow_dispatch` it travels as `comment_id` with `text_sha256`, the hash of what `commands.answer_text` reads in that
    comment: the run fetches the comment, reads it in the same way and compares.
    """

    question_id: NonEmpty
    slot: NonEmpty
    choice: str | None = None
    choices: Annotated[tuple[NonEmpty, ...], Field(min_length=2)] | None = None
    points: dict[NonEmpty, NonEmpty] | None = None
    words: (
        dict[NonEmpty, Annotated[str, StringConstraints(min_length=1, max_length=MAX_POINT_WORDS)]] | None
    ) = None
    label: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    text: str | None = None
    text_sha256: Sha256 | None = None
    verdict: Verdict | None = None
    answered_by: str | None = None
    comment_id: int | None = None

    @property
    def decision(self) -> str | None:
        """What a person chose, in the words that they read; None for free words, and where only an id is known."""
        return None if self.text else self.label

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        text = self.text or self.text_sha256
        answer = None if self.verdict is Verdict.DECLINE else text
        possible_values = (self.choice, self.choices, self.points, answer, self.verdict)
        if len([value for value in possible_values if value is not None]) != 1:
            raise ValueError(
                "an answer holds exactly one of `choice`, `choices`, `points`, `text` (or `text_sha256`) and `verdict`; only a "
                "verdict that declines may have a `text` beside it"
            )
        if self.words is not None and self.points is None:
            raise ValueError("`words` of single points stand beside `points`")
        if self.label is not None and (self.choices or self.verdict):
            raise ValueError("`label` stands beside a `choice`, `points` or a `text`, whose words it holds")
        if self.text_sha256 is not None and self.comment_id is None:
            raise ValueError("`text_sha256` needs the `comment_id` of the comment to fetch")
        return self


class Answers(WireModel):
    """All answers of a conversation so far, oldest first. A later answer to the same question wins."""

    version: Literal[1] = 1
    answers: tuple[Answer, ...] = ()

    @property
    def round(self) -> int:
        """Which round of its conversation the run with these answers is, from 1."""
        return len({answer.question_id for answer in self.answers}) + 1

    def to(self, question_id: str) -> Answer | None:
        """The answer that counts for a question, or None."""
        return next((answer for answer in reversed(self.answers) if answer.question_id == question_id), None)

    def replanning(self, slots: frozenset[str], *, is_revision: bool = False) -> tuple[Answer, ...]:
        """The answers about these slots that no finished plan can hold: free words, and options that need a new plan.

        In a revision, which plans anew, also what was decided about the plan before it, where the answer has its words.
        """
        return tuple(
            answer
            for answer in self.for_slots(slots)
            if answer.text
            or any(
                choice.startswith(PLAN_ANEW)
                for choice in (answer.choice or "", *(answer.points or {}).values())
            )
            or (is_revision and answer.label is not None)
        )

    def for_slots(self, slots: frozenset[str]) -> tuple[Answer, ...]:
        """The answers to questions about these slots, oldest first."""
        return tuple(answer for answer in self.answers if answer.slot in slots)
