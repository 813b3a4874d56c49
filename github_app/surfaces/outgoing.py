"""Messages on their way to surfaces: stored first, sent by the worker, sent again until the surface has taken them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import AwareDatetime

from github_app.conversation.effects import StoredModel
from github_app.conversation.reply_token import read_stored

_MOST_QUESTIONS = 20


@dataclass(frozen=True)
class Outgoing:
    """One HTTP request to a surface."""

    url: str
    headers: Mapping[str, str]
    body: str
    method: Literal["POST", "GET"] = "POST"


@dataclass(frozen=True)
class SurfaceAnswer:
    """What a surface answered to a request. `retry_after` are the seconds to wait, where it named some."""

    status: int
    body: bytes = b""
    retry_after: float | None = None


@dataclass(frozen=True)
class ReplyRefusal:
    """A reply that could not be used. `why` is a sentence for the person, `thread` where it was written, if that is known;
    `waits` says that an answer is still waited for.
    """

    id: str
    issue: int
    repository: str
    account: str
    why: str
    thread: str | None = None
    waits: bool = True


class ThreadQuestion(StoredModel):
    """A question that stands in a thread, by its reply token. What was written up to `since`, by the surface's own clock, answers
    an earlier one. `takes_replies` is false where it could not be shown whole.
    """

    token: str
    since: AwareDatetime
    takes_replies: bool = True


class Thread(ThreadQuestion):
    """Where people answer by writing below questions: on a ticket, in a session. It is itself the newest question there.

    `other_questions` are questions of other issues, the newest first. `own_account` is ours there.
    """

    own_account: str | None = None
    other_questions: tuple[ThreadQuestion, ...] = ()

    @property
    def questions(self) -> tuple[ThreadQuestion, ...]:
        """All questions, the newest first."""
        newest = ThreadQuestion(token=self.token, since=self.since, takes_replies=self.takes_replies)
        return (newest, *self.other_questions)


def with_question(thread: Thread | None, question: ThreadQuestion, own_account: str | None) -> Thread:
    """A thread with one more question, which takes the place of an earlier one of the same issue."""
    issue = _issue_of(question)
    other_questions = [
        thread_question
        for thread_question in (thread.questions if thread else ())
        if _issue_of(thread_question) not in {issue, None}
    ]
    return Thread(
        **question.model_dump(),
        own_account=own_account,
        other_questions=tuple(other_questions[:_MOST_QUESTIONS]),
    )


def _issue_of(question: ThreadQuestion) -> tuple[int, int] | None:
    token = read_stored(question.token)
    return None if token is None else (token.repository_id, token.issue)


def thread_key(thread: str) -> str:
    """The key under which a `Thread` is kept, by what the surface calls it."""
    return f"thread:{thread}"


def attempt_key(question_key: str) -> str:
    """The key under which stands which message about a question was tried last."""
    return f"tried:{question_key}"


def session_key(ticket: str) -> str:
    """The key under which the session of a ticket is kept."""
    return f"session:{ticket}"


class MessageReferences(Protocol):
    """Notes about messages that a surface has taken, as text by keys: under a question's key what the surface calls our
    message about it, under `thread_key` the thread.
    """

    def get(self, surface: str, key: str) -> str | None:
        """The stored text, or None."""

    def put(self, surface: str, key: str, text: str) -> None:
        """Keep it; the newest counts."""
