"""Read what a repository tells agents in general: `AGENTS.md`, `CLAUDE.md` and Copilot's instructions, also of folders."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from pipeline.domain.material import material
from pipeline.domain.printable import printable
from pipeline.stages.stage import StageValue

_NAMES = frozenset({"AGENTS.md", "CLAUDE.md"})
_COPILOT = ".github/copilot-instructions.md"
_MOST_FILES = 20
_MOST_CHARACTERS = 12_000


class HouseRule(StageValue):
    """What a repository tells agents, for its whole tree or for the folder that the file lies in."""

    path: str
    text: str

    def holds_for(self, path: str) -> bool:
        """Whether it speaks of a file: `services/api/AGENTS.md` does of all below `services/api`."""
        folder = PurePosixPath(self.path).parent
        return str(folder) in (".", ".github") or PurePosixPath(path).is_relative_to(folder)


def is_house_rule(path: str) -> bool:
    """Whether a file of that path speaks to agents."""
    return path == _COPILOT or PurePosixPath(path).name in _NAMES


def read_house_rules(root: Path, paths: Iterable[str]) -> tuple[HouseRule, ...]:
    """The files among these paths, those of the root first; long ones are cut, links are left out."""
    rule_paths = sorted(filter(is_house_rule, paths), key=lambda path: (path.count("/"), path))
    rules: list[HouseRule] = []
    for path in rule_paths[:_MOST_FILES]:
        place = root / path
        if place.is_symlink() or not place.is_file():
            continue
        with place.open(encoding="utf-8", errors="replace") as file:
            text = file.read(_MOST_CHARACTERS + 1)
        cut = f"{text[:_MOST_CHARACTERS]}\n[the rest is left out]"
        rules.append(HouseRule(path=printable(path), text=text if len(text) <= _MOST_CHARACTERS else cut))
    return tuple(rules)


def house_rules_as_prompt(rules: Iterable[HouseRule], paths: Iterable[str]) -> list[str]:
    """What the repository tells agents about these files, for an agent: its wishes, below the rules of the gate."""
    about = tuple(paths)
    matching_rules = [rule for rule in rules if any(rule.holds_for(path) for path in about or (".",))]
    head = "The repository says how it wants to be worked on. Follow it where it does not contradict your tools and this task."
    texts = [material(rule.path, rule.text) for rule in matching_rules]
    return ["\n\n".join([head, *texts])] if texts else []
