"""Stops: typed ends of a run that want a person (exit code 2). They are results, not errors."""

from collections import Counter
from typing import ClassVar

from pydantic import JsonValue

from pipeline.contract.clarification import (
    AlsoAsked,
    Candidate,
    Clarification,
    Question,
    QuestionContent,
    QuestionPoint,
    StopKind,
)
from pipeline.contract.plain_reason import plain_reason
from pipeline.contract.ticket import LikelyPlace
from pipeline.contract.wire import RunIdentity, question_id


class Ask(QuestionContent):
    """What a stage wants to know: the facts, the question and its default.

    Candidates stand in the order in which they are offered, the default first unless it is a decline.
    """

    stage: str
    reason: str
    suggestion: str
    candidates: tuple[Candidate, ...] = ()


class Stop(Exception):
    """A stage ends the run with a question."""

    kind: ClassVar[StopKind]

    def __init__(self, ask: Ask) -> None:
        super().__init__(ask.reason)
        self.ask = ask

    @property
    def question_id(self) -> str:
        """Id of the question; equal questions have equal ids."""
        ids = (candidate.id for candidate in self.ask.candidates)
        return question_id(self.kind.value, self.ask.slot, ids, self.ask.subject)

    @property
    def plain_reason(self) -> str:
        """Why it is asked, as a person reads it."""
        return plain_reason(self.kind, self.ask.slot, len(self.ask.candidates), self.ask.reason)

    def question(self) -> Question:
        """The question as the payload has it."""
        content = {name: getattr(self.ask, name) for name in QuestionContent.model_fields}
        question = Question(id=self.question_id, **content)
        schema = _points_schema(question.every_point) if question.has_points else _answer_schema(self.ask)
        return question.model_copy(update={"answer_schema": schema})

    def as_also(self) -> AlsoAsked:
        """This question, waiting behind another one."""
        return AlsoAsked(
            kind=self.kind,
            stage=self.ask.stage,
            reason=self.ask.reason,
            candidates=_distinct(self.ask.candidates),
            question=self.question().model_copy(update={"elsewhere": ()}),
        )

    def clarification(
        self,
        run: RunIdentity,
        *,
        round_: int,
        also: tuple["Stop", ...] = (),
        places: tuple[LikelyPlace, ...] = (),
    ) -> Clarification:
        """The payload of `clarification.json`."""
        return Clarification(
            kind=self.kind,
            stage=self.ask.stage,
            reason=self.ask.reason,
            candidates=_distinct(self.ask.candidates),
            suggestion=self.ask.suggestion,
            question=self.question(),
            run=run,
            round=round_,
            also=tuple(stop.as_also() for stop in also),
            places=places,
        )


class ClarificationNeeded(Stop):
    """Two or more readings stand, and nothing in the ticket selects one."""

    kind = StopKind.CLARIFICATION_NEEDED


class AlreadyImplemented(Stop):
    """What the ticket asks to add is there."""

    kind = StopKind.ALREADY_IMPLEMENTED


class WorkUnderWay(Stop):
    """Somebody is at work on the ticket, or it was done."""

    kind = StopKind.WORK_UNDER_WAY


class ConfirmationNeeded(Stop):
    """A tool call waits for somebody who may approve it."""

    kind = StopKind.CONFIRMATION_NEEDED


class Blocked(Stop):
    """A budget is spent; the stage says what it tried and believes."""

    kind = StopKind.BLOCKED


def _distinct(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The candidates with labels that differ: those of one label are told apart by place and number."""
    counts = Counter(candidate.label for candidate in candidates)
    distinct = []
    for number, candidate in enumerate(candidates, start=1):
        place = candidate.location
        apart = f"number {number}" if place is None else f"{place.path}:{place.start_line}, number {number}"
        label = f"{candidate.label} ({apart})" if counts[candidate.label] > 1 else candidate.label
        distinct.append(candidate.model_copy(update={"label": label}))
    return tuple(distinct)


def _points_schema(points: tuple[QuestionPoint, ...]) -> dict[str, JsonValue]:
    """For the answer to a plan: one choice for each point. A point without a choice keeps the plan's option."""
    properties: dict[str, JsonValue] = {
        point.id: {
            "type": "string",
            "title": point.text,
            "enum": [option.id for option in point.options],
            "enumNames": [option.label for option in point.options],
            "default": point.taken,
        }
        for point in points
    }
    return {"type": "object", "properties": properties}


def _answer_schema(ask: Ask) -> dict[str, JsonValue]:
    choices = ask.options if ask.options is not None else _distinct(ask.candidates)
    choice: dict[str, JsonValue] = {"type": "string", "title": ask.text}
    if choices:
        choice["enum"] = [option.id for option in choices]
        choice["enumNames"] = [option.label for option in choices]
    if ask.default is not None:
        choice["default"] = ask.default
    if ask.multiple:
        ids: JsonValue = {
            "type": "array",
            "title": ask.text,
            "items": {"type": "string", "enum": choice["enum"]},
            "minItems": 2,
        }
        forms: list[JsonValue] = [{"required": ["choice"]}, {"required": ["choices"]}]
        return {"type": "object", "properties": {"choice": choice, "choices": ids}, "oneOf": forms}
    return {"type": "object", "properties": {"choice": choice}, "required": ["choice"]}
