"""The rooms of both programs as Mermaid text, drawn from the import laws: `python -m tests.architecture.rooms_picture`."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("pipeline", "github_app")


def floors(package: str) -> list[list[str]]:
    """The rooms of a package from the highest floor to the lowest; those of a floor do not know each other."""
    laws = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = laws["tool"]["importlinter"]["contracts"]
    [layers] = [
        law["layers"] for law in contracts if law["type"] == "layers" and law["containers"] == [package]
    ]
    return [[room.strip().strip("()") for room in layer.split("|")] for layer in layers]


def picture() -> str:
    """A flowchart: each floor may import every floor below it, and the App only the pipeline's contract."""
    lines = ["flowchart TB"]
    for package in PACKAGES:
        lines += [
            f"  subgraph {package}",
            "    direction TB",
            *_floors_as_nodes(package, floors(package)),
            "  end",
        ]
    lowest = len(floors("pipeline"))
    lines.append(
        f"  github_app_{len(floors('github_app'))} -.->|github_app knows only this| pipeline_{lowest}"
    )
    return "\n".join(lines)


def _floors_as_nodes(package: str, rooms: Sequence[Sequence[str]]) -> Iterator[str]:
    for number, floor in enumerate(rooms, 1):
        yield f'    {package}_{number}["{" · ".join(floor)}"]'
    yield "    " + " --> ".join(f"{package}_{number}" for number in range(1, len(rooms) + 1))


if __name__ == "__main__":
    print(picture())
