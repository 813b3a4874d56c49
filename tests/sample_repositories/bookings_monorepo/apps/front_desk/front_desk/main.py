"""What the reception uses."""

from fastapi import FastAPI

from front_desk.routes import bookings, groups, guests, rooms

app = FastAPI(title="front desk")
app.include_router(bookings.router, prefix="/desk")
app.include_router(groups.router, prefix="/desk")
app.include_router(guests.router, prefix="/desk")
app.include_router(rooms.router, prefix="/desk")
