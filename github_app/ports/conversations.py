"""What a conversation needs besides GitHub: a store, timers, a clock, its markers, and a surface that it is shown on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from github_app.conversation.effects import TimerName
from github_app.conversation.marker import Pointer
from github_app.conversation.message import Message
from github_app.conversation.record import Conversation
from github_app.conversation.transcript import Comment
from github_app.ports.github import Place


class Conversations(Protocol):
    """The store of conversations, keyed by repository id and issue number. Must survive a restart."""

    def get(self, repository_id: int, issue: int) -> Conversation | None:
        """The record of one conversation, or None."""

    def put(self, conversation: Conversation) -> bool:
        """Store a record if the stored one has exactly version `conversation.version - 1` (none counts as 0).

        False when somebody else was faster; nothing is stored then. One transaction with the index by run id.
        """

    def issue_of_run(self, repository_id: int, run_id: int) -> int | None:
        """The issue whose record lists this run id among its dispatched runs, or None."""

    def issue_of_pull_request(self, repository_id: int, number: int) -> int | None:
        """The issue whose conversation led to a pull request, or None."""


class Timers(Protocol):
    """Something to happen later, once, even if no worker is running then. Comes back as a `TimerDue`."""

    def set(self, place: Place, name: TimerName, about: str, at: datetime) -> None:
        """Set a timer about a question id. Setting the same name and question again changes nothing."""

    def cancel(self, place: Place, name: TimerName, about: str) -> None:
        """Take a timer back; one that is gone is no error."""


@dataclass(frozen=True)
class TimerDue:
    """A timer that went off. `about` is the id of the question it was set for."""

    place: Place
    name: TimerName
    about: str


@dataclass(frozen=True)
class RunCost:
    """What one attempt of a run has cost, on the day (UTC) on which it ended."""

    repository_id: int
    run_id: int
    attempt: int
    day: date
    dollars: float


class Costs(Protocol):
    """The costs of runs."""

    def add(self, cost: RunCost) -> None:
        """Keep what an attempt of a run has cost. The same attempt again changes nothing."""

    def of_run(self, repository_id: int, run_id: int, attempt: int) -> float | None:
        """The dollars that are kept of an attempt; None where nothing is."""

    def on_day(self, repository_id: int, day: date) -> float:
        """What the runs of a repository have cost on a day."""


class Clock(Protocol):
    """The time, and waiting."""

    def now(self) -> datetime:
        """Now, in UTC, with its time zone."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class Markers(Protocol):
    """The hidden last line of our comments: by it we know them again, and go on where a record was lost."""

    def line(self, key: str, conversation: Conversation, *, with_record: bool) -> str:
        """The last line of a comment that is about to be posted or edited."""

    def ours(
        self, comments: Iterable[Comment], *, repository_id: int, issue: int
    ) -> Iterator[tuple[Comment, Pointer]]:
        """The comments that we posted about an issue, with what their markers say."""

    def record(self, pointer: Pointer) -> Conversation | None:
        """The conversation as it was when a comment was written; None where that cannot be told, or is not believed."""


class Surface(Protocol):
    """Where a conversation is shown."""

    def render(self, message: Message) -> str:
        """The message as text for this surface, with everything untrusted made harmless, within its size limit."""

    def one_line(self, text: str) -> str:
        """Somebody else's words as one short line without markup, of which no part can act."""
