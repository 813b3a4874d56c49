"""Figures of asking: shares with their intervals, tickets that need a model apart."""

import pytest

from pipeline.evaluation import Expected, Got, Row, qualities, share


def row(category: str, expected: int, got: int, *, language: str = "python", vague: bool = False) -> Row:
    kind = "ClarificationNeeded"
    return Row(
        id="x",
        language=language,
        category=category,
        expected=Expected(exit_code=expected, kind=kind if expected else None, needs_model=vague),
        got=Got(
            exit_code=got,
            kind=kind if got else None,
            stage=None,
            candidates=(),
            default=None,
            targets=(),
            message="",
        ),
        right=expected == got or vague,
        needs_model=vague,
        candidates_right=None,
        default_right=None,
        commit_matches=None,
        seconds=0.1,
    )


def test_a_share_says_between_which_shares_the_true_one_lies() -> None:
    half = share(5, 10)
    assert half.low == pytest.approx(0.2366, abs=1e-4)
    assert half.high == pytest.approx(0.7634, abs=1e-4)
    assert str(half) == "0.50 (0.24-0.76, 5 of 10)"


def test_a_share_of_nothing_is_unknown() -> None:
    assert share(0, 0).share is None
    assert str(share(0, 0)) == "-"


def test_questions_are_counted_for_each_language_and_category() -> None:
    rows = [
        row("ambiguous", 2, 2),
        row("ambiguous", 2, 0, language="go"),
        row("clear", 0, 2),
        row("clear", 0, 0, language="go"),
    ]
    found = qualities(rows)
    assert list(found) == ["all", "go", "python", "ambiguous", "clear"]
    assert (found["all"].precision.share, found["all"].recall.share, found["all"].false_asks.share) == (
        0.5,
        0.5,
        0.5,
    )
    assert (found["go"].recall.share, found["python"].recall.share) == (0.0, 1.0)


def test_tickets_that_need_a_model_count_apart() -> None:
    found = qualities([row("clear", 0, 0), row("vague", 2, 0, vague=True)])["all"]
    assert (found.right.whole, found.vague_right.part, found.recall.whole) == (1, 1, 0)
