"""What travel agencies call."""

from fastapi import FastAPI

from partner_api.routes import bookings, catalogue

app = FastAPI(title="partner API")
app.include_router(catalogue.router, prefix="/partner/v1")
app.include_router(bookings.router, prefix="/partner/v1")
