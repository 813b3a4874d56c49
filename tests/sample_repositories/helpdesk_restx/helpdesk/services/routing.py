"""Who answers which case."""

from datetime import datetime

from flask_restx import abort

from helpdesk.models import Agent, Case, Team, db
from helpdesk.services.notify import mail


def assign(case: Case, agent: Agent) -> Case:
    """Give a case to an agent and tell them."""
    if agent.is_away(datetime.utcnow()):
        abort(409, f"{agent.name} is away")
    case.assignee_id = agent.id
    case.team_id = agent.team_id
    db.session.commit()
    mail(agent.email, f"[{case.id}] is yours", case.subject)
    return case


def take_over(team: Team, agent: Agent) -> list[Case]:
    """Give an agent every open case of a team."""
    query = db.select(Case).where(Case.team_id == team.id, Case.status == "open")
    return [assign(case, agent) for case in db.session.scalars(query)]
