"""Plans that come to a question or to targets, and answers to that question."""

from typing import Any

import pytest

from pipeline.contract.answers import Answer
from pipeline.domain.issue import IssueDocument
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.semantics.decide import Semantics, compare_plans
from pipeline.stages.semantics.exploring import Plans
from tests.pipeline.stages.plan_world import (
    issue,
)

NOTHING: dict[str, Any] = {"excluded": [], "same": []}


SAME = {"excluded": [], "same": [{"first": "1.1", "second": "2.1", "same_choice": True}]}


QUOTES = {"words": "ten in a minute"}


def come_to(made: Plans, *answers: Answer, document: IssueDocument | None = None) -> Semantics:
    return compare_plans(made, document or issue(), answers)


def question(made: Plans, *answers: Answer) -> ClarificationNeeded:
    with pytest.raises(ClarificationNeeded) as stopped:
        come_to(made, *answers)
    return stopped.value


def chosen(stop: ClarificationNeeded, choice: str | None = None, **said: Any) -> Answer:
    return Answer(
        question_id=stop.question_id, slot=stop.ask.slot, choice=choice, answered_by="octocat", **said
    )
