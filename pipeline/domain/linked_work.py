"""Work on an issue that somebody has begun or done: pull requests, commits and branches that belong to it."""

from enum import StrEnum

from pipeline.domain.models import FrozenModel


class WorkState(StrEnum):
    """How far work is."""

    OPEN = "open"
    DRAFT = "draft"
    MERGED = "merged"
    COMMITTED = "committed"
    BRANCHED = "branch"


class LinkedWork(FrozenModel):
    """One piece of work.

    Attributes:
        id: `pull:12`, `commit:` and the whole id, or `branch:` and the name.
        title: of the pull request or commit; a branch has its name.
        closes: whether it says that it closes the issue; a commit or a branch need not.
        url: where it can be looked at; None where only the checkout knows it.
    """

    id: str
    title: str
    state: WorkState
    closes: bool = False
    url: str | None = None
