"""What a REST route is: method, path, who may call it, and the function that answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sandbox.access import Access, actor_of
from sandbox.actions.runs import Runs
from sandbox.deliveries import DeliverySender
from sandbox.documents.documents import Document, Documents
from sandbox.world.checks import CheckOperations
from sandbox.world.conversations import IssueOperations
from sandbox.world.pushes import Pushes
from sandbox.world.refusals import Invalid
from sandbox.world.state import CheckRun, Repository, Token
from sandbox.world.world import Actor, World

LATEST_API = "2026-03-10"
DEFAULT_API = "2022-11-28"


class Caller(Enum):
    """Whose credentials a route takes."""

    APP = "the App's JWT"
    HOLDER = "a token"
    ANYONE = "none"


@dataclass(frozen=True)
class Services:
    """What the answers are made from."""

    world: World
    documents: Documents
    conversations: IssueOperations
    runs: Runs
    pushes: Pushes
    checks: CheckOperations
    deliveries: DeliverySender
    artifact_address: Callable[[Repository, int], str]
    log_address: Callable[[CheckRun], str]


@dataclass(frozen=True)
class ApiCall:
    """One request, read: `body` is its JSON object, `query` its parameters."""

    services: Services
    body: Mapping[str, Any]
    query: Mapping[str, str]
    api_version: str
    path: str
    the_repository: Repository | None = None
    the_token: Token | None = None
    items: Sequence[Any] | None = None

    @property
    def world(self) -> World:
        """The state."""
        return self.services.world

    @property
    def conversations(self) -> IssueOperations:
        """What may be done to issues."""
        return self.services.conversations

    @property
    def documents(self) -> Documents:
        """The renderer."""
        return self.services.documents

    @property
    def repository(self) -> Repository:
        """The repository of the path."""
        if self.the_repository is None:
            raise LookupError(f"{self.path} names no repository")
        return self.the_repository

    @property
    def token(self) -> Token:
        """The token of the caller."""
        if self.the_token is None:
            raise LookupError(f"{self.path} takes no token")
        return self.the_token

    @property
    def actor(self) -> Actor:
        """Who acts."""
        return actor_of(self.token)

    def text(self, name: str) -> str | None:
        """A text of the body, None if absent or null."""
        value = self.body.get(name)
        if value is None or isinstance(value, str):
            return value
        raise Invalid(
            "Invalid request.\n\nFor 'properties/" + name + "', " + repr(value) + " is not a string."
        )

    def required_text(self, name: str) -> str:
        """A text of the body that must be there."""
        value = self.text(name)
        if value is None:
            raise Invalid(f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        return value


@dataclass(frozen=True)
class ApiAnswer:
    """What goes back. `document` None means an empty body."""

    status: int = 200
    document: object | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Page:
    """A list that is answered page by page.

    With `key`, GitHub wraps it in an object with `total_count`. `by_cursor` lists are read on by an opaque mark, others
    by the number of the page. `document_of` describes an item; only those of the page that is asked for are described.
    """

    items: Sequence[Any]
    key: str | None = None
    by_cursor: bool = False
    document_of: Callable[[Any], Document] = lambda document: document


@dataclass(frozen=True)
class ApiRoute:
    """One line of the table."""

    method: str
    path: str
    answer: Callable[..., ApiAnswer | Page]
    caller: Caller
    access: Access | None


class Routes:
    """A table of routes, filled by decorators."""

    def __init__(self) -> None:
        self.table: list[ApiRoute] = []

    def __call__(
        self, method: str, path: str, access: Access | None = None, caller: Caller = Caller.HOLDER
    ) -> Callable[[Callable[..., ApiAnswer | Page]], Callable[..., ApiAnswer | Page]]:
        """Register the function that answers `method path`; the path is written as Flask writes it."""

        def register(answer: Callable[..., ApiAnswer | Page]) -> Callable[..., ApiAnswer | Page]:
            self.table.append(ApiRoute(method, path, answer, caller, access))
            return answer

        return register


REPOSITORY = "/repos/<owner>/<repo>"
"""Beginning of every path that names a repository."""
