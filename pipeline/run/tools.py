"""What stages use that starts processes."""

from collections.abc import Callable, Mapping

from pipeline.run.agents import RunAgents
from pipeline.run.checkouts import Checkouts
from pipeline.stages.context import RunInput
from pipeline.stages.plans.stage import Explorers


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
