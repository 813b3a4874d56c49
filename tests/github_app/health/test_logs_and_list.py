"""What an operator reads: one line per delivery, and the list of what waits for whom."""

import json
import logging

import pytest
from inline_snapshot import snapshot
from sqlalchemy.exc import OperationalError

from github_app.health.open_conversations import list_open
from github_app.logs import FIELDS, JsonFormatter, TextFormatter
from tests.github_app.conversation.questions import asked, two_routes
from tests.github_app.fakes.world import World
from tests.github_app.serving.workers import a_worker, asking


def record_of(world: World, caplog: pytest.LogCaptureFixture) -> logging.LogRecord:
    caplog.set_level(logging.INFO)
    ended = asking(world)
    caplog.clear()
    a_worker(world).do(ended)
    return caplog.records[-1]


def test_a_delivery_is_one_line_with_place_event_action_outcome_and_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    record = record_of(World(), caplog)
    fields = getattr(record, FIELDS)
    assert {**fields, "ms": 0} == snapshot(
        {
            "place": "acme/orders#418",
            "event": "workflow_run",
            "action": "completed",
            "outcome": "done",
            "ms": 0,
            "delivery": "one",
        }
    )
    document = json.loads(JsonFormatter().format(record))
    assert (document["level"], document["place"]) == ("INFO", "acme/orders#418")
    assert document["message"] == "did workflow_run of acme/orders#418: one"
    assert TextFormatter().format(record).partition(": ")[2].rpartition(" ")[0] == snapshot(
        "did workflow_run of acme/orders#418: one action=completed outcome=done"
    )


def test_a_traceback_stays_inside_of_its_json_line() -> None:
    try:
        int("a mistake in the program")
    except ValueError as error:
        problem = (type(error), error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "stuck", (), problem)
    line = JsonFormatter().format(record)
    assert "\n" not in line
    assert "ValueError: invalid literal" in json.loads(line)["traceback"]


@pytest.mark.parametrize("formatter", [JsonFormatter(), TextFormatter()])
def test_what_people_wrote_is_in_no_line_about_the_store(formatter: logging.Formatter) -> None:
    """The engine logs errors of its own statements, some as a message and some as a traceback."""
    statement = "INSERT INTO t\nVALUES (:body)"
    error = OperationalError(statement, {"body": "what\noctocat wrote"}, Exception("the disk is full"))
    for message, problem in ((f"Poller: {error}", None), ("Poller", (type(error), error, None))):
        line = formatter.format(logging.LogRecord("dbos", logging.ERROR, "x.py", 1, message, (), problem))
        assert "the disk is full" in line
        assert "octocat" not in line


def test_the_list_says_what_waits_for_whom_and_since_when() -> None:
    world = World()
    world.labels_it()
    run_id = world.label_run()
    [running] = list_open([world.record], lambda _id: "acme/orders")
    assert (running.place, running.state, running.waits_for) == ("acme/orders#418", "running", "GitHub")
    world.run_ends(run_id, two_routes(), dollars=1.25)
    [waiting] = list_open([world.record], lambda _id: "acme/orders")
    assert (waiting.state, waiting.waits_for, waiting.question, waiting.dollars) == snapshot(
        ("asking", "@octocat", "Which route should get the rate limit?", 1.25)
    )
    world.says("2")
    world.run_ends(world.last_run(), asked(slot="name"), dollars=0.5)
    [asking_again] = list_open([world.record], lambda _id: "acme/orders")
    assert asking_again.dollars == 1.75
    assert waiting.since is not None
    assert abs((waiting.since - world.clock.now()).total_seconds()) < 60
    world.closes_it()
    assert list(list_open([world.record], lambda _id: "acme/orders")) == []
