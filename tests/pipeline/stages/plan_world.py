"""A small service, and explorers of a ticket over it that complete with what a test says."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from pipeline.agents.agent import Agent
from pipeline.agents.task import AgentCompleted
from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer, Answers
from pipeline.contract.ticket import TargetConfidence
from pipeline.contract.wire import NO_COMMIT, Location, RunIdentity
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Channel, RankedFile, Ranking, Reason
from pipeline.domain.ticket import IncomingTicket
from pipeline.domain.wanted_changes import WantedChanges
from pipeline.domain.working_tree import WorkingTree
from pipeline.llm.failures import ModelFailed
from pipeline.llm.port import Origin
from pipeline.llm.usage import ModelSpend
from pipeline.reading.document import read_issue
from pipeline.settings.agent_files import SHIPPED_AGENTS
from pipeline.stages.context import RunContext, RunInput, StageContext
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places import Places
from pipeline.stages.registry import RegistryReady
from pipeline.stages.semantics.exploring import KIND, Explorers, Plans, PlansInput, PlansOptions
from pipeline.stages.semantics.form import PlanForm, bind
from pipeline.stages.semantics.plan import Plan
from pipeline.stages.semantics.policy import Policy
from pipeline.stages.snapshot import HouseRule, Snapshot
from tests.pipeline.llm.scripted_model import ScriptedModel

SERVICE = {
    "app/api.py": '''
        from fastapi import FastAPI
        from app.queue import enqueue
        from app.totals import add_up
        app = FastAPI()

        @app.post("/actions")
        def run_action(name: str, verbose: bool = False):
            """Run one action."""
            return enqueue(name)

        @app.get("/totals")
        def read_totals():
            """All totals."""
            return add_up([])
    ''',
    "app/queue.py": '''
        def enqueue(name):
            """Put an action into the queue."""
            return name
    ''',
    "app/totals.py": '''
        def add_up(rows):
            """Add rows up, rounded."""
            return sum(rows)
    ''',
    "app/migrations/first.py": "def migrate(): ...\n",
}

ACTIONS, TOTALS = "route:POST /actions", "route:GET /totals"
RUN_ACTION = "symbol:app/api.py::run_action"
ENQUEUE, ADD_UP = "symbol:app/queue.py::enqueue", "symbol:app/totals.py::add_up"
MIGRATE = "symbol:app/migrations/first.py::migrate"
TITLE = "Keep bursts under control"
NO_RANKING = Ranking(files=())
TREE = WorkingTree(commit=NO_COMMIT, changed_files=(), test_files=1)
BODY = "Handle bursts gracefully: ten in a minute is what we can take."


EXPLORER = SHIPPED_AGENTS.find("explorer")


def form(path: str = "app/api.py", entry: str | None = ACTIONS, **changed: Any) -> dict[str, Any]:
    """What an explorer completes with."""
    change = {"path": path, "what": "Limit it."} | ({} if entry is None else {"entry": entry})
    return {
        "summary": "Limit it.",
        "changes": [change],
        "effects": [],
        "open_points": [],
        "wishes": [{"wish": "Keep bursts under control", "planned": True}],
        "acceptance": [],
        **changed,
    }


def effect(
    kind: str = "stored", surface: str = ACTIONS, what: str = "429 for the eleventh"
) -> dict[str, Any]:
    return {"surface": surface, "kind": kind, "what": what}


def point(kind: str = "edge_case", **changed: Any) -> dict[str, Any]:
    """A decision that the ticket leaves open."""
    return {
        "kind": kind,
        "question": "What happens to the eleventh?",
        "options": [
            {"label": "It waits", "effect": "It runs a minute later."},
            {"label": "It is refused", "effect": "The caller gets 429."},
        ],
        "taken": 1,
        "plainest": 2,
        "would_ask": False,
        **changed,
    }


def free(_: str) -> None:
    """No file waits for an approval."""


def bound(
    registry: Registry, *forms: dict[str, Any], guarded: Callable[[str], str | None] = free
) -> tuple[Plan, ...]:
    """Plans of these forms."""
    return tuple(
        bind(number, PlanForm.model_validate(one), issue().prose, registry, guarded)
        for number, one in enumerate(forms, start=1)
    )


@dataclass
class Bench:
    """Explorers that complete with `said`, one after the other, each after it read a line of `app/queue.py`.

    A text is why an explorer came to nothing. What is wrong with a form is kept in `mistakes`.
    """

    said: tuple[dict[str, Any] | str, ...]
    prompts: list[str] = field(default_factory=list)
    mistakes: list[str | None] = field(default_factory=list)
    turns: int = 12

    def run_explorer(
        self,
        agent: Agent,
        stage: str,
        number: int,
        prompt: str,
        wrong: Callable[[BaseModel], str | None],
    ) -> AgentCompleted | str:
        self.prompts.append(prompt)
        said = self.said[number - 1]
        if isinstance(said, str):
            return said
        output = agent.output.model_validate(said)
        self.mistakes.append(wrong(output))
        return AgentCompleted(output, ModelSpend(), Origin.SCRIPTED)

    def line_count(self, path: str) -> int | None:
        return 9 if path in SERVICE else None

    def lines_read(self, stage: str, round_: int) -> tuple[Location, ...]:
        return (Location(path="app/queue.py", start_line=1, end_line=3),)

    def diff_since(self, base: str) -> str:
        return f"what is new since {base[:7]}"


@dataclass(frozen=True)
class IndexesOf:
    """The indexes of a tree of which nobody ranks a file."""

    code: Registry
    root: Path = Path("nowhere")

    def registry(self) -> Registry:
        return self.code

    def rank(self, document: IssueDocument) -> Ranking:
        raise AssertionError(f"nobody ranks {document}")


@dataclass(frozen=True)
class CheckingModel:
    """The model of a run that has replies for every stage."""

    asked_once: ScriptedModel
    name: str = "claude-sonnet-5-5"
    digest: list[str] = field(default_factory=list)

    def holds(self, kind: str, /) -> bool:
        return True


def explored(
    registry: Registry,
    *said: dict[str, Any] | str,
    check: dict[str, Any] | str | ModelFailed | None = None,
    policy: Policy = Policy.BALANCED,
    answers: tuple[Answer, ...] = (),
    rules: tuple[HouseRule, ...] = (),
    bench: Bench | None = None,
    wanted_changes: WantedChanges | None = None,
) -> Plans:
    """What the stage comes to; `check` is the reply to the second look, which a test that gives none must not need."""
    run = RunContext(
        IncomingTicket(title=TITLE, body=BODY),
        lambda commit: RunIdentity(
            repository=None, issue=None, commit=commit, run_id="1", ticket_sha256="0" * 64
        ),
        TREE,
        TREE,
        IndexesOf(registry),
        answers=Answers(answers=answers),
        wanted_changes=wanted_changes,
        model=CheckingModel(ScriptedModel() if check is None else ScriptedModel(plans__check=check)),
        tools={RunInput.EXPLORER: lambda _: Explorers(bench or Bench(said), EXPLORER)},
    )
    context = StageContext(
        KIND.name, KIND.name, KIND.reads, KIND.slots, PlansOptions(policy=policy), Plans, None, run
    )
    inputs = needed(issue(), ranking=ranking_of("app/api.py", "app/totals.py"))
    snapshot = inputs.snapshot.model_copy(update={"house_rules": rules})
    return KIND.run(inputs.model_copy(update={"snapshot": snapshot}), context)


def issue(title: str = TITLE, body: str = BODY, *labels: str) -> IssueDocument:
    """The issue as rules read it."""
    return read_issue(IncomingTicket(title=title, body=body), (), labels)


def needed(
    document: IssueDocument, decision: Decomposition | None = None, *, ranking: Ranking = NO_RANKING
) -> PlansInput:
    """The input of the stage that plans."""
    undecided = Decomposition(confidence=TargetConfidence.UNKNOWN, targets=(), selected_because="")
    return PlansInput(
        snapshot=Snapshot(
            ticket=IncomingTicket(title=TITLE, body=BODY), commit=NO_COMMIT, changed_files=(), test_files=1
        ),
        registry=RegistryReady(commit=NO_COMMIT, files=1, symbols=1, routes=1, fields=0, skipped=()),
        reading=document,
        places=Places(ranking=ranking, places=()),
        existing=Existing(findings=()),
        decomposition=decision or undecided,
    )


def ranking_of(*paths: str, probability: float = 0.4) -> Ranking:
    """A ranking of some files, by words alone."""
    reason = Reason(channel=Channel.TEXT, sentence="It shares words with the issue.")
    return Ranking(
        files=tuple(
            RankedFile(path=path, probability=probability, reasons=(reason,), features={}) for path in paths
        )
    )
