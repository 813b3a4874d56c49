"""What the stages of a round hand to each other, and how it is told to an agent."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from pipeline.contract.change import FileChange
from pipeline.domain.material import material
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.reading.hidden_text import remove_hidden
from pipeline.stages.snapshot.stage import HouseRule
from pipeline.stages.stage import StageValue
from pipeline.stages.ticket import TicketDraft

_SHOWN = 30


class AgentChoice(BaseModel):
    """`with:` of a stage that runs one certain agent: the stem of another file to take the prompt and the tools from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: str | None = None


class Told(StageValue):
    """Which model an agent's words come from, and what they cost; `dollars` is None where the price is unknown."""

    model: str
    replies: Literal["model", "recorded", "scripted"]
    dollars: float | None


class Coded(StageValue):
    """What the coder has made of the ticket by the end of a round: all files that differ from the commit.

    `history` says in a line each what became of the rounds before; `dollars_before` is what they cost, the reviewer's
    part too. `self_answered` says, for all rounds so far, what agents asked each other and no person answered.
    """

    round: int
    summary: str
    assumptions: tuple[str, ...]
    files: tuple[FileChange, ...]
    history: tuple[str, ...]
    told: Told
    dollars_before: float | None = 0.0
    self_answered: tuple[str, ...] = ()


class Baseline(StageValue):
    """The tests before anything is changed. `failing` are the names of those that were red, as the runner writes them."""

    command: str
    failing: tuple[str, ...] = ()

    def explains(self, failing: tuple[str, ...], failed: int | None) -> bool:
        """Whether every failed test was red before: each one has a name (`failed` is the runner's count), and it is known."""
        return bool(failing) and failed in (None, len(failing)) and set(failing) <= set(self.failing)


class Tested(StageValue):
    """A run of the repository's tests on exactly the files of the round. `too_much` says which limit ended it.

    It is `green` where no test is red that was not red before (`red_before`).
    """

    command: str
    green: bool
    exit_code: int | None
    seconds: float
    passed: int | None
    failed: int | None
    output: str
    too_much: str | None = None
    failing: tuple[str, ...] = ()
    red_before: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """Its result in one line."""
        if self.exit_code is None:
            return f"{self.command}: {self.too_much or 'took too long'} and was ended"
        counts = f", {self.passed} passed, {self.failed or 0} failed" if self.passed is not None else ""
        result = "passed" if self.green else "failed"
        before = ", all of them before the change, too" if self.red_before else ""
        return f"{self.command}: {result} (exit code {self.exit_code}{counts}{before})"


class Judged(StageValue):
    """What the reviewer says about one acceptance criterion, and the place that shows it."""

    criterion: str
    met: Literal["met", "not_met", "cannot_tell"]
    path: str | None = None
    line: int | None = None
    reason: str

    @property
    def in_words(self) -> str:
        """Criterion, place and reason in one line."""
        shown = f" ({place_in_words(self.path, self.line)})" if self.path else ""
        return f"{self.met.replace('_', ' ')}: {self.criterion} {self.reason}{shown}"


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


class Reviewed(StageValue):
    """What the reviewer says: `approve` with remarks, or `changes` with what must be corrected; and of each criterion."""

    verdict: Literal["approve", "changes"]
    criteria: tuple[Judged, ...]
    findings: tuple[ReviewFinding, ...]
    told: Told
    self_answered: tuple[str, ...] = ()

    @property
    def objections(self) -> tuple[str, ...]:
        """What stands against an approval, in a line each: criteria that are not met, and findings that block."""
        unmet = [one.in_words for one in self.criteria if one.met == "not_met"]
        blocking = [one.in_words for one in self.findings if one.severity == "blocking"]
        return (*unmet, *blocking)


def place_in_words(path: str, line: int | None) -> str:
    """`path:line`, or the path alone."""
    return path if line is None else f"{path}:{line}"


def criteria_of(ticket: TicketDraft, wanted: WantedChanges | None) -> tuple[str, ...]:
    """What a change is judged by: the ticket's criteria, and what a reviewer asks for where there is that."""
    asked = (f"What {wanted.asked_by} asks for on the pull request is done.",) if wanted is not None else ()
    return (*ticket.acceptance_criteria, *asked)


def ticket_as_prompt(ticket: TicketDraft) -> str:
    """All that people read in the ticket, for an agent. What they do not see in it, no agent is told."""
    lines = ["Targets:", *(f"- {_place(target.id, target.location)}" for target in ticket.targets)]
    lines.append(f"Why these: {ticket.selected_because}")
    for head, places in (
        ("Chain of calls, from the entry to the end:", ticket.chain),
        ("Tests that reach it:", ticket.tests),
    ):
        if places:
            lines += [head, *(f"- {_place(place.id, place.location)}" for place in places[:_SHOWN])]
    if ticket.acceptance_criteria:
        numbered = enumerate(ticket.acceptance_criteria, start=1)
        lines += ["Acceptance criteria:", *(f"{number}. {sentence}" for number, sentence in numbered)]
    if ticket.assumptions:
        lines += ["Assumed:", *(f"- {sentence}" for sentence in ticket.assumptions)]
    seen, _ = remove_hidden(f"{ticket.title}\n\n{ticket.body}")
    return "\n\n".join(
        [
            material("ticket", seen),
            material("what was found out", "\n".join(lines)),
        ]
    )


def house_rules_as_prompt(rules: Iterable[HouseRule], paths: Iterable[str]) -> list[str]:
    """What the repository tells agents about these files, for an agent: its wishes, below the rules of the gate."""
    about = tuple(paths)
    held = [rule for rule in rules if any(rule.holds_for(path) for path in about or (".",))]
    head = "The repository says how it wants to be worked on. Follow it where it does not contradict your tools and this task."
    shown = [material(rule.path, rule.text) for rule in held]
    return ["\n\n".join([head, *shown])] if shown else []


def wanted_as_prompt(wanted: WantedChanges, change_so_far: str) -> str:
    """What a reviewer wants changed on a pull request, for an agent."""
    head = (
        f"This ticket has a pull request, #{wanted.pull_request}, and a person asks for another change of it."
    )
    return "\n\n".join(
        [
            f"{head} What they ask for goes before the ticket.",
            material("the pull request so far", change_so_far or "(it changes no file)"),
            material(f"what {wanted.asked_by} asks for", wanted.in_words),
        ]
    )


def _place(id_: str, location: object) -> str:
    path, line = getattr(location, "path", None), getattr(location, "start_line", None)
    return id_ if path is None else f"{id_} at {path}:{line}"
