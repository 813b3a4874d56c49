"""Agents."""

from datetime import datetime

from flask_restx import Namespace, Resource, fields

from helpdesk.models import Agent, db
from helpdesk.services.lookup import one_or_404

ns = Namespace("agents", description="Who answers")

agent_model = ns.model(
    "Agent",
    {"id": fields.Integer, "name": fields.String, "email": fields.String, "away_until": fields.DateTime},
)


@ns.route("")
class AgentList(Resource):
    @ns.marshal_list_with(agent_model)
    def get(self):
        """Everybody who answers."""
        return list(db.session.scalars(db.select(Agent).order_by(Agent.name)))


@ns.route("/<int:agent_id>")
class AgentItem(Resource):
    @ns.marshal_with(agent_model)
    def patch(self, agent_id):
        """Change name or signature."""
        agent = one_or_404(Agent, agent_id)
        for name in ("name", "signature"):
            if name in ns.payload:
                setattr(agent, name, ns.payload[name])
        db.session.commit()
        return agent


@ns.route("/<int:agent_id>/away")
class AgentAway(Resource):
    @ns.marshal_with(agent_model)
    def put(self, agent_id):
        """Say until when an agent takes no cases: holidays, illness."""
        agent = one_or_404(Agent, agent_id)
        agent.away_until = datetime.fromisoformat(ns.payload["until"])
        db.session.commit()
        return agent
