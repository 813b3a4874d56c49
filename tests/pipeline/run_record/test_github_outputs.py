"""What a finished run tells GitHub Actions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.contract.clarification import Clarification, Question, StopKind
from pipeline.contract.failure import Failure
from pipeline.contract.run import Outcome
from pipeline.contract.ticket import Ticket
from pipeline.contract.wire import RunIdentity
from pipeline.run_record.github_outputs import (
    annotation,
    as_outputs,
    report_of,
    report_to_github,
    summary_within_limit,
)

RUN = RunIdentity(
    repository="acme/orders", issue=418, commit="a" * 40, run_id="77", attempt=2, ticket_sha256="b" * 64
)
HERE = {"GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "2"}
ASKED = Clarification(
    kind=StopKind.CLARIFICATION_NEEDED,
    stage="decomposition",
    reason="2 routes reach the chain leaf 'process_item'.",
    suggestion="Name the route.",
    question=Question(id="q-0123456789abcdef", slot="entry_route", text="Which route should get the flag?"),
    run=RUN,
)
WRITTEN = Ticket(
    run=RUN,
    title="Add a flag",
    body="",
    operation="add_parameter",
    targets="unknown",
    ready=False,
    selected_because="",
)
FAILED = Failure(
    kind="PreconditionFailed",
    stage="preconditions",
    message="The repository has no test files.",
    why="Nobody could tell whether a change works.",
    what_to_do="Add a test.",
    run=None,
)


def hold(directory: Path, name: str, document: Clarification | Ticket | Failure) -> Path:
    (directory / name).write_text(document.model_dump_json(), encoding="utf-8")
    return directory


def test_a_question_is_reported_with_its_id(tmp_path: Path) -> None:
    report = report_of(hold(tmp_path, "clarification.json", ASKED), 2, HERE)
    assert (report.outcome, report.question_id) == (Outcome.CLARIFICATION, "q-0123456789abcdef")
    assert report.annotation == snapshot(
        "::notice title=askfirst asks::Which route should get the flag?%0A2 routes reach the chain leaf 'process_item'."
    )


def test_a_ticket_says_whether_a_coder_may_start(tmp_path: Path) -> None:
    report = report_of(hold(tmp_path, "ticket.json", WRITTEN), 0, HERE)
    assert (report.outcome, report.ready) == (Outcome.DONE, False)
    assert report.annotation == snapshot("::notice title=askfirst%3A ticket written::the targets are unknown")


def test_a_failure_says_what_happened_why_and_what_to_do(tmp_path: Path) -> None:
    report = report_of(hold(tmp_path, "failure.json", FAILED), 1, HERE)
    assert report.outcome is Outcome.ERROR
    assert report.annotation == snapshot(
        "::error title=askfirst%3A PreconditionFailed::The repository has no test files.%0ANobody could tell whether a change works.%0AAdd a test."
    )


@pytest.mark.parametrize("exit_code", [0, 1, 64, 137])
def test_a_question_that_another_exit_code_left_behind_is_no_question(tmp_path: Path, exit_code: int) -> None:
    assert report_of(hold(tmp_path, "clarification.json", ASKED), exit_code, HERE).outcome is Outcome.ERROR


def test_a_2_without_a_document_is_no_question(tmp_path: Path) -> None:
    assert report_of(tmp_path, 2, HERE).outcome is Outcome.ERROR


@pytest.mark.parametrize("elsewhere", [{"GITHUB_RUN_ID": "78"}, {"GITHUB_RUN_ATTEMPT": "1"}])
def test_another_runs_question_is_no_question_of_this_run(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    report = report_of(hold(tmp_path, "clarification.json", ASKED), 2, HERE | elsewhere)
    assert report.outcome is Outcome.ERROR
    assert "holds the result of run 77, attempt 2" in report.annotation


def test_outputs_and_summary_are_added_to_what_the_files_hold(tmp_path: Path) -> None:
    directory = tmp_path / "askfirst-run"
    directory.mkdir()
    hold(directory, "clarification.json", ASKED)
    (directory / "summary.md").write_text("# One question\n")
    outputs, summary = tmp_path / "outputs", tmp_path / "summary"
    outputs.write_text("before=1\n")
    summary.write_text("before\n")
    report_to_github(
        directory, 2, HERE | {"GITHUB_OUTPUT": str(outputs), "GITHUB_STEP_SUMMARY": str(summary)}
    )
    assert summary.read_text() == "before\n# One question\n"
    assert read_as_the_runner_does(outputs.read_text()) == {
        "before": "1",
        "outcome": "clarification",
        "question-id": "q-0123456789abcdef",
        "clarification": str(directory / "clarification.json"),
        "ready": "false",
        "annotation": report_of(directory, 2, HERE).annotation,
    }


def test_outside_of_actions_nothing_is_written(tmp_path: Path) -> None:
    report_to_github(tmp_path, 2, {})
    assert list(tmp_path.iterdir()) == []


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text(st.characters(exclude_categories=["Cs"]))))
def test_no_value_can_write_an_output_of_its_own(values: dict[str, str]) -> None:
    plain = {name: value.replace("\r", "") for name, value in values.items()}
    assert read_as_the_runner_does(as_outputs(plain, delimiter="d" * 32)) == plain


def test_a_value_that_holds_the_delimiter_is_refused() -> None:
    with pytest.raises(ValueError, match="delimiter"):
        as_outputs({"a": "x\nend\noutcome=done"}, delimiter="end")


@given(st.text(), st.text())
def test_an_annotation_is_one_line_and_one_command(title: str, message: str) -> None:
    command = annotation("notice", title, message)
    assert len(command.splitlines()) == 1
    opening, named, said = command.split("::", 2)
    assert (opening, named.split("=")[0]) == ("", "notice title")
    assert ":" not in named
    assert "," not in named
    assert said.replace("%25", "").replace("%0A", "").replace("%0D", "").count("%") == 0


def test_a_long_annotation_ends_where_the_runner_would_cut_it() -> None:
    assert annotation("notice", "t", "x" * 5000) == f"::notice title=t::{'x' * 4095}…"


@given(st.integers(0, 3))
def test_a_long_summary_is_cut_between_characters(offset: int) -> None:
    cut = summary_within_limit("x" * offset + "€" * 400_000)
    assert len(cut) <= 1 << 20
    assert cut.decode().endswith("The rest is in the artifact `run-…`.\n")


def read_as_the_runner_does(text: str) -> dict[str, str]:
    """Name and value of each output: `name=value`, or `name<<end`, lines, `end` (actions/runner, FileCommandManager)."""
    found: dict[str, str] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        name, heredoc, delimiter = line.partition("<<")
        if heredoc:
            value = []
            while (part := next(lines)) != delimiter:
                value.append(part)
            found[name] = "\n".join(value)
        elif line:
            name, _, found[name] = line.partition("=")
    return found
