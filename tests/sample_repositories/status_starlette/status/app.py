"""The application."""

from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from status.incidents import Incident, list_incidents, open_incident
from status.services import services

incidents = [
    Route("/", list_incidents),
    Route("/", open_incident, methods=["POST"]),
    Route("/{incident_id:int}", Incident),
]

app = Starlette(
    routes=[
        Mount("/api", routes=[Mount("/incidents", routes=incidents), Mount("/services", app=services)]),
        Mount("/static", app=StaticFiles(directory="static", check_dir=False)),
    ]
)
