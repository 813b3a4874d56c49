"""`github_app.ports.github.Announcements`: messages to surfaces, stored with their words; the worker sends them."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from github_app.conversation.record import Conversation
from github_app.conversation.reply_token import turn_of
from github_app.conversation.transcript import Person
from github_app.ports.conversations import Clock, Conversations
from github_app.ports.github import Place
from github_app.ports.surfaces import (
    NO_REPOSITORY,
    SurfaceMessage,
    SurfaceMisconfigured,
    SurfaceReply,
    SurfaceUnavailable,
)
from github_app.surface_settings import SurfaceSetting
from github_app.surfaces.all_surfaces import KINDS, refusal_message
from github_app.surfaces.announcement import Announcer
from github_app.surfaces.exchange import Exchange, NotTaken, SurfaceNotes, Undeliverable
from github_app.surfaces.outgoing import MessageReferences, Outgoing, SurfaceAnswer

_log = logging.getLogger(__name__)

_LONGEST_WAIT = 3600.0


class Post(Protocol):
    """Sends one request, without following it anywhere else."""

    def __call__(self, request: Outgoing) -> SurfaceAnswer:
        """The answer.

        Raises:
            SurfaceUnavailable: there was none.
        """


@dataclass(frozen=True)
class QueuedAnnouncements:
    """`store` keeps a message until it is sent, once for each id; `post` sends it."""

    announcer: Announcer
    conversations: Conversations
    clock: Clock
    store: Callable[[SurfaceMessage], None]
    post: Post
    references: MessageReferences

    def question_changed(self, place: Place, conversation: Conversation) -> None:
        """Store a message for every surface of the repository."""
        for surface in self.announcer.settings.surfaces:
            if not surface.shows(place.repository.full_name):
                continue
            announcement = self.announcer.announcement(place, conversation, surface)
            if announcement is None:
                continue
            self.store(
                SurfaceMessage(
                    id=announcement.id,
                    surface=surface.name,
                    repository_id=place.repository.id,
                    full_name=place.repository.full_name,
                    issue=place.issue,
                    question_key=announcement.question_key,
                    body=KINDS[surface.kind].about_question(announcement),
                    turn=turn_of(conversation),
                    token=announcement.token,
                )
            )

    def reply_refused(self, reply: SurfaceReply, why: str) -> None:
        """Store a message about a reply that was not used."""
        setting = self.announcer.settings.surface(reply.surface)
        if setting is not None:
            self.store(refusal_message(setting, reply, why, about=f"refused:{reply.id}"))

    def person(self, surface: str, account: str) -> Person | None:
        """Who an account is on GitHub, by the settings."""
        person = self.announcer.settings.person(surface, account)
        return None if person is None else Person(person.id, person.login)

    def send(self, message: Mapping[str, object]) -> None:
        """Send what was stored, unless its question has its answer or the surface shows its repository no more.

        Raises:
            SurfaceUnavailable: it was not taken.
        """
        queued_message = SurfaceMessage.model_validate(message)
        setting = self.announcer.settings.surface(queued_message.surface)
        if setting is None or _is_hidden(queued_message, setting) or self._is_stale(queued_message):
            _log.info(
                "dropped message %s to %s: it is out of date", queued_message.id, queued_message.surface
            )
            return
        notes = SurfaceNotes(self.references, queued_message.surface)
        exchange = KINDS[setting.kind].exchange(queued_message, setting, self.clock.now(), notes)
        try:
            self._carry_out(exchange)
        except Undeliverable as problem:
            place = (
                f"{queued_message.full_name}#{queued_message.issue}" if queued_message.issue else "a reply"
            )
            _log.warning("%s has no place for what is about %s: %s", queued_message.surface, place, problem)
        except NotTaken as refusal:
            if refusal.advice:
                raise SurfaceMisconfigured(f"{queued_message.surface} {refusal}", refusal.advice) from refusal
            wait = refusal.answer.retry_after
            raise SurfaceUnavailable(
                f"{queued_message.surface} {refusal}", None if wait is None else min(wait, _LONGEST_WAIT)
            ) from refusal

    def _carry_out(self, exchange: Exchange) -> None:
        request = next(exchange, None)
        while request is not None:
            try:
                request = exchange.send(self.post(request))
            except StopIteration:
                return

    def _is_stale(self, message: SurfaceMessage) -> bool:
        if message.turn is None:
            return False
        conversation = self.conversations.get(message.repository_id, message.issue)
        return conversation is None or turn_of(conversation) != message.turn


def _is_hidden(message: SurfaceMessage, setting: SurfaceSetting) -> bool:
    """Whether it is about a repository that the surface shows no more. A message of no conversation is about none."""
    return message.full_name != NO_REPOSITORY and not setting.shows(message.full_name)
