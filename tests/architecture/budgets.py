"""What each room may weigh: `python -m tests.architecture.budgets [--lower]` prints the figures of the tree as a table.

`budgets.toml` holds the ceilings. Lines are those of Python files, blank lines and docstrings included. `--lower` brings each
ceiling down to the figure of the tree; it raises none. Whoever makes a room heavier makes another one lighter, and raises
the ceiling by hand.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.architecture.measure import ROOT, product_files
from tests.architecture.walk import FIRST_STAGE, WALKS

FILE = Path(__file__).with_name("budgets.toml")
SLACK = 0.03
"""How far below its ceiling a figure may be. More than that, and the ceiling follows it down."""


class Budget(NamedTuple):
    """One figure. `before` is that of commit 890eead, `goal` what the room is wanted to come down to."""

    name: str
    figure: str
    before: int | None
    now: int
    ceiling: int
    goal: int | None

    @property
    def problem(self) -> str | None:
        """Why the figure and its ceiling do not go together."""
        if self.now > self.ceiling:
            return f"{self.name} has {self.now:,} {self.figure}; its ceiling is {self.ceiling:,}"
        if self.now < self.ceiling * (1 - SLACK) - 1:
            return f"{self.name} has only {self.now:,} {self.figure}; lower its ceiling of {self.ceiling:,}: {COMMAND}"
        return None


COMMAND = "python -m tests.architecture.budgets --lower"


def budgets(root: Path = ROOT) -> list[Budget]:
    """The figures of the tree beside their ceilings: of the rooms, then of the walks."""
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    groups = {name: entry["rooms"] for name, entry in table.items() if "rooms" in entry}
    figures = weights(groups, root) | walks()
    return [
        Budget(name, figure, entry.get(f"{figure}_before"), now, entry[figure], entry.get(f"{figure}_goal"))
        for name, entry in table.items()
        for figure, now in figures[name].items()
    ]


def weights(groups: Mapping[str, list[str]], root: Path) -> dict[str, dict[str, int]]:
    """Lines and files of each group of rooms. A file belongs to the group that names its nearest folder."""
    figures = {name: {"lines": 0, "files": 0} for name in groups}
    group_of = {room: name for name, rooms in groups.items() for room in rooms}
    for path in product_files(root):
        inner = path.relative_to(root).with_suffix("")
        group = next(
            group_of[folder.as_posix()] for folder in (inner, *inner.parents) if folder.as_posix() in group_of
        )
        figures[group]["lines"] += path.read_text(encoding="utf-8").count("\n")
        figures[group]["files"] += 1
    return figures


def walks() -> dict[str, dict[str, int]]:
    """Files and moves of each walk, in a process of its own: what a test has run before is remembered there by nothing."""
    program = [sys.executable, "-m", "tests.architecture.walk"]
    done = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True)
    rows = re.findall(r"^(.+?) +([\d,]+) files +([\d,]+) moves$", done.stdout, re.MULTILINE)
    return {
        name: {"files": int(files.replace(",", "")), "moves": int(moves.replace(",", ""))}
        for name, files, moves in rows
    }


def lowered(text: str, rows: list[Budget]) -> str:
    """The text of `budgets.toml` with each ceiling that is higher than its figure brought down to it."""
    for row in rows:
        if row.now < row.ceiling:
            figure = rf'(\["{re.escape(row.name)}"\]\n(?:[a-z_].*\n)*?{row.figure} = ){row.ceiling}$'
            text = re.sub(figure, rf"\g<1>{row.now}", text, count=1, flags=re.MULTILINE)
    return text


def table_lines(rows: list[Budget]) -> Iterator[str]:
    """The table, with a sum for what the wheel holds."""
    yield f"{'':48} {'':6} {'before':>8} {'now':>8} {'ceiling':>8} {'goal':>8}"
    in_wheel = [row for row in rows if row.name not in {*WALKS, FIRST_STAGE}]
    sums = [_sum(in_wheel, "lines"), _sum(in_wheel, "files")]
    for row in (*in_wheel, *sums, *(row for row in rows if row not in in_wheel)):
        figures = (row.before, row.now, row.ceiling, row.goal)
        cells = " ".join(f"{'' if figure is None else format(figure, ','):>8}" for figure in figures)
        yield f"{row.name:48} {row.figure:6} {cells}".rstrip()


def _sum(rows: list[Budget], figure: str) -> Budget:
    of_figure = [row for row in rows if row.figure == figure]
    return Budget(
        "in the wheel",
        figure,
        {"lines": 84_626, "files": 705}[figure],
        sum(row.now for row in of_figure),
        sum(row.ceiling for row in of_figure),
        {"lines": 62_000, "files": 520}[figure],
    )


def main(*, lower: bool) -> None:
    """Print the table, after the ceilings were lowered if that is wished."""
    if lower:
        FILE.write_text(lowered(FILE.read_text(encoding="utf-8"), budgets()), encoding="utf-8")
    rows = budgets()
    print("\n".join(table_lines(rows)))
    tests = [path for path in (ROOT / "tests").rglob("*.py") if "node_modules" not in path.parts]
    print(
        f"\ntests: {sum(path.read_text(encoding='utf-8').count(chr(10)) for path in tests):,} lines, 68,786 before"
    )
    print("\n".join(filter(None, (row.problem for row in rows))))


if __name__ == "__main__":
    main(lower="--lower" in sys.argv[1:])
