"""Incidents over HTTP."""

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse


async def list_incidents(request: Request) -> JSONResponse:
    """Incidents, newest first."""
    return JSONResponse({"limit": request.query_params.get("limit", "20")})


async def open_incident(request: Request) -> JSONResponse:
    """Open an incident."""
    body = await request.json()
    return JSONResponse({"service": body["service"], "text": body["text"]}, status_code=201)


class Incident(HTTPEndpoint):
    """One incident."""

    async def get(self, request: Request) -> JSONResponse:
        """Show it."""
        return JSONResponse({"id": request.path_params["incident_id"]})

    async def delete(self, request: Request) -> JSONResponse:
        """Close it."""
        return JSONResponse({"closed": request.path_params["incident_id"]})
