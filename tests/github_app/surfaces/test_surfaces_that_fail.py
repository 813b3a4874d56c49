"""Surfaces that are away, and an App that crashes: nothing is lost, nothing comes twice."""

import json
from datetime import timedelta

import pytest

from github_app.conversation.record import Conversation
from github_app.conversation.transcript import Comment
from github_app.ports.github import Place
from github_app.storage.delivery import Delivery, RetryLater
from github_app.storage.surface_rows import message_store, reply_store
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.conversations import Conversations
from tests.github_app.fakes.people import Crash
from tests.github_app.fakes.surfaces import Surfaces
from tests.github_app.fakes.world import World
from tests.github_app.serving.workers import a_worker


def test_a_surface_that_is_down_for_an_hour_gets_each_message_once_with_one_id(world: World) -> None:
    surfaces = Surfaces(world)
    surfaces.down = {"n8n"}
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    for _ in range(6):
        surfaces.sends()
        world.clock.passes(600)
    surfaces.down = set()
    assert [message["type"] for message in surfaces.received()] == ["question.asked"]
    tries = [request for request in surfaces.attempts if "n8n" in request.url]
    assert len(tries) == 7
    assert len({(attempt.headers["webhook-id"], attempt.body) for attempt in tries}) == 1
    assert len({attempt.headers["webhook-signature"] for attempt in tries}) == 7


def test_a_question_that_was_answered_while_the_surface_was_down_is_not_asked_there(world: World) -> None:
    surfaces = Surfaces(world)
    surfaces.down = {"n8n"}
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    surfaces.sends()
    world.says("2")
    surfaces.down = set()
    assert [message["type"] for message in surfaces.received()] == ["question.answered"]


@pytest.mark.parametrize(
    ("status", "waits"), [(500, True), (404, True), (429, True), (302, True), (410, False)]
)
def test_a_message_waits_until_it_is_taken_or_wanted_no_more(
    surfaces: Surfaces, status: int, waits: bool
) -> None:
    surfaces.sends()
    surfaces.status = status
    surfaces.world.says("2")
    surfaces.sends()
    assert bool(surfaces.waiting) is waits


def test_the_worker_puts_a_message_off_and_takes_replies_in_turn(surfaces: Surfaces) -> None:
    worker = a_worker(surfaces.world)
    rows: list[Delivery] = []
    (message,) = [queued for queued in surfaces.waiting.values() if queued.surface == "n8n"]
    surfaces.knocks(surfaces.address("octo", "pager"), {"reply": "2"})
    (reply,) = surfaces.replies.values()
    message_store(rows.append)(message)
    reply_store(rows.append)(reply)
    (out, back) = rows
    assert (out.id, out.conversation, back.conversation) == (message.id, "n8n:712345678#418", "712345678#418")
    surfaces.status = 503
    with pytest.raises(RetryLater, match="n8n answered 503"):
        worker.do(out)
    surfaces.status = 204
    worker.do(Delivery(out.id, out.event, out.conversation, json.loads(json.dumps(out.payload))))
    worker.do(Delivery(back.id, back.event, back.conversation, json.loads(json.dumps(back.payload))))
    assert [kind for kind, _ in surfaces.messages].count("n8n") == 2
    assert len(surfaces.world.dispatched) == 1


# -- crashes -------------------------------------------------------------------------------------------------------


def test_a_crash_anywhere_while_a_reply_is_taken_loses_and_doubles_nothing() -> None:
    moments = 0
    while True:
        world = World()
        surfaces = Surfaces(world)
        world.labels_it()
        world.run_ends(world.label_run(), two_routes())
        surfaces.knocks(surfaces.address(), {"reply": "2"})
        world.checkpoints.clear()
        world.crash_at = moments
        try:
            surfaces.works()
            crashed = False
        except Crash:
            crashed = True
        surfaces.works()
        assert len(world.dispatched) == 1
        assert len(world.ours()) == 2
        types = [message["type"] for message in surfaces.received()]
        assert types == ["question.asked", "question.answered"]
        if not crashed:
            break
        moments += 1
    assert moments >= 15


class CrashingStore(Conversations):
    """Crashes once, instead of storing what it is told to store after so many others."""

    stores_before: int | None = None

    def put(self, conversation: Conversation) -> bool:
        if self.stores_before is not None:
            self.stores_before -= 1
            if self.stores_before < 0:
                self.stores_before = None
                raise Crash("before the decision was stored")
        return super().put(conversation)


class LaggingWorld(World):
    """A GitHub that lists a comment of ours only after two seconds."""

    def comments(self, place: Place) -> list[Comment]:
        shown = self.clock.now() - timedelta(seconds=2)
        return [comment for comment in super().comments(place) if comment.created_at <= shown]


@pytest.mark.parametrize("world", [World(), LaggingWorld()], ids=["at once", "late"])
def test_a_crash_after_the_reply_was_passed_on_posts_no_second_comment(world: World) -> None:
    store = world.conversations = CrashingStore()
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    surfaces.knocks(surfaces.address(), {"reply": "2"})
    store.stores_before = 1
    with pytest.raises(Crash):
        surfaces.works()
    assert (len(world.the_comments), world.dispatched) == (2, [])
    surfaces.works()
    assert (len(world.the_comments), len(world.dispatched)) == (2, 1)
    assert world.record.sent is None
