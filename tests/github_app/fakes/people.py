"""Who acts on the fake GitHub, where, and the clock by which they do."""

from datetime import UTC, datetime, timedelta

from github_app.conversation.transcript import Person
from github_app.ports.github import (
    Place,
    Repository,
)

APP_ID = 7
SECRET = b"secret of the tests"
OCTOCAT = Person(1, "octocat")
WRITER = Person(2, "hubot-keeper")
TRIAGER = Person(3, "triager")
STRANGER = Person(4, "stranger")
APP_BOT = Person(90, "askfirst[bot]", is_bot=True)
EVIL_BOT = Person(91, "evil[bot]", is_bot=True)
REPOSITORY = Repository(installation_id=55, id=712345678, full_name="acme/orders", default_branch="main")
PLACE = Place(REPOSITORY, 418)
PULL_REQUEST = 419
BUILDS = "jobs:\n  pipeline:\n    steps:\n      - with:\n          definition: build\n"
"""The part of a workflow file that tells that its runs make a change."""
WORKFLOW = ".github/workflows/askfirst.yml"
PEOPLE = {person.login: person for person in (OCTOCAT, WRITER, TRIAGER, STRANGER, APP_BOT, EVIL_BOT)}


class Crash(BaseException):
    """The process dies here."""


class Clock:
    """Time that passes only when somebody waits or the test says so."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)
        self.slept = 0.0

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept += seconds
        self.passes(seconds)

    def passes(self, seconds: float = 1) -> None:
        self.time += timedelta(seconds=seconds)
