"""`revise`: the input by which a run is told to change a pull request again. Ids and hashes; the run fetches the text."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pipeline.contract.wire import CommitSha, NonEmpty, Sha256, WireModel

MAX_FAILED_JOBS = 3
"""So many failed jobs one revision works on: a run reads a log of each."""


class ChangesAsked(WireModel):
    """Where somebody said what shall be different: a review with its remarks, or a comment on the pull request.

    `text_sha256` is `wire.review_sha256` of a review, and that of the words (`commands.revision_text`) of a comment.
    """

    review_id: int | None = None
    comment_id: int | None = None
    text_sha256: Sha256
    asked_by: NonEmpty

    @model_validator(mode="after")
    def _stands_in_one_place(self) -> Self:
        if (self.review_id is None) == (self.comment_id is None):
            raise ValueError("what was asked stands in exactly one of `review_id` and `comment_id`")
        return self


class FailedChecks(WireModel):
    """Checks of the pull request's head that fail there and pass on the base: `jobs` are the ids of their Actions jobs.

    There is no hash of a log: no person has read it, and a run takes it for nothing but data. `commit` binds it instead:
    a job that ran on another commit is refused.
    """

    commit: CommitSha
    jobs: Annotated[tuple[int, ...], Field(min_length=1, max_length=MAX_FAILED_JOBS)]


class Revision(WireModel):
    """One more round of a pull request. The input `commit` of the run is then the head of the pull request.

    `base_commit` is the commit of the default branch from which the first change was made: configuration, agents and rules
    are read there, never from `commit`, which a model wrote. The reason is what a person asked for, failed checks, or both.
    """

    version: Literal[1] = 1
    pull_request: int
    base_commit: CommitSha
    asked: ChangesAsked | None = None
    failed: FailedChecks | None = None

    @model_validator(mode="after")
    def _has_a_reason(self) -> Self:
        if self.asked is None and self.failed is None:
            raise ValueError("a revision has `asked`, `failed` or both")
        return self
