"""The orders service."""

import os

from flask import Flask

from orders.api import register_api
from orders.models import db


def create_app() -> Flask:
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = os.environ.get("ORDERS_DATABASE_URL", "sqlite:///orders.db")
    app.config["ORDERS_BULK_LIMIT"] = 500
    db.init_app(app)
    register_api(app)

    @app.get("/healthz")
    def healthz() -> dict[str, str]:
        """Whether the service is up."""
        return {"status": "ok"}

    return app
