"""What the registry holds: one frozen value per thing that the code has."""

from enum import Enum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pipeline.contract.wire import Location


class SymbolKind(Enum):
    """What sort of named thing a symbol is."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    """The shape of a value: it has fields, but none of them a value of its own."""
    CONSTANT = "constant"


class FieldKind(Enum):
    """Where a field lives: in a class of data, or in a request."""

    TABLE = "table"
    MODEL = "model"
    BODY = "body"
    QUERY = "query"
    PATH = "path"
    HEADER = "header"
    COOKIE = "cookie"


class Confidence(Enum):
    """How a route came to its path.

    `MOUNTED`: every mount up to an application was read. `ASSUMED`: the last router is a parameter that is taken for
    the application. `UNMOUNTED`: no mount was found, so the path may lack a prefix.
    """

    MOUNTED = "mounted"
    ASSUMED = "assumed"
    UNMOUNTED = "unmounted"


class EdgeKind(Enum):
    """How one symbol leads to another."""

    CALL = "call"
    REFERENCE = "reference"
    """A function handed over as a value: a dependency, a callback, a task."""
    REQUEST = "request"
    """A test that sends a request to the handler's route."""


class Value(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A value that is written as the list of its parts: there are hundreds of thousands in a large repository."""


class Place(Value, frozen=True):
    """Lines of a file, as in `pipeline.contract.wire.Location`, without the cost of validating each."""

    path: str
    start_line: int
    end_line: int

    def location(self) -> "Location":
        """The same lines as a value of the contract."""
        from pipeline.contract.wire import Location

        return Location(path=self.path, start_line=self.start_line, end_line=self.end_line)

    def __str__(self) -> str:
        return f"{self.path}:{self.start_line}"


class Parameter(Value, frozen=True):
    """A parameter as it is written; `annotation` and `default` are source text or None."""

    name: str
    annotation: str | None
    default: str | None


class Symbol(Value, frozen=True):
    """A function, method, class, interface or module constant. `place` starts at its own line, not at its decorators."""

    id: str
    name: str
    qualified_name: str
    kind: SymbolKind
    place: Place
    docstring: str | None
    parameters: tuple[Parameter, ...]
    is_test: bool


class Field(Value, frozen=True):
    """A named piece of data: a column, a model's attribute, or what a route reads from the request.

    `owner` is a symbol id (table, model) or a route id (body, query, path, header, cookie).
    """

    id: str
    name: str
    kind: FieldKind
    owner: str
    place: Place
    annotation: str | None
    required: bool | None


class Route(Value, frozen=True):
    """One method and path, and the function or class method that answers it.

    `dynamic_prefix` says that something unknown may stand before `path`. Of `path_fields`, `query_fields` and
    `body_fields` the last is None where the code does not say which fields it takes: unknown, not zero.
    `mounts` are the statements that mount its router, innermost first.
    """

    id: str
    method: str
    path: str
    handler: str | None
    handler_name: str
    place: Place
    registered_at: Place
    mounts: tuple[Place, ...]
    app: str
    dynamic_prefix: bool
    confidence: Confidence
    path_fields: tuple[str, ...]
    query_fields: tuple[str, ...]
    body_fields: tuple[str, ...] | None
    is_test: bool

    @property
    def label(self) -> str:
        """Method and path, as people write them."""
        return f"{self.method} {self.path}"

    @property
    def body_field_count(self) -> int | None:
        """Number of body fields, None where they are unknown."""
        return None if self.body_fields is None else len(self.body_fields)


class Setting(Value, frozen=True):
    """A configuration key or environment variable, and where it is declared or read."""

    id: str
    name: str
    places: tuple[Place, ...]


class Option(Value, frozen=True):
    """An option of a command line, such as `--dry-run`."""

    id: str
    name: str
    owner: str | None
    place: Place


class CallEdge(Value, frozen=True):
    """`caller` leads to `callee` at `line` of the caller's file; `name` is the last word of what is written there."""

    caller: str
    callee: str
    line: int
    name: str
    kind: EdgeKind


class EntryRoute(Value, frozen=True):
    """A route that reaches a symbol, and the shortest chain of symbol ids from its handler to that symbol."""

    route: Route
    chain: tuple[str, ...]


class SkippedFile(Value, frozen=True):
    """A file that was not read. `path` is escaped, so that a name with a newline stays on one line."""

    path: str
    reason: str


class BuildReport(Value, frozen=True):
    """What building the registry took and what it left out."""

    files_indexed: int
    files_reused: int
    skipped: tuple[SkippedFile, ...]
    seconds: float
    notes: tuple[str, ...] = ()


class Entries(Value, frozen=True):
    """All entries of a tree or a part of it."""

    symbols: tuple[Symbol, ...] = ()
    routes: tuple[Route, ...] = ()
    fields: tuple[Field, ...] = ()
    settings: tuple[Setting, ...] = ()
    options: tuple[Option, ...] = ()
    edges: tuple[CallEdge, ...] = ()


Entry = Symbol | Field | Route | Setting | Option
