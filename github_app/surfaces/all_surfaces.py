"""The kinds of surfaces by name, and who reads what people send from there. A new one is a file and its lines here."""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from github_app.conversation.reply_token import ReplyToken
from github_app.ports.surfaces import NO_REPOSITORY, SurfaceMessage
from github_app.surface_settings import SurfaceSetting
from github_app.surfaces.announcement import Announcement, question_key_of
from github_app.surfaces.door import DoorAnswer
from github_app.surfaces.exchange import Exchange, SurfaceNotes
from github_app.surfaces.incoming import OpenedSession, SignedRequest, WrittenReply
from github_app.surfaces.jira import Jira
from github_app.surfaces.jira_door import read_jira
from github_app.surfaces.linear import Linear
from github_app.surfaces.linear_door import read_linear
from github_app.surfaces.outgoing import ReplyRefusal
from github_app.surfaces.slack import Slack
from github_app.surfaces.slack_door import read_slack
from github_app.surfaces.webhook import Webhook


class SurfaceKind(Protocol):
    """How one kind of surface is talked to. Pure: everything follows from the arguments and from the answers.

    `setting` is the one that belongs to the kind.
    """

    def about_question(self, announcement: Announcement) -> str:
        """The body of a message about a question."""

    def about_refusal(self, refusal: ReplyRefusal) -> str:
        """The body of a message about a reply that could not be used."""

    def exchange(self, message: SurfaceMessage, setting: Any, now: datetime, notes: SurfaceNotes) -> Exchange:
        """The requests that carry a message, and what to keep of their answers.

        Raises:
            NotTaken: a request was not taken.
        """


KINDS: Mapping[str, SurfaceKind] = {
    "webhook": Webhook(),
    "slack": Slack(),
    "jira": Jira(),
    "linear": Linear(),
}

Reader = Callable[[SignedRequest, Any], WrittenReply | OpenedSession | DoorAnswer]
"""Reads a request of a surface with its setting, the signature first: a reply, a session, or the answer to what is neither."""

READERS: Mapping[str, Reader] = {"slack": read_slack, "jira": read_jira, "linear": read_linear}


def refusal_message(
    setting: SurfaceSetting, reply: ReplyToken, why: str, *, about: str, thread: str | None = None
) -> SurfaceMessage:
    """The message that tells a person why a reply was not used. It is the same for the same `about`."""
    message_id = _message_id(about)
    refusal = ReplyRefusal(message_id, reply.issue, reply.full_name, reply.account, why, thread)
    return SurfaceMessage(
        id=message_id,
        surface=setting.name,
        repository_id=reply.repository_id,
        full_name=reply.full_name,
        issue=reply.issue,
        question_key=question_key_of(reply.repository_id, reply.issue, reply.turn),
        body=KINDS[setting.kind].about_refusal(refusal),
    )


def loose_message(
    setting: SurfaceSetting, words: str, *, account: str, thread: str | None, about: str, waits: bool = False
) -> SurfaceMessage:
    """A message to a person, or in a session, that belongs to no conversation. It is the same for the same `about`."""
    message_id = _message_id(f"{setting.name}:{about}")
    refusal = ReplyRefusal(message_id, 0, NO_REPOSITORY, account, words, thread, waits)
    return SurfaceMessage(
        id=message_id,
        surface=setting.name,
        repository_id=0,
        full_name=NO_REPOSITORY,
        issue=0,
        question_key=f"loose:{thread or account}",
        body=KINDS[setting.kind].about_refusal(refusal),
    )


def _message_id(about: str) -> str:
    return f"msg_{hashlib.sha256(about.encode()).hexdigest()[:32]}"
