"""What a language's readers say about data: fields of models, of requests, settings and options."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from pipeline.code_registry.entries import SourceRange
from pipeline.code_registry.found_fields import FoundField
from pipeline.code_registry.linking.names.program import DefinitionRef
from pipeline.code_registry.linking.values.tracing import Tracer


class FoundSetting(NamedTuple):
    """A configuration key or environment variable that is declared or read."""

    name: str
    place: SourceRange


class FoundOption(NamedTuple):
    """An option of a command line, and the function it stands in or at."""

    name: str
    owner: DefinitionRef
    place: SourceRange


ReadModels = Callable[[Tracer, DefinitionRef], tuple[FoundField, ...]]
ReadSettings = Callable[[Tracer, str], Iterable[FoundSetting]]
"""The settings that one file declares or reads."""
ReadOptions = Callable[[Tracer, str], Iterable[FoundOption]]
"""The options that one file declares."""
