"""How well the pipeline asks, in figures: shares with the interval in which the true one lies, over groups of tickets."""

from collections.abc import Mapping, Sequence
from statistics import median

from pipeline.contract.clarification import StopKind
from pipeline.contract.exit_codes import ExitCode
from pipeline.domain.models import FrozenModel
from pipeline.evaluation import Share, share
from tests.evaluation.outcomes import ActualOutcome, EvaluationRow, is_hinted

AT_LEAST = {"precision": 0.90, "recall": 0.95, "sets_right": 0.90}
AT_MOST = {"false_asks": 0.05}
"""What the figures over all tickets must reach, by their names in `Quality`."""


class Quality(FrozenModel):
    """How well a group of tickets was asked about; tickets that need a model stand apart, in `vague_right`.

    `existing_precision` is of the tickets that were refused because what they ask for is there, those where it is;
    `existing_recall` is of those where it is the refused ones, and `existing_shown` those that were refused or got a line
    "may exist already" with the right thing; `false_hints` is of all others those with such a line. `same_decision` is of the tickets that were run more than
    once those that always came to the same.
    """

    tickets: int
    right: Share
    precision: Share
    recall: Share
    false_asks: Share
    sets_right: Share
    defaults_right: Share
    existing_precision: Share
    existing_recall: Share
    existing_shown: Share
    false_hints: Share
    same_decision: Share
    vague_right: Share


class Seconds(FrozenModel):
    """How long a ticket takes, opening the index included: the first ticket of a repository builds it."""

    median: float
    nineteen_of_twenty: float
    longest: float


def quality(rows: Sequence[EvaluationRow]) -> Quality:
    """Quality of asking, structural: of the tickets that need no model, who was asked and who should have been."""
    rows_without_model = [row for row in rows if not row.needs_model]
    asking_rows = [row for row in rows_without_model if row.got.exit_code == ExitCode.PERSON_ASKED]
    should = [row for row in rows_without_model if row.expected.exit_code == ExitCode.PERSON_ASKED]
    silent = [row for row in rows_without_model if row.expected.exit_code == 0]
    rightly = [row for row in asking_rows if row in should and row.got.kind == row.expected.kind]
    with_sets = [row for row in rows_without_model if row.candidates_right is not None]
    with_defaults = [row for row in rows_without_model if row.default_right is not None]
    vague = [row for row in rows if row.needs_model]
    refusing_rows = [row for row in rows_without_model if row.got.kind == StopKind.ALREADY_IMPLEMENTED]
    there = [row for row in rows_without_model if row.expected.kind == StopKind.ALREADY_IMPLEMENTED]
    again = [row for row in rows if row.runs > 1]
    return Quality(
        tickets=len(rows),
        right=share(sum(row.right for row in rows_without_model), len(rows_without_model)),
        precision=share(len(rightly), len(asking_rows)),
        recall=share(len(rightly), len(should)),
        false_asks=share(sum(row in asking_rows for row in silent), len(silent)),
        sets_right=share(sum(row.candidates_right is True for row in with_sets), len(with_sets)),
        defaults_right=share(sum(row.default_right is True for row in with_defaults), len(with_defaults)),
        existing_precision=share(sum(row in there for row in refusing_rows), len(refusing_rows)),
        existing_recall=share(sum(row in refusing_rows for row in there), len(there)),
        existing_shown=share(
            sum(row in refusing_rows or is_hinted(row.expected, row.got) for row in there), len(there)
        ),
        false_hints=share(
            sum(row.got.hint is not None for row in rows if row not in there), len(rows) - len(there)
        ),
        same_decision=share(sum(row.agreeing == row.runs for row in again), len(again)),
        vague_right=share(sum(row.right for row in vague), len(vague)),
    )


def qualities(rows: Sequence[EvaluationRow]) -> Mapping[str, Quality]:
    """Quality over all tickets, over those held out, then for each language and each category, as far as there are any."""
    groups: dict[str, Sequence[EvaluationRow]] = {"all": rows}
    if held_out := [row for row in rows if row.held_out]:
        groups["held out"] = held_out
    for language in sorted({row.language for row in rows if row.language}):
        groups[language] = [row for row in rows if row.language == language]
    for category in sorted({row.category for row in rows if row.category}):
        groups[category] = [row for row in rows if row.category == category]
    return {name: quality(group) for name, group in groups.items()}


def seconds(rows: Sequence[EvaluationRow]) -> Seconds:
    """How long the tickets took; there is at least one."""
    durations = sorted(row.seconds for row in rows)
    nineteen_of_twenty = durations[max(0, -(-len(durations) * 19 // 20) - 1)]
    return Seconds(
        median=round(median(durations), 3), nineteen_of_twenty=nineteen_of_twenty, longest=durations[-1]
    )


def with_repetitions(
    rows: Sequence[EvaluationRow], further_runs: Sequence[Sequence[ActualOutcome]]
) -> list[EvaluationRow]:
    """The rows with how many of the further runs came to the same; each of `further_runs` has one result for each row."""
    return [
        row.model_copy(
            update={
                "runs": 1 + len(further_runs),
                "agreeing": 1 + sum(run[index] == row.got for run in further_runs),
            }
        )
        for index, row in enumerate(rows)
    ]


def verdict(figure: str, share_: Share) -> str:
    """Whether a figure over all tickets is what it must be: empty where nothing is asked of it."""
    if share_.share is None:
        return ""
    if figure in AT_LEAST:
        return f"at least {AT_LEAST[figure]:.2f}: {'yes' if share_.share >= AT_LEAST[figure] else 'NO'}"
    if figure in AT_MOST:
        return f"at most {AT_MOST[figure]:.2f}: {'yes' if share_.share <= AT_MOST[figure] else 'NO'}"
    return ""


def summarise(rows: Sequence[EvaluationRow]) -> Mapping[str, object]:
    """The figures over all tickets as plain numbers, and `groups` with the intervals of each language and category."""
    figures = qualities(rows)
    overall = figures["all"]
    return {
        "tickets": len(rows),
        "right": sum(row.right for row in rows),
        "precision": overall.precision.share,
        "recall": overall.recall.share,
        "false_asks": overall.false_asks.share,
        "candidates_right": overall.sets_right.share,
        "defaults_right": overall.defaults_right.share,
        "existing_precision": overall.existing_precision.share,
        "existing_recall": overall.existing_recall.share,
        "existing_shown": overall.existing_shown.share,
        "false_hints": overall.false_hints.share,
        "same_decision": overall.same_decision.share,
        "needs_model": overall.vague_right.whole,
        "needs_model_right": overall.vague_right.part,
        "seconds": round(sum(row.seconds for row in rows), 3),
        "seconds_for_a_ticket": seconds(rows).model_dump(),
        "groups": {name: quality_.model_dump(mode="json") for name, quality_ in figures.items()},
    }
