"""Builds the FastAPI application."""

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from germbank.api import accessions, germination, imports, labels, partner, reports, withdrawals
from germbank.errors import BankError


def create_app() -> FastAPI:
    app = FastAPI(title="germbank")
    app.include_router(imports.router)
    app.include_router(accessions.router)
    app.include_router(germination.router)
    app.include_router(withdrawals.router)
    app.include_router(labels.router)
    app.include_router(reports.router)
    app.include_router(partner.router, prefix="/partner/v1")

    @app.exception_handler(BankError)
    async def bank_error(_: Request, exc: BankError) -> JSONResponse:
        return JSONResponse({"error": exc.code, "detail": str(exc)}, status_code=exc.status)

    return app


app = create_app()
