"""The text that the ranking reads. `pipeline.code_registry.text` has it; this room opens nothing itself."""

from collections.abc import Sequence
from typing import Protocol

from pipeline.domain.terms import Postings


class TextSource(Protocol):
    """The text of a tree. A file is a number: its place in `paths`.

    Attributes:
        paths: all files, sorted.
        lengths: words of each field of a file, four numbers for each.
        path_lengths: terms of each path.
        edges: the files that each file imports.
    """

    paths: Sequence[str]
    lengths: Sequence[int]
    path_lengths: Sequence[int]
    edges: Sequence[Sequence[int]]

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know of the index."""

    def postings(self, term: str) -> Postings:
        """Where a term stands in the texts."""

    def path_postings(self, term: str) -> Sequence[int]:
        """The files whose paths hold a term."""
