"""What the Action makes of how its program ends: the colour of the step, the outputs, the artifacts."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.workflow import act
from tests.workflow.events import labelled

Play = Callable[..., act.Finished]


@pytest.fixture
def play(
    runner: act.Runner, action_with_stand_in: Path, new_repository: Callable[..., Path], tmp_path: Path
) -> Play:
    """Runs the Action with a program that ends in a certain way."""

    def run(ending: str, *, private: bool = False, **inputs: str) -> act.Finished:
        files = tmp_path / "files"
        files.mkdir()
        repository = new_repository(files, definition=ending, **inputs)
        return replace(runner, action=action_with_stand_in).run(
            "issues", labelled(private=private), repository
        )

    return run


def test_a_question_is_a_green_step_with_three_artifacts(play: Play) -> None:
    finished = play("asks")
    assert finished.green
    assert (finished.outputs["outcome"], finished.outputs["exit-code"]) == ("clarification", "2")
    assert finished.annotations == ["::notice title=askfirst::It asks."]
    assert finished.summary == "# It asks\n"
    assert finished.uploaded == snapshot(
        {
            "clarification-1-1": ["clarification.json"],
            "memo-1-1": ["registry/output.json", "snapshot/output.json"],
            "run-1-1": ["gate.jsonl", "journal.jsonl", "run.json", "summary.md"],
        }
    )


def test_a_question_is_a_red_step_for_those_who_want_it(play: Play) -> None:
    finished = play("asks", **{"fail-on-clarification": "true"})
    assert not finished.green
    assert finished.outputs["outcome"] == "clarification"
    assert list(finished.uploaded) == ["clarification-1-1", "memo-1-1", "run-1-1"]


def test_a_ticket_is_a_green_step(play: Play) -> None:
    finished = play("writes a ticket")
    assert finished.green
    assert (finished.outputs["outcome"], finished.outputs["exit-code"]) == ("done", "0")
    assert finished.uploaded["clarification-1-1"] == ["ticket.json"]


def test_a_change_travels_with_its_ticket(play: Play) -> None:
    assert play("writes a ticket and a change").uploaded["clarification-1-1"] == [
        "change.json",
        "ticket.json",
    ]


def test_a_failure_is_a_red_step_that_says_why(play: Play) -> None:
    finished = play("fails")
    assert not finished.green
    assert (finished.outputs["outcome"], finished.outputs["exit-code"]) == ("error", "1")
    assert finished.uploaded["clarification-1-1"] == ["failure.json"], "a change that failed is not published"


def test_transcripts_leave_only_private_repositories(play: Play) -> None:
    assert "transcripts/reading.jsonl" in play("asks", private=True).uploaded["run-1-1"]


def test_a_line_of_the_ticket_is_no_workflow_command(play: Play) -> None:
    finished = play("prints what looks like workflow commands")
    assert "::error::a line of the ticket" in finished.text
    assert finished.annotations == ["::notice title=askfirst::It asks."]


@pytest.mark.parametrize(
    ("ending", "exit_code"),
    [
        ("ends with 2", "2"),
        ("ends with 2 and leaves a question", "2"),
        ("is killed after it wrote a question", "137"),
        ("says clarification and ends with 0", "0"),
        ("is called wrongly", "64"),
    ],
)
def test_an_end_that_the_program_does_not_vouch_for_is_an_error(
    play: Play, ending: str, exit_code: str
) -> None:
    finished = play(ending)
    assert not finished.green
    assert (finished.outputs["outcome"], finished.outputs["exit-code"]) == ("error", exit_code)
    assert "clarification-1-1" not in finished.uploaded, "nobody vouches for a question here"
    [said] = finished.annotations
    assert said.startswith(
        f"::error title=askfirst::The program ended with exit code {exit_code} and no result"
    )
