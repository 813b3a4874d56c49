"""Places: where in the repository an issue is probably about, each with a probability and the reasons for it."""

from enum import StrEnum

from pydantic import Field

from pipeline.domain.issue import Citation
from pipeline.domain.models import FrozenModel


class Channel(StrEnum):
    """By which way a place became a candidate."""

    CITED = "cited"
    TEXT = "text"
    MESSAGE = "message"
    HISTORY = "history"
    NEIGHBOUR = "neighbour"


class Reason(FrozenModel):
    """Why a place is on the list, as a sentence that a person can check. `words` are shared words, `channel` says how."""

    channel: Channel
    sentence: str
    words: tuple[str, ...] = ()


class RankedFile(FrozenModel):
    """A file of the repository, any language, and how probable it is that the issue is solved by changing it.

    Attributes:
        path: relative to the root of the repository.
        probability: calibrated, 0 to 1.
        reasons: the strongest first; never empty.
        features: the numbers that the model weighed, by name, for `askfirst explain`.
    """

    path: str
    probability: float = Field(ge=0, le=1)
    reasons: tuple[Reason, ...]
    features: dict[str, float] = Field(default_factory=dict)


class CitedFile(FrozenModel):
    """A citation that leads to a file of the tree. `is_only` says that it leads to no other file."""

    path: str
    citation: Citation
    line: int | None = None
    is_only: bool = True


class Ranking(FrozenModel):
    """All files worth a look, the most probable first, and what of the repository was not there to be read.

    Attributes:
        files: at most 50.
        cited: citations that lead to files of the tree, whatever their rank.
        searched: how many files of the tree were searched.
        commits: how many commits of the history were read; 0 without one.
        is_shallow: the checkout lacks older commits.
        notes: what a reader should know of the search, as sentences ("The history holds 1 commit.").
    """

    files: tuple[RankedFile, ...]
    cited: tuple[CitedFile, ...] = ()
    searched: int = 0
    commits: int = 0
    is_shallow: bool = False
    notes: tuple[str, ...] = ()
