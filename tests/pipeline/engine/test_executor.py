"""The engine runs what is declared, says what it did, and ends in the same way for the same inputs."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.contract.run import Outcome, StageStatus
from pipeline.domain.errors import PreconditionFailed, StageFailed, StageTimedOut
from pipeline.engine.executor import RunResult, execute
from pipeline.engine.graph import Inputs
from pipeline.run_record.journal import Journal, read_journal
from pipeline.run_record.redaction import Redactor
from tests.pipeline.engine.declared_stages import RunIn, Stages, Text, stop


def statuses(result: RunResult) -> dict[str, str]:
    return {record.id: record.status.value for record in result.records}


def test_a_fan_in_gets_the_outputs_of_all_that_it_needs_in_the_order_it_names_them(run_in: RunIn) -> None:
    stages = Stages().add("snapshot").add("registry", "snapshot").add("reading", "snapshot", seconds=0.05)
    result = run_in.run(stages.add("decomposition", "registry", "reading"))
    assert result.outcome is Outcome.DONE
    assert result.outputs["decomposition"] == Text(
        text="decomposition(registry(snapshot()), reading(snapshot()))"
    )


def test_the_journal_tells_the_whole_run(run_in: RunIn) -> None:
    run_in.run(Stages().add("snapshot").add("preconditions", "snapshot"))
    assert run_in.journal() == snapshot(
        [
            "stage_started snapshot",
            "stage_finished snapshot",
            "stage_started preconditions",
            "stage_finished preconditions",
        ]
    )


def test_parallel_stages_run_at_the_same_time(run_in: RunIn) -> None:
    both_are_here = threading.Barrier(2, timeout=60)

    def meet(_inputs: Inputs) -> Text:
        both_are_here.wait()
        return Text(text="met")

    result = run_in.run(Stages().add("registry", does=meet).add("reading", does=meet))
    assert result.outcome is Outcome.DONE


def test_a_stage_gets_nothing_but_what_it_needs(run_in: RunIn) -> None:
    seen: list[list[str]] = []

    def look(inputs: Inputs) -> Text:
        seen.append(list(inputs))
        return Text(text="")

    run_in.run(Stages().add("snapshot").add("reading", "snapshot").add("existing", "reading", does=look))
    assert seen == [["reading"]]


def test_a_stage_whose_condition_does_not_hold_is_skipped_with_all_that_need_it(run_in: RunIn) -> None:
    stages = (
        Stages().add("reading").add("semantics", "reading", when=lambda _: False, when_text="model.available")
    )
    result = run_in.run(stages.add("verdict", "semantics"))
    assert stages.ran == ["reading"]
    assert result.outcome is Outcome.DONE
    assert {record.id: record.reason for record in result.records} == snapshot(
        {
            "reading": None,
            "semantics": "its condition does not hold: model.available",
            "verdict": "it needs 'semantics', which was skipped",
        }
    )


def test_a_stage_that_cannot_run_is_skipped_and_says_why_whatever_its_condition(run_in: RunIn) -> None:
    stages = Stages().add(
        "reading", skipped="no model is configured", when=lambda inputs: bool(inputs["nothing"])
    )
    result = run_in.run(stages)
    assert (stages.ran, [record.reason for record in result.records]) == ([], ["no model is configured"])


def test_a_fan_in_that_can_do_without_a_skipped_stage_runs_without_it(run_in: RunIn) -> None:
    stages = Stages().add("reading").add("semantics", when=lambda _: False)
    result = run_in.run(stages.add("ticket", "reading", "semantics", optional=frozenset({"semantics"})))
    assert result.outputs["ticket"] == Text(text="ticket(reading())")


def test_a_condition_that_breaks_fails_its_stage(run_in: RunIn) -> None:
    result = run_in.run(Stages().add("reading", when=lambda inputs: bool(inputs["nothing"])))
    assert (result.failed_stage, statuses(result)) == ("reading", {"reading": "failed"})
    assert "the condition of stage 'reading' ended with KeyError: 'nothing'" in str(result.error)


def test_of_two_parallel_stops_the_first_in_definition_order_asks(run_in: RunIn) -> None:
    stages = (
        Stages().add("existing", raises=stop("existing"), seconds=0.1).add("decomposition", raises=stop("d"))
    )
    result = run_in.run(stages.add("ticket", "existing", "decomposition"))
    assert result.outcome is Outcome.CLARIFICATION
    assert [asked.ask.stage for asked in result.stops] == ["existing", "d"]
    assert statuses(result) == {"existing": "stopped", "decomposition": "stopped", "ticket": "not_reached"}
    assert result.records[2].reason == "the run ended at 'existing' and 'decomposition' before it"


def test_a_stage_beside_a_stop_is_awaited_and_nothing_new_starts(run_in: RunIn) -> None:
    stages = (
        Stages()
        .add("existing", raises=stop("existing"))
        .add("registry", seconds=0.1)
        .add("chain", "registry")
    )
    result = run_in.run(stages)
    assert statuses(result) == {"existing": "stopped", "registry": "done", "chain": "not_reached"}


def test_a_failure_wins_over_a_stop(run_in: RunIn) -> None:
    error = PreconditionFailed("the working tree is dirty")
    result = run_in.run(Stages().add("existing", raises=stop("existing")).add("preconditions", raises=error))
    assert result.outcome is Outcome.ERROR
    assert result.error is error
    assert result.failed_stage == "preconditions"


def test_an_error_that_nobody_expected_says_its_stage_and_keeps_its_cause(run_in: RunIn) -> None:
    broken = ZeroDivisionError("division by zero")
    result = run_in.run(Stages().add("reading", raises=broken))
    assert isinstance(result.error, StageFailed)
    assert result.error.__cause__ is broken
    assert result.error.message == snapshot("stage 'reading' ended with ZeroDivisionError: division by zero")


@pytest.mark.parametrize("beside", [(), ("registry",)])
def test_a_stage_that_exits_the_process_fails_like_any_other(run_in: RunIn, beside: tuple[str, ...]) -> None:
    stages = Stages().add("reading", raises=SystemExit(2))
    for stage in beside:
        stages.add(stage)
    result = run_in.run(stages)
    assert result.outcome is Outcome.ERROR
    assert "SystemExit: 2" in str(result.error)


def test_a_message_that_is_no_unicode_does_not_break_the_journal(run_in: RunIn) -> None:
    run_in.run(Stages().add("reading", raises=OSError("no file \udcff")))
    assert run_in.journal()[-1] == "stage_failed reading"


def test_a_wrong_output_type_is_refused(run_in: RunIn) -> None:
    class Other(Text):
        pass

    result = run_in.run(Stages().add("reading", output=Other))
    assert "returned Text instead of Other" in str(result.error)


def test_an_error_is_tried_again_as_often_as_declared(run_in: RunIn) -> None:
    attempts: list[int] = []

    def third_time_lucky(_inputs: Inputs) -> Text:
        attempts.append(1)
        if len(attempts) < 3:
            raise ConnectionError("reset by peer")
        return Text(text="here")

    result = run_in.run(Stages().add("snapshot", does=third_time_lucky, retries=2))
    assert result.records[0].attempts == 3
    assert run_in.journal() == [
        "stage_started snapshot",
        "stage_retried snapshot",
        "stage_retried snapshot",
        "stage_finished snapshot",
    ]


def test_after_the_last_attempt_the_last_error_counts(run_in: RunIn) -> None:
    stages = Stages().add("snapshot", raises=ConnectionError("reset"), retries=2).add("beside")
    result = run_in.run(stages)
    assert stages.ran.count("snapshot") == 3
    assert (result.records[0].status, result.records[0].attempts) == (StageStatus.FAILED, 3)


def test_a_stop_is_never_tried_again(run_in: RunIn) -> None:
    stages = Stages().add("existing", raises=stop("existing"), retries=5)
    run_in.run(stages)
    assert stages.ran == ["existing"]


def test_a_stage_that_takes_too_long_is_given_up_and_its_late_result_ignored(run_in: RunIn) -> None:
    release = threading.Event()

    def hang(_inputs: Inputs) -> Text:
        release.wait(30)
        raise ConnectionError("late")

    stages = Stages().add("registry", does=hang, timeout=0.1, retries=3).add("reading")
    result = run_in.run(stages)
    assert not release.is_set()
    assert isinstance(result.error, StageTimedOut)
    assert str(result.error) == snapshot("""\
