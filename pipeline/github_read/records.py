"""What GitHub answers about issues, comments and reviews, as values."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class DatedComment:
    """An issue comment with its id, when it was written and changed last, and whether a person wrote it.

    `is_of_team` only says whose role is worth a look first: GitHub hides some members, and not all of them may write.
    """

    id: int
    author: str
    is_person: bool
    changed_at: datetime
    body: str
    written_at: datetime
    is_of_team: bool = False


@dataclass(frozen=True)
class ReviewRemark:
    """A comment of a review on one line. GitHub gives no line for one whose place is gone."""

    id: int
    path: str
    line: int | None
    body: str


@dataclass(frozen=True)
class PullRequestReview:
    """A review of a pull request, with all its remarks. `is_dismissed`: somebody has set it aside since."""

    body: str
    is_dismissed: bool
    remarks: tuple[ReviewRemark, ...]


@dataclass(frozen=True)
class FoundIssue:
    """An issue as a search shows it. `state` is GitHub's word, with the reason where it was closed for one."""

    number: int
    title: str
    state: str


@dataclass(frozen=True)
class WholeIssue:
    """An issue with its comments, the oldest first; `more_comments` are not among them."""

    number: int
    title: str
    state: str
    body: str
    comments: tuple[DatedComment, ...]
    more_comments: int
