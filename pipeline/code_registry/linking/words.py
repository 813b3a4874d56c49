"""The little that the linker has to be told about a language: its imports and the names that its types use."""

from collections.abc import Callable
from dataclasses import dataclass

FindModule = Callable[[str, str, int], str | None]
"""`find(importing_path, module, level)`: path of the file that the import means, or None for what is not here."""


@dataclass(frozen=True, slots=True)
class TypeWords:
    """Names that mean something to the type reader.

    `transparent`: generic types that stand for their first argument (`Optional[X]` is X). `collections`: those whose
    elements are of their last plain argument. `class_of`: those that stand for the class itself. `properties`:
    decorators that make a method read like an attribute. `default`: the name under which a module exports one value
    for the whole of itself, where the language has that.
    """

    receivers: frozenset[str]
    transparent: frozenset[str]
    collections: frozenset[str]
    mappings: frozenset[str]
    class_of: frozenset[str]
    properties: frozenset[str]
    constructor: str
    entering: tuple[str, ...]
    calling: str
    nothing: frozenset[str]
    default: str | None = None
