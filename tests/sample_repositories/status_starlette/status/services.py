"""Services over HTTP."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route, Router


async def list_services(request: Request) -> JSONResponse:
    """Services and whether they are up."""
    return JSONResponse([])


services = Router(routes=[Route("/all", endpoint=list_services)])
