"""Read what a repository tells agents in general: `AGENTS.md`, `CLAUDE.md` and Copilot's instructions, also of folders."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pipeline.stages.snapshot.stage import HouseRule

_NAMES = frozenset({"AGENTS.md", "CLAUDE.md"})
_COPILOT = ".github/copilot-instructions.md"
_MOST_FILES = 20
_MOST_CHARACTERS = 12_000


def is_house_rule(path: str) -> bool:
    """Whether a file of that path speaks to agents."""
    return path == _COPILOT or PurePosixPath(path).name in _NAMES


def read_house_rules(root: Path, paths: Iterable[str]) -> tuple[HouseRule, ...]:
    """The files among these paths, those of the root first; long ones are cut, links are left out."""
    found = sorted(filter(is_house_rule, paths), key=lambda path: (path.count("/"), path))
    rules: list[HouseRule] = []
    for path in found[:_MOST_FILES]:
        place = root / path
        if place.is_symlink() or not place.is_file():
            continue
        with place.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_CHARACTERS + 1)
        cut = f"{text[:_MOST_CHARACTERS]}\n[the rest is left out]"
        rules.append(HouseRule(path=path, text=text if len(text) <= _MOST_CHARACTERS else cut))
    return tuple(rules)
