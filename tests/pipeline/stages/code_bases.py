"""Small code bases, one for each mechanism of a decision, and what an issue comes to over one of them."""

from collections.abc import Sequence

from pipeline.code_registry.registry import Registry
from pipeline.contract.answers import Answer
from pipeline.domain.places import CitedFile, Ranking
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import Decomposition, decide
from pipeline.stages.existing.stage import look
from tests.pipeline.stages.plan_world import issue, ranking_of

SHELVES = {
    "shelves/moves.py": """
        def move_parcel(number, shelf):
            return number, shelf
    """,
    "shelves/api.py": '''
        from fastapi import FastAPI
        from shelves.moves import move_parcel

        app = FastAPI()

        @app.post("/actions")
        def run_action(number: str, shelf: str):
            """Move one parcel."""
            return move_parcel(number, shelf)

        @app.post("/actions/stream")
        def stream_actions(numbers: str, shelf: str):
            """Move parcels, a line for each."""
            for number in numbers:
                yield move_parcel(number, shelf)

        @app.post("/message")
        def send_message(text: str):
            return text
    ''',
}
"""Two routes that reach one function, and a third that does not."""

FLAG = "Add a dry_run flag"
TO_LEAF = "`move_parcel` should take an optional `dry_run`."
ACTIONS, STREAM = "route:POST /actions", "route:POST /actions/stream"
MOVE = "symbol:shelves/moves.py::move_parcel"

BOOKS = {
    "library/models.py": """
        from sqlalchemy import Boolean, Column, String
        from sqlalchemy.orm import declarative_base

        Base = declarative_base()

        class Member(Base):
            __tablename__ = "members"
            banned = Column(Boolean)
            due_on = Column(String)
    """,
    "library/api.py": '''
        from fastapi import FastAPI

        app = FastAPI()

        @app.get("/books")
        def list_books(language: str | None = None, page: int = 1):
            """Books by title."""
            return [language, page]

        @app.post("/books/{book_id}/withdraw")
        def withdraw(book_id: int):
            """Take a damaged book off the shelves for ever."""
            return book_id

        @app.post("/loans")
        def lend(member: int):
            """Lend a book."""
            return member
    ''',
}
"""Routes of several resources, with fields, and a table."""

TWO_APPS = {
    "core/parcels.py": """
        def send_parcel(address):
            return address
    """,
    "apps/counter/routes.py": '''
        from fastapi import APIRouter, FastAPI
        from core.parcels import send_parcel

        router = APIRouter()

        @router.post("/counter/parcels")
        def create_parcel(address: str):
            """Send a parcel for somebody at the counter."""
            return send_parcel(address)

        app = FastAPI()
        app.include_router(router)
    ''',
    "apps/partners/routes.py": '''
        from fastapi import APIRouter, FastAPI
        from core.parcels import send_parcel

        router = APIRouter()

        @router.post("/partners/parcels")
        def create_parcel(address: str):
            """Send a parcel for a shop."""
            return send_parcel(address)

        app = FastAPI()
        app.include_router(router)
    ''',
}
"""A function of one name in two applications of a monorepo."""

COMMANDS = {
    "shop/cli.py": '''
        import click

        @click.group()
        def admin():
            """Look after the shop."""

        @admin.command("export-invoices")
        @click.option("--since")
        def export_invoices(since):
            """Write invoices for the tax office."""
            print(since)

        @admin.command("export-members")
        def export_members():
            """Write members for the newsletter."""
            print("members")
    '''
}
DJANGO_COMMANDS = {
    f"shop/management/commands/{name}.py": f"""
        from django.core.management.base import BaseCommand

        class Command(BaseCommand):
            def add_arguments(self, parser):
                parser.add_argument("{option}")

            def handle(self, *args, **options):
                print(options)
    """
    for name, option in (("document_exporter", "--no-archive"), ("thumbnail_maker", "--width"))
}
"""Two commands whose classes have one name."""
SETTINGS = {
    "desk/settings.py": """
        import os

        UPLOAD_RETRIES = int(os.environ.get("UPLOAD_RETRIES", "3"))
        MAIL_RETRIES = int(os.environ.get("MAIL_RETRIES", "3"))
        PAGE_SIZE = 50
    """
}
TWO_TIMEOUTS = {
    "apps/counter/settings.py": "REQUEST_TIMEOUT = 30\n",
    "apps/partners/settings.py": "REQUEST_TIMEOUT = 60\n",
}
ROWS = {
    "ledger.ts": """
        export interface Parcel { code: string; doorHint?: string }
        export interface Depot { city: string; doorHint?: string }
    """,
    "search.ts": "export interface Filter { doorHint?: string }\n",
}


def likely_files(registry: Registry, probability: float = 0.6) -> Ranking:
    """A ranking that finds every file of the code alike: neither doubt nor a claim comes from it."""
    return ranking_of(*sorted({symbol.place.path for symbol in registry.symbols}), probability=probability)


def outcome(
    registry: Registry,
    title: str,
    body: str = "",
    *,
    ranking: Ranking | None = None,
    answers: Sequence[Answer] = (),
) -> tuple[str, ...]:
    """`asks <slot>` and the labels of the candidates; `named` and the ids of the targets; else what words suggest.

    Without a ranking each file of the code is a likely place.
    """
    files = likely_files(registry) if ranking is None else ranking
    decision, _ = decide(issue(title, body), files, registry, tuple(answers))
    if isinstance(decision, ClarificationNeeded):
        return (f"asks {decision.ask.slot}", *(one.label for one in decision.ask.candidates))
    if decision.targets:
        return (decision.confidence.value, *(target.id for target in decision.targets))
    return (decision.confidence.value, *([decision.suggested.label] if decision.suggested else []))


def question(registry: Registry, title: str, body: str = "", *answers: Answer) -> ClarificationNeeded:
    """The question that an issue leads to."""
    decision, _ = decide(issue(title, body), likely_files(registry), registry, answers)
    assert isinstance(decision, ClarificationNeeded), decision
    return decision


def decision_on(registry: Registry, title: str, body: str = "", *answers: Answer) -> Decomposition:
    """The decision that an issue leads to, where nobody is asked."""
    decision, _ = decide(issue(title, body), likely_files(registry), registry, answers)
    assert isinstance(decision, Decomposition), decision
    return decision


def exists(registry: Registry, title: str, body: str = "") -> tuple[str, ...]:
    """Labels of what is there already, if a run would stop for it."""
    stop = look(issue(title, body), registry).stop
    return tuple(one.label for one in stop.ask.candidates) if stop else ()


def ranking_that_cites(title: str, body: str, *tree: str, probability: float = 0.8) -> Ranking:
    """A ranking over a tree of these files, with what the issue cites of them."""
    cited = (
        CitedFile(path=path, citation=citation)
        for citation in issue(title, body).citations
        for path in tree
        if citation.text == path
    )
    return ranking_of(*tree, probability=probability).model_copy(update={"cited": tuple(cited)})


def free_answer(text: str, slot: str = "entry_route") -> Answer:
    """A reply in words of its own."""
    return Answer(question_id="q-1", slot=slot, answered_by="octocat", text=text)
