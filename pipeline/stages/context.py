"""The things a stage may use besides the outputs of the stages it needs. It reaches only what its kind declares."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.decisions import Decision
from pipeline.contract.ticket import TicketFact
from pipeline.contract.wire import CommitSha, RunIdentity
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Ranking
from pipeline.domain.suite import Testing
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.domain.working_tree import WorkingTree

if TYPE_CHECKING:
    from pipeline.llm.port import Model

ToolT = TypeVar("ToolT")
OptionsT = TypeVar("OptionsT", bound=BaseModel)


class RunInput(StrEnum):
    """What a stage may read of its run. Whatever a kind does not declare, `StageContext` refuses."""

    TICKET = "ticket"
    """The issue as it was labelled."""

    TREE = "tree"
    """What the ticket is about."""

    INDEX = "index"
    """What the indexes of that tree hold."""

    CHECKOUT = "checkout"
    """The checkout that agents change: the same commit, except where a pull request is changed again."""

    WANTED_CHANGES = "wanted"
    """Why a pull request is changed again."""

    ANSWERS = "answers"
    """The answers to questions of the kind's slots."""

    REPLANNING = "replanning"
    """Those of the answers that no finished plan can hold."""

    DECISIONS = "decisions"
    """The standing answers of the repository."""

    PLAN_REVIEW = "plan_review"
    """Whether a person sees the plan before anything is built."""

    AGENT = "agent"
    """An agent with its model, without which the run cannot begin."""

    EXPLORER = "explorer"
    """Agents that only read, without which a stage can do (`StageContext.tool`)."""

    MODEL = "model"
    """Answers single questions, and a stage can do without it."""

    GUIDANCE = "guidance"
    """What people decided when all rounds of a change were used."""

    TESTS = "tests"
    """What the repository's configuration says of how it is tested."""

    WORKBENCH = "workbench"
    """Where a change is made and tested (`StageContext.tool`): it starts processes, so it is made elsewhere."""

    PROGRAMS = "programs"
    """The runner of the programs that the repository brings, in the same way."""

    LINKED_WORK = "linked_work"
    """Finds work on the issue, on GitHub and in commits (`StageContext.tool`)."""

    SECRETS = "secrets"
    """Tells whether a text holds a secret of this environment."""


class UndeclaredInput(AssertionError):
    """A stage reads what its kind does not declare: a stored result would be used although that has changed."""

    def __init__(self, stage: str, run_input: RunInput) -> None:
        super().__init__(f"stage `{stage}` reads {run_input.name}: add RunInput.{run_input.name} to its KIND")


class CodeIndexes(Protocol):
    """The indexes of one tree."""

    @property
    def root(self) -> Path:
        """The folder of the tree."""

    def registry(self) -> Registry:
        """The registry of its code."""

    def rank(self, document: IssueDocument) -> Ranking:
        """Its files, ranked for an issue."""


class OpenModel(Protocol):
    """The model of a run, for stages that ask single questions."""

    @property
    def asked_once(self) -> "Model":
        """The model; it keeps its replies."""

    @property
    def name(self) -> str:
        """The model's name, as the provider knows it."""

    @property
    def digest(self) -> list[str]:
        """What a stored result depends on."""

    def holds(self, kind: str, /) -> bool:
        """Whether there can be replies for a kind of stage."""


class OpenAgents(Protocol):
    """The agents of a run."""

    @property
    def agents(self) -> Mapping[str, Agent]:
        """By the stage that each works in."""

    def digest_of(self, stage: str) -> list[str] | None:
        """What a stored result of a stage with an agent depends on; None where none works in it."""


