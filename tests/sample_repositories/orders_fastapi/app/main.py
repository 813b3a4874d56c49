"""The orders service."""

from fastapi import APIRouter, FastAPI

from app.api import actions, customers, orders, reports, stream
from app.database import create_tables
from app.settings import settings

app = FastAPI(title="orders", on_startup=[create_tables])

api = APIRouter()
api.include_router(actions.router)
api.include_router(stream.router)
api.include_router(orders.router)
api.include_router(customers.router)

app.include_router(api)
app.include_router(reports.router, prefix=settings.reports_prefix)


@app.get("/healthz", include_in_schema=False)
def healthz() -> dict[str, str]:
    """Whether the service is up."""
    return {"status": "ok"}
