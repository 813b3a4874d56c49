"""A small service, and plans of a ticket over it as forms that a model would have filled in."""

from collections.abc import Callable
from typing import Any

from pipeline.code_registry.registry import Registry
from pipeline.contract.wire import NO_COMMIT
from pipeline.domain.intent import Intent
from pipeline.domain.ticket import IncomingTicket
from pipeline.stages.decomposition.stage import Decomposition
from pipeline.stages.existing.stage import Existing
from pipeline.stages.intent.lexical import read_lexically
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


def intent(title: str = TITLE, body: str = BODY) -> Intent:
    return read_lexically(title, body)


def needed(read: Intent, found: Decomposition | None = None) -> PlansInput:
    """The input of the stage that plans."""
    ticket = IncomingTicket(title=TITLE, body=BODY)
    nothing = Decomposition(targets=(), selected_because="", chain=(), tests=(), evidence=())
    return PlansInput(
        snapshot=Snapshot(ticket=ticket, commit=NO_COMMIT, changed_files=(), test_files=1),
        registry=RegistryReady(commit=NO_COMMIT, files=1, symbols=1, routes=1, fields=0, skipped=()),
        intent=read,
        existing=Existing(findings=()),
        decomposition=found or nothing,
    )
