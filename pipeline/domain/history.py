"""The past of a tree, as far as it says something of the files that are there."""

import msgspec


class PastCommit(msgspec.Struct, frozen=True):
    """A commit that changed files of the tree.

    Attributes:
        id: short.
        age: how many commits are newer.
        terms: of its message, and how often each stands in it.
        files: their paths in today's tree.
        issues: the numbers that its message names as `#123`.
    """

    id: str
    age: int
    terms: dict[str, int]
    files: list[str]
    issues: list[int]


class CommitHistory(msgspec.Struct, frozen=True):
    """The past of a tree, the newest commit first.

    Attributes:
        commits: those that changed a few files; `count` is how many were read.
        is_shallow: older commits exist, and the checkout lacks them.
    """

    commits: list[PastCommit]
    count: int
    is_shallow: bool


NO_HISTORY = CommitHistory([], 0, is_shallow=False)
