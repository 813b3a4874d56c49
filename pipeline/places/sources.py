"""What the ranking reads: the text of a tree and its past. `pipeline.text_index` has both; this room opens nothing itself."""

from collections.abc import Mapping, Sequence
from typing import Protocol


class TermPostings(Protocol):
    """Where a term stands: numbers of files and, at the same places, its counts in four fields, eight bits each."""

    @property
    def files(self) -> Sequence[int]:
        """Numbers of files."""

    @property
    def counts(self) -> Sequence[int]:
        """Packed counts: names, literals, comments, whole text; the first lowest."""


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

    def postings(self, term: str) -> TermPostings:
        """Where a term stands in the texts."""

    def path_postings(self, term: str) -> Sequence[int]:
        """The files whose paths hold a term."""


class CommitRecord(Protocol):
    """A commit of the past."""

    @property
    def id(self) -> str:
        """Short."""

    @property
    def age(self) -> int:
        """How many commits are newer."""

    @property
    def terms(self) -> Mapping[str, int]:
        """Of its message."""

    @property
    def files(self) -> Sequence[str]:
        """Paths as they are called today."""

    @property
    def issues(self) -> Sequence[int]:
        """The numbers that its message names."""


class Past(Protocol):
    """The past of a tree, the newest change first."""

    @property
    def commits(self) -> Sequence[CommitRecord]:
        """Those that changed a few files."""

    @property
    def count(self) -> int:
        """How many commits were read."""

    @property
    def is_shallow(self) -> bool:
        """Whether older commits are missing."""
