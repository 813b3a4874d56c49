"""What a surface is told about a question: that it was asked, was answered, or is over. Data; renderers make messages of it."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import quote

from github_app.conversation.record import Conversation
from github_app.conversation.reply_token import NO_ACCOUNT, ReplyToken, sign, turn_of
from github_app.conversation.wording.passed_on import in_short
from github_app.ports.github import Place
from github_app.surface_settings import SurfaceSetting, SurfaceSettings
from pipeline.contract.clarification import Clarification
from pipeline.contract.wire import NO_COMMIT, Location


@dataclass(frozen=True)
class ReplyAddress:
    """Where one person may answer, once. `account` is the person's on the surface."""

    login: str
    account: str
    url: str


@dataclass(frozen=True)
class GivenAnswer:
    """How a question was answered: by whom, where (None for GitHub), the answer in short, and what is ignored."""

    login: str
    surface: str | None
    answer: str
    beside: str | None = None


@dataclass(frozen=True)
class Links:
    """Addresses on GitHub: the question's comment, the issue, and where the code of each choice is, by its id."""

    question: str
    issue: str
    places: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Announcement:
    """One message about one question.

    `id` is the same for the same state of the same question, however often it is sent. `question_key` is the same for all
    messages about a question. `addressee` is the login of the person whom it concerns. `ending` says how it ended without an answer.
    `token` is a reply token without a person, for surfaces that say themselves who answers; None where nothing is
    asked. `ticket` is the ticket of a tracker on which it is shown.
    """

    id: str
    question_key: str
    phase: Literal["asked", "answered", "closed"]
    repository: str
    issue: int
    clarification: Clarification
    links: Links
    addressee: str | None = None
    expires_at: datetime | None = None
    replies: tuple[ReplyAddress, ...] = ()
    token: str | None = None
    answer: GivenAnswer | None = None
    ending: str | None = None
    ticket: str | None = None


@dataclass(frozen=True)
class Announcer:
    """Makes announcements: knows the people, GitHub's address, and the secret with which reply addresses are signed."""

    settings: SurfaceSettings
    server_url: str
    secret: bytes

    def announcement(
        self, place: Place, conversation: Conversation, surface: SurfaceSetting
    ) -> Announcement | None:
        """What to tell a surface about a conversation's current question; None where nothing is asked, or a
        tracker has no ticket for it.
        """
        clarification, run = conversation.question, conversation.asked_in
        ticket = surface.ticket_among(conversation.ticket_keys)
        if clarification is None or run is None or (surface.is_tracker and ticket is None):
            return None
        question_key = (
            f"{place.repository.id}#{place.issue}:{clarification.question.id}:{run.run_id}.{run.attempt}"
        )
        pending, ending, turn = conversation.given, conversation.ended, turn_of(conversation)
        if pending is not None:
            short = in_short(clarification, pending)
            answer = GivenAnswer(pending.login, pending.surface, short, pending.beside)
        else:
            answer = None
        phase: Literal["asked", "answered", "closed"] = (
            "answered" if answer else "asked" if turn is not None else "closed"
        )
        state = f"{surface.name}:{question_key}:{phase}:{len(conversation.taken)}"
        return Announcement(
            id=f"msg_{hashlib.sha256(state.encode()).hexdigest()[:32]}",
            question_key=question_key,
            phase=phase,
            repository=place.repository.full_name,
            issue=place.issue,
            clarification=clarification,
            links=self._links(place, conversation, clarification),
            addressee=conversation.addressee,
            expires_at=conversation.expires_at,
            replies=() if turn is None else self._replies(place, conversation, surface, turn),
            token=None
            if turn is None
            else self._token(place, conversation, surface.name, turn, NO_ACCOUNT, 0),
            answer=answer,
            ending=ending.how if ending is not None and answer is None else None,
            ticket=ticket,
        )

    def _replies(
        self, place: Place, conversation: Conversation, surface: SurfaceSetting, turn: str
    ) -> tuple[ReplyAddress, ...]:
        """An address for each person that is mapped there. Who may really answer is decided when somebody does."""
        addresses = []
        for account, person in self.settings.people_on(surface.name):
            token = self._token(place, conversation, surface.name, turn, account, person.id)
            if token is not None:
                url = f"{self.settings.public_url.rstrip('/')}/reply/{token}"
                addresses.append(ReplyAddress(person.login, account, url))
        return tuple(addresses)

    def _token(
        self, place: Place, conversation: Conversation, surface: str, turn: str, account: str, person_id: int
    ) -> str | None:
        repository, expires_at = place.repository, conversation.expires_at
        if expires_at is None:
            return None
        token = ReplyToken(
            installation_id=repository.installation_id,
            repository_id=repository.id,
            full_name=repository.full_name,
            default_branch=repository.default_branch,
            issue=place.issue,
            turn=turn,
            surface=surface,
            account=account,
            person_id=person_id,
            expires_at=expires_at,
        )
        return sign(token, self.secret)

    def _links(self, place: Place, conversation: Conversation, clarification: Clarification) -> Links:
        base = f"{self.server_url}/{place.repository.full_name}"
        issue = f"{base}/issues/{conversation.question_on or place.issue}"
        comment_id = conversation.question_comment_id
        places = tuple(
            (candidate.id, permalink)
            for candidate in clarification.candidates
            if (permalink := _permalink(base, clarification.run.commit, candidate.location)) is not None
        )
        question = issue if comment_id is None else f"{issue}#issuecomment-{comment_id}"
        return Links(question, issue, places)


def question_key_of(repository_id: int, issue: int, turn: str) -> str:
    """The key of the question that a turn belongs to: the turn without the number of answers before it."""
    return f"{repository_id}#{issue}:{turn.rpartition(':')[0]}"


def _permalink(base: str, commit: str, location: Location | None) -> str | None:
    if location is None or commit == NO_COMMIT:
        return None
    path = quote(location.path, safe="/._-")
    return f"{base}/blob/{commit}/{path}#L{location.start_line}-L{location.end_line}"
