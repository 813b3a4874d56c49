"""A route that the registry does not have: the code lacks it only where everything was read."""

from collections.abc import Mapping

import pytest

from pipeline.stages.decomposition.stage import decide
from tests.pipeline.conftest import Built
from tests.pipeline.stages.plan_world import NO_RANKING, issue

APP = """
from flask import Flask
app = Flask(__name__)
@app.get("/orders")
def orders(): ...
"""


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (
            {"routes.rb": "post '/tokens', to: 'tokens#create'\n", "tool.py": "def run(): ...\n"},
            "no web framework that the registry knows was found",
        ),
        ({"app.py": APP, "graph.py": "import strawberry\n"}, "the registry does not read Strawberry GraphQL"),
        (
            {"app.py": f"{APP}\nfrom elsewhere import hidden\n@hidden.post('/t')\ndef create(): ...\n"},
            "not every registration of flask could be read",
        ),
        ({"page.py": "from django.urls import reverse\n"}, "no route was read at all"),
    ],
)
def test_a_route_that_may_be_unread_is_not_said_to_be_missing(
    built: Built, files: Mapping[str, str], why: str
) -> None:
    assert conclusion(built, files) == f"It names a route that the registry did not read: {why}."


def test_a_route_is_missing_where_all_routes_were_read(built: Built) -> None:
    assert conclusion(built, {"app.py": APP}) == "It names a route that the code does not have."


def test_a_cited_route_that_is_there_is_not_said_to_be_missing(built: Built) -> None:
    document = issue("Add a /orders endpoint", "For our shop.")
    _, rows = decide(document, NO_RANKING, built({"app.py": APP}), ())
    assert [row.concluded for row in rows if row.about == "the words of the issue"] == []


def conclusion(built: Built, files: Mapping[str, str]) -> str:
    document = issue("Expire tokens", "`POST /api/v1/tokens` should take a lifetime.")
    _, rows = decide(document, NO_RANKING, built(files), ())
    (row,) = (row for row in rows if row.about == "the words of the issue")
    return row.concluded
