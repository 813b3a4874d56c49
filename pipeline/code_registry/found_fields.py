"""Fields of models and of requests, as a language's readers find them."""

from typing import NamedTuple

from pipeline.code_registry.entries import FieldKind, SourceRange
from pipeline.code_registry.facts import Expression


class FoundField(NamedTuple):
    """A field of a class or of a request. `name` is the one used on the wire."""

    name: str
    kind: FieldKind
    place: SourceRange
    annotation: Expression | None
    required: bool | None


class RequestFields(NamedTuple):
    """What a route reads from its request. With `body_known` False there may be more in the body than listed."""

    fields: tuple[FoundField, ...]
    body_known: bool


class ModelFields(NamedTuple):
    """A class of data. `complete`: all its bases are known, so its fields are all there are."""

    fields: tuple[FoundField, ...]
    complete: bool
