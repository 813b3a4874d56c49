"""What stages use that starts processes, and the rules that hold for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.run.agents import RunAgents
from pipeline.run.checkouts import Checkouts
from pipeline.stages.context import RunInput
from pipeline.stages.plans.stage import Explorers

if TYPE_CHECKING:
    from pipeline.gate.gate import Gate


def tools_of(
    checkouts: Checkouts, agents: RunAgents | None, environment: Mapping[str, str]
) -> Mapping[RunInput, Callable[[str], object]]:
    """The tools of a run, each for the id of a stage. There is a workbench only where an agent works that may change
    something.
    """

    def programs(_: str) -> object:
        from pipeline.workbench.own_command import OwnCommands

        return OwnCommands(checkouts.base, checkouts.tree.commit, environment)

    tools: dict[RunInput, Callable[[str], object]] = {RunInput.PROGRAMS: programs}
    if agents is not None and agents.can_change:
        tools[RunInput.WORKBENCH] = agents.bench_of
    if agents is not None and agents.explorers:
        tools[RunInput.EXPLORER] = lambda stage: Explorers(agents.explorers[stage], agents.agents[stage])
    return tools


@dataclass(frozen=True)
class ApprovalRules:
    """Says which rule of the gate keeps an agent from editing a file without an approval; None if none does."""

    repository: Path

    def __call__(self, path: str) -> str | None:
        """The rule's id, or why the call has to wait."""
        from pipeline.gate.rules import Tier

        decision = self._gate.decide("edit_file", {"path": path})
        return None if decision.tier is Tier.ALLOW else decision.rule or decision.why

    @cached_property
    def _gate(self) -> "Gate":
        from pipeline.definition.repository_configuration import FOLDER
        from pipeline.gate.rules_file import load_gate

        gate_path = self.repository / FOLDER / "gate.yml"
        return load_gate(gate_path if gate_path.is_file() else None)
