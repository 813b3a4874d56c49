"""Check everything that a repository keeps in `.github/askfirst/`, before a run at night finds a mistake."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipeline.definition.definition import Definition
from pipeline.definition.loader import load
from pipeline.definition.plan_review import refuse_unplanned
from pipeline.domain.errors import PipelineError
from pipeline.settings.agent_files import AgentFileInvalid
from pipeline.settings.repository_settings import (
    AGENTS,
    CONFIGURATION,
    DECISIONS,
    PRICES,
    RULES,
    RepositorySettings,
)


@dataclass(frozen=True)
class CheckedFile:
    """One file of the folder. `mistakes` says what is wrong, and how to put it right; "" where nothing is."""

    path: str
    mistakes: str


def check_repository(repository: Path) -> tuple[CheckedFile, ...]:
    """Every file of the folder, in the order of their names; none where there is no folder."""
    settings = RepositorySettings(repository)
    files = [*sorted(settings.folder.glob("*.yml")), *sorted(settings.folder.glob(f"{AGENTS}/*.md"))]
    return tuple(CheckedFile(str(path.relative_to(repository)), _mistakes(settings, path)) for path in files)


def refuse_what_does_not_fit(repository: Path, definition: Definition) -> None:
    """Hold the repository's configuration, which has no mistakes of its own, against a definition.

    Raises:
        DefinitionInvalid: the definition cannot keep what the configuration promises.
    """
    if RepositorySettings(repository).configuration.plan == "ask":
        refuse_unplanned(definition)


def _mistakes(settings: RepositorySettings, path: Path) -> str:
    readers: dict[str, Callable[[], object]] = {
        CONFIGURATION: lambda: settings.configuration,
        DECISIONS: lambda: settings.decisions,
        RULES: lambda: settings.rules,
        PRICES: lambda: settings.prices,
    }
    read = readers.get(path.name, lambda: load(str(path)))
    try:
        if path.suffix == ".md":
            settings.agents.find(path.stem)
        else:
            read()
    except (PipelineError, AgentFileInvalid) as error:
        return str(error)
    return ""
