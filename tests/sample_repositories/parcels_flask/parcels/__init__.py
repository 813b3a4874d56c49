"""The parcels service."""

from flask import Flask

from parcels.actions import actions
from parcels.depot import Depot
from parcels.listing import listing


def create_app(depot: Depot | None = None) -> Flask:
    app = Flask(__name__)
    app.config["DEPOT"] = depot or Depot()
    app.register_blueprint(actions)
    app.register_blueprint(listing)
    return app
