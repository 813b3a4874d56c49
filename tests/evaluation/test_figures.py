"""Figures of asking: shares with their intervals, tickets that need a model apart."""

import pytest

from pipeline.evaluation import share
from tests.evaluation.figures import qualities, seconds, summarise, verdict, with_repetitions
from tests.evaluation.outcomes import ActualOutcome, EvaluationRow, ExpectedOutcome, ExpectedPlace


def row(
    category: str,
    expected: int,
    got: int,
    *,
    language: str = "python",
    vague: bool = False,
    kind: str = "ClarificationNeeded",
    held_out: bool = False,
    seconds_: float = 0.1,
    hint: str | None = None,
    existing: tuple[ExpectedPlace, ...] = (),
) -> EvaluationRow:
    return EvaluationRow(
        id="x",
        language=language,
        category=category,
        expected=ExpectedOutcome(
            exit_code=expected, kind=kind if expected else None, needs_model=vague, existing=existing
        ),
        got=ActualOutcome(
            exit_code=got,
            kind=kind if got else None,
            stage=None,
            candidates=(),
            default=None,
            targets=(),
            message="",
            hint=hint,
        ),
        right=expected == got or vague,
        needs_model=vague,
        candidates_right=None,
        default_right=None,
        commit_matches=None,
        seconds=seconds_,
        held_out=held_out,
    )


def test_a_share_says_between_which_shares_the_true_one_lies() -> None:
    half = share(5, 10)
    assert half.low == pytest.approx(0.2366, abs=1e-4)
    assert half.high == pytest.approx(0.7634, abs=1e-4)
    assert str(half) == "50% (24% to 76%)"


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


def test_a_hint_counts_where_the_right_thing_exists_and_else_as_false() -> None:
    place = (ExpectedPlace(file="shop/api.py", line=7),)
    exists = "AlreadyImplemented"
    figures = qualities(
        [
            row("already", 2, 2, kind=exists, existing=place),
            row(
                "already",
                2,
                0,
                hint="May exist already: unpaid (shop/api.py:7).",
                kind=exists,
                existing=place,
            ),
            row(
                "already",
                2,
                0,
                hint="May exist already: unpaid (shop/api.py:70).",
                kind=exists,
                existing=place,
            ),
            row("clear", 0, 0, hint="May exist already: unpaid (shop/api.py:7)."),
            row("clear", 0, 0),
        ]
    )["all"]
    assert (figures.existing_shown.part, figures.existing_shown.whole) == (2, 3)
    assert (figures.false_hints.part, figures.false_hints.whole) == (1, 2)


def test_what_exists_is_counted_both_ways() -> None:
    existing = "AlreadyImplemented"
    rows = [
        row("already", 2, 2, kind=existing),
        row("already", 2, 0, kind=existing),
        row("clear", 0, 2, kind=existing),
        row("ambiguous", 2, 2),
    ]
    found = qualities(rows)["all"]
    assert (found.existing_precision.part, found.existing_precision.whole) == (1, 2)
    assert (found.existing_recall.part, found.existing_recall.whole) == (1, 2)


def test_tickets_that_were_held_out_are_reported_apart() -> None:
    found = qualities([row("clear", 0, 0), row("clear", 0, 2, held_out=True)])
    assert list(found)[:2] == ["all", "held out"]
    assert (found["all"].right.whole, found["held out"].right.whole) == (2, 1)
    assert "held out" not in qualities([row("clear", 0, 0)])


def test_a_decision_is_the_same_only_if_every_run_came_to_it() -> None:
    rows = [row("clear", 0, 0), row("ambiguous", 2, 2)]
    same, other = [one.got for one in rows], [rows[0].got, rows[1].got.model_copy(update={"default": "x"})]
    again = with_repetitions(rows, [same, other, same])
    assert [(one.runs, one.agreeing) for one in again] == [(4, 4), (4, 3)]
    same_decision = qualities(again)["all"].same_decision
    assert (same_decision.part, same_decision.whole) == (1, 2)
    assert qualities(with_repetitions(rows, []))["all"].same_decision.whole == 0


def test_seconds_are_told_by_the_middle_the_rare_and_the_longest() -> None:
    took = seconds([row("clear", 0, 0, seconds_=number / 10) for number in range(1, 21)])
    assert (took.median, took.nineteen_of_twenty, took.longest) == (1.05, 1.9, 2.0)
    assert seconds([row("clear", 0, 0, seconds_=3.0)]).nineteen_of_twenty == 3.0


def test_a_figure_that_must_be_reached_says_whether_it_is() -> None:
    assert verdict("precision", share(9, 10)) == "at least 0.90: yes"
    assert verdict("recall", share(94, 100)) == "at least 0.95: NO"
    assert verdict("false_asks", share(6, 100)) == "at most 0.05: NO"
    assert verdict("right", share(0, 1)) == verdict("recall", share(0, 0)) == ""


def test_the_summary_has_every_figure_as_a_number() -> None:
    told = summarise([row("clear", 0, 0), row("ambiguous", 2, 2)])
    assert (told["precision"], told["recall"], told["false_asks"]) == (1.0, 1.0, 0.0)
    assert told["seconds_for_a_ticket"] == {"median": 0.1, "nineteen_of_twenty": 0.1, "longest": 0.1}