@dataclass(frozen=True)
class RunContext:
    """What one run holds for its stages; `StageContext` says what each of these is.

    `model` is None where there is none, `agents` where no agent works. `tools` make what a run has of `WORKBENCH`,
    `EXPLORER` and `PROGRAMS` for the id of a stage.
    """

    ticket: IncomingTicket
    identity: Callable[[CommitSha], RunIdentity]
    tree: WorkingTree
    checkout: WorkingTree
    indexes: CodeIndexes
    answers: Answers = field(default_factory=Answers)
    wanted_changes: WantedChanges | None = None
    decisions: tuple[Decision, ...] = ()
    puts_plan: bool = False
    testing: Testing = field(default_factory=Testing)
    model: OpenModel | None = None
    agents: OpenAgents | None = None
    tools: Mapping[RunInput, Callable[[str], object]] = field(default_factory=dict)
    waits_for_approval: Callable[[str], str | None] = lambda _: None
    holds_secret: Callable[[str], bool] = lambda _: False
    note: Callable[[str, str], None] = lambda _stage, _text: None


@dataclass(frozen=True)
class StageContext:
    """The part of a run that one stage may use. The run itself is private: what the kind does not declare is refused.

    Attributes:
        stage: its id; `kind` is the word in its `uses`.
        output: the model of what it hands on.
        seconds: how long it may take, None for as long as it wants.
        facts: what the stages that it needs say to the readers of the ticket.
    """

    stage: str
    kind: str
    reads: frozenset[RunInput]
    slots: frozenset[str]
    stage_options: BaseModel
    output: type[BaseModel]
    seconds: float | None
    _run: RunContext = field(repr=False)
    facts: tuple[TicketFact, ...] = ()

    def options(self, model: type[OptionsT]) -> OptionsT:
        """The options under `with:`, as the model that the kind declares."""
        if not isinstance(self.stage_options, model):
            raise TypeError(f"the options of `{self.kind}` are no {model.__name__}")
        return self.stage_options

    def note(self, text: str) -> None:
        """Write a note into the journal."""
        self._run.note(self.stage, text)

    @property
    def ticket(self) -> IncomingTicket:
        """The issue as it was labelled."""
        return self._run_with(RunInput.TICKET).ticket

    @property
    def tree(self) -> WorkingTree:
        """What git knows of the tree that the ticket is about."""
        return self._run_with(RunInput.TREE).tree

    @property
    def root(self) -> Path:
        """The folder of the tree that the ticket is about."""
        return self._run_with(RunInput.TREE).indexes.root

    def registry(self) -> Registry:
        """What the code of the tree has."""
        return self._run_with(RunInput.INDEX).indexes.registry()

    def rank(self, document: IssueDocument) -> Ranking:
        """The files of the tree, ranked for an issue."""
        return self._run_with(RunInput.INDEX).indexes.rank(document)

    def waits_for_approval(self, path: str) -> str | None:
        """The rule of the gate that keeps an agent from editing this file without an approval."""
        return self._run_with(RunInput.TREE).waits_for_approval(path)

    @property
    def identity(self) -> RunIdentity:
        """Which run this is, on the commit that agents change."""
        run = self._run_with(RunInput.CHECKOUT)
        return run.identity(run.checkout.commit)

    @property
    def wanted_changes(self) -> WantedChanges | None:
        """What a reviewer wants changed on a pull request."""
        return self._run_with(RunInput.WANTED_CHANGES).wanted_changes

    @property
    def answers(self) -> Answers:
        """The answers to questions of the kind's slots; all of them where it names none."""
        answers = self._run_with(RunInput.ANSWERS).answers
        return Answers(answers=answers.for_slots(self.slots)) if self.slots else answers

    @property
    def replanning(self) -> tuple[Answer, ...]:
        """The answers to questions of the kind's slots that no finished plan can hold."""
        run = self._run_with(RunInput.REPLANNING)
        return run.answers.replanning(self.slots, is_revision=run.wanted_changes is not None)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The repository's standing answers."""
        return self._run_with(RunInput.DECISIONS).decisions

    @property
    def puts_plan(self) -> bool:
        """Whether a person sees the plan before anything is built."""
        return self._run_with(RunInput.PLAN_REVIEW).puts_plan

    @property
    def testing(self) -> Testing:
        """How the repository is tested."""
        return self._run_with(RunInput.TESTS).testing

    @property
    def model(self) -> "tuple[Model, str] | None":
        """The model for a single question, and its name; None where there is none."""
        model = self._run_with(RunInput.MODEL).model
        return (model.asked_once, model.name) if model is not None and model.holds(self.kind) else None

    @property
    def has_model(self) -> bool:
        """Whether this run has a model, be it for other kinds of stages."""
        return self._run_with(RunInput.MODEL).model is not None

    @property
    def agent(self) -> Agent:
        """The agent of this stage."""
        return self._agent(RunInput.AGENT, self.stage)

    def agent_of(self, stage: str) -> Agent:
        """The agent of another stage that works on the same workbench."""
        return self._agent(RunInput.WORKBENCH, stage)

    @property
    def guidance(self) -> tuple[str, ...]:
        """What people decided when all rounds of a change were used, the oldest first."""
        from pipeline.agents.questions import budgets_granted, guidance

        answers = self._run_with(RunInput.GUIDANCE).answers
        return guidance("work", answers, before=budgets_granted("work", answers))

    @property
    def holds_secret(self) -> Callable[[str], bool]:
        """Whether a text holds a secret of this environment."""
        return self._run_with(RunInput.SECRETS).holds_secret

    def tool(self, run_input: RunInput, tool_type: type[ToolT]) -> ToolT:
        """The workbench of this stage, or what runs the programs of the repository."""
        tool = self._run_with(run_input).tools[run_input](self.stage)
        if not isinstance(tool, tool_type):
            raise TypeError(f"{run_input.name} is a {type(tool).__name__} and no {tool_type.__name__}")
        return tool

    def digest(self) -> dict[str, object]:
        """All that the stage may read of its run and that decides its result, for the key of a stored one."""
        return {name.value: self._digest_of(name) for name in sorted(self.reads)}

    def _digest_of(self, run_input: RunInput) -> object:
        run = self._run
        match run_input:
            case RunInput.TICKET:
                comments = [[comment.id, comment.sha256] for comment in run.ticket.comments]
                return [run.ticket.sha256, run.ticket.repository, run.ticket.number, comments]
            case RunInput.TREE | RunInput.INDEX:
                return _code_of(run.tree)
            case RunInput.CHECKOUT:
                return _code_of(run.checkout)
            case RunInput.WANTED_CHANGES:
                return run.wanted_changes.model_dump(mode="json") if run.wanted_changes else None
            case RunInput.ANSWERS | RunInput.REPLANNING:
                is_all = run_input is RunInput.ANSWERS
                answers = self.answers.answers if is_all else self.replanning
                return [answer.model_dump(mode="json") for answer in answers]
            case RunInput.AGENT | RunInput.EXPLORER:
                return run.agents.digest_of(self.stage) if run.agents else None
            case RunInput.MODEL:
                return run.model.digest if run.model and self.model else None
            case RunInput.TESTS:
                return asdict(run.testing)
            case RunInput.PLAN_REVIEW:
                return run.puts_plan
            case RunInput.DECISIONS:
                return [decision.model_dump(mode="json") for decision in run.decisions]
            case (
                RunInput.GUIDANCE
                | RunInput.WORKBENCH
                | RunInput.PROGRAMS
                | RunInput.LINKED_WORK
                | RunInput.SECRETS
            ):
                # They decide nothing that is stored: guidance is for the rounds that come after it, and what holds a
                # secret ends the run. Whether somebody is at work is asked once, before anything else.
                return None

    def _agent(self, run_input: RunInput, stage: str) -> Agent:
        agents = self._run_with(run_input).agents
        if agents is None:
            raise AssertionError("a run with such a stage opens its agents before it begins")
        return agents.agents[stage]

    def _run_with(self, run_input: RunInput) -> RunContext:
        if run_input not in self.reads:
            raise UndeclaredInput(self.stage, run_input)
        return self._run


def _code_of(tree: WorkingTree) -> object:
    """What the indexes of a tree hold: the code of its commit, and of files that are in no commit yet."""
    return [tree.commit, tree.untracked] if tree.untracked else tree.commit
