"""docs/architecture.md draws the rooms as the import laws have them, and every file that it names is there."""

import re
from pathlib import Path

from tests.architecture.rooms_picture import PACKAGES, floors, picture

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_picture_of_the_rooms_is_the_one_that_the_import_laws_give() -> None:
    pictures = re.findall(r"```mermaid\n(flowchart TB\n.*?)\n```", PAGE, re.DOTALL)
    assert pictures == [picture()], f"docs/architecture.md draws other rooms; paste this:\n{picture()}"


def test_every_room_of_the_picture_is_there() -> None:
    rooms = [ROOT / package / room for package in PACKAGES for floor in floors(package) for room in floor]
    assert [room for room in rooms if not room.is_dir() and not room.with_suffix(".py").is_file()] == []


def test_every_file_that_the_page_names_is_there() -> None:
    names = re.findall(r"`((?:pipeline|github_app)/[\w/.]+)`", PAGE)
    assert len(names) > 20
    assert [name for name in names if not (ROOT / name).exists()] == []
