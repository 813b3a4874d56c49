"""The event file of GitHub Actions as a run understands it: a label was set, or the App dispatched a continued run."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ValidationError

from pipeline.contract.wire import CommitSha, Sha256
from pipeline.domain.errors import TicketUnreadable
from pipeline.domain.model_mistakes import mistakes_by_key
from pipeline.domain.models import FrozenModel

_MAX_BYTES = 25 << 20
"""GitHub sends no larger event."""


def _empty_is_none(value: object) -> object:
    return None if value == "" else value


_EmptyIsNone = BeforeValidator(_empty_is_none)


class EventUser(FrozenModel):
    """A user or an App's bot."""

    login: str


class EventLabel(FrozenModel):
    """A label of an issue."""

    name: str


class EventIssue(FrozenModel):
    """The issue as the event carries it: its text at the moment of the event.

    `updated_at` is the moment at which the label was set, `comments` how many there were by then.
    """

    number: int
    title: str
    body: str | None = None
    user: EventUser | None = None
    labels: tuple[EventLabel, ...] = ()
    comments: int = 0
    updated_at: datetime | None = None


class RepositoryName(FrozenModel):
    """`owner/name`."""

    full_name: str


class DispatchInputs(FrozenModel):
    """The inputs of a `workflow_dispatch`. GitHub sends every value as text, and an input left out as an empty one."""

    issue: int
    nonce: Annotated[str | None, _EmptyIsNone] = None
    ticket_sha256: Annotated[Sha256 | None, _EmptyIsNone] = None
    commit: Annotated[CommitSha | None, _EmptyIsNone] = None
    answers: Annotated[str | None, _EmptyIsNone] = None
    memo_run_id: Annotated[int | None, _EmptyIsNone] = None
    memo_sha256: Annotated[Sha256 | None, _EmptyIsNone] = None
    revise: Annotated[str | None, _EmptyIsNone] = None


class Event(FrozenModel):
    """An event that can start a run: it holds an issue, or dispatch inputs that name one."""

    action: str | None = None
    issue: EventIssue | None = None
    inputs: DispatchInputs | None = None
    repository: RepositoryName | None = None
    sender: EventUser | None = None

    def labelled_issue(self) -> EventIssue:
        """The issue of an `issues` event.

        Raises:
            TicketUnreadable: the event holds none.
        """
        if self.issue is None:
            raise TicketUnreadable(
                "The event holds no issue.",
                why="A run starts from an `issues` event or from a `workflow_dispatch` with the input `issue`.",
                what_to_do="Start the workflow on: issues: {types: [labeled]} and workflow_dispatch.",
            )
        return self.issue


def read_event(path: Path) -> Event:
    """Read an event file.

    Raises:
        TicketUnreadable: the file is missing, too large, no JSON, or not of an event's shape.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise TicketUnreadable(f"{path} is larger than any event that GitHub sends.")
        event = Event.model_validate_json(path.read_bytes())
    except OSError as error:
        raise TicketUnreadable(
            f"{path} cannot be read: {error.strerror}.",
            what_to_do='In a workflow: askfirst run --issue "$GITHUB_EVENT_PATH"',
        ) from error
    except ValidationError as error:
        raise TicketUnreadable(
            f"{path} is not an event that askfirst knows.",
            why=mistakes_by_key(error, "the file")[0],
            what_to_do="An event is the JSON that GitHub Actions puts at $GITHUB_EVENT_PATH.",
        ) from error
    return event
