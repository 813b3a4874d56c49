import pytest

from helpdesk import create_app
from helpdesk.models import Agent, Case, Customer, Team, db


@pytest.fixture
def client():
    app = create_app()
    with app.app_context():
        db.create_all()
        db.session.add(Team(id=1, name="billing"))
        db.session.add(Agent(id=1, team_id=1, name="Mona", email="mona@example.com"))
        db.session.add(Customer(id=1, name="Octo", email="octo@example.com"))
        db.session.add(Case(id=7, customer_id=1, team_id=1, subject="invoice", token="abc"))
        db.session.commit()
        yield app.test_client()


def test_an_internal_note_is_hidden_from_the_customer(client):
    client.post("/api/v2/cases/7/replies", json={"author": "mona", "body": "rude", "internal": True})
    assert client.get("/api/v2/portal/cases/abc").json["replies"] == []


def test_a_case_cannot_go_to_somebody_on_holiday(client):
    client.put("/api/v2/agents/1/away", json={"until": "2999-01-01"})
    assert client.post("/api/v2/cases/7/assign", json={"agent_id": 1}).status_code == 409


def test_late_cases_can_be_listed_alone(client):
    assert client.get("/api/v2/cases?overdue=true").json == []
