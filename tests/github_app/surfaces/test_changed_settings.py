"""Settings that change between a question and its answer, and replies that come to nothing: everybody is told, nobody gains."""

import pytest

from github_app.surface_settings import SurfaceSettings
from tests.github_app.conversation.questions import two_routes
from tests.github_app.fakes.people import WRITER
from tests.github_app.fakes.surfaces import SETTINGS, Surfaces
from tests.github_app.fakes.world import World

STORED = SETTINGS.model_dump()


@pytest.fixture
def world() -> World:
    world = World()
    world.announcements = None
    return world


@pytest.fixture
def surfaces(world: World) -> Surfaces:
    surfaces = Surfaces(world)
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    return surfaces


def with_account_of_octocat_for(login: str) -> SurfaceSettings:
    """The account `octo@example` belongs to somebody else now."""
    people = [
        {**person, "accounts": {"n8n": "octo@example"} if person["login"] == login else {}}
        for person in STORED["people"]
    ]
    return SurfaceSettings.model_validate({**STORED, "people": people})


def without(login: str) -> SurfaceSettings:
    people = [person for person in STORED["people"] if person["login"] != login]
    return SurfaceSettings.model_validate({**STORED, "people": people})


def shown_only(repository: str) -> SurfaceSettings:
    surfaces = [{**surface, "repositories": (repository,)} for surface in STORED["surfaces"]]
    return SurfaceSettings.model_validate({**STORED, "surfaces": surfaces})


def test_an_address_gives_nobody_the_rights_of_whom_its_account_belongs_to_later(surfaces: Surfaces) -> None:
    token = surfaces.address()
    later = Surfaces(surfaces.world, with_account_of_octocat_for(WRITER.login))
    assert later.knocks(token, {"reply": "2"}).status == 403
    assert later.replies == {}


@pytest.mark.parametrize("settings", [with_account_of_octocat_for(WRITER.login), without("octocat")])
def test_a_reply_whose_account_was_given_away_or_taken_out_meanwhile_is_refused_and_nobody_elses(
    surfaces: Surfaces, settings: SurfaceSettings
) -> None:
    world = surfaces.world
    assert surfaces.knocks(surfaces.address(), {"reply": "2"}).status == 202
    later = Surfaces(world, settings)
    later.replies = surfaces.replies
    later.works()
    assert world.dispatched == []
    (refused,) = later.received()
    assert (refused["type"], refused["data"]["account"]) == ("reply.refused", "octo@example")


def test_a_repository_that_was_taken_from_a_surface_takes_no_replies_from_there(surfaces: Surfaces) -> None:
    later = Surfaces(surfaces.world, shown_only("acme/other"))
    assert later.knocks(surfaces.address(), {"reply": "2"}).status == 403


def test_a_repository_that_was_taken_from_a_surface_is_not_shown_what_still_waits(world: World) -> None:
    surfaces = Surfaces(world)
    surfaces.down = {"n8n", "pager"}
    world.labels_it()
    world.run_ends(world.label_run(), two_routes())
    later = Surfaces(world, shown_only("acme/other"))
    later.waiting = surfaces.waiting
    assert later.received() == []
    assert later.attempts == []


def test_the_same_words_are_read_again_after_what_stood_against_them_is_gone(surfaces: Surfaces) -> None:
    """A stranger is refused, is made an assignee, and replies the same a quarter of an hour later."""
    world = surfaces.world
    token = surfaces.address("stranger@example")
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    surfaces.works()
    assert world.dispatched == []
    first = set(surfaces.replies)
    world.clock.passes(900)
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    assert set(surfaces.replies) > first


def test_a_person_who_replies_twice_and_differently_is_told_which_reply_was_taken(surfaces: Surfaces) -> None:
    token = surfaces.address()
    assert surfaces.knocks(token, {"reply": "2"}).status == 202
    assert surfaces.knocks(token, {"reply": "1"}).status == 202
    surfaces.works()
    surfaces.works()
    assert len(surfaces.world.dispatched) == 1
    (refused,) = [message for message in surfaces.received() if message["type"] == "reply.refused"]
    assert refused["data"]["why"].startswith("octocat has answered on n8n already: POST /actions/stream.")
