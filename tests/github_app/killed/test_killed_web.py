"""`kill -9` of the web server around every delivery of a conversation; what it did not acknowledge is redelivered."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from github_app.intake.delivery import parse_delivery
from tests.github_app.killed.conftest import Conversation, Theatre, World
from tests.github_app.killed.door import Door
from tests.sandbox.clients import app_jwt, call

_SECONDS = 600.0
"""A server that starts ten times takes its time on a busy machine."""


@contextmanager
def behind_a_door(theatre: Theatre) -> Iterator[Door]:
    """Kill the web server at one moment or the other of each delivery that the App handles; start it when one was refused."""
    github, app = theatre.github, theatre.apart

    def is_ours(guid: str) -> bool:
        delivery = next(attempt for attempt in github.deliveries.attempts if attempt.guid == guid)
        return parse_delivery(delivery.event, delivery.body) is not None

    def start() -> None:
        app.start("web")
        theatre.until(app.answers, "the web server")

    straight = github.webhook_url
    with Door(app.port, strikes=is_ours, kill=lambda: app.kill("web"), start=start) as door:
        github.webhook_url = door.address
        try:
            yield door
        finally:
            github.webhook_url = straight
            if not app.is_running("web"):
                start()


def redeliver(theatre: Theatre) -> bool:
    """Ask GitHub to bring again what failed, as an operator or a sweep does, over the REST API; whether there was any."""
    github = theatre.github
    latest = {attempt.guid: attempt for attempt in github.deliveries.attempts}
    failures = [
        attempt for attempt in latest.values() if attempt.status != "pending" and not attempt.is_acknowledged
    ]
    for failure in failures:
        url = f"{github.api_url}/app/hook/deliveries/{failure.id}/attempts"
        assert call("POST", url, token=app_jwt(github)).status == 202
    return bool(failures)


def play(theatre: Theatre, conversation: Conversation) -> World:
    conversation.label()

    def ended() -> bool:
        redeliver(theatre)
        return not conversation.goes_on()

    theatre.until(ended, "an end", seconds=_SECONDS)
    theatre.until(
        lambda: not redeliver(theatre) and not theatre.unread(), "nothing left unread", seconds=_SECONDS
    )
    return conversation.world()


@pytest.mark.timeout(900)
def test_a_web_server_killed_around_any_delivery_loses_none(theatre: Theatre, undisturbed: World) -> None:
    with behind_a_door(theatre) as door:
        conversation = theatre.opens()
        assert play(theatre, conversation) == undisturbed
        assert door.refused >= len(door.struck) - 1
        handled = {
            attempt.guid
            for attempt in theatre.github.deliveries.attempts
            if attempt.repository_id == conversation.repository.id
            and parse_delivery(attempt.event, attempt.body)
        }
        assert set(door.struck) == handled
