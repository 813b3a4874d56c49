"""The same delivery twice, late, in another order, and after a crash: one effect."""

import pytest

from sandbox.world.state import WebhookDelivery
from tests.github_app.killed.conftest import Conversation, Theatre, World


def test_every_delivery_may_come_twice(theatre: Theatre, undisturbed: World) -> None:
    theatre.github.faults.repeat_delivery("*", copies=2, times=1_000)
    assert theatre.plays(theatre.opens()) == undisturbed


@pytest.mark.parametrize("event", ["issues", "workflow_run"])
def test_what_belongs_to_an_issue_may_come_after_what_followed_from_it(
    theatre: Theatre, undisturbed: World, event: str
) -> None:
    """The label behind the end of its run; the end of a run behind the labels that others set meanwhile."""
    theatre.github.faults.delay_delivery(event, seconds=2, times=2)
    assert theatre.plays(theatre.opens()) == undisturbed


def deliveries_of(theatre: Theatre, conversation: Conversation) -> list[WebhookDelivery]:
    """Every event of a conversation once, oldest first."""
    mine = [
        one
        for one in theatre.github.deliveries.attempts
        if one.repository_id == conversation.repository.id and not one.redelivery
    ]
    return list({one.guid: one for one in mine}.values())


def test_all_deliveries_again_after_a_crash_change_nothing(theatre: Theatre, undisturbed: World) -> None:
    conversation = theatre.opens()
    assert theatre.plays(conversation) == undisturbed
    theatre.apart.kill("worker")
    theatre.apart.start("worker")
    for delivery in reversed(deliveries_of(theatre, conversation)):
        theatre.github.deliveries.redeliver(delivery.id)
    theatre.settle()
    assert conversation.world() == undisturbed


def test_all_deliveries_again_under_other_ids_and_backwards_change_nothing(
    theatre: Theatre, undisturbed: World
) -> None:
    """An id is our memory, not our only one: what a delivery says is compared with what is known."""
    conversation = theatre.opens()
    assert theatre.plays(conversation) == undisturbed
    for delivery in reversed(deliveries_of(theatre, conversation)):
        theatre.github.deliveries.send(delivery.event, delivery.body, headers=lambda proper: proper)
    theatre.settle()
    assert conversation.world() == undisturbed


def test_a_reply_that_comes_twice_around_a_crash_starts_one_run(theatre: Theatre, undisturbed: World) -> None:
    theatre.github.faults.repeat_delivery("issue_comment", copies=2, times=1_000)
    theatre.github.faults.interrupt(
        "POST /repos/*/dispatches", lambda: theatre.apart.kill("worker"), after_effect=True
    )
    conversation = theatre.opens()
    conversation.label()
    theatre.until(lambda: conversation.goes_on() and len(conversation.runs) == 2, "a second run")
    theatre.until(lambda: not theatre.apart.is_running("worker"), "the death of the worker")
    theatre.apart.start("worker")
    theatre.until(conversation.has_ended, "an end")
    theatre.settle()
    assert conversation.world() == undisturbed
