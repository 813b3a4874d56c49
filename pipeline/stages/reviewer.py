"""Stage `reviewer`: another agent holds the change against the acceptance criteria, and approves it or says what must change."""

from typing import TYPE_CHECKING

from pipeline.agents.agent import Agent
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.stages.stage import RunInput, StageKind, StageValue
from pipeline.stages.ticket import TicketDraft
from pipeline.stages.work import (
    AgentChoice,
    Coded,
    Reviewed,
    ReviewFinding,
    Tested,
    Told,
    ticket_as_prompt,
    wanted_as_prompt,
)

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench


class ReviewerInput(StageValue):
    """The wish, the change and what its tests say."""

    ticket: TicketDraft
    coder: Coded
    tests: Tested


KIND = StageKind(
    name="reviewer",
    input=ReviewerInput,
    output=Reviewed,
    version="1",
    options=AgentChoice,
    reads=frozenset({RunInput.CHECKOUT, RunInput.WANTED, RunInput.AGENT}),
)


def review(needed: ReviewerInput, bench: "Workbench", agent: Agent, wanted: WantedChanges | None) -> Reviewed:
    """Have the agent judge the change of this round, against what a reviewer asks for where there is that.

    Raises:
        Stop: the agent asks, or its budget is spent.
        AgentGaveUp: the change cannot be judged.
    """
    coded = needed.coder
    prompt = "\n\n".join(
        [
            ticket_as_prompt(needed.ticket),
            *([wanted_as_prompt(wanted, bench.diff_since(wanted.base_commit))] if wanted else []),
            material("what the coder says", coded.summary),
            material("the change", bench.diff(coded.files) or "(no file is changed)"),
            material("the tests", needed.tests.in_words),
        ]
    )
    ending = bench.run_agent(agent, KIND.name, coded.round, prompt, coded.files)
    told = ending.output.model_dump()
    return Reviewed(
        verdict=told["verdict"],
        findings=tuple(ReviewFinding(**finding) for finding in told["findings"]),
        told=Told(
            model=agent.model or bench.rules.model, replies=ending.origin.value, dollars=ending.spent.dollars
        ),
    )
