"""The open conversations for an operator: who waits for whom, since when, and at what cost."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from github_app.conversation.record import OPEN_STATES, Conversation
from github_app.conversation.states import EXPIRY_DAYS


@dataclass(frozen=True)
class OpenConversation:
    """One line of the list. `dollars` is what its runs have cost so far; `run_id` the run that is waited for."""

    place: str
    state: str
    waits_for: str
    since: datetime | None
    question: str | None
    run_id: int | None
    dollars: float


def list_open(
    conversations: Iterable[Conversation], name_of: Callable[[int], str]
) -> Iterator[OpenConversation]:
    """The open conversations, those first that have waited longest."""
    lines = [
        _line(conversation, name_of(conversation.repository_id))
        for conversation in conversations
        if conversation.state in OPEN_STATES
    ]
    yield from sorted(lines, key=lambda line: (line.since is None, line.since))


def _line(conversation: Conversation, repository: str) -> OpenConversation:
    number = conversation.question_on or conversation.issue
    asks = conversation.state.has_question and conversation.question is not None
    waits_for, cause = "GitHub", conversation.run_cause
    if (late_start := conversation.waiting_start) is not None:
        waits_for = f"the dollars of {late_start.until:%Y-%m-%d}"
    if asks:
        waits_for = f"@{conversation.author}" if conversation.author else "an answer"
    return OpenConversation(
        place=f"{repository}#{number}",
        state=conversation.state.value,
        waits_for=waits_for,
        since=_asked_at(conversation) if asks else conversation.run_created_at or conversation.labelled_at,
        question=conversation.question.question.text if asks and conversation.question else None,
        run_id=cause.run_id if cause and not asks else None,
        dollars=round(conversation.dollars, 4),
    )


def _asked_at(conversation: Conversation) -> datetime | None:
    return None if conversation.expires_at is None else conversation.expires_at - timedelta(days=EXPIRY_DAYS)
