"""A small service, and plans of a ticket over it as forms that a model would have filled in."""

from collections.abc import Callable
from typing import Any

from pipeline.code_registry.registry import Registry
from pipeline.contract.ticket import TargetConfidence
from pipeline.contract.wire import NO_COMMIT
from pipeline.domain.issue import IssueDocument
from pipeline.domain.places import Channel, RankedFile, Ranking, Reason
from pipeline.domain.ticket import IncomingTicket
from pipeline.reading.document import read_issue
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.places.stage import Places
from pipeline.stages.plans.binding import bind
from pipeline.stages.plans.form import PlanForm
from pipeline.stages.plans.plan import Plan
from pipeline.stages.plans.stage import PlansInput
from pipeline.stages.registry import RegistryReady
from pipeline.stages.snapshot.stage import Snapshot

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
BODY = "Handle bursts gracefully: ten in a minute is what we can take."


def form(target: str = ACTIONS, **changed: Any) -> dict[str, Any]:
    """A plan as a model writes it."""
    return {
        "operation": "change",
        "target": target,
        "creates_inside": False,
        "effects": [],
        "also_touches": [],
        "checks": [],
        "summary": "Limit it.",
        **changed,
    }


def status(code: object, surface: str = ACTIONS) -> dict[str, Any]:
    return {"surface": surface, "aspect": "status", "name": None, "before": 200, "after": code}


def field(name: str, after: object = "string", surface: str = ACTIONS) -> dict[str, Any]:
    return {"surface": surface, "aspect": "field", "name": name, "before": None, "after": after}


def free(_: str) -> None:
    """No file waits for an approval."""


def bound(
    registry: Registry, *forms: dict[str, Any], guarded: Callable[[str], str | None] = free
) -> tuple[Plan, ...]:
    """Plans of these forms, which the code has all the ids of."""
    every = [*(route.id for route in registry.routes), *(symbol.id for symbol in registry.symbols)]
    plans = [
        bind(number, PlanForm.model_validate(one), every, registry, guarded)
        for number, one in enumerate(forms, start=1)
    ]
    assert all(isinstance(plan, Plan) for plan in plans), plans
    return tuple(plan for plan in plans if isinstance(plan, Plan))


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
