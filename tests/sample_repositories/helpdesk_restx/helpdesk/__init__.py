"""The helpdesk service: cases, the people who have them, and the people who answer."""

from flask import Flask
from flask_restx import Api

from helpdesk import settings
from helpdesk.api.agents import ns as agents
from helpdesk.api.cases import ns as cases
from helpdesk.api.customers import ns as customers
from helpdesk.api.portal import ns as portal
from helpdesk.api.teams import ns as teams
from helpdesk.models import db


def create_app() -> Flask:
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = settings.DATABASE_URL
    db.init_app(app)
    api = Api(app, prefix="/api/v2", title="helpdesk")
    api.add_namespace(cases, path="/cases")
    api.add_namespace(customers, path="/customers")
    api.add_namespace(agents, path="/agents")
    api.add_namespace(teams, path="/teams")
    api.add_namespace(portal, path="/portal")
    return app
