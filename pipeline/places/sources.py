"""The text that the ranking reads. `pipeline.text_index` has it; this room opens nothing itself."""

from collections.abc import Sequence
from typing import Protocol

from pipeline.domain.terms import Postings


class TextSource(Protocol):
    """The text of a tree. A file is a number: its place in `paths`."""

    @property
    def paths(self) -> Sequence[str]:
        """All files, sorted."""

    @property
    def lengths(self) -> Sequence[int]:
        """Words of each field of a file, four numbers for each."""

    @property
    def path_lengths(self) -> Sequence[int]:
        """Terms of each path."""

    @property
    def edges(self) -> Sequence[Sequence[int]]:
        """The files that each file imports."""

    @property
    def notes(self) -> Sequence[str]:
        """What a reader should know of the index."""

    def postings(self, term: str) -> Postings:
        """Where a term stands in the texts."""

    def path_postings(self, term: str) -> Sequence[int]:
        """The files whose paths hold a term."""
