"""The real pipeline in the real Action where no GitHub answers: it starts nothing, and says what to do."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.workflow import act, hostile
from tests.workflow.events import labelled

SAMPLE = act.ROOT / "tests" / "sample_repositories" / "orders_fastapi"


def test_a_label_whose_setter_cannot_be_checked_starts_nothing(
    runner: act.Runner, new_repository: Callable[..., Path]
) -> None:
    finished = runner.run("issues", labelled(), new_repository(SAMPLE))
    assert not finished.green
    assert (finished.outputs["outcome"], finished.outputs["exit-code"]) == ("error", "1")
    assert finished.document("clarification-1-1", "failure.json")["kind"] == "PreconditionFailed"
    [said] = finished.annotations
    assert said.startswith(
        "::error title=askfirst%3A PreconditionFailed::The role of the person who set the label"
    )
    assert "Pass the token to the step" in said


def test_a_checkout_full_of_our_own_names_does_not_change_that(
    runner: act.Runner, new_repository: Callable[..., Path], tmp_path: Path
) -> None:
    files, canary = tmp_path / "files", tmp_path / "canary"
    shutil.copytree(SAMPLE, files)
    hostile.plant(files, canary)
    repository = new_repository(files)
    workflow = repository / ".github" / "workflows" / "askfirst.yml"
    workflow.write_text(workflow.read_text() + hostile.job_environment())
    finished = runner.run("issues", labelled(), repository)
    assert finished.document("clarification-1-1", "failure.json")["kind"] == "PreconditionFailed"
    assert not canary.exists(), canary.read_text()
