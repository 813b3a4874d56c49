"""What a repository says about itself in `.github/askfirst/`, as one value. No other module knows where its files lie.

They are read from the checkout that a run began on, which is the base branch, and never from the tree that agents edit. What
the commit does not hold counts on a person's machine only (`pipeline/run/checkouts.py`).
Each is read once, and only when it is needed: a mistake in the price list stops no run that asks no model.
"""

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StringConstraints

from pipeline.agents.budget import Budget
from pipeline.contract.decisions import DECISIONS_PATH, Decision, DecisionFile
from pipeline.contract.yaml_source import MAX_BYTES
from pipeline.domain.command_line import CoderCommand, Command
from pipeline.domain.errors import PipelineError
from pipeline.domain.models import ClosedModel
from pipeline.domain.suite import Testing
from pipeline.domain.yaml_file import YamlFileInvalid, read_plain_file, read_yaml_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.gate.gate import Gate
    from pipeline.gate.rules import Rule
    from pipeline.llm.prices import Prices
    from pipeline.settings.agent_files import AgentFiles

SETTINGS_FOLDER = Path(".github") / "askfirst"

CONFIGURATION = "config.yml"
DECISIONS = "decisions.yml"
RULES = "gate.yml"
PRICES = "prices.yml"
AGENTS = "agents"

DEFAULT_MODEL = "claude-sonnet-5-5"

_LIKE_THIS = """\
Correct it, or remove the entry: then the question is asked again. It looks like this:
version: 1
decisions:
  - slot: entry_route
    candidates: ["route:POST /actions", "route:POST /actions/stream"]
    choice: "route:POST /actions"
    decided_by: octocat
    decided_in: 418
    decided_at: 2026-11-22
    wish: add"""

_READ = (SETTINGS_FOLDER / "*.yml", SETTINGS_FOLDER / AGENTS / "*.md")
"""The files that are read, as patterns of paths."""

_LIMIT = MAX_BYTES + 1


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


class DecisionsInvalid(PipelineError):
    """The repository's `decisions.yml` has mistakes; all of them are listed."""


class RepositorySettings:
    """The settings of a checkout. What it does not say has its default."""

    def __init__(self, repository: Path) -> None:
        self.folder = repository / SETTINGS_FOLDER

    @cached_property
    def configuration(self) -> RepositoryConfiguration:
        """Its tests, its model and the budget of agents.

        Raises:
            ConfigurationInvalid: the file cannot be read or has mistakes.
        """
        return read_configuration(self.folder / CONFIGURATION)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The answers that hold for every ticket, in the order of the file.

        Raises:
            DecisionsInvalid: the file cannot be read or has mistakes.
        """
        return read_decisions(self.folder / DECISIONS)

    @cached_property
    def rules(self) -> "Mapping[str, Rule]":
        """The rules of the gate by id, the shipped ones and its own.

        Raises:
            GateRulesInvalid: the file cannot be read or has mistakes.
        """
        from pipeline.gate.rules_file import load_rules

        return load_rules(self._own_file(RULES))

    @cached_property
    def gate(self) -> "Gate":
        """The gate with these rules.

        Raises:
            GateRulesInvalid: the file of rules cannot be read or has mistakes.
        """
        from pipeline.gate.gate import Gate

        return Gate(self.rules.values())

    @cached_property
    def prices(self) -> "Prices":
        """The prices of models: its own prices, else the shipped ones.

        Raises:
            PricesInvalid: the file cannot be read or has mistakes.
        """
        from pipeline.llm.prices import load_prices

        return load_prices(self._own_file(PRICES))

    @cached_property
    def agents(self) -> "AgentFiles":
        """The agents that its pipelines may name: its own, else the shipped ones."""
        from pipeline.settings.agent_files import TEMPLATES, AgentFiles

        return AgentFiles(self.folder / AGENTS, TEMPLATES)

    def _own_file(self, name: str) -> Path | None:
        """A file that adds to a shipped one. A folder or a dead link in its place is a mistake, and not no file."""
        path = self.folder / name
        return path if path.exists() or path.is_symlink() else None


def read_decisions(path: Path) -> tuple[Decision, ...]:
    """The decisions of a file in their order; none where there is no file.

    Raises:
        DecisionsInvalid: the file cannot be read or has mistakes.
    """
    try:
        return read_yaml_file(path, DecisionFile)[0].decisions
    except FileNotFoundError:
        return ()
    except YamlFileInvalid as error:
        raise DecisionsInvalid(
            f"{DECISIONS_PATH} has mistakes.", why=error.listed(DECISIONS_PATH), what_to_do=_LIKE_THIS
        ) from error


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


def uncommitted_settings(repository: Path) -> tuple[str, ...]:
    """The files of settings that the commit lacks or has with other bytes, and those that are missing on disk.

    It reads both sides itself. `git status` passes over what lies behind a link or in a repository of its own, and over what the
    index or the settings of git hide. Ends of lines do not count, because git may write them in another way.

    Raises:
        RepositoryUnreadable: git cannot read the checkout.
    """
    from pipeline.code_registry.text.git_objects import GitObjects

    objects = GitObjects(repository)
    tree = objects.tree_of("HEAD")
    entries = objects.entries(tree, SETTINGS_FOLDER) if tree is not None else []
    blobs = {Path(entry.path): entry.blob for entry in entries}
    texts = {
        blob: _with_plain_lines(content[:_LIMIT]) for blob, content in objects.contents([*blobs.values()])
    }
    paths = {path.relative_to(repository) for pattern in _READ for path in repository.glob(str(pattern))}
    paths.update(path for path in blobs if any(path.match(str(pattern)) for pattern in _READ))
    different_paths = (path for path in paths if _text(repository / path) != texts.get(blobs.get(path, "")))
    return tuple(sorted(os.fsencode(path).decode("utf-8", "replace") for path in different_paths))


def _text(path: Path) -> bytes | None:
    try:
        return _with_plain_lines(read_plain_file(path, _LIMIT))
    except OSError:
        return None


def _with_plain_lines(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")
