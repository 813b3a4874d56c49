"""No room and no walk outgrows its ceiling in `budgets.toml`, and the ceilings follow the figures down."""

import tomllib

import pytest

from tests.architecture.budgets import FILE, Budget, budgets, lowered, table_lines, weights
from tests.architecture.measure import ROOT


@pytest.mark.process
@pytest.mark.smoke
def test_each_figure_keeps_to_its_ceiling() -> None:
    rows = budgets()
    problems = [row.problem for row in rows if row.problem is not None]
    assert problems == [], "\n".join([*problems, "", *table_lines(rows)])


def test_a_figure_may_lie_a_little_below_its_ceiling_and_never_above() -> None:
    row = Budget("places", "lines", 1000, 1000, 1000, 900)
    assert row.problem is None
    assert row._replace(now=970).problem is None
    assert row._replace(now=1001).problem == "places has 1,001 lines; its ceiling is 1,000"
    assert "lower its ceiling of 1,000" in str(row._replace(now=960).problem)


def test_ceilings_are_lowered_where_they_stand_and_never_raised() -> None:
    text = '["places"]\nrooms = ["pipeline/places"]\nlines = 900\nlines_before = 900\nfiles = 900\n\n["stages"]\nlines = 900\n'
    lighter = Budget("places", "files", None, 11, 900, None)
    heavier = Budget("stages", "lines", None, 901, 900, None)
    assert lowered(text, [lighter, heavier]) == text.replace("\nfiles = 900", "\nfiles = 11")


def test_a_file_counts_for_the_nearest_folder_that_is_named() -> None:
    groups = {"git": ["pipeline/git"], "pipeline": ["pipeline"], "app": ["github_app"]}
    figures = weights(groups, ROOT)
    assert figures["git"] == {"files": 1, "lines": (ROOT / "pipeline/git.py").read_text().count("\n")}
    assert figures["app"]["files"] > 100


def test_every_named_room_is_there() -> None:
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    rooms = [ROOT / room for entry in table.values() for room in entry.get("rooms", [])]
    assert [room for room in rooms if not room.is_dir() and not room.with_suffix(".py").is_file()] == []
