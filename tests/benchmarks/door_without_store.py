"""The App's web server without a store behind it: the same Flask handler, which checks and parses a delivery and lets it go.

`python -m tests.benchmarks.door_without_store`, with the settings of the App in the environment.
"""

from collections.abc import Mapping
from typing import Any

from github_app.intake.delivery import parse_delivery
from github_app.serving.web import Probes, create_application
from github_app.serving.web_server import WebServer
from github_app.settings import read_settings
from github_app.storage.database import is_postgres


def let_go(event: str, _delivery_id: str, payload: Mapping[str, Any]) -> None:
    """All that the App does before it stores a delivery."""
    webhook_delivery = parse_delivery(event, payload)
    if webhook_delivery is not None:
        webhook_delivery.model_dump(mode="json", by_alias=True)


if __name__ == "__main__":
    settings = read_settings()
    probes = Probes(list, str)
    processes = 2 if is_postgres(settings.database_url) else 1
    WebServer(
        settings.host,
        settings.port,
        processes,
        lambda: create_application(settings.webhook_secrets, let_go, probes),
    ).serve()
