"""What a repository says about itself in `.github/askfirst/`, as one value. No other module knows where its files lie.

They are read from the checkout that a run began on, which is the base branch, and never from the tree that agents edit. What
the commit does not hold counts on a person's machine only (`pipeline/run/checkouts.py`).
Each is read once, and only when it is needed: a mistake in the price list stops no run that asks no model.
"""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.settings.file_names import AGENTS, CONFIGURATION, DECISIONS, PRICES, RULES, SETTINGS_FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.contract.decisions import Decision
    from pipeline.gate.gate import Gate
    from pipeline.gate.rules import Rule
    from pipeline.llm.prices import Prices
    from pipeline.settings.agent_files import AgentFiles
    from pipeline.settings.configuration import RepositoryConfiguration


class RepositorySettings:
    """The settings of a checkout. What it does not say has its default."""

    def __init__(self, repository: Path) -> None:
        self.folder = repository / SETTINGS_FOLDER

    @cached_property
    def configuration(self) -> "RepositoryConfiguration":
        """Its tests, its model and the budget of agents.

        Raises:
            ConfigurationInvalid: the file cannot be read or has mistakes.
        """
        from pipeline.settings.configuration import read_configuration

        return read_configuration(self.folder / CONFIGURATION)

    @cached_property
    def decisions(self) -> "tuple[Decision, ...]":
        """The answers that hold for every ticket, in the order of the file.

        Raises:
            DecisionsInvalid: the file cannot be read or has mistakes.
        """
        from pipeline.settings.decisions_file import read_decisions

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

    def approval_rule(self, path: str) -> str | None:
        """The rule that keeps an agent from editing a file without an approval (`Gate.approval_rule`).

        Raises:
            GateRulesInvalid: the file of rules cannot be read or has mistakes.
        """
        return self.gate.approval_rule(path)

    @cached_property
    def prices(self) -> "Prices":
        """What models cost: its own prices, else the shipped ones.

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
