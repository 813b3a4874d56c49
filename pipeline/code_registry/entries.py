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


class SourceRange(Value, frozen=True):
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
    """A parameter as written; `annotation` and `default` are source text or None."""

    name: str
    annotation: str | None
    default: str | None


class Symbol(Value, frozen=True):
    """A function, method, class, interface or module constant. `place` starts at its own line, not at its decorators.

    `is_test`: it stands in the code of tests. `is_test_case`: a runner of tests calls it.
    """

    id: str
    name: str
    qualified_name: str
    kind: SymbolKind
    place: SourceRange
    docstring: str | None
    parameters: tuple[Parameter, ...]
    is_test: bool
    is_test_case: bool = False


class Field(Value, frozen=True):
    """A named piece of data: a column, a model's attribute, or what a route reads from the request.

    `owner` is a symbol id (table, model) or a route id (body, query, path, header, cookie).
    """

    id: str
    name: str
    kind: FieldKind
    owner: str
    place: SourceRange
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
    place: SourceRange
    registered_at: SourceRange
    mounts: tuple[SourceRange, ...]
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
    places: tuple[SourceRange, ...]


class CommandLineOption(Value, frozen=True):
    """An option of a command line, such as `--dry-run`."""

    id: str
    name: str
    owner: str | None
    place: SourceRange


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


class FileFailure(Value, frozen=True):
    """A file, or a part of one, that askfirst failed to read because of an error of its own.

    `error` is the exception in a line; `traceback` has a frame a line, outermost first, and names nothing but our code.
    """

    path: str
    error: str
    traceback: tuple[str, ...]


class UnreadRegistration(Value, frozen=True):
    """A statement that looks like the registration of a route, gave none, and why."""

    place: SourceRange
    text: str
    reason: str


class FileCoverage(Value, frozen=True):
    """A file that imports a web framework: how many routes were read in it, and what was not."""

    framework: str
    path: str
    routes: int
    unread: tuple[UnreadRegistration, ...]


class FrameworkCoverage(Value, frozen=True):
    """What was read of one web framework.

    `is_read`: the registry knows the framework. `is_silent`: its import alone makes people expect routes, and it gave none;
    a framework that is read is not silent where its files register, mount or serve routes of another one. `routes` counts
    the registrations that gave routes, also in files that do not import it. `files` are those that import it, tests left out, by path.
    `elsewhere`: what looks like registrations in files that import no framework.
    """

    framework: str
    is_read: bool
    is_silent: bool
    routes: int
    files: tuple[FileCoverage, ...]
    elsewhere: tuple[UnreadRegistration, ...] = ()

    @property
    def unread(self) -> tuple[UnreadRegistration, ...]:
        """All registrations that gave none, by place."""
        return (*(item for file in self.files for item in file.unread), *self.elsewhere)

    @property
    def sentence(self) -> str | None:
        """What a ticket should say about it, in one sentence; None where nothing is missing."""
        if not self.unread and not self.is_silent:
            return None
        if not self.routes:
            why = "" if self.is_read else f": the registry does not read {self.framework}"
            return (
                f"{self._start} and no route was read from {'it' if len(self.files) == 1 else 'them'}{why}."
            )
        read = f"{_count(self.routes, 'route registration')} {'was' if self.routes == 1 else 'were'} read"
        unread_count = len(self.unread)
        return f"{self._start}: {read} and {unread_count} {'was' if unread_count == 1 else 'were'} not."

    @property
    def conclusion(self) -> str | None:
        """What a reader of its coverage should know: its sentence, or that no reader exists."""
        if self.sentence is None and not self.is_read:
            return f"{self._start}: the registry does not read {self.framework}."
        return self.sentence

    @property
    def _start(self) -> str:
        return f"{self.framework} is imported in {_count(len(self.files), 'file')}"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


class Coverage(Value, frozen=True):
    """Of each web framework that the code imports, what was read and what was not, by name."""

    frameworks: tuple[FrameworkCoverage, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The gaps of the coverage, a sentence for each framework that has one."""
        return tuple(text for item in self.frameworks if (text := item.sentence) is not None)

    @property
    def conclusions(self) -> tuple[str, ...]:
        """The coverage in sentences: the gaps, and the frameworks without one."""
        if not self.frameworks:
            return (f"{_NO_FRAMEWORK[0].upper()}{_NO_FRAMEWORK[1:]}. {_LANGUAGES}",)
        missing = tuple(text for item in self.frameworks if (text := item.conclusion) is not None)
        whole = [item.framework for item in self.frameworks if item.routes and item.conclusion is None]
        if not missing and not whole:
            return ("Nothing looks like a registration of a route.",)
        of_whole = f"Of {' and '.join(whole)}, everything" if missing else "Everything"
        return (*missing, *((f"{of_whole} that looks like a registration was read.",) if whole else ()))

    @property
    def doubt(self) -> str | None:
        """Why the code may have routes that the registry does not know, as a clause; None where nothing speaks for it."""
        if not self.frameworks:
            return _NO_FRAMEWORK
        unread = [item.framework for item in self.frameworks if not item.is_read]
        if unread:
            return f"the registry does not read {' and '.join(unread)}"
        missed = [item.framework for item in self.frameworks if item.sentence is not None]
        if missed:
            return f"not every registration of {' and '.join(missed)} could be read"
        return None if any(item.routes for item in self.frameworks) else "no route was read at all"


_NO_FRAMEWORK = "no web framework that the registry knows was found"
_LANGUAGES = "It reads routes of Python, TypeScript, JavaScript and Go, and of no other language."


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
    options: tuple[CommandLineOption, ...] = ()
    edges: tuple[CallEdge, ...] = ()
    failures: tuple[FileFailure, ...] = ()
    coverage: tuple[FrameworkCoverage, ...] = ()


Entry = Symbol | Field | Route | Setting | CommandLineOption