stage 'registry' took longer than 0.1 seconds
that is its `timeout` in the definition, for all attempts together
Give it more time in the definition:
  - id: registry
    timeout: 0.2\
""")
    assert statuses(result) == {"registry": "failed", "reading": "done"}
    before = run_in.journal()
    release.set()
    time.sleep(0.1)
    assert run_in.journal() == before
    assert stages.ran.count("registry") == 1


def test_a_stage_within_its_time_is_left_alone(run_in: RunIn) -> None:
    assert run_in.run(Stages().add("registry", timeout=30)).outcome is Outcome.DONE


def test_what_a_stage_cost_is_recorded(tmp_path: Path) -> None:
    graph = Stages().add("reading").add("ticket", "reading").graph
    with Journal(tmp_path / "journal.jsonl", Redactor()) as journal:
        result = execute(graph, journal, dollars={"reading": 0.02}.get)
    assert [record.dollars for record in result.records] == [0.02, None]


INTERRUPTED = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job, and all it starts, ignores it
from pipeline.engine.executor import execute
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from tests.pipeline.engine.declared_stages import Stages
stages = Stages().add("snapshot")
for stage in sys.argv[2:]:
    stages.add(stage, "snapshot", seconds=60)
execute(stages.graph, Journal(pathlib.Path(sys.argv[1]), Redactor()))
"""


