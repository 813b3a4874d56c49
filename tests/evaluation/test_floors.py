"""No change makes more tickets wrong: all of them are run, and each category keeps to the numbers of `floors.json`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.evaluation.evaluate import command

HERE = Path(__file__).parent
LIMITS: dict[str, dict[str, int]] = {
    name: limits
    for name, limits in json.loads((HERE / "floors.json").read_text(encoding="utf-8")).items()
    if name != "note"
}

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """All tickets with what they came to, from one run with an index of its own.

    The samples are copied: where they lie, they have the history of this repository, and each commit of it would move
    the probabilities of their places.
    """
    runner = CliRunner(env={"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))})
    samples = tmp_path_factory.mktemp("samples") / "sample_repositories"
    shutil.copytree(HERE.parent / "sample_repositories", samples)
    sets = ["--tickets", str(HERE / "tickets.json"), "--repositories", str(samples)]
    ended = runner.invoke(command, [*sets, "--json"], standalone_mode=False, catch_exceptions=False)
    tickets: Rows = json.loads(ended.stdout)["tickets"]
    return tickets


@pytest.mark.parametrize("category", LIMITS["right_at_least"])
def test_a_category_does_not_fall_below_its_floor(category: str, rows: Rows) -> None:
    of_category = [row for row in rows if row["category"] == category]
    wrong = [row["id"] for row in of_category if not row["right"]]
    assert len(of_category) - len(wrong) >= LIMITS["right_at_least"][category], f"wrong: {', '.join(wrong)}"


@pytest.mark.parametrize("category", LIMITS["stopped_at_most"])
def test_few_tickets_that_should_go_on_are_stopped(category: str, rows: Rows) -> None:
    stopped = [row["id"] for row in rows if row["category"] == category and row["got"]["exit_code"] == 2]
    assert len(stopped) <= LIMITS["stopped_at_most"][category], f"stopped: {', '.join(stopped)}"


@pytest.mark.parametrize("category", LIMITS["refused_at_most"])
def test_nothing_that_is_missing_is_refused_as_there(category: str, rows: Rows) -> None:
    refused = [
        row["id"]
        for row in rows
        if row["category"] == category and row["got"]["kind"] == "AlreadyImplemented"
    ]
    assert len(refused) <= LIMITS["refused_at_most"][category], f"refused: {', '.join(refused)}"


@pytest.mark.parametrize("category", LIMITS["hinted_at_most"])
def test_what_is_missing_is_not_said_to_be_there(category: str, rows: Rows) -> None:
    hinted = [row["id"] for row in rows if row["category"] == category and row["got"]["hint"] is not None]
    assert len(hinted) <= LIMITS["hinted_at_most"][category], f"hinted: {', '.join(hinted)}"
