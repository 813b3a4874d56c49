"""The door for surfaces that sign what they send and say in it who answers: Slack, Jira, Linear. Whose reply it is and whether it is
used is the same for all of them; `all_surfaces.READERS` knows how each one signs and writes.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from github_app.conversation.reply_token import ReplyToken, TokenRefused, read
from github_app.surface_settings import SurfaceSetting
from github_app.surfaces.all_surfaces import READERS, refusal_message
from github_app.surfaces.door import DoorAnswer, ReplyDoor
from github_app.surfaces.incoming import OpenedSession, SignedRequest, WrittenReply
from github_app.surfaces.outgoing import (
    NO_REPOSITORY,
    MessageReferences,
    SurfaceMessage,
    Thread,
    session_key,
    thread_key,
)

_TAKEN = DoorAnswer(200, "")
"""All that a surface hears. The person is told by a message."""


@dataclass(frozen=True)
class SignedDoor:
    """`tell` stores a message for a person whose reply is not used."""

    door: ReplyDoor
    references: MessageReferences
    tell: Callable[[SurfaceMessage], None]

    def take(self, name: str, headers: Mapping[str, str], body: bytes) -> DoorAnswer:
        """Take a request that was sent to the address of a surface."""
        setting = self.door.settings.surface(name)
        reader = None if setting is None else READERS.get(setting.kind)
        if setting is None or reader is None:
            return DoorAnswer(404, "There is no such surface.")
        reply = reader(SignedRequest(headers, body, self.door.now()), setting)
        if isinstance(reply, DoorAnswer):
            return reply
        if isinstance(reply, OpenedSession):
            self.references.put(name, session_key(reply.ticket), reply.id)
            self.tell(_greeting(name, reply))
            return _TAKEN
        thread = None if reply.thread is None else self._thread(name, reply)
        token = self._token(setting, reply.account, reply.token if thread is None else thread.token)
        if token is not None and thread is not None:
            words = reply.words_to(thread.own_account)
            if reply.is_addressed or self.door.concerns_question(token, words):
                self._answer(setting, token, words)
        elif token is not None:
            self._answer(setting, token, reply.words)
        return _TAKEN

    def _thread(self, surface: str, reply: WrittenReply) -> Thread | None:
        """The thread that somebody else than we wrote in, about its question."""
        stored = self.references.get(surface, thread_key(reply.thread or ""))
        if stored is None or reply.written_at is None:
            return None
        thread = Thread.model_validate_json(stored)
        # A request may come again, long after: what is older than the question was written about another one.
        is_ours = reply.account == thread.own_account
        return None if is_ours or reply.written_at <= thread.since else thread

    def _token(self, setting: SurfaceSetting, account: str, text: str | None) -> ReplyToken | None:
        """The right to answer, as the person behind the account; None for what answers no question of ours."""
        try:
            token = read(text or "", self.door.secret, self.door.now())
        except TokenRefused:
            return None
        if token.surface != setting.name:
            return None
        person = self.door.settings.person(setting.name, account)
        of_person = {"account": account, "person_id": person.id if person is not None else 0}
        return token.model_copy(update=of_person)

    def _answer(self, setting: SurfaceSetting, token: ReplyToken, words: str) -> None:
        """Take a reply, or tell only this person why not: the same sentence about the same question once."""
        answer = self.door.take_from(token, words, None)
        if answer.status != 202:
            about = f"{setting.name}:{token.turn}:{token.account}:{answer.text}"
            self.tell(refusal_message(setting, token, answer.text, about=about))


def _greeting(surface: str, session: OpenedSession) -> SurfaceMessage:
    """What a session hears first, once. It belongs to no conversation yet."""
    return SurfaceMessage(
        id=f"msg_{hashlib.sha256(f'{surface}:greeting:{session.id}'.encode()).hexdigest()[:32]}",
        surface=surface,
        repository_id=0,
        full_name=NO_REPOSITORY,
        issue=0,
        question_key=session_key(session.ticket),
        body=session.greeting,
    )
