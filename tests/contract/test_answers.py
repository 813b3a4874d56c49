"""What `answers.json` may hold: each answer says one thing, and only a decline says why beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline.contract.answers import Answer, Verdict

MAYBE = st.none() | st.just("something")


@given(
    choice=MAYBE,
    text=MAYBE,
    verdict=st.none() | st.sampled_from(Verdict),
    points=st.sampled_from([None, {}, {"2": "b"}]),
)
def test_an_answer_says_one_thing(
    choice: str | None, text: str | None, verdict: Verdict | None, points: dict[str, str] | None
) -> None:
    told = {
        "question_id": "q-1",
        "slot": "confirmation",
        "choice": choice,
        "text": text,
        "verdict": verdict,
        "points": points,
    }
    count = sum(value is not None for value in (choice, text, verdict, points))
    says_why = verdict is Verdict.DECLINE and text is not None and choice is None and points is None
    if count == 1 or says_why:
        assert Answer.model_validate(told).verdict is verdict
    else:
        with pytest.raises(ValidationError, match="exactly one of"):
            Answer.model_validate(told)
