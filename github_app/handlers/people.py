"""Whom a delivery comes from: persons in our words, and whether it is ourselves."""

from github_app.conversation.transcript import Person
from github_app.intake.delivery import User


def person(user: User) -> Person:
    """An account of a payload. Only `type` tells a bot: a login that ends in `[bot]` proves nothing either way."""
    return Person(user.id, user.login, is_bot=user.type != "User")
