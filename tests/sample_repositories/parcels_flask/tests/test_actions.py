import pytest
from flask.testing import FlaskClient

from parcels import create_app
from parcels.depot import Depot


@pytest.fixture
def depot() -> Depot:
    return Depot({7: "in the depot", 8: "in the depot"})


@pytest.fixture
def client(depot: Depot) -> FlaskClient:
    return create_app(depot).test_client()


def test_an_action_moves_all_parcels(client: FlaskClient, depot: Depot) -> None:
    answer = client.post("/actions", json={"action": "dispatch", "numbers": [7, 9]})
    assert answer.json == {"parcels": {"7": "on its way", "9": "unknown"}}
    assert depot.states[7] == "on its way"


def test_the_stream_has_a_line_for_each_parcel(client: FlaskClient, depot: Depot) -> None:
    answer = client.post("/actions/stream", json={"action": "return", "numbers": [7, 8]})
    assert answer.text == "7 returned\n8 returned\n"
    assert set(depot.states.values()) == {"returned"}


def test_a_parcel_says_where_it_is(client: FlaskClient) -> None:
    assert client.get("/parcels/8").json == {"number": 8, "state": "in the depot"}
    assert client.get("/parcels/9").status_code == 404
