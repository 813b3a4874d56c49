"""The kinds of surfaces by name. A new one is a file and a line here, and its settings."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from github_app.surfaces.announcement import Announcement
from github_app.surfaces.outgoing import Outgoing, ReplyRefusal, SurfaceAnswer, SurfaceMessage
from github_app.surfaces.slack import Slack
from github_app.surfaces.webhook import Webhook


class SurfaceKind(Protocol):
    """How one kind of surface is talked to. Pure: everything follows from the arguments.

    `setting` is the one that belongs to the kind. `shown_as` is what the surface calls its message about a question, once
    it has told.
    """

    def about_question(self, announcement: Announcement) -> str:
        """The body of a message about a question."""

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """The body of a message about a reply that could not be used."""

    def request(self, message: SurfaceMessage, setting: Any, now: datetime, shown_as: str | None) -> Outgoing:
        """The request that carries a message, signed for this attempt."""

    def is_taken(self, answer: SurfaceAnswer) -> bool:
        """Whether the surface has taken a message, or wants it no more."""

    def shown_as(self, answer: SurfaceAnswer) -> str | None:
        """What the surface calls a message that it has taken; None where it tells nothing."""


KINDS: Mapping[str, SurfaceKind] = {"webhook": Webhook(), "slack": Slack()}
