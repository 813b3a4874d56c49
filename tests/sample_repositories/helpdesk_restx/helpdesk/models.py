"""Tables."""

from datetime import datetime

from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Team(db.Model):
    """Agents who share a queue."""

    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    signature = db.Column(db.Text, default="")
    archived = db.Column(db.Boolean, default=False)


class Agent(db.Model):
    """Somebody who answers."""

    id = db.Column(db.Integer, primary_key=True)
    team_id = db.Column(db.ForeignKey("team.id"))
    name = db.Column(db.String(80), nullable=False)
    email = db.Column(db.String(200), unique=True)
    signature = db.Column(db.Text, default="")
    away_until = db.Column(db.DateTime)

    def is_away(self, now: datetime) -> bool:
        return self.away_until is not None and self.away_until > now


class Customer(db.Model):
    """Somebody who asks."""

    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(80), nullable=False)
    email = db.Column(db.String(200), unique=True)
    company = db.Column(db.String(120))
    language = db.Column(db.String(5), default="en")
    merged_into = db.Column(db.ForeignKey("customer.id"))


class Case(db.Model):
    """What a customer wants settled."""

    id = db.Column(db.Integer, primary_key=True)
    customer_id = db.Column(db.ForeignKey("customer.id"), nullable=False)
    team_id = db.Column(db.ForeignKey("team.id"))
    assignee_id = db.Column(db.ForeignKey("agent.id"))
    subject = db.Column(db.String(200), nullable=False)
    status = db.Column(db.String(20), default="open")
    priority = db.Column(db.String(10), default="normal")
    token = db.Column(db.String(40), unique=True)
    due_at = db.Column(db.DateTime)
    merged_into = db.Column(db.ForeignKey("case.id"))


class Reply(db.Model):
    """One message of a case; internal ones are for agents only."""

    id = db.Column(db.Integer, primary_key=True)
    case_id = db.Column(db.ForeignKey("case.id"), nullable=False)
    author = db.Column(db.String(200), nullable=False)
    body = db.Column(db.Text, nullable=False)
    internal = db.Column(db.Boolean, default=False)
    created_at = db.Column(db.DateTime, default=datetime.utcnow)
