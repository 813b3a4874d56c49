"""The door for surfaces that sign what they send and say in it who answers: Slack, Jira, Linear. Whose reply it is and whether it is
used is the same for all of them; `all_surfaces.READERS` knows how each one signs and writes. What is for us and is not used is
said where the person is.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from github_app.conversation.reply_token import ReplyToken, TokenRefused, read, read_stored
from github_app.conversation.wording.passed_on import (
    NOT_HERE,
    NOTHING_ASKED,
    OTHER_KEY,
    TOO_OLD,
    how_to_reply_shortly,
)
from github_app.ports.surfaces import SurfaceMessage
from github_app.surface_settings import SurfaceSetting
from github_app.surfaces.all_surfaces import READERS, loose_message, refusal_message
from github_app.surfaces.announcement import question_key_of
from github_app.surfaces.door import DoorAnswer, ReplyDoor
from github_app.surfaces.incoming import OpenedSession, SignedRequest, WrittenReply
from github_app.surfaces.outgoing import MessageReferences, Thread, session_key, thread_key
from github_app.surfaces.thread_pick import AskedThere, pick, which_question

_ACCEPTED = DoorAnswer(200, "")
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
        match reply:
            case DoorAnswer():
                return reply
            case OpenedSession():
                self._open_session(setting, reply)
            case WrittenReply(thread=None):
                self._take_pressed(setting, reply)
            case WrittenReply():
                self._take_written(setting, reply)
        return _ACCEPTED

    def _open_session(self, setting: SurfaceSetting, session: OpenedSession) -> None:
        """Say in a new session which questions about its ticket are open, and take replies there from now on."""
        self.references.put(setting.name, session_key(session.ticket), session.id)
        thread = self._thread(setting.name, session.id, session.ticket)
        questions = [question for question in self._questions(thread) if question.is_open]
        lines = [self._reminder(question) for question in questions]
        words = "\n".join(lines) if lines else session.greeting
        about = f"greeting:{session.id}"
        self.tell(
            loose_message(setting, words, account="", thread=session.id, about=about, waits=bool(lines))
        )

    def _reminder(self, question: AskedThere) -> str:
        clarification = self.door.open_question(question.token)
        how = how_to_reply_shortly(clarification) if clarification and question.takes_replies else NOT_HERE
        return f"Open: {question.summary}. It stands in full in an earlier session of this ticket, and on GitHub. {how}"

    def _take_pressed(self, setting: SurfaceSetting, reply: WrittenReply) -> None:
        """A reply on a message of ours, which brings its token along."""
        try:
            token = read(reply.token or "", self.door.secrets, self.door.now())
        except TokenRefused as refusal:
            self._tell_loosely(setting, reply, TOO_OLD if refusal.is_old else OTHER_KEY)
            return
        if token.surface != setting.name:
            self._tell_loosely(setting, reply, OTHER_KEY)
            return
        self._answer(setting, self._of_person(setting, reply.account, token), reply, reply.words)

    def _take_written(self, setting: SurfaceSetting, reply: WrittenReply) -> None:
        """A reply below questions of ours, or talk among others."""
        thread = self._thread(setting.name, reply.thread or "", reply.ticket)
        if thread is not None and reply.account == thread.own_account:
            return
        questions = self._questions(thread, reply)
        if not questions:
            # What is older than every question answers none: a request may come again, long after.
            if thread is None and reply.is_addressed:
                self._tell_loosely(setting, reply, NOTHING_ASKED)
            return
        words = reply.words_to(thread.own_account if thread is not None else None)
        pick_result = pick(questions, words)
        question = pick_result.question or questions[0]
        token = self._of_person(setting, reply.account, question.token)
        if not (reply.is_addressed or self.door.concerns_question(token, pick_result.words)):
            return
        if pick_result.question is None:
            self._refuse(setting, token, reply, which_question(questions))
        elif question.is_open and not question.takes_replies:
            self._refuse(setting, token, reply, NOT_HERE)
        else:
            self._answer(setting, token, reply, pick_result.words)

    def _thread(self, surface: str, thread: str, ticket: str | None) -> Thread | None:
        """The question of a thread; in a session without one, the question about its ticket."""
        row = self.references.get(surface, thread_key(thread))
        if row is not None or ticket is None:
            return None if row is None else Thread.model_validate_json(row)
        row = self.references.get(surface, thread_key(ticket))
        if row is None:
            return None
        of_ticket = Thread.model_validate_json(row)
        self.references.put(surface, thread_key(thread), row)
        for question in self._questions(of_ticket):
            token = question.token
            key = question_key_of(token.repository_id, token.issue, token.turn)
            self.references.put(surface, key, thread)
        return of_ticket

    def _questions(self, thread: Thread | None, reply: WrittenReply | None = None) -> Sequence[AskedThere]:
        """The questions of a thread, the newest first; of a reply, those that it may answer."""
        questions = []
        for question in thread.questions if thread is not None else ():
            token = read_stored(question.token)
            is_later = reply is None or reply.written_at is None or reply.written_at > question.since
            if token is not None and is_later:
                clarification = self.door.open_question(token)
                text = clarification.question.text if clarification is not None else ""
                questions.append(AskedThere(token, text, clarification is not None, question.takes_replies))
        return questions

    def _of_person(self, setting: SurfaceSetting, account: str, token: ReplyToken) -> ReplyToken:
        """The right to answer, as the person behind the account."""
        person = self.door.settings.person(setting.name, account)
        of_person = {"account": account, "person_id": person.id if person is not None else 0}
        return token.model_copy(update=of_person)

    def _answer(self, setting: SurfaceSetting, token: ReplyToken, reply: WrittenReply, words: str) -> None:
        """Take a reply, or tell only this person why not."""
        answer = self.door.take_from(token, words, None)
        if answer.status != 202:
            self._refuse(setting, token, reply, answer.text)

    def _refuse(self, setting: SurfaceSetting, token: ReplyToken, reply: WrittenReply, why: str) -> None:
        """Tell a person why a reply is not used: the same sentence about the same question once."""
        about = f"{setting.name}:{token.turn}:{token.account}:{why}"
        self.tell(refusal_message(setting, token, why, about=about, thread=reply.thread))

    def _tell_loosely(self, setting: SurfaceSetting, reply: WrittenReply, why: str) -> None:
        """Tell a person why a reply is not used that belongs to no conversation: once a day in one place."""
        place = reply.thread or hashlib.sha256((reply.token or "").encode()).hexdigest()[:16]
        about = f"{setting.name}:{place}:{reply.account}:{why}:{self.door.now():%Y%m%d}"
        self.tell(loose_message(setting, why, account=reply.account, thread=reply.thread, about=about))
