"""What the stages of a round hand to each other, and how it is told to an agent."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from pipeline.contract.change import FileChange, TestsReport
from pipeline.contract.ticket import PlannedChange, TicketPlan
from pipeline.domain.material import material
from pipeline.domain.models import ClosedModel
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.reading.hidden_text import remove_hidden
from pipeline.stages.context import RunInput, StageContext
from pipeline.stages.stage import DelegatingOutput, StageValue
from pipeline.stages.ticket import TicketDraft

if TYPE_CHECKING:
    from pipeline.workbench.workbench import Workbench

_MOST_PLACES = 30


class AgentChoice(ClosedModel):
    """`with:` of a stage that runs one certain agent: the stem of another file to take the prompt and the tools from."""

    agent: str | None = None


class ModelOrigin(StageValue):
    """Which model an agent's words come from, and what they cost; `dollars` is None where the price is unknown."""

    model: str
    replies: Literal["model", "recorded", "scripted"]
    dollars: float | None


class CoderOutput(DelegatingOutput):
    """What the coder has made of the ticket by the end of a round: all files that differ from the commit.

    `history` says in a line each what became of the rounds before; `dollars_before` is what they cost, the reviewer's
    part too. `self_answered` is of all rounds so far. `subject` is the line of a commit that continues a pull request.
    """

    round: int
    summary: str
    subject: str | None = None
    assumptions: tuple[str, ...]
    files: tuple[FileChange, ...]
    history: tuple[str, ...]
    origin: ModelOrigin
    dollars_before: float | None = 0.0


class JudgedPoint(StageValue):
    """What the reviewer says about one acceptance criterion, and the place that shows it."""

    criterion: str
    met: Literal["met", "not_met", "cannot_tell", "overruled"]
    path: str | None = None
    line: int | None = None
    reason: str

    @property
    def in_words(self) -> str:
        """Criterion, place and reason in one line."""
        place = f" ({place_in_words(self.path, self.line)})" if self.path else ""
        return f"{self.met.replace('_', ' ')}: {self.criterion} {self.reason}{place}"


class ReviewFinding(StageValue):
    """One thing that the reviewer says about the change; `criterion` is the words of the one that it is about."""

    path: str
    line: int | None = None
    criterion: str | None = None
    severity: Literal["blocking", "remark"]
    reason: str

    @property
    def in_words(self) -> str:
        """Place, reason and criterion in one line."""
        about = f" (criterion: {self.criterion})" if self.criterion else ""
        return f"{place_in_words(self.path, self.line)}: {self.reason}{about}"


class ReviewOutput(DelegatingOutput):
    """What the reviewer says: `approve` with remarks, or `changes` with what must be corrected; and of each criterion."""

    verdict: Literal["approve", "changes"]
    criteria: tuple[JudgedPoint, ...]
    findings: tuple[ReviewFinding, ...]
    origin: ModelOrigin

    @property
    def objections(self) -> tuple[str, ...]:
        """The objections to an approval, a line each: criteria that are not met, and findings that block."""
        unmet = [finding.in_words for finding in self.criteria if finding.met == "not_met"]
        blocking = [finding.in_words for finding in self.findings if finding.severity == "blocking"]
        return (*unmet, *blocking)


def workbench_of(context: StageContext) -> "Workbench":
    """The workbench of a stage."""
    from pipeline.workbench.workbench import Workbench  # a run without agents must not pay for it

    return context.tool(RunInput.WORKBENCH, Workbench)


def cost_of_rounds(coder_output: CoderOutput, review: ReviewOutput | None) -> float | None:
    """What all rounds so far cost, in dollars; None where a price is unknown."""
    origins = [coder_output.origin, *([review.origin] if review else [])]
    costs = [coder_output.dollars_before, *(origin.dollars for origin in origins)]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def place_in_words(path: str, line: int | None) -> str:
    """`path:line`, or the path alone."""
    return path if line is None else f"{path}:{line}"


def criteria_of(ticket: TicketDraft, wanted_changes: WantedChanges | None) -> tuple[str, ...]:
    """What a change is judged by: the ticket's criteria, and what a reviewer asks for where there is that."""
    wishes = wanted_changes.wishes if wanted_changes is not None else ()
    return tuple(dict.fromkeys((*ticket.acceptance_criteria, *wishes)))


def ticket_as_prompt(ticket: TicketDraft, *, with_criteria: bool = True) -> str:
    """All that people read in the ticket, for an agent. What they do not see in it, no agent is told.

    `with_criteria`: with its acceptance criteria, for an agent that is given no list of its own to judge.
    """
    chain, tests = ticket.chain[:_MOST_PLACES], ticket.tests[:_MOST_PLACES]
    lines = [
        "Targets:",
        *(f"- {target.in_words}" for target in ticket.targets),
        f"Why these: {ticket.selected_because}",
        *_list("Chain of calls, from the entry to the end:", (place.in_words for place in chain)),
        *_list("Tests that reach it:", (place.in_words for place in tests)),
        *_list("Facts:", (f"{fact.name}: {fact.value}" for fact in ticket.facts)),
        *(_plan_in_words(ticket.plan) if ticket.plan is not None else ()),
    ]
    if ticket.acceptance_criteria and with_criteria:
        numbered_criteria = enumerate(ticket.acceptance_criteria, start=1)
        lines += [
            "Acceptance criteria:",
            *(f"{number}. {sentence}" for number, sentence in numbered_criteria),
        ]
    findings = "\n".join([*lines, *_list("Assumed:", ticket.assumptions)])
    visible_text = remove_hidden(f"{ticket.title}\n\n{ticket.body}")
    return f"{material('ticket', visible_text)}\n\n{material('what was found out', findings)}"


def coder_in_words(output: CoderOutput) -> str:
    """What a coder says of its change, and what it assumed."""
    return "\n".join([output.summary, *_list("Assumed:", output.assumptions)])


def new_tests_in_words(tests: TestsReport) -> list[str]:
    """The results of the new and changed tests on the files before the change, in lines."""
    return [
        *(f"fails without the change: {name}" for name in tests.red_without),
        *(f"no test of it fails without the change: {path}" for path in tests.green_without),
        *([tests.left_out] if tests.left_out else []),
        *([tests.unnamed] if tests.unnamed else []),
    ]


def _plan_in_words(plan: TicketPlan) -> Iterator[str]:
    yield f"A plan by a model that read the code: {plan.summary}"
    yield from map(_change_in_words, plan.changes)
    yield from _list("What is seen of it:", plan.effects)
    if plan.decisions:
        yield "Decided by a person; build exactly this:"
    for decision in plan.decisions:
        alternatives = f" Not: {'; '.join(decision.instead_of)}." if decision.instead_of else ""
        yield f"- {decision.text} {decision.label}: {decision.effect or decision.label}{alternatives}"
        if decision.overrules_plan:
            yield "  This goes before the plan above, which was made for another option."
        if decision.changes:
            yield "  Another plan was made for it. Take from its changes what this decision needs:"
            yield from (f"  {_change_in_words(change)}" for change in decision.changes)


def _change_in_words(change: PlannedChange) -> str:
    entry = f" ({change.entry})" if change.entry else ""
    return f"- {change.path}{entry}{', a new file' if change.is_new else ''}: {change.what}"


def _list(head: str, entries: Iterable[str]) -> list[str]:
    """The lines of a list; none at all where it is empty."""
    lines = [f"- {entry}" for entry in entries]
    return [head, *lines] if lines else []
