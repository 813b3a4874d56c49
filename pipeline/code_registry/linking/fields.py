"""What a language's readers say about data: fields of models, of requests, settings and options."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, Place
from pipeline.code_registry.facts import Expression
from pipeline.code_registry.linking.found_route import FoundRoute
from pipeline.code_registry.linking.program import Defined, Program
from pipeline.code_registry.linking.tracing import Tracer
from pipeline.code_registry.linking.types import Types


class FoundField(NamedTuple):
    """A field of a class or of a request. `name` is the one used on the wire."""

    name: str
    kind: FieldKind
    place: Place
    annotation: Expression | None
    required: bool | None


class RequestFields(NamedTuple):
    """What a route reads from its request. With `body_known` False there may be more in the body than listed."""

    fields: tuple[FoundField, ...]
    body_known: bool


class FoundSetting(NamedTuple):
    """A configuration key or environment variable that is declared or read."""

    name: str
    place: Place


class FoundOption(NamedTuple):
    """An option of a command line, and the function it stands in or at."""

    name: str
    owner: Defined
    place: Place


class Reading(NamedTuple):
    """What a reader needs: the program, its types, and where values come from."""

    program: Program
    types: Types
    tracer: Tracer


ReadRequest = Callable[[Reading, FoundRoute], RequestFields]
ReadModels = Callable[[Reading, Defined], tuple[FoundField, ...]]
ReadSettings = Callable[[Reading, str], Iterable[FoundSetting]]
"""The settings that one file declares or reads."""
ReadOptions = Callable[[Reading, str], Iterable[FoundOption]]
"""The options that one file declares."""
