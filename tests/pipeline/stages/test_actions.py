"""What a route does, as a person says it: which sentences mean which routes, and which mean none."""

from collections.abc import Callable, Mapping

import pytest
from inline_snapshot import snapshot

from pipeline.code_registry.registry import Registry
from pipeline.domain.stops import ClarificationNeeded
from pipeline.stages.decomposition.stage import decide
from pipeline.stages.existing.stage import look
from pipeline.stages.intent.lexical import read_lexically
from pipeline.stages.selection.actions import Actions, Sentence

Built = Callable[[Mapping[str, str]], Registry]

SERVICE = {
    "chat/service.py": '''
        def join_room(room, member):
            """Takes somebody into a room."""
            return room

        def close_room(room):
            return room
    ''',
    "chat/api.py": """
        from fastapi import FastAPI
        from chat.service import close_room, join_room

        app = FastAPI()

        @app.get("/rooms")
        def list_rooms(page: int = 1):
            return []

        @app.get("/rooms/{room_id}")
        def read_room(room_id: int):
            return room_id

        @app.post("/rooms")
        def create_room(topic: str):
            return topic

        @app.delete("/rooms/{room_id}/messages")
        def delete_messages(room_id: int):
            return room_id

        @app.delete("/users/{user_id}")
        def delete_user(user_id: int):
            return user_id

        @app.delete("/users/me")
        def delete_me():
            return None

        @app.post("/users/signup")
        def register(name: str):
            return name

        @app.post("/rooms/{room_id}/close")
        def close(room_id: int):
            return close_room(room_id)

        @app.post("/moderation/rooms/{room_id}/close")
        def close_for_all(room_id: int):
            return close_room(room_id)

        @app.post("/rooms/{room_id}/members")
        def add_member(room_id: int, name: str):
            return join_room(room_id, name)

        @app.post("/invitations/{code}")
        def follow(code: str):
            return join_room(1, code)
    """,
}


@pytest.mark.parametrize(
    ("sentence", "routes"),
    [
        ("Listing rooms should be faster.", {"GET /rooms"}),
        ("When a room is created, tell everybody.", {"POST /rooms"}),
        ("Delete the messages of a room.", {"DELETE /rooms/{room_id}/messages"}),
        ("People who sign up get a mail.", {"POST /users/signup"}),
        ("Users should be able to delete their own account.", {"DELETE /users/me"}),
        ("An admin deletes a user.", {"DELETE /users/{user_id}"}),
        ("Rooms are lovely.", set()),
    ],
)
def test_a_sentence_means_the_routes_whose_verb_and_resource_it_says(
    built: Built, sentence: str, routes: set[str]
) -> None:
    meant = Actions(built(SERVICE)).meant(Sentence(sentence))
    assert {action.route.label for action in meant} == routes


def outcome(registry: Registry, body: str) -> tuple[str, ...]:
    decided, _ = decide(read_lexically("Wish", body), registry, ())
    if isinstance(decided, ClarificationNeeded):
        return (f"asks {decided.ask.slot}", *sorted(one.label for one in decided.ask.candidates))
    return tuple(target.label for target in decided.targets)


def exists(registry: Registry, body: str) -> tuple[str, ...]:
    _, stop = look(read_lexically("Wish", body), registry)
    return tuple(one.label for one in stop.ask.candidates) if stop else ()


def test_one_deed_behind_two_routes_is_a_question(built: Built) -> None:
    assert outcome(
        built(SERVICE), "When a room is closed, an optional `reason` should be taken."
    ) == snapshot(
        ("asks entry_route", "POST /moderation/rooms/{room_id}/close", "POST /rooms/{room_id}/close")
    )


def test_a_function_of_one_verb_is_said_with_what_it_takes(built: Built) -> None:
    wish = "Joining a room should accept an optional `nickname`."
    assert outcome(built(SERVICE), wish) == snapshot(
        ("asks entry_route", "POST /invitations/{code}", "POST /rooms/{room_id}/members")
    )


def test_what_the_wish_asks_for_is_no_part_of_what_is_done(built: Built) -> None:
    wish = "Whoever signs up should be able to delete an optional `greeting` again."
    assert outcome(built(SERVICE), "Those who sign up may give an optional `greeting`.") == (
        "POST /users/signup",
    )
    assert "DELETE /users/me" not in outcome(built(SERVICE), wish)


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ("Please let users delete their own account.", ("DELETE /users/me",)),
        ("We need an API call that deletes the messages of a room.", ("DELETE /rooms/{room_id}/messages",)),
        ("Admins should be able to delete the messages of a user.", ()),
        ("Admins should be able to delete several users by mail domain.", ()),
        ("We need an API call that deletes rooms nobody has written in.", ()),
    ],
)
def test_a_route_is_there_already_only_if_it_does_all_that_is_asked(
    built: Built, wish: str, found: tuple[str, ...]
) -> None:
    assert exists(built(SERVICE), wish) == found


def test_a_function_that_only_checks_is_no_deed(built: Built) -> None:
    registry = built(
        {
            "access.py": "def can_create_room(user):\n    return user\n",
            "api.py": """
                from fastapi import FastAPI
                from access import can_create_room
                app = FastAPI()
                @app.post("/rooms")
                def create_room(user: str):
                    return can_create_room(user)
                @app.post("/rooms/{room_id}")
                def change_room(room_id: int, user: str):
                    return can_create_room(user)
                @app.post("/boards")
                def create_board(user: str):
                    return can_create_room(user)
            """,
        }
    )
    assert outcome(registry, "Creating a room should accept an optional `topic`.") == ("POST /rooms",)


def test_a_form_that_is_shown_and_taken_by_one_handler_is_asked_about_as_the_one_that_takes_it(
    built: Built,
) -> None:
    registry = built(
        {
            "app.py": """
                from flask import Flask, request
                app = Flask(__name__)
                def reset_link(user):
                    return user
                @app.route("/forgot", methods=["GET", "POST"])
                def forgot():
                    return reset_link(request.form["user"])
                @app.route("/users/<int:id>/reset", methods=["POST"])
                def reset(id):
                    return reset_link(id)
            """
        }
    )
    assert outcome(registry, "`reset_link` should take an optional `expires_in`.") == snapshot(
        ("asks entry_route", "POST /forgot", "POST /users/<int:id>/reset")
    )


def test_a_way_at_the_end_of_a_path_is_said_by_a_little_word(built: Built) -> None:
    registry = built(
        {
            "api.py": """
                from fastapi import FastAPI
                app = FastAPI()
                @app.post("/vote/up")
                def vote_up():
                    return 1
                @app.post("/vote/down")
                def vote_down():
                    return 1
            """
        }
    )
    assert outcome(registry, "Voting up should accept an optional `weight`.") == ("POST /vote/up",)
