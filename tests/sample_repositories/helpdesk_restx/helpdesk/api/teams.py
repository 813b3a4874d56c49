"""Teams."""

from flask_restx import Namespace, Resource, fields

from helpdesk.models import Agent, Team, db
from helpdesk.services import routing
from helpdesk.services.lookup import one_or_404

ns = Namespace("teams", description="Agents who share a queue")

team_model = ns.model("Team", {"id": fields.Integer, "name": fields.String, "signature": fields.String})


@ns.route("")
class TeamList(Resource):
    @ns.marshal_list_with(team_model)
    def get(self):
        """Teams that are not archived."""
        return list(db.session.scalars(db.select(Team).where(Team.archived.is_(False))))


@ns.route("/<int:team_id>")
class TeamItem(Resource):
    @ns.marshal_with(team_model)
    def patch(self, team_id):
        """Change name or signature."""
        team = one_or_404(Team, team_id)
        for name in ("name", "signature"):
            if name in ns.payload:
                setattr(team, name, ns.payload[name])
        db.session.commit()
        return team


@ns.route("/<int:team_id>/takeover")
class TeamTakeover(Resource):
    def post(self, team_id):
        """Give one agent all open cases of the team, as before a reorganisation."""
        agent = one_or_404(Agent, ns.payload["agent_id"])
        return {"moved": [case.id for case in routing.take_over(one_or_404(Team, team_id), agent)]}