@pytest.mark.process
@pytest.mark.parametrize("stages", [("registry",), ("registry", "reading")], ids=["alone", "in parallel"])
def test_ctrl_c_leaves_a_readable_journal_that_says_what_was_running(
    tmp_path: Path, stages: tuple[str, ...]
) -> None:
    path = tmp_path / "journal.jsonl"
    root = Path(__file__).parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, path, *stages],
        cwd=root,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    deadline = time.monotonic() + 60
    while not (path.exists() and path.read_text().count("stage_started") == 1 + len(stages)):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in said
    last = read_journal(path).entries[-1].event
    assert (last.event, getattr(last, "running", None)) == ("run_interrupted", stages)


HANGING = """
import pathlib, sys, threading
from pipeline.engine.executor import execute
from pipeline.run_record.journal import Journal
from pipeline.run_record.redaction import Redactor
from tests.pipeline.engine.declared_stages import Stages
stages = Stages().add("registry", does=lambda _: threading.Event().wait(), timeout=0.2)
print(execute(stages.graph, Journal(pathlib.Path(sys.argv[1]), Redactor())).outcome)
"""


@pytest.mark.process
def test_a_stage_that_hangs_for_ever_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    process = subprocess.run(
        [sys.executable, "-c", HANGING, tmp_path / "journal.jsonl"],
        cwd=root,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
        timeout=60,
    )
    assert (process.returncode, process.stdout, process.stderr) == (0, "error\n", "")


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[str, list[str], str]]:
    stages: list[tuple[str, list[str], str]] = []
    for number in range(draw(st.integers(1, 7))):
        earlier = [stage for stage, _, _ in stages]
        needs = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=3)) if earlier else []
        ends = draw(st.sampled_from(["done"] * 5 + ["stop", "error", "skip"]))
        stages.append((f"s{number}", needs, ends))
    return draw(st.permutations(stages))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(declared=graphs(), delays=st.lists(st.sampled_from([0.0, 0.001, 0.004]), min_size=14, max_size=14))
def test_the_same_graph_ends_in_the_same_way_whatever_thread_is_quicker(
    tmp_path: Path, declared: list[tuple[str, list[str], str]], delays: list[float]
) -> None:
    def once(seconds: list[float]) -> tuple[dict[str, tuple[str, str | None]], list[str], str, set[str]]:
        stages = Stages()
        for (stage, needs, ends), pause in zip(declared, seconds, strict=False):
            raises = {"stop": stop(stage), "error": PreconditionFailed(stage)}.get(ends)
            when = (lambda _: False) if ends == "skip" else None
            stages.add(stage, *needs, raises=raises, when=when, seconds=pause)
        path = tmp_path / "journal.jsonl"
        path.unlink(missing_ok=True)
        with Journal(path, Redactor()) as journal:
            result = execute(stages.graph, journal)
        records = {record.id: (record.status.value, record.reason) for record in result.records}
        return records, [asked.ask.stage for asked in result.stops], str(result.error), set(stages.ran)

    records, stops, error, ran = once(delays[:7])
    assert (records, stops, error, ran) == once(delays[7:])
    for stage, needs, _ in declared:
        if stage in ran:
            assert all(records[need][0] == "done" for need in needs)
