"""A repeat goes round until its condition holds or its rounds are spent, and a crash loses no finished stage."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel

from pipeline.contract.run import Outcome
from pipeline.domain.errors import PreconditionFailed
from pipeline.domain.stops import Ask, Blocked
from pipeline.engine.executor import RunResult
from pipeline.engine.graph import Inputs, RepeatResult, StageBody
from tests.pipeline.engine.build_stages import Build, said
from tests.pipeline.engine.declared_stages import RunIn, Stages, Text, stop, texts


def records(result: RunResult) -> list[tuple[str, int | None, str]]:
    return [(record.id, record.round, record.status.value) for record in result.records]


def test_it_goes_round_until_the_condition_holds(run_in: RunIn) -> None:
    build = Build(good_at=2)
    result = run_in.run(build.stages)
    assert result.outcome is Outcome.DONE
    assert build.ran == ["coder 1", "tests 1", "coder 2", "tests 2"]
    assert result.outputs["attempts"] == RepeatResult(rounds=2, exhausted=False)
    assert records(result) == snapshot(
        [
            ("ticket", None, "done"),
            ("attempts", None, "done"),
            ("coder", 1, "done"),
            ("tests", 1, "done"),
            ("coder", 2, "done"),
            ("tests", 2, "done"),
            ("change", None, "done"),
        ]
    )
    assert result.records[1].reason == snapshot("2 rounds; its condition holds: tests.text == 'green'")
    assert result.records[1].attempts == 2


def test_later_stages_get_the_outputs_of_the_last_round_under_the_ids_of_its_stages(run_in: RunIn) -> None:
    result = run_in.run(Build(good_at=3).stages)
    assert result.outputs["change"] == Text(text="change(3, green)")


def test_the_journal_tells_each_round(run_in: RunIn) -> None:
    run_in.run(Build(good_at=2).stages)
    lines = [json.loads(line) for line in (run_in.path / "journal.jsonl").read_text().splitlines()]
    assert [
        " ".join(str(line[key]) for key in ("event", "stage", "round", "enough") if key in line)
        for line in lines
    ] == snapshot(
        [
            "stage_started ticket",
            "stage_finished ticket",
            "stage_started attempts",
            "round_started attempts 1",
            "stage_started coder 1",
            "stage_finished coder 1",
            "stage_started tests 1",
            "stage_finished tests 1",
            "round_ended attempts 1 False",
            "round_started attempts 2",
            "stage_started coder 2",
            "stage_finished coder 2",
            "stage_started tests 2",
            "stage_finished tests 2",
            "round_ended attempts 2 True",
            "stage_finished attempts",
            "stage_started change",
            "stage_finished change",
        ]
    )


def test_when_its_rounds_are_spent_a_later_stage_learns_it_and_can_ask(run_in: RunIn) -> None:
    build = Build(good_at=9, most=3)

    def change(inputs: Inputs) -> BaseModel:
        repeated = inputs["attempts"]
        assert isinstance(repeated, RepeatResult)
        if repeated.exhausted:
            raise Blocked(
                Ask(
                    stage="change",
                    slot="budget",
                    reason=f"{repeated.rounds} rounds, and still {said(inputs, 'tests')}",
                    text="Go on?",
                    suggestion="Say how.",
                )
            )
        return Text(text="")

    build.stages.bodies["change"] = StageBody(change, Text, None)
    result = run_in.run(build.stages)
    assert result.outputs["attempts"] == RepeatResult(rounds=3, exhausted=True)
    assert [asked.ask.reason for asked in result.stops] == ["3 rounds, and still red 3"]
    assert result.records[1].reason == snapshot(
        "3 rounds; no more are allowed, and its condition never held: tests.text == 'green'"
    )


def test_the_first_round_is_given_nothing_of_a_round_before_and_a_skipped_stage_gives_nothing(
    run_in: RunIn,
) -> None:
    seen: list[list[str]] = []
    build = Build(good_at=3, skips_tests_in=1)
    coder = build.stages.bodies["coder"]

    def look(inputs: Inputs) -> BaseModel:
        seen.append(sorted(inputs))
        return coder.run(inputs)

    build.stages.bodies["coder"] = replace(coder, run=look)
    result = run_in.run(build.stages)
    assert seen == [
        ["ticket"],
        ["previous-coder", "ticket"],
        ["previous-coder", "previous-tests", "ticket"],
    ]
    assert ("tests", 1, "skipped") in records(result)


def test_a_stop_in_a_round_ends_the_run_there(run_in: RunIn) -> None:
    result = run_in.run(Build(ends={("coder", 2): stop("coder")}).stages)
    assert [asked.ask.stage for asked in result.stops] == ["coder"]
    assert records(result) == snapshot(
        [
            ("ticket", None, "done"),
            ("attempts", None, "not_reached"),
            ("coder", 1, "done"),
            ("tests", 1, "done"),
            ("coder", 2, "stopped"),
            ("tests", 2, "not_reached"),
            ("change", None, "not_reached"),
        ]
    )
    assert result.records[1].reason == "the run ended in its round 2, at 'coder'"


def test_a_failure_in_a_round_is_the_failure_of_its_stage(run_in: RunIn) -> None:
    result = run_in.run(Build(ends={("tests", 2): PreconditionFailed("no")}, good_at=3).stages)
    assert (result.failed_stage, result.outcome) == ("tests", Outcome.ERROR)


def test_a_condition_that_breaks_fails_the_repeat(run_in: RunIn) -> None:
    result = run_in.run(Build(until=lambda inputs: bool(inputs["nothing"])).stages)
    assert result.failed_stage == "attempts"
    assert "the condition of repeat 'attempts' ended with KeyError" in str(result.error)


def test_a_repeat_whose_condition_does_not_hold_is_skipped_with_its_stages_and_what_needs_them(
    run_in: RunIn,
) -> None:
    build = Build(when=lambda _: False)
    result = run_in.run(build.stages)
    assert build.ran == []
    assert {record.id: record.reason for record in result.records} == snapshot(
        {
            "ticket": None,
            "attempts": "its condition does not hold: ticket.ready",
            "coder": "it is a stage of 'attempts', which was skipped",
            "tests": "it is a stage of 'attempts', which was skipped",
            "change": "it needs 'attempts', which was skipped",
        }
    )


def test_a_branch_beside_a_repeat_does_not_wait_for_its_end(run_in: RunIn) -> None:
    build = Build(good_at=3)
    build.stages.add("beside", "ticket")
    run_in.run(build.stages)
    journal = run_in.journal()
    assert journal.index("stage_finished beside") < journal.index("round_ended attempts")


def test_inner_stages_run_beside_each_other(run_in: RunIn) -> None:
    run_in.run(Stages().add("lint").add("tests").repeated("checks", lambda _: True, 1))
    assert run_in.journal()[2:4] == ["stage_started lint", "stage_started tests"]


def test_a_resumed_run_repeats_no_stage_of_any_round_that_had_finished(run_in: RunIn, tmp_path: Path) -> None:
    first = Build(good_at=3, ends={("tests", 2): ConnectionError("the machine went down")})
    run_in.run(first.stages, memo_from=())
    again = Build(good_at=3)
    result = run_in.run(again.stages, memo_from=(run_in.path,))
    assert again.ran == ["tests 2", "coder 3", "tests 3"]
    assert [entry for entry in records(result) if entry[0] != "ticket"] == snapshot(
        [
            ("attempts", None, "done"),
            ("coder", 1, "reused"),
            ("tests", 1, "reused"),
            ("coder", 2, "reused"),
            ("tests", 2, "done"),
            ("coder", 3, "done"),
            ("tests", 3, "done"),
            ("change", None, "done"),
        ]
    )
    memo = tmp_path / "unpacked"
    shutil.copytree(run_in.path / "stages", memo)
    third = Build(good_at=3)
    elsewhere = RunIn(tmp_path / "elsewhere")
    elsewhere.run(third.stages, memo_from=(memo,))
    assert (third.ran, third.after.ran) == ([], [])


def test_a_stage_is_asked_again_in_each_round_even_if_nothing_it_needs_has_changed(run_in: RunIn) -> None:
    inner = Stages().add("coder")
    stages = inner.repeated("attempts", lambda _: False, 3)
    run_in.run(stages, memo_from=(run_in.path,))
    assert inner.ran == ["coder"] * 3
    inner.ran.clear()
    run_in.run(stages, memo_from=(run_in.path,))
    assert inner.ran == []


def test_what_a_round_before_returned_is_a_part_of_the_key(run_in: RunIn) -> None:
    run_in.run(Build(good_at=2).stages, memo_from=())
    changed = Build(good_at=2, tests_key="tests 2")
    run_in.run(changed.stages, memo_from=(run_in.path,))
    assert changed.ran == ["tests 1", "coder 2", "tests 2"]


def test_a_stage_without_a_key_in_a_repeat_runs_again_and_counts_by_what_it_says(run_in: RunIn) -> None:
    run_in.run(Build(good_at=2, tests_key=None).stages, memo_from=())
    again = Build(good_at=2, tests_key=None)
    run_in.run(again.stages, memo_from=(run_in.path,))
    assert again.ran == ["tests 1", "tests 2"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    good_at=st.integers(1, 5),
    most=st.integers(1, 4),
    skips=st.none() | st.integers(1, 4),
    fails=st.none() | st.tuples(st.sampled_from(["coder", "tests"]), st.integers(1, 4)),
    beside=st.lists(st.sampled_from([0.0, 0.002]), max_size=2),
)
def test_the_same_inputs_leave_the_same_records_and_never_more_rounds_than_allowed(
    tmp_path: Path,
    good_at: int,
    most: int,
    skips: int | None,
    fails: tuple[str, int] | None,
    beside: list[float],
) -> None:
    def once(pauses: list[float]) -> tuple[list[tuple[str, int | None, str, str | None]], list[str]]:
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        ends: dict[tuple[str, int], BaseException] = {fails: stop(fails[0])} if fails else {}
        build = Build(good_at=good_at, most=most, skips_tests_in=skips, ends=ends)
        for number, pause in enumerate(pauses):
            build.stages.add(f"beside{number}", seconds=pause)
        result = RunIn(tmp_path / "run").run(build.stages, memo_from=())
        told = [(r.id, r.round, r.status.value, r.reason) for r in result.records]
        return told, [*build.ran, *sorted(texts(result.outputs))]

    first = once(beside)
    assert first == once([0.002 - pause for pause in beside])
    assert sum(entry[0] == "coder" for entry in first[0]) <= most
