"""Check everything that a repository keeps in `.github/askfirst/`, before a run at night finds a mistake."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.definition.agent_files import AgentFileInvalid, read_agent
from pipeline.definition.decisions_file import read_decisions
from pipeline.definition.loader import load
from pipeline.definition.repository_configuration import FOLDER, read_configuration
from pipeline.domain.errors import PipelineError
from pipeline.gate.rules_file import load_rules
from pipeline.llm.prices import load_prices


@dataclass(frozen=True)
class CheckedFile:
    """One file of the folder. `mistakes` says what is wrong, and how to put it right; "" where nothing is."""

    path: str
    mistakes: str


def check_repository(repository: Path) -> tuple[CheckedFile, ...]:
    """Every file of the folder, in the order of their names; none where there is no folder."""
    folder = repository / FOLDER
    files = [*sorted(folder.glob("*.yml")), *sorted(folder.glob("agents/*.md"))]
    return tuple(
        CheckedFile(str(path.relative_to(repository)), _mistakes(repository, path)) for path in files
    )


def _mistakes(repository: Path, path: Path) -> str:
    readers: dict[str, Callable[[], object]] = {
        "config.yml": lambda: read_configuration(repository),
        "decisions.yml": lambda: read_decisions(repository),
        "gate.yml": lambda: load_rules(path),
        "prices.yml": lambda: load_prices(path),
    }
    read = readers.get(path.name, lambda: load(str(path)))
    try:
        if path.suffix == ".md":
            read_agent(path)
        else:
            read()
    except (PipelineError, AgentFileInvalid) as error:
        return str(error)
    return ""
