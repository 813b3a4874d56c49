"""Read `config.yml`: what a repository says about its tests, its model and the budget of agents."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from pipeline.agents.budget import Budget
from pipeline.domain.command_line import CoderCommand, Command
from pipeline.domain.errors import PipelineError
from pipeline.domain.models import ClosedModel
from pipeline.domain.suite import Testing
from pipeline.domain.yaml_file import YamlFileInvalid, read_yaml_file
from pipeline.settings.file_names import CONFIGURATION, SETTINGS_FOLDER

DEFAULT_MODEL = "claude-sonnet-5-5"


class ConfigurationInvalid(PipelineError):
    """The repository's `config.yml` has mistakes; all of them are listed."""


class ExplorerBudget(Budget):
    """What one explorer may use. Two of them stay within a tenth of what the rounds of a build may use by default."""

    turns: Annotated[int, Field(ge=2, le=500)] = 12
    tokens: Annotated[int, Field(ge=1)] | None = 400_000
    dollars: Annotated[float, Field(gt=0)] | None = 0.4
    minutes: Annotated[float, Field(gt=0, le=360)] = 5.0


class RepositoryConfiguration(ClosedModel):
    """The whole file; every key may be left out."""

    test_command: Command | None = None
    setup: Annotated[tuple[Command, ...], Field(max_length=10)] = ()
    without_tests: Literal["stop", "go"] = "stop"
    plan: Literal["go", "ask"] = "go"
    model: Annotated[str, StringConstraints(min_length=1, max_length=100)] = DEFAULT_MODEL
    coder: CoderCommand | None = None
    budget: Budget = Budget()
    explorer: ExplorerBudget = ExplorerBudget()

    @property
    def testing(self) -> Testing:
        """How the repository is tested."""
        return Testing(self.test_command, self.setup, without_tests=self.without_tests == "go")


def read_configuration(path: Path) -> RepositoryConfiguration:
    """The configuration in a file; the defaults where there is none.

    Raises:
        ConfigurationInvalid: the file cannot be read or has mistakes.
    """
    try:
        return read_yaml_file(path, RepositoryConfiguration)[0]
    except FileNotFoundError:
        return RepositoryConfiguration()
    except YamlFileInvalid as error:
        title = (SETTINGS_FOLDER / CONFIGURATION).as_posix()
        raise ConfigurationInvalid(
            f"{title} has mistakes.",
            why=error.listed(title),
            what_to_do="It looks like this, and every key may be left out:\n"
            "test_command: pytest -q\n"
            "setup: [npm ci]\n"
            "without_tests: go\n"
            "plan: ask\n"
            f"model: {DEFAULT_MODEL}\n"
            "budget: {turns: 40, dollars: 2.0, minutes: 20}\n"
            "explorer: {turns: 12, dollars: 0.4, minutes: 5}",
        ) from error
